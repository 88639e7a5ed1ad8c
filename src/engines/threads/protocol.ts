// How the threads of a step talk to each other. docs/parallel.md argues why it is right; in short:
//
// - Every step that runs in parallel has a number, its epoch. All flags are words that hold the last epoch in which what
//   they stand for has happened. Each is written by one thread at a time and stands in cache lines of its own.
// - A segment's work of an epoch is done by whoever claims it first, by compareExchange of epoch - 1 against epoch: its
//   own thread, or the caller, which takes back what has not begun when it has nothing else to do. The caller's own
//   segments need no claim.
// - Whoever needs a result waits for its flag. A segment needs, on the way up, first phases of any segments (which need
//   nobody) and the results of segments that hang from it; on the way down, all the meetings that lie between its row as a
//   whole and itself, from which everyone finds its own answer. Threads take their segments in one order, children first on
//   the way up and parents first on the way down, and the caller never waits while something is unclaimed. So somebody can
//   always go on.
// - What is computed, and in which order numbers are added, is fixed by the segments. Who computes it, and when, changes
//   no bit.

import { MAX_SEGMENTS } from '../../schedule/side-limbs.js';

/**
 * 32-bit words from one flag to the next: processors fetch lines next to those they are asked for. With 16 threads a kilobyte
 * does better than 128 bytes.
 */
const LINE = 256;

/** Words of the control block: the number of the step, ... */
export const EPOCH = 0;
/** ... the job it is about, ... */
export const JOB = LINE;
/** ... and the last epoch that the caller has given up. */
export const ABANDONED = 2 * LINE;
const THREADS = 3 * LINE;
/** For each thread: whether it sleeps, the last epoch that it has left behind, and messages sent to it. */
const SLEEPS = 0;
const LEFT = LINE;
const MAIL = 2 * LINE;
const THREAD_WORDS = 3 * LINE;
export const MAX_THREADS = 64;
const SEGMENTS = THREADS + MAX_THREADS * THREAD_WORDS;
/** For each segment. */
const CLAIMED = 0;
const SPUN = LINE;
const RISEN = 2 * LINE;
const TOLD = 3 * LINE;
const RETURNING = 4 * LINE;
const DONE = 5 * LINE;
const TAKEN = 6 * LINE;
const SEGMENT_WORDS = 7 * LINE;
export const CONTROL_WORDS = SEGMENTS + MAX_SEGMENTS * SEGMENT_WORDS;

/** A thread goes to sleep and wakes up by itself; the caller turns asleep into called. */
export const AWAKE = 0;
export const ASLEEP = 1;
export const CALLED = 2;
export const sleeps = (thread: number): number => THREADS + THREAD_WORDS * thread + SLEEPS;
export const left = (thread: number): number => THREADS + THREAD_WORDS * thread + LEFT;
export const mail = (thread: number): number => THREADS + THREAD_WORDS * thread + MAIL;
const word = (segment: number, which: number): number => SEGMENTS + SEGMENT_WORDS * segment + which;
/** The way up has been claimed. */
export const claimed = (segment: number): number => word(segment, CLAIMED);
/** The first phase is done: angular velocities are known, or how they follow. */
export const spun = (segment: number): number => word(segment, SPUN);
/**
 * Inertia and bias of the segment have been written. Its thread sets this only for segments without joins: whoever waits for a
 * segment with joins reads `taken` of the last part that it joins.
 */
export const risen = (segment: number): number => word(segment, RISEN);
/** The acceleration of its base is known. */
export const told = (segment: number): number => word(segment, TOLD);
/** The part that begins with this segment has been joined to another one, whose thread sets this. */
export const taken = (segment: number): number => word(segment, TAKEN);
/** The way down has been claimed. */
export const returning = (segment: number): number => word(segment, RETURNING);
/** Its joint accelerations are there. */
export const done = (segment: number): number => word(segment, DONE);

/** A program for all threads: plain data. */
export interface Job {
  readonly id: number;
  /** Memory and code are shared; tables have been written by the caller. */
  readonly memory: unknown;
  readonly module: unknown;
  readonly segments: readonly JobSegment[];
  /** Thread of each segment; 0 is the caller. And how many there are. */
  readonly threadOf: readonly number[];
  readonly threads: number;
  /**
   * Spins before the caller looks at what others have claimed: a look takes the line of the claim away from its thread,
   * which then begins the next step later. Threads that are awake are done by then, or have claimed.
   */
  readonly prompt: number;
  readonly hooks: Hooks;
}

/** For tests, and for timelines (measured-timeline.ts). */
export interface Hooks {
  /** Microseconds of random delay before each piece of work. */
  readonly jitter: number;
  readonly fault: Fault | undefined;
  /** Takes the times of the last step, 64-bit numbers: see `recordAt`. */
  readonly record?: SharedArrayBuffer;
}

/** The work of a segment, in this order. */
export const SEGMENT_PHASES = ['velocities', 'assembly', 'disassembly'] as const;
/** Of each: its start and its end in milliseconds, on a clock that all threads share, and the thread that did it. */
const RECORD = 3;
export const recordAt = (segment: number, phase: number): number => RECORD * (SEGMENT_PHASES.length * segment + phase);

/** For tests: a thread that has claimed a piece of work and never finishes it. */
export interface Fault {
  readonly kind: 'hang' | 'throw';
  /** From 1 on; the caller does not fail. */
  readonly thread: number;
  /** Pieces of work that it does before. */
  readonly after: number;
}

export interface JobSegment {
  /** Its number in the names of functions. */
  readonly code: number;
  /** Segments whose first phase it needs. */
  readonly needs: readonly number[];
  readonly waitsFor: readonly number[];
  /** Parts that it takes in, one after the other: segments at the head of them, and their numbers in names of functions. */
  readonly joins: readonly { readonly part: number; readonly k: number }[];
  /** The segment at the head of its row, and the parts that are taken in on the way down from there: none of its own. */
  readonly row: number;
  readonly path: readonly Meeting[];
  /** There are meetings on its way down, its own or those of others. */
  readonly answers: boolean;
  readonly grounded: boolean;
  /** It has a first phase, and others may need it. */
  readonly spins: boolean;
}

/** A meeting of others on the way down. */
export interface Meeting {
  /** The segment at the head of the part that is taken in. */
  readonly part: number;
  /** Which turn on the way down it is. */
  readonly turn: number;
}
