// The file that goes with a URDF of a mechanism with closed loops: which pairs of frames close them, how, and which joints
// have motors (https://github.com/Gepetto/example-parallel-robots). It is YAML, of which lists and plain texts are read:
//
//     closed_loop: [['loop_A', 'loop_B']]
//     type: ['6d']
//     name_mot: ['motor']

import { ImportLog, quoted } from './import-log.js';
import { checkInputSize } from './size-limit.js';

/** How the loops of a tree close. */
export interface ClosingFrames {
  /** Names of two frames that coincide ('fixed'), or whose origins do ('spherical'). */
  readonly pairs: readonly { readonly a: string; readonly b: string; readonly type: 'fixed' | 'spherical' }[];
  /** Joints that are driven; the others follow. */
  readonly motors: readonly string[];
}

type Value = string | readonly Value[];

/** Lists within lists. */
const MAX_DEPTH = 8;

/** Reads closing frames; a file without the key `closed_loop` has none. */
export function parseClosingFrames(text: string, options: { readonly file?: string } = {}): ClosingFrames {
  checkInputSize(text.length, options.file);
  const log = new ImportLog(options.file);
  const values = readKeys(text, log);
  log.throwIfBroken();
  const place = options.file ?? 'closing frames';
  const pairs = values.get('closed_loop') ?? [];
  const types = values.get('type') ?? [];
  const isPair = (value: Value): value is readonly [string, string] =>
    Array.isArray(value) && value.length === 2 && value.every((name) => typeof name === 'string');
  if (typeof pairs === 'string' || !pairs.every(isPair))
    log.error('closing-frames', place, 'closed_loop: expected a list of pairs of names.');
  else if (
    typeof types === 'string' ||
    types.length !== pairs.length ||
    types.some((type) => type !== '3d' && type !== '6d')
  )
    log.error('closing-frames', place, `type: expected ${pairs.length} times '3d' or '6d', one for each pair.`);
  const motors = values.get('name_mot') ?? [];
  if (typeof motors === 'string' || motors.some((name) => typeof name !== 'string'))
    log.error('closing-frames', place, 'name_mot: expected a list of names.');
  log.throwIfBroken();
  return {
    pairs: (pairs as readonly (readonly [string, string])[]).map(([a, b], k) => ({
      a,
      b,
      type: types[k] === '6d' ? 'fixed' : 'spherical',
    })),
    motors: motors as readonly string[],
  };
}

/** Keys at the start of a line, each with a text or a list that may go on in the lines below. */
function readKeys(text: string, log: ImportLog): Map<string, Value> {
  const values = new Map<string, Value>();
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  let at = 0;
  while (at < lines.length) {
    const first = at++;
    const found = /^([\w-]+)\s*:(.*)$/.exec(lines[first]);
    if (found === null) {
      if (/^\s*(#.*|---.*|\.\.\.\s*)?$/.test(lines[first])) continue;
      log.error('yaml', `line ${first + 1}`, 'Expected "key: value" with a list or a text.');
      return values;
    }
    const content = [found[2]];
    while (at < lines.length && /^(\s|-\s|\])/.test(lines[at])) content.push(lines[at++]);
    const value = readValue(content);
    if (value === undefined)
      log.error('yaml', `line ${first + 1}`, `The value of ${quoted(found[1])} is not a list or a text.`);
    else values.set(found[1], value);
  }
  return values;
}

/** A flow list, [a, [b, c]], or lines that begin with a dash, or one text. */
function readValue(lines: readonly string[]): Value | undefined {
  const items = lines.filter((line) => /^\s*-\s/.test(line));
  const head = withoutComment(lines[0]).trim();
  if (head !== '' || items.length === 0) return new FlowReader(lines.map(withoutComment).join('\n')).read();
  const values = items.map((line) => new FlowReader(withoutComment(line).replace(/^\s*-\s+/, '')).read());
  return values.includes(undefined) ? undefined : (values as Value[]);
}

function withoutComment(line: string): string {
  return line.replace(/(^|\s)#.*$/, '');
}

class FlowReader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.match(/[[\],]|'(?:[^']|'')*'|"[^"]*"|[^\s[\],'"][^[\],'"\n]*/g) ?? [];
  }

  read(): Value | undefined {
    const value = this.#value(0);
    return this.#at === this.#tokens.length ? value : undefined;
  }

  #value(depth: number): Value | undefined {
    const token = this.#tokens[this.#at++];
    if (token === undefined || depth > MAX_DEPTH) return undefined;
    if (token !== '[') return token === ']' || token === ',' ? undefined : plain(token);
    const list: Value[] = [];
    while (this.#tokens[this.#at] !== ']') {
      const value = this.#value(depth + 1);
      if (value === undefined) return undefined;
      list.push(value);
      if (this.#tokens[this.#at] === ',') this.#at++;
      else if (this.#tokens[this.#at] !== ']') return undefined;
    }
    this.#at++;
    return list;
  }
}

function plain(token: string): string {
  if (token.startsWith("'")) return token.slice(1, -1).replaceAll("''", "'");
  return token.startsWith('"') ? token.slice(1, -1) : token.trim();
}
