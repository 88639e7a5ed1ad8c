// Names of parts. A part that is written once may come several times, by <replicate> and <attach>, each time under another
// name; what refers to it comes as many times.

import type { MjcfFile } from './mjcf-body.js';

export type PartKind = 'body' | 'joint' | 'geom' | 'site' | 'tendon' | 'actuator';

/** How names change on the way into the model: copies get a suffix, attached models a prefix. */
export interface Renaming {
  readonly prefix: string;
  readonly suffix: string;
  /** Which copy this is, in the order of the file; 0 for what is written once. MuJoCo numbers actuators and sensors so. */
  readonly order: number;
}

export const NO_RENAMING: Renaming = { prefix: '', suffix: '', order: 0 };

export function renamed(name: string, { prefix, suffix }: Renaming): string {
  return prefix + name + suffix;
}

/** The name that a part of a copy has for those who made the copy: without what was added to their own names. */
export function nameFor(name: string, { prefix, suffix }: Renaming, maker: Renaming): string {
  return prefix.slice(maker.prefix.length) + name + suffix.slice(0, suffix.length - maker.suffix.length);
}

/** A reference as it is written. */
export type Reference = readonly [kind: PartKind, name: string];

export class PartNames {
  readonly #copies = new Map<MjcfFile, Map<string, Renaming[]>>();
  readonly #attached = new Map<MjcfFile, Renaming[]>();

  add(file: MjcfFile, kind: PartKind, name: string, renaming: Renaming): void {
    const ofFile = this.#copies.get(file) ?? new Map<string, Renaming[]>();
    this.#copies.set(file, ofFile);
    const key = `${kind} ${name}`;
    const list = ofFile.get(key);
    if (list === undefined) ofFile.set(key, [renaming]);
    else list.push(renaming);
  }

  /** Parts of a kind that a file may refer to. */
  known(file: MjcfFile, kind: PartKind): string[] {
    const keys = [...(this.#copies.get(file)?.keys() ?? [])];
    return keys.filter((key) => key.startsWith(`${kind} `)).map((key) => key.slice(kind.length + 1));
  }

  attach(file: MjcfFile, renaming: Renaming): void {
    const list = this.#attached.get(file);
    if (list === undefined) this.#attached.set(file, [renaming]);
    else list.push(renaming);
  }

  /** Models that are attached somewhere, with the name changes of each time. */
  get attached(): ReadonlyMap<MjcfFile, readonly Renaming[]> {
    return this.#attached;
  }

  /**
   * The name changes under which all these parts are there, each of which makes a copy of what refers to them. The world
   * is everywhere. Undefined where a part is not there at all, which comes as `missing`.
   */
  copiesOf(file: MjcfFile, references: readonly Reference[]): { copies: readonly Renaming[] } | { missing: Reference } {
    let copies: readonly Renaming[] | undefined;
    for (const reference of references) {
      const [kind, name] = reference;
      if (name === '' || (kind === 'body' && name === 'world')) continue;
      const list = this.#copies.get(file)?.get(`${kind} ${name}`);
      if (list === undefined) return { missing: reference };
      copies = copies === undefined || copies === list ? list : copies.filter((one) => list.some(same(one)));
    }
    return { copies: copies ?? [NO_RENAMING] };
  }
}

const same =
  (a: Renaming) =>
  (b: Renaming): boolean =>
    a.prefix === b.prefix && a.suffix === b.suffix;
