// One thread's part of a step, and the caller's. Both run the same segments in the same way; the caller also takes back
// what nobody has begun. Waiting is spinning: a step takes microseconds.

import type { WasmInstance } from '../wasm/webassembly.js';
import { answerName, FINISH_NAME, fetchName, joinName, type SegmentStep, stepName } from './block-module.js';
import { clockOffset } from './clock.js';
import {
  ABANDONED,
  claimed,
  done,
  EPOCH,
  type Hooks,
  type Job,
  type JobSegment,
  left,
  recordAt,
  returning,
  risen,
  spun,
  taken,
  told,
} from './protocol.js';

type Code = () => void;

/** The functions of one segment; undefined where there is nothing to do. */
interface SegmentCode extends JobSegment {
  readonly spin: Code | undefined;
  readonly gather: Code;
  readonly complete: Code | undefined;
  /** For each part that it takes in. */
  readonly joinCodes: readonly Code[];
  /** Flags of the first phases that it needs. */
  readonly needed: Int32Array;
  /** Raised when each part that it takes in has come. */
  readonly comes: Int32Array;
  /** Raised when each segment that it waits for has come. */
  readonly awaited: Int32Array;
  /** For each meeting of others on its way down the flag, and what brings its records here. */
  readonly onPath: readonly { readonly flag: number; readonly fetch: Code }[];
  readonly answer: Code | undefined;
  readonly lead: Code | undefined;
  readonly follow: Code;
  /** Raised when the way down can begin; -1 where the caller knows by itself. */
  readonly begin: number;
}

/** Spins that a thread is given to begin the way down, some microseconds. */
const GRACE = 2000;
/** Spins for threads that have come late in this step. */
const ONCE_MORE = 100;
/** Spins between looks at the clock. */
const SPINS = 200;

export class Runner {
  readonly #flags: Int32Array;
  readonly #segments: readonly SegmentCode[];
  readonly #finish: Code;
  /** Own segments, parents first. */
  readonly #own: readonly number[];
  readonly #thread: number;
  readonly #hooks: Hooks | undefined;
  readonly #record: Float64Array | undefined;
  /** Milliseconds from the clock of this thread to that of all. */
  readonly #offset: number;
  readonly #prompt: number;
  /** Flags of all that has to be done. */
  readonly #ends: Int32Array;
  /** For each segment the last epoch in which this thread had it on the way up, and on the way down. */
  readonly #mine: number[] = [];
  readonly #down: number[] = [];
  /** The last epoch in which this thread brought it up. */
  readonly #up: number[] = [];
  /** The caller's own segments: nobody else can claim them or waits for their end, and a flag takes time to raise. */
  readonly #quiet: readonly boolean[];
  /** The caller is at this segment on the way up: those before it come later. */
  #at = -1;
  #random = 1;
  /** Pieces of work so far, for tests. */
  #pieces = 0;
  #epoch = 0;
  /** The caller's patience in milliseconds, counted from its first long wait, and when it ends; 0 before that. */
  #patience = 0;
  #deadline = 0;
  /**
   * Back-off of the spin-wait: WebAssembly and JavaScript have no PAUSE, so a chain of dependent square roots takes its place.
   * It occupies one slow unit of the core and leaves the others to the sibling hyper-thread, if there is one.
   */
  #rest = 1;
  /** Segments that the caller has taken back in this step. */
  stolen = 0;

