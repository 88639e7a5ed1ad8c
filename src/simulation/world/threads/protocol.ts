// What a world and its threads say to each other: what the world consists of by messages, steps in shared memory.
//
// A batch is a list of tasks, each about one island. Tasks are numbered through all batches. Whoever raises
// NEXT by one has the task; whoever has done one notes how it went in its word of STATUS and raises DONE. No batch is published before
// all tasks of the last one are done, so a task that was taken is one of the batch that can be read.

import type { Mechanism, MechanismParts, Shape } from '../../../mechanism/mechanism.js';
import type { PairFriction } from '../world-shape.js';

/** Raised whenever there is something to do or to read: threads sleep on it. */
export const SIGNAL = 0;
/** The first task that nobody has taken; the first behind the last one; how many are done. */
export const NEXT = 1;
export const LIMIT = 2;
export const DONE = 3;
/** The first task of the batch. */
export const FIRST = 4;
/** The world that batches are about: threads that know another one read their messages. */
export const VERSION = 5;
/** How many threads sleep, and whether the caller does: nobody else needs to be called, which takes time. */
export const ASLEEP = 6;
export const WAITING = 7;
/** The version that each thread knows. */
export const READY = 8;
export const MOST_THREADS = 64;
/** Of each task of a batch: where its numbers begin; how it went. */
export const PLACE = READY + MOST_THREADS;
export const MOST_TASKS = 2048;
export const STATUS = PLACE + MOST_TASKS;
export const CONTROL_WORDS = STATUS + MOST_TASKS;

/** How a task went; below zero: number of the thread that is at it. */
export const OPEN_TASK = 0;
export const WELL = 1;
/** The step is to be taken in halves. */
export const TOO_LONG = 2;
/** Something was thrown: the caller does it again to see what. */
export const FAILED = 3;

/** Numbers at the start of each batch: gravity and its length, length and start of the step, whether it is the last resort. */
export const SETTING = 7;

/** What a thread is to know of a world. Mechanisms and members that it knows already are told by number. */
export interface WorldPlan {
  readonly version: number;
  readonly thread: number;
  readonly mechanisms: readonly (readonly [number, MechanismParts])[];
  readonly members: readonly { readonly id: number; readonly name: string; readonly mechanism: number }[];
  readonly obstacles: readonly Shape[];
  readonly given: readonly (readonly [number, PairFriction])[];
  readonly control: Int32Array;
  readonly numbers: Float64Array;
  readonly fault: ThreadFault | undefined;
}

/** For tests: a thread that ends, or never comes back, after so many tasks. */
export interface ThreadFault {
  readonly kind: 'end' | 'hang' | 'throw';
  readonly thread: number;
  readonly after: number;
}

/** The parts of a mechanism that can be sent: joint types have functions, and what is only looked at stays. */
export function sentParts({ name, gravity, bodies, joints, loops, frames, couplings }: Mechanism): MechanismParts {
  return {
    name,
    gravity,
    bodies: bodies.map((body) => ({ ...body, visuals: [] })),
    joints: joints.map(({ model, ...rest }) => rest) as unknown as MechanismParts['joints'],
    loops,
    frames,
    couplings,
    warnings: [],
  };
}
