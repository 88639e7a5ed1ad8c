// What a user of several threads may ask for.

import { MechanismError } from '../../mechanism/errors.js';
import type { EngineConstants } from '../../schedule/cost.js';
import type { Fault } from './protocol.js';

export interface ParallelOptions {
  /** Threads that take part, the caller's included; 'auto' (the default) finds the number that is fastest. */
  readonly threads?: 'auto' | number;
  /**
   * One way of cutting for all numbers of threads, and that one always: the same bits whatever runs it. Without it the
   * cutting depends on the number of threads, results agree to rounding, and one thread may be chosen.
   */
  readonly deterministic?: boolean;
  /** Cut for so many threads, however many there are. */
  readonly scheduleFor?: number;
  /** 'faster' (the default) stays on one thread where that takes less time; 'parallel' never does. */
  readonly prefer?: 'faster' | 'parallel';
  /** Milliseconds that a step waits for threads that have begun their part. */
  readonly patience?: number;
  /** Milliseconds after which a thread that has not come back from a step counts as lost; 2000 where left out. */
  readonly lostAfter?: number;
  /** After a step for which threads came late, compute some on one thread (the default): the machine may be busy. */
  readonly retreat?: boolean;
  /** Costs that cuts are chosen by; those of one machine where left out, so that results do not depend on the machine. */
  readonly constants?: EngineConstants;
  /** Body at the root of the computation; chosen where left out. */
  readonly root?: string;
  /** Microseconds of random delay in every piece of work, for tests. */
  readonly jitter?: number;
  /** One of the first threads fails in the middle of its work, for tests; those that replace it do not. */
  readonly fault?: Fault;
}

export function checkOptions({ threads = 'auto', scheduleFor = 1 }: ParallelOptions): void {
  for (const [name, value] of [
    ['threads', threads],
    ['scheduleFor', scheduleFor],
  ] as const)
    if (value !== 'auto' && (!Number.isInteger(value) || value < 1 || value > 64))
      throw MechanismError.of('threads', name, `Expected 'auto' or a whole number from 1 to 64, got ${value}.`);
}
