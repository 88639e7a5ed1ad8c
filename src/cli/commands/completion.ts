// manikin completion: a script that lets the shell complete commands, options and their words.

import { Argument, Command } from 'commander';
import { MODEL_FILES, MOTION_FILES } from '../../files/kinds.js';
import { formatJson } from '../../formats/json-writer.js';
import { BUILTIN_MODELS } from '../../models/index.js';
import { BUNDLED_SCENES } from '../../scenes/bundled.js';
import { COMMANDS, type CommandEntry } from '../command-table.js';
import type { Terminal } from '../terminal.js';

/** What can follow a command: its options, with the words that an option takes. */
interface Completion {
  /** The words of the command: `fd`, `bench fd`. */
  readonly command: string;
  readonly description: string;
  readonly options: readonly {
    readonly flag: string;
    readonly description: string;
    readonly words: readonly string[];
  }[];
  /** Words that its arguments take; where there are none, files. */
  readonly words: readonly string[];
  /** Built-in models and scenes that stand for a file. */
  readonly names: readonly string[];
}

const MODELS = BUILTIN_MODELS.map(({ example }) => example);
const NAMES = new Map<string, readonly string[]>([
  ['model', MODELS],
  ['scene', [...BUNDLED_SCENES.map(({ name }) => name), ...MODELS]],
  ['what', [...BUNDLED_SCENES.map(({ name }) => name), ...MODELS]],
]);

export function configureCompletion(command: Command, terminal: Terminal): void {
  command
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .option('--json', 'print what can be completed as JSON')
    .addHelpText(
      'after',
      `
Examples:
  manikin completion bash > ~/.local/share/bash-completion/completions/manikin
  manikin completion zsh > "\${fpath[1]}/_manikin"
  manikin completion fish > ~/.config/fish/completions/manikin.fish`,
    )
    .action(async (shell: string, { json }: { json?: boolean }) => {
      const all = await completions(terminal);
      if (json === true) terminal.out(`${formatJson({ shell, commands: all })}\n`);
      else terminal.out(shell === 'fish' ? fish(all) : shell === 'zsh' ? zsh(all) : bash(all));
    });
}

async function completions(terminal: Terminal): Promise<Completion[]> {
  const found: Completion[] = [];
  const add = async (entry: CommandEntry, before: string): Promise<void> => {
    const command = new Command(entry.name);
    (await entry.load())(command, terminal);
    found.push({
      command: `${before}${entry.name}`,
      description: entry.description,
      options: command.options.flatMap(({ long, description, argChoices }) =>
        long == null ? [] : [{ flag: long, description, words: argChoices ?? [] }],
      ),
      words: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
      names: command.registeredArguments.flatMap((argument) => NAMES.get(argument.name()) ?? []),
    });
  };
  for (const entry of COMMANDS) {
    if ('commands' in entry) for (const inner of entry.commands) await add(inner, `${entry.name} `);
    else await add(entry, '');
  }
  return found;
}

/** First words, and the second ones of groups. */
const firstWords = (all: readonly Completion[]): string[] => [
  ...new Set(all.map(({ command }) => command.split(' ')[0])),
];
const groups = (all: readonly Completion[]): Map<string, string[]> => {
  const found = new Map<string, string[]>();
  for (const { command } of all) {
    const [group, inner] = command.split(' ');
    if (inner !== undefined) found.set(group, [...(found.get(group) ?? []), inner]);
  }
  return found;
};

/** Endings of the files that commands take, as a regular expression has them. */
const FILES = [...new Set([...MODEL_FILES, ...MOTION_FILES])].map((ending) => ending.slice(1)).join('|');