  constructor(flags: Int32Array, exports: WasmInstance['exports'], job: Job, thread: number) {
    this.#flags = flags;
    this.#thread = thread;
    const { jitter, fault, record } = job.hooks;
    this.#hooks = jitter > 0 || fault?.thread === thread || record !== undefined ? job.hooks : undefined;
    this.#record = record && new Float64Array(record);
    this.#offset = record === undefined ? 0 : clockOffset();
    this.#prompt = job.prompt;
    this.#quiet = job.threadOf.map((owner) => thread === 0 && owner === 0);
    this.#ends = Int32Array.from(job.segments.flatMap((_, s) => (this.#quiet[s] ? [] : [done(s)])));
    this.#random = 1 + thread;
    this.#mine = job.segments.map(() => 0);
    this.#down = job.segments.map(() => 0);
    this.#up = job.segments.map(() => 0);
    this.#own = job.segments.flatMap((_, s) => (job.threadOf[s] === thread ? [s] : []));
    const named = (name: string): Code => {
      const run = exports[name];
      // A function of its own for each call lets the engine make the step into WebAssembly part of it.
      return () => run();
    };
    this.#finish = named(FINISH_NAME);
    /** Raised when a segment has taken in all that it does. */
    const last = (s: number): number => {
      const join = job.segments[s].joins.at(-1);
      return join === undefined ? risen(s) : taken(join.part);
    };
    this.#segments = job.segments.map((segment, s) => {
      const code = (step: SegmentStep): Code => named(stepName(step, segment.code));
      const { code: name, needs, waitsFor, joins, spins, row, path } = segment;
      return {
        ...segment,
        spin: spins ? code('spin') : undefined,
        gather: code('gather'),
        complete: waitsFor.length > 0 ? code('complete') : undefined,
        needed: Int32Array.from(needs, spun),
        joinCodes: joins.map(({ k }) => named(joinName(name, k))),
        awaited: Int32Array.from(waitsFor, (child) => last(child)),
        comes: Int32Array.from(joins, ({ part }) => last(part)),
        onPath: path.map(({ part, turn }) => ({ flag: taken(part), fetch: named(fetchName(name, turn)) })),
        answer: segment.answers ? named(answerName(name)) : undefined,
        lead: waitsFor.length > 0 ? code('lead') : undefined,
        follow: code('follow'),
        begin: !job.segments[row].grounded ? told(row) : s === row && this.#quiet[s] ? -1 : last(row),
      };
    });
  }

  /** All of it on this thread, without a flag: the same numbers in the same order. */
  alone(): void {
    const segments = this.#segments;
    for (const segment of segments) segment.spin?.();
    for (let s = segments.length - 1; s >= 0; s--) {
      const segment = segments[s];
      segment.gather();
      segment.complete?.();
      for (const join of segment.joinCodes) join();
    }
    for (let s = 0; s < segments.length; s++) {
      const { answer, lead, follow } = segments[s];
      answer?.();
      lead?.();
      follow();
    }
    this.#finish();
  }

  /** A thread's part of an epoch. */
  work(epoch: number): void {
    this.#epoch = epoch;
    const flags = this.#flags;
    const own = this.#own;
    const mine = this.#mine;
    let any = false;
    let good = true;
    for (let k = 0; k < own.length; k++) {
      if (Atomics.compareExchange(flags, claimed(own[k]), epoch - 1, epoch) !== epoch - 1) continue;
      any = true;
      mine[own[k]] = epoch;
      this.#spin(own[k]);
    }
    for (let k = own.length - 1; good && k >= 0; k--) if (mine[own[k]] === epoch) good = this.#rise(own[k]);
    for (let k = 0; good && k < own.length; k++) {
      const s = own[k];
      good = this.#awaitBegin(s, returning(s));
      if (!good || Atomics.compareExchange(flags, returning(s), epoch - 1, epoch) !== epoch - 1) continue;
      any = true;
      this.#return(s);
    }
    if (any) Atomics.store(flags, left(this.#thread), epoch);
  }

  /** The caller's part: all of the epoch, with the help of others. False where its patience ended. */
  lead(epoch: number, patience: number): boolean {
    this.#epoch = epoch;
    this.#patience = patience;
    this.#deadline = 0;
    this.stolen = 0;
    const flags = this.#flags;
    const own = this.#own;
    const mine = this.#mine;
    const down = this.#down;
    const count = this.#segments.length;
    for (let k = 0; k < own.length; k++) {
      mine[own[k]] = epoch;
      this.#spin(own[k]);
    }
    // What is taken back on the way joins the list.
    for (let s = count - 1; s >= 0; s--) {
      this.#at = s;
      if (mine[s] === epoch && this.#up[s] !== epoch && !this.#rise(s)) return false;
    }
    this.#at = -1;
    for (let k = 0; k < own.length; k++) {
      const s = own[k];
      if (!this.#awaitBegin(s)) return false;
      down[s] = epoch;
      this.#return(s);
    }
    // What others have not begun to bring down is done here, parents first.
    if (this.stolen === 0 && this.#allCome(this.#ends)) {
      this.#finish();
      return true;
    }
    for (let s = 0; s < count; s++) {
      if (down[s] === epoch || this.#comes(done(s))) continue;
      if (Atomics.load(flags, returning(s)) === epoch) continue;
      if (!this.#awaitBegin(s)) return false;
      // Its own thread has been told at the same moment: it goes first if it is there.
      const grace = mine[s] === epoch ? 0 : GRACE;
      for (let k = 0; k < grace && Atomics.load(flags, returning(s)) !== epoch; k++);
      if (Atomics.compareExchange(flags, returning(s), epoch - 1, epoch) !== epoch - 1) continue;
      this.stolen++;
      down[s] = epoch;
      this.#return(s);
    }
    for (let s = 0; s < count; s++) if (down[s] !== epoch && !this.#await(done(s))) return false;
    this.#finish();
    return true;
  }

  /**
   * After impatience: whatever is unclaimed stays undone, and threads that have begun give up at their next wait. Returns
   * those threads: until they have left this epoch the memory is theirs.
   */
  abandon(threadOf: readonly number[]): number[] {
    const flags = this.#flags;
    const epoch = this.#epoch;
    Atomics.store(flags, ABANDONED, epoch);
    const busy = new Set<number>();
    for (let s = 0; s < this.#segments.length; s++) {
      const up = Atomics.compareExchange(flags, claimed(s), epoch - 1, epoch) === epoch;
      if (up && this.#mine[s] !== epoch) busy.add(threadOf[s]);
      const down = Atomics.compareExchange(flags, returning(s), epoch - 1, epoch) === epoch;
      if (down && this.#down[s] !== epoch) busy.add(threadOf[s]);
    }
    return [...busy];
  }

  #spin(s: number): void {
    const segment = this.#segments[s];
    const start = this.#begin();
    segment.spin?.();
    if (this.#record !== undefined) this.#note(s, 0, start);
    if (segment.spin !== undefined) Atomics.store(this.#flags, spun(s), this.#epoch);
  }

  /** The way up of a segment; false where the step was given up. */
  #rise(s: number): boolean {
    const segment = this.#segments[s];
    const { needed, waitsFor, joins, comes, joinCodes } = segment;
    const start = this.#begin();
    if (!this.#allCome(needed)) for (let k = 0; k < needed.length; k++) if (!this.#await(needed[k])) return false;
    segment.gather();
    if (segment.complete !== undefined) {
      for (let k = 0; k < waitsFor.length; k++) if (!this.#await(segment.awaited[k])) return false;
      segment.complete();
    }
    for (let k = 0; k < joins.length; k++) {
      if (!this.#await(comes[k])) return false;
      joinCodes[k]();
      if (this.#record !== undefined) this.#note(s, 1, start);
      Atomics.store(this.#flags, taken(joins[k].part), this.#epoch);
    }
    if (this.#record !== undefined && joins.length === 0) this.#note(s, 1, start);
    this.#up[s] = this.#epoch;
    if (joins.length === 0 && !(this.#quiet[s] && segment.grounded)) Atomics.store(this.#flags, risen(s), this.#epoch);
    return true;
  }

  /** The way down of a segment whose base is known. */
  #return(s: number): void {
    const flags = this.#flags;
    const epoch = this.#epoch;
    const segment = this.#segments[s];
    const start = this.#begin();
    segment.answer?.();
    if (segment.lead !== undefined) {
      segment.lead();
      for (let k = 0; k < segment.waitsFor.length; k++) Atomics.store(flags, told(segment.waitsFor[k]), epoch);
    }
    segment.follow();
    if (this.#record !== undefined) this.#note(s, 2, start);
    if (!this.#quiet[s]) Atomics.store(flags, done(s), epoch);
  }

  /** Until the way down of a segment can begin; on the way the records are fetched that it needs, as they are made. */
  #awaitBegin(s: number, other?: number): boolean {
    const { begin, onPath } = this.#segments[s];
    for (let k = 0; k < onPath.length; k++) {
      if (!this.#await(onPath[k].flag, other)) return false;
      onPath[k].fetch();
    }
    return begin < 0 || this.#await(begin, other);
  }

  /** Until one of the flags shows this epoch; false where the step is given up. */
  #await(flag: number, other = flag): boolean {
    const flags = this.#flags;
    const epoch = this.#epoch;
    if (Atomics.load(flags, flag) === epoch) return true;
    const caller = this.#thread === 0;
    if (caller) {
      if (this.#comes(flag)) return true;
      this.#takeBack();
    }
    for (;;) {
      let rest = this.#rest;
      for (let k = 0; k < SPINS; k++) {
        if (Atomics.load(flags, flag) === epoch) return true;
        rest = Math.sqrt(rest + 2);
      }
      this.#rest = rest;
      if (caller) {
        const now = performance.now();
        if (this.#deadline === 0) this.#deadline = now + this.#patience;
        if (now > this.#deadline) return false;
      } else if (Atomics.load(flags, other) === epoch) return true;
      else if (Atomics.load(flags, ABANDONED) === epoch || Atomics.load(flags, EPOCH) !== epoch) return false;
    }
  }

  /** Whether flags are raised promptly. All are looked at in one go: one after the other each would take its time to come. */
  #allCome(list: Int32Array): boolean {
    const flags = this.#flags;
    const epoch = this.#epoch;
    const most = this.#prompt;
    for (let k = 0; k <= most; k += 1 + list.length) {
      let missing = 0;
      for (let j = 0; j < list.length; j++) missing |= Atomics.load(flags, list[j]) ^ epoch;
      if (missing === 0) return true;
    }
    return false;
  }

  /** Whether a flag is raised promptly. */
  #comes(flag: number): boolean {
    const flags = this.#flags;
    const epoch = this.#epoch;
    // Who has left its work to the caller once in this step does not come now.
    const most = this.stolen > 0 ? ONCE_MORE : this.#prompt;
    for (let k = 0; k < most; k++) if (Atomics.load(flags, flag) === epoch) return true;
    return false;
  }

  /**
   * The caller claims everything that nobody has begun, and does its first phases, which need nobody. Then it brings up,
   * children first, what comes before the segment it is at; the rest it does in turn.
   */
  #takeBack(): void {
    const flags = this.#flags;
    const epoch = this.#epoch;
    const mine = this.#mine;
    const at = this.#at;
    let any = false;
    for (let s = 0; s < this.#segments.length; s++) {
      if (mine[s] === epoch || Atomics.load(flags, claimed(s)) === epoch) continue;
      if (Atomics.compareExchange(flags, claimed(s), epoch - 1, epoch) !== epoch - 1) continue;
      this.stolen++;
      mine[s] = epoch;
      any = true;
      this.#spin(s);
    }
    if (!any) return;
    for (let s = this.#segments.length - 1; s > at; s--) {
      if (mine[s] !== epoch || this.#up[s] === epoch) continue;
      this.#at = s;
      if (!this.#rise(s)) break;
    }
    this.#at = at;
  }

  /** Before a piece of work. When that is where times are recorded; for tests after a pause of random length, or an end. */
  #begin(): number {
    if (this.#hooks === undefined) return 0;
    const { jitter, fault } = this.#hooks;
    if (fault?.thread === this.#thread && this.#pieces++ === fault.after) {
      if (fault.kind === 'throw') throw new Error('a fault, for a test');
      for (;;);
    }
    if (jitter > 0) {
      this.#random = (Math.imul(this.#random, 1103515245) + 12345) | 0;
      const until = performance.now() + (((this.#random >>> 8) % 1000) / 1e6) * jitter;
      while (performance.now() < until);
    }
    return performance.now();
  }

  /** Records a piece of work that has just ended, before any flag tells of its end. */
  #note(s: number, phase: number, start: number): void {
    const record = this.#record!;
    const at = recordAt(s, phase);
    record[at] = start + this.#offset;
    record[at + 1] = performance.now() + this.#offset;
    record[at + 2] = this.#thread;
  }
}
