// What the gallery and its worker say to each other.

import type { Replay } from 'manikin/plot';
import type { FileProblem } from '../physics/protocol.js';

export type WalkerName = 'compass' | 'kneed';

/** Which walker, its masses (others as published), and where it starts. */
export interface WalkStudy {
  readonly kind: 'walk';
  readonly model: WalkerName;
  readonly slope: number;
  readonly sizes: Readonly<Record<string, number>>;
  /** How an earlier walk ended; the published walker where left out. */
  readonly from?: WalkEnd;
}

/** What the gallery asks its worker for. */
export type Study =
  | WalkStudy
  | { readonly kind: 'bifurcation'; readonly model: WalkerName; readonly sizes: WalkStudy['sizes'] }
  /** A captured motion: files, the first of them the motion; without files a made-up one. */
  | { readonly kind: 'motion'; readonly files: readonly (readonly [string, Uint8Array])[] }
  | { readonly kind: 'counts' }
  | {
      readonly kind: 'assembly';
      readonly joints: number;
      readonly processors: number;
      /** Joints at which the chain is cut, the first cut first. */
      readonly cuts: readonly number[];
    };

/** A walker that walks: its slope, its masses, and its state just before a heel strike. */
export interface WalkEnd {
  readonly slope: number;
  readonly sizes: WalkStudy['sizes'];
  readonly section: readonly [number, number, number];
}

export interface Walked {
  /** What came of it, in words. */
  readonly says: string;
  readonly replay: Replay;
  /** Seconds from strike to strike. */
  readonly periods: readonly number[];
  readonly fall?: string;
  readonly end?: WalkEnd;
}

/** Step periods that a walker settles to on a slope; none where it falls. */
export interface Settled {
  readonly slope: number;
  readonly periods: readonly number[];
}

/** Operations of each mass-matrix algorithm for a chain of n joints. */
export interface Counted {
  readonly n: number;
  readonly counts: readonly {
    readonly algorithm: string;
    readonly multiplications: number;
    readonly additions: number;
  }[];
}

/** A node of an assembly tree, drawn: the joint, the level below the top, and the joint it hangs from. */
export interface TreePoint {
  readonly joint: number;
  readonly level: number;
  readonly parent: number | undefined;
}

export interface Assembled {
  readonly makespan: number;
  readonly serial: number;
  readonly depth: number;
  readonly tree: readonly TreePoint[];
  readonly best: {
    readonly makespan: number;
    readonly optimal: boolean;
    readonly depth: number;
    readonly tree: readonly TreePoint[];
  };
}

export interface Finding {
  readonly walked?: Walked;
  readonly settled?: Settled;
  readonly replay?: Replay;
  /** Of files that cannot be read. */
  readonly problems?: readonly FileProblem[];
  readonly counted?: Counted;
  readonly assembled?: Assembled;
}

/** From the worker: parts of what was asked for as they are found, at last `done`. */
export interface FindingMessage extends Finding {
  readonly id: number;
  readonly done: boolean;
  readonly error?: string;
}
