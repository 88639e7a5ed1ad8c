// The threads of this program: made once, when they are first needed, and used by everyone. One step runs at a time,
// since the caller takes part in it.

import type { Thread } from '../../threads/thread.js';
import {
  ASLEEP,
  AWAKE,
  CALLED,
  CONTROL_WORDS,
  claimed,
  EPOCH,
  JOB,
  type Job,
  left,
  MAX_THREADS,
  mail,
  returning,
  sleeps,
} from './protocol.js';
import type { Runner } from './runner.js';
import { startThread } from './threads.js';
import type { Answer, Message } from './threads-worker.js';

/** Why a thread was lost. */
export type OnLost = (reason: string) => void;

/** Who waits for an answer. */
interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A thread, and the answers it owes; it keeps the program alive only while it owes one. */
class Member {
  readonly number: number;
  readonly thread: Thread;
  readonly #waiting = new Map<string, Waiting>();

  constructor(number: number, thread: Thread) {
    this.number = number;
    this.thread = thread;
    thread.hold(false);
  }

  answer(key: string): Promise<unknown> {
    this.thread.hold(true);
    return new Promise((resolve, reject) => {
      this.#waiting.set(key, { resolve, reject });
    });
  }

  answered(key: string, result: unknown, error: string | undefined): void {
    const entry = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (this.#waiting.size === 0) this.thread.hold(false);
    if (error !== undefined) entry?.reject(new Error(error));
    else entry?.resolve(result);
  }

  end(reason: string): void {
    void this.thread.end();
    for (const { reject } of this.#waiting.values()) reject(new Error(reason));
    this.#waiting.clear();
  }
}

export class Pool {
  readonly control: Int32Array;
  readonly #members: Member[] = [];
  readonly #jobs = new Map<number, OnLost>();
  #epoch = 0;
  #lastJob = 0;
  #nextJob = 1;
  #nextTask = 1;
  /** Threads that still work on a step that was given up, and since when. */
  #stragglers: { readonly threads: readonly number[]; readonly epoch: number; readonly since: number } | undefined;
  #ended = false;
  #growing: Promise<void> = Promise.resolve();

  constructor() {
    this.control = new Int32Array(new SharedArrayBuffer(4 * CONTROL_WORDS));
  }

  get size(): number {
    return this.#members.length;
  }

  get ended(): boolean {
    return this.#ended;
  }

  newJob(): number {
    return this.#nextJob++;
  }

  /** At least that many threads besides the caller. */
  async grow(count: number): Promise<void> {
    if (count >= MAX_THREADS)
      throw new RangeError(`at most ${MAX_THREADS - 1} threads besides the caller, got ${count}`);
    // One after the other asks; all of them wait for the last.
    this.#growing = this.#growing.then(async () => {
      const starting: Promise<unknown>[] = [];
      while (this.#members.length < count && !this.#ended) {
        const member = new Member(this.#members.length + 1, await startThread());
        this.#members.push(member);
        const online = member.answer('online').then(() => {
          const control = this.control.buffer as SharedArrayBuffer;
          this.#send(member, { kind: 'start', control, thread: member.number });
        });
        starting.push(online);
        member.thread.listen(
          (message) => this.#receive(member, message as Answer),
          (reason) => this.#lose(reason),
        );
      }
      await Promise.all(starting);
    });
    await this.#growing;
  }

  #send({ number, thread }: Member, message: Message): void {
    const { control } = this;
    // The count first: a thread that sees it stops serving and waits for the message.
    Atomics.add(control, mail(number), 1);
    thread.send(message);
    if (Atomics.load(control, sleeps(number)) !== AWAKE) Atomics.notify(control, sleeps(number));
  }

  #receive(member: Member, { kind, id, number, result, error }: Answer): void {
    const key = kind === 'result' ? `task ${number}` : kind === 'ready' ? `job ${id}` : kind;
    member.answered(key, result, error);
  }

  /** Gives all threads up: whoever uses them makes a new pool when it needs one. */
  #lose(reason: string): void {
    if (this.#ended) return;
    this.end(`A thread was lost: ${reason}.`);
  }

  /** Done when the threads 1 to `threads` have the job. */
  async install(job: Job, threads: number, onLost: OnLost): Promise<void> {
    this.#jobs.set(job.id, onLost);
    await this.grow(threads);
    if (this.#ended) throw new Error('the threads have ended');
    await Promise.all(
      this.#members.slice(0, threads).map((member) => {
        const answer = member.answer(`job ${job.id}`);
        this.#send(member, { kind: 'job', job });
        return answer;
      }),
    );
  }

  remove(id: number): void {
    this.#jobs.delete(id);
    if (this.#ended) return;
    for (const member of this.#members) this.#send(member, { kind: 'forget', id });
  }

  /** Runs a task on a thread, numbered from 0. */
  run(thread: number, task: unknown): Promise<unknown> {
    const member = this.#members[thread];
    const number = this.#nextTask++;
    const answer = member.answer(`task ${number}`);
    this.#send(member, { kind: 'task', number, task });
    return answer;
  }

  /** Milliseconds for which threads have been busy with a step that was given up; 0 where none is. */
  busyFor(): number {
    const stragglers = this.#stragglers;
    if (stragglers === undefined) return 0;
    for (const thread of stragglers.threads)
      if (((Atomics.load(this.control, left(thread)) - stragglers.epoch) | 0) < 0)
        return performance.now() - stragglers.since + Number.MIN_VALUE;
    this.#stragglers = undefined;
    return 0;
  }

  /** One step of a job with the help of its threads. False where it was given up after `patience` ms, or cannot begin. */
  step(job: Job, runner: Runner, patience: number): boolean {
    if (this.busyFor() > 0) return false;
    const { control } = this;
    const { segments, threadOf } = job;
    const epoch = (this.#epoch + 1) | 0;
    if (this.#lastJob !== job.id) {
      // Flags of another job stand at other epochs.
      for (let s = 0; s < segments.length; s++) {
        Atomics.store(control, claimed(s), epoch - 1);
        Atomics.store(control, returning(s), epoch - 1);
      }
      Atomics.store(control, JOB, job.id);
      this.#lastJob = job.id;
    }
    this.#epoch = epoch;
    Atomics.store(control, EPOCH, epoch);
    // A thread that has been called is not called again before it is awake: a call takes longer than most steps.
    for (let k = 1; k < job.threads; k++)
      if (
        Atomics.load(control, sleeps(k)) === ASLEEP &&
        Atomics.compareExchange(control, sleeps(k), ASLEEP, CALLED) === ASLEEP
      )
        Atomics.notify(control, sleeps(k));
    if (runner.lead(epoch, patience)) return true;
    const threads = runner.abandon(threadOf);
    if (threads.length > 0) this.#stragglers = { threads, epoch, since: performance.now() };
    return false;
  }

  /** For tests: ends one thread, numbered from 1, without a word to anyone. */
  kill(thread: number): void {
    void this.#members[thread - 1]?.thread.end();
  }

  end(reason = 'The threads have been ended.'): void {
    if (this.#ended) return;
    this.#ended = true;
    if (current === this) current = undefined;
    for (const member of this.#members) member.end(reason);
    for (const onLost of [...this.#jobs.values()]) onLost(reason);
    this.#jobs.clear();
  }
}

let current: Pool | undefined;

/** The pool of this program. */
export function sharedPool(): Pool {
  current ??= new Pool();
  return current;
}

/** Ends all threads; they come back when they are needed. */
export function endThreads(): void {
  current?.end();
}
