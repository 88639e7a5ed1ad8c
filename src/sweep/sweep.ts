// A sweep: one run, and what changes from run to run. Plain data, as it stands in a JSON file; schema.ts says the same to editors
// and to the reader.

import type { Scene, ScenePose } from '../scenes/scene.js';

/** Plain data of a JSON file. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Evenly from one number to another, or evenly in its logarithm. */
export interface SweepGrid {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly scale?: 'linear' | 'log';
}

/** A number drawn for each seed. */
export interface SweepDraw {
  readonly random: readonly [number, number];
  readonly scale?: 'linear' | 'log';
}

/** What a parameter takes: each of a list, a grid of numbers, or one drawn for each seed. */
export type SweepValues = readonly Json[] | SweepGrid | SweepDraw;

/** As the options of "manikin simulate" are. */
export interface SweepSimulation {
  /** A scene or a model: a name, a file, or the scene itself. */
  readonly simulate: string | Scene;
  readonly duration?: number;
  readonly step?: number;
  /** Seconds between the lines of the run's series; no series where left out. */
  readonly every?: number;
  /** Of a model, where it is no scene: */
  readonly ground?: boolean;
  readonly base?: 'fixed' | 'floating';
  readonly mimic?: 'couple' | 'ignore';
  readonly loops?: 'close' | 'open';
  readonly massless?: 'lock' | 'error';
  readonly inertia?: 'reject' | 'warn' | 'repair';
  readonly merge?: boolean;
  /** A state file, or positions by joint. */
  readonly state?: string | ScenePose;
  readonly keyframe?: string;
  readonly seed?: number;
  readonly integrator?: 'dopri5' | 'rk4' | 'midpoint' | 'euler';
  readonly engine?: 'plain' | 'wasm' | 'compiled' | 'auto';
  readonly relative?: number;
  readonly absolute?: number;
}

/** As the options of "manikin inverse" are. */
export interface SweepInverse {
  /** A motion: .bvh, .mot or .sto. */
  readonly inverse: string;
  readonly model?: string;
  /** Measured forces: an ExternalLoads file, its table beside it. */
  readonly loads?: string;
  readonly cutoff?: number | 'none';
  readonly mass?: number;
  readonly height?: number;
  readonly scale?: number;
  readonly up?: 'x' | 'y' | 'z';
  readonly support?: string;
  readonly double?: 'smooth' | 'one' | 'split';
  readonly every?: number;
}

/** A sweep, as it stands in its file. */
export interface Sweep {
  readonly $schema?: string;
  readonly name?: string;
  readonly description?: string;
  readonly run: SweepSimulation | SweepInverse;
  /** Every combination of them is a run. By option ("duration") or by place in the scene ("scene.ground.friction"). */
  readonly parameters?: Readonly<Record<string, SweepValues>>;
  /** Values that go together: every combination of parameters is run for each of these. */
  readonly cases?: readonly Readonly<Record<string, Json>>[];
  /** All of that once for each seed: 1 to a number, from a number on, or a list. */
  readonly seeds?: number | { readonly from: number; readonly count: number } | readonly number[];
}
