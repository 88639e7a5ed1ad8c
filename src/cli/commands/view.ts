// manikin view: the page, served on this machine, with a model, a scene or a recording open.

import { spawn } from 'node:child_process';
import { basename, dirname, extname } from 'node:path';
import { type Command, Option } from 'commander';
import { MODEL_FILES } from '../../files/kinds.js';
import { decodeText } from '../../formats/decode-text.js';
import { formatJson } from '../../formats/json-writer.js';
import { formatScene, isScene, parseScene } from '../../scenes/parse-scene.js';
import type { Scene } from '../../scenes/scene.js';
import { InputError } from '../errors.js';
import { filesBelow, readInput } from '../input-file.js';
import { servePage } from '../page-server.js';
import type { Terminal } from '../terminal.js';

interface Options {
  readonly root?: string;
  readonly base?: 'fixed' | 'floating';
  readonly open?: boolean;
  readonly json?: boolean;
}

const HELP = `
The page is served on 127.0.0.1 alone, and only to this machine; Ctrl-C ends it. A file that is opened goes to the page
and nowhere else.

Examples:
  manikin view
  manikin view human-161
  manikin view robot.urdf
  manikin view robot.urdf --base floating        (it stands on the ground, or falls over)
  manikin view fall
  manikin view out/fall.mcap`;

export function configureView(command: Command, terminal: Terminal): void {
  command
    .argument(
      '[what]',
      'a built-in model or scene, a model or scene file, or a recording (.mcap); the figure on a bar where left out',
    )
    .option(
      '--root <folder>',
      'meshes and included files are read from here and below (default: the folder of the model)',
    )
    .addOption(
      new Option('--base <how>', 'how a model file hangs from the ground: a floating one stands on it').choices([
        'fixed',
        'floating',
      ]),
    )
    .option('--open', 'open a browser')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (what: string | undefined, options: Options) => {
      const opened = what === undefined ? new Map<string, Uint8Array>() : await filesToView(what, options);
      const { server, address: base } = await servePage(opened);
      const address = what !== undefined && opened.size === 0 ? `${base}#${encodeURIComponent(what)}` : base;
      terminal.out(
        options.json === true ? `${formatJson({ address })}\n` : `The page is at ${address} (Ctrl-C ends it)\n`,
      );
      if (options.open === true) openBrowser(address);
      await new Promise<void>((done) => {
        terminal.signal.addEventListener('abort', () => done(), { once: true });
      });
      server.closeAllConnections();
      server.close();
      throw terminal.signal.reason;
    });
}

/** The file with all that it names, read as the command would read it; nothing for a built-in name. */
export async function filesToView(what: string, { root, base }: Options): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  const extension = extname(what).toLowerCase();
  if (base !== undefined && !(MODEL_FILES as readonly string[]).includes(extension))
    throw new InputError(`--base is for model files (${MODEL_FILES.join(', ')}), not for "${what}".`);
  if (extension === '.mcap') return found.set(basename(what), readInput(what));
  if (!(MODEL_FILES as readonly string[]).includes(extension)) {
    if (extension !== '' || what.includes('/'))
      throw new InputError(
        `"${what}" is neither a built-in name nor a file of a known kind (${MODEL_FILES.join(', ')}, .mcap).`,
      );
    await refuseUnknown(what);
    return found;
  }
  const bytes = readInput(what);
  const { folder = '', read } = filesBelow(root ?? dirname(what), what);
  const within = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
  if (base !== undefined) {
    // The page opens scenes: one of this model, on the ground.
    const file = basename(what);
    const description = `${file} with a ${base} base, above the ground.`;
    const scene: Scene = { name: file, description, mechanisms: [{ model: file, base }], ground: true };
    found.set(within(`${basename(what)}.json`), new TextEncoder().encode(formatScene(scene)));
  }
  found.set(within(basename(what)), bytes);
  const remember = (path: string): Uint8Array | undefined => {
    const content = read(path);
    if (content !== undefined) found.set(path, content);
    return content;
  };
  const files = { folder, read: remember };
  const text = extension === '.json' ? decodeText(bytes) : '';
  if (isScene(text)) {
    if (base !== undefined) throw new InputError(`The scene "${what}" says itself what hangs where; leave --base out.`);
    const { sceneWorld } = await import('../../scenes/make-scene.js');
    sceneWorld(parseScene(text, { file: basename(what) }), { files });
  } else (await import('../../files/read-model.js')).readModel(bytes, what, { files });
  return found;
}

/** What the page itself brings along beside the scenes and models of the package. */
export const PAGE_SCENES = ['bar', 'boxes', 'balance', 'swing-up', 'follow'];

async function refuseUnknown(name: string): Promise<void> {
  const [{ SCENE_NAMES }, { builtinMechanism }] = await Promise.all([
    import('./scene-argument.js'),
    import('../../models/index.js'),
  ]);
  const names = [...PAGE_SCENES, ...SCENE_NAMES.names];
  if (!names.includes(name)) builtinMechanism(name, { ...SCENE_NAMES, names });
}

function openBrowser(address: string): void {
  const [program, ...before] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
  // No browser, no harm: the address stands on the screen.
  spawn(program, [...before, address], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