function bash(all: readonly Completion[]): string {
  const cases = all.map(({ command, options, words, names }) => {
    const choices = options
      .filter((option) => option.words.length > 0)
      .map(
        ({ flag, words: list }) => `      ${flag}) COMPREPLY=($(compgen -W "${list.join(' ')}" -- "$word")); return ;;`,
      );
    const flags = ['--help', ...options.map(({ flag }) => flag)].join(' ');
    return `    "${command}")
${choices.length > 0 ? `      case "$previous" in\n${choices.join('\n')}\n      esac\n` : ''}      COMPREPLY=($(compgen -W "${[flags, ...words, ...names].join(' ')}" -- "$word"))
      ;;`;
  });
  const inner = [...groups(all)].map(
    ([group, words]) =>
      `  if [[ $COMP_CWORD -eq 2 && "$command" == "${group}" ]]; then COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$word")); return; fi
  [[ "$command" == "${group}" ]] && command="${group} \${COMP_WORDS[2]}"`,
  );
  return `# manikin completion bash
_manikin() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" command="\${COMP_WORDS[1]}"
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then COMPREPLY=($(compgen -W "${firstWords(all).join(' ')} --help --version" -- "$word")); return; fi
${inner.join('\n')}
  case "$command" in
${cases.join('\n')}
  esac
  if [[ "$word" != -* ]]; then
    local name
    while IFS= read -r name; do
      if [[ -d "$name" ]]; then COMPREPLY+=("$name/"); elif [[ "$name" =~ \\.(${FILES})$ || "$previous" == --* ]]; then COMPREPLY+=("$name"); fi
    done < <(compgen -f -- "$word")
  fi
}
complete -o nospace -o filenames -F _manikin manikin
`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function zsh(all: readonly Completion[]): string {
  const described = (text: string): string => text.replace(/[[\]:]/g, (c) => `\\${c}`);
  const cases = all.map(({ command, options, words, names }) => {
    const flags = options.map(({ flag, description, words: list }) =>
      quoted(`${flag}[${described(description)}]${list.length > 0 ? `:word:(${list.join(' ')})` : ''}`),
    );
    const files = names.length > 0 ? `{ compadd -- ${names.join(' ')}; _files }` : '_files';
    const rest = quoted(words.length > 0 ? `*:word:(${words.join(' ')})` : `*:file:${files}`);
    return `    ${quoted(command)}) _arguments ${[...flags, rest].join(' ')} ;;`;
  });
  const inner = [...groups(all)].map(
    ([group, words]) => `  if [[ $command == ${group} ]]; then
    if (( CURRENT == 3 )); then compadd -- ${words.join(' ')}; return; fi
    command="${group} \${words[3]}"; shift words; (( CURRENT-- ))
  fi`,
  );
  return `#compdef manikin
# manikin completion zsh
_manikin() {
  if (( CURRENT == 2 )); then compadd -- ${firstWords(all).join(' ')} --help --version; return; fi
  local command="\${words[2]}"
${inner.join('\n')}
  shift words; (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
compdef _manikin manikin
`;
}

function fish(all: readonly Completion[]): string {
  const inner = groups(all);
  const lines = all.flatMap(({ command, description, options, words, names }) => {
    const [first, second] = command.split(' ');
    const when =
      second === undefined
        ? `__fish_seen_subcommand_from ${first}`
        : `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`;
    const named =
      second === undefined
        ? `complete -c manikin -n __fish_use_subcommand -f -a ${first} -d ${quoted(description)}`
        : `complete -c manikin -n ${quoted(`__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${inner.get(first)!.join(' ')}`)} -f -a ${second} -d ${quoted(description)}`;
    return [
      named,
      ...(words.length > 0 ? [`complete -c manikin -n ${quoted(when)} -f -a ${quoted(words.join(' '))}`] : []),
      ...(names.length > 0 ? [`complete -c manikin -n ${quoted(when)} -a ${quoted(names.join(' '))}`] : []),
      ...options.map(
        ({ flag, description: about, words: list }) =>
          `complete -c manikin -n ${quoted(when)} -l ${flag.slice(2)}${list.length > 0 ? ` -x -a ${quoted(list.join(' '))}` : ''} -d ${quoted(about)}`,
      ),
    ];
  });
  const firsts = [...inner.keys()].map((group) => `complete -c manikin -n __fish_use_subcommand -f -a ${group}`);
  return `# manikin completion fish\n${[...firsts, ...lines].join('\n')}\n`;
}
