// The threads of a world. They take islands of a step, as the caller does, and write what became of them; whoever computes an island,
// its bits are the same. So nothing depends on threads: while they start, where there are none, and when one is lost, the caller
// computes everything itself.

import type { Mechanism, Shape } from '../../../mechanism/mechanism.js';
import { isNode, loadThreads, reasonForOneThread } from '../../../threads/surroundings.js';
import type { WorkerThreads } from '../../../threads/thread.js';
import {
  builtinThreads,
  openThread,
  type Thread,
  type WebWorker,
  type WorkerProgram,
} from '../../../threads/thread.js';
import type { Articulation } from '../articulation.js';
import type { IslandReport } from '../island-solve.js';
import type { IslandStep, StepSetting } from '../island-step.js';
import type { Island } from '../islands.js';
import type { Member } from '../member.js';
import type { PairFriction } from '../world-shape.js';
import { Parcel, parcelLength, sendIsland, takeAnswer } from './parcel.js';
import {
  ASLEEP,
  CONTROL_WORDS,
  DONE,
  FAILED,
  FIRST,
  LIMIT,
  MOST_TASKS,
  MOST_THREADS,
  NEXT,
  OPEN_TASK,
  PLACE,
  READY,
  SETTING,
  SIGNAL,
  STATUS,
  sentParts,
  type ThreadFault,
  TOO_LONG,
  VERSION,
  WAITING,
  WELL,
  type WorldPlan,
} from './protocol.js';

/** A page's. */
declare const Worker: new (file: URL, options: { type: 'module' }) => WebWorker;

const PROGRAM: WorkerProgram = {
  name: 'world-worker.js',
  file: () => {
    // Tests run from the sources, where the program stands compiled beside them.
    const here = import.meta.url;
    return new URL(
      here.endsWith('.ts') ? '../../../../dist/simulation/world/threads/world-worker.js' : './world-worker.js',
      here,
    );
  },
  inPage: () => new Worker(new URL('./world-worker.js', import.meta.url), { type: 'module' }),
};

/** Numbers that there is room for at first. */
const ROOM = 1 << 16;
/** Milliseconds after which a thread that is at its task counts as lost. */
const LOST = 5000;
/** The caller waits for threads so many times as long as it computed itself, and these milliseconds, before it does their tasks, too. */
const WAIT = 2;
const GRACE = 3;
/** Milliseconds of waiting before the caller sleeps. */
const SPIN = 1;

interface Helper {
  readonly number: number;
  readonly thread: Thread;
  /** Told when it has the plan of the present version, or is gone. */
  done: (() => void) | undefined;
}

/** For tests: a thread that fails, and after how many milliseconds it counts as lost. */
export interface WorldThreadFaults {
  readonly fault?: ThreadFault;
  readonly lostAfter?: number;
}

/** The threads of a world, the caller's included. */
export class WorldThreads {
  /** As many as were asked for. */
  readonly asked: number;
  /** What a user should know: why there are fewer, which of them were lost. */
  readonly notes: string[] = [];
  /** Islands that others than the caller computed, and those that the caller computed because they did not come. */
  readonly counts = { shared: 0, stolen: 0 };
  readonly #faults: WorldThreadFaults;
  #helpers: Helper[] = [];
  #starting: Promise<void> | undefined;
  #control: Int32Array = new Int32Array(0);
  #parcel = new Parcel(new Float64Array(0));
  #version = 0;
  #plan: (() => Omit<WorldPlan, 'version' | 'thread' | 'control' | 'numbers' | 'fault'>) | undefined;
  /** What threads know: mechanisms and members by number. */
  #mechanisms = new Map<Mechanism, number>();
  readonly #members = new WeakMap<Articulation, number>();
  #next = 1;
  /** Tasks that their threads have not done yet though the step is over, and since when. */
  #late: number[] = [];
  #lateSince = 0;
  /** Room that the last batch lacked. */
  #wanted = ROOM;
  #ended = false;
  /** Of the present step: its islands, how many of them were sent, and where the next one goes. */
  #setting: StepSetting | undefined;
  #tasks: Task[] = [];
  #sent = 0;
  #end = 0;

  constructor(asked: number, faults: WorldThreadFaults = {}) {
    this.asked = asked;
    this.#faults = faults;
    if (asked === 1) return;
    const reason = reasonForOneThread();
    if (reason !== undefined) {
      this.notes.push(`One thread is used: ${reason}`);
      return;
    }
    this.#makeRoom();
    const library = builtinThreads();
    if (library !== undefined || !isNode()) this.#start(library);
    else this.#starting = loadThreads().then((found) => this.#start(found));
  }

  /** Threads that take part in a step now, the caller's included. */
  get working(): number {
    return 1 + this.#helpers.filter(({ number }) => this.#knows(number)).length;
  }

  /** Done when all threads know the world as it is, or are known to be lost. Nobody needs to wait: steps before have the same bits. */
  async ready(): Promise<void> {
    await this.#starting;
    await Promise.all(
      this.#helpers.map(
        (helper) =>
          new Promise<void>((resolve) => {
            if (this.#plan === undefined || this.#knows(helper.number)) resolve();
            else {
              helper.thread.hold(true);
              helper.done = resolve;
            }
          }),
      ),
    );
  }

  /** Ends the threads; the world goes on without. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#starting;
    const helpers = this.#helpers;
    this.#helpers = [];
    await Promise.all(
      helpers.map(({ thread }) => {
        thread.hold(true);
        return thread.end();
      }),
    );
  }

  #start(library: WorkerThreads | undefined): void {
    if (this.#ended) return;
    try {
      for (let number = 1; number < Math.min(this.asked, MOST_THREADS); number++) {
        const helper: Helper = { number, thread: openThread(PROGRAM, library), done: undefined };
        helper.thread.hold(false);
        helper.thread.listen(
          () => this.#release(helper),
          (reason) => this.#lose(number, reason),
        );
        this.#helpers.push(helper);
      }
    } catch (error) {
      this.notes.push(`Threads could not be started: ${error instanceof Error ? error.message : String(error)}.`);
    }
    if (this.#plan !== undefined) this.#tell();
  }

  /** A thread has read its plan, or is gone. */
  #release(helper: Helper): void {
    if (this.#helpers.includes(helper) && !this.#knows(helper.number)) return;
    helper.thread.hold(false);
    helper.done?.();
    helper.done = undefined;
  }

  #knows(number: number): boolean {
    return Atomics.load(this.#control, READY + number) === this.#version;
  }

  /** The world as it is from now on. */
  prepare(members: readonly Member[], obstacles: readonly Shape[], given: ReadonlyMap<number, PairFriction>): void {
    if (this.asked === 1) return;
    this.#plan = () => {
      const known = this.#mechanisms;
      const all = new Map<Mechanism, number>();
      for (const { articulation } of members) {
        const { mechanism } = articulation;
        all.set(mechanism, known.get(mechanism) ?? all.get(mechanism) ?? this.#next++);
        if (!this.#members.has(articulation)) this.#members.set(articulation, this.#next++);
      }
      this.#mechanisms = all;
      return {
        mechanisms: [...all]
          .filter(([mechanism]) => !known.has(mechanism))
          .map(([mechanism, id]) => [id, sentParts(mechanism)]),
        members: members.map(({ name, articulation }) => ({
          id: this.#members.get(articulation)!,
          name,
          mechanism: all.get(articulation.mechanism)!,
        })),
        obstacles,
        given: [...given],
      };
    };
    if (this.#helpers.length > 0) this.#tell();
  }

  #tell(): void {
    const { fault } = this.#faults;
    this.#version++;
    const plan = this.#plan!();
    Atomics.store(this.#control, VERSION, this.#version);
    const shared = { ...plan, version: this.#version, control: this.#control, numbers: this.#parcel.numbers, fault };
    for (const { number, thread } of this.#helpers) thread.send({ ...shared, thread: number } satisfies WorldPlan);
    Atomics.add(this.#control, SIGNAL, 1);
    Atomics.notify(this.#control, SIGNAL);
  }

  /** Other memory: what was lost, or is too small, may still be written to. */
  #makeRoom(): void {
    if (this.#control.length > 0) {
      // Whoever waits there reads its messages.
      Atomics.store(this.#control, VERSION, -1);
      Atomics.add(this.#control, SIGNAL, 1);
      Atomics.notify(this.#control, SIGNAL);
    }
    this.#control = new Int32Array(new SharedArrayBuffer(4 * CONTROL_WORDS));
    this.#parcel = new Parcel(new Float64Array(new SharedArrayBuffer(8 * this.#wanted)));
    this.#late = [];
  }

  #lose(number: number, reason: string): void {
    const lost = this.#helpers.find((helper) => helper.number === number);
    if (lost === undefined) return;
    this.#helpers = this.#helpers.filter((helper) => helper !== lost);
    void lost.thread.end();
    this.#release(lost);
    if (this.#ended) return;
    const left = this.#helpers.length + 1;
    this.notes.push(
      `Thread ${number + 1} of the world was lost: ${reason}. ${left === 1 ? 'One thread goes' : `${left} threads go`} on.`,
    );
    this.#makeRoom();
    if (this.#plan !== undefined) this.#tell();
  }

  /** Whether anybody is there to help with a step. */
  available(): boolean {
    if (this.#helpers.length === 0 || !this.#caughtUp()) return false;
    if (this.#wanted > this.#parcel.numbers.length) {
      this.#makeRoom();
      this.#tell();
      return false;
    }
    return this.#helpers.some(({ number }) => this.#knows(number));
  }

  /** Whether nobody is at work on an earlier step; who stays away too long is lost. */
  #caughtUp(): boolean {
    const control = this.#control;
    this.#late = this.#late.filter((at) => Atomics.load(control, STATUS + at) <= 0);
    if (this.#late.length === 0) return true;
    if (performance.now() - this.#lateSince < (this.#faults.lostAfter ?? LOST)) return false;
    const at = new Set(this.#late.map((task) => -control[STATUS + task]));
    // Who took a task and did not even say so, nobody knows.
    for (const { number } of this.#helpers) if (at.has(number) || at.has(0)) this.#lose(number, 'it does not answer');
    return false;
  }

  /** A step begins: what is offered from now on is computed. */
  begin({ gravity, g, h, time, last }: StepSetting): void {
    const parcel = this.#parcel;
    parcel.at = 0;
    for (const value of [...gravity, g, h, time, last ? 1 : 0]) parcel.put(value);
    this.#setting = { gravity, g, h, time, last };
    this.#tasks = [];
    this.#sent = 0;
    this.#end = SETTING;
    this.#control[FIRST] = this.#control[LIMIT];
  }

  /** An island for whoever has time. A single one is kept for the caller. */
  offer(island: Island): void {
    const tasks = this.#tasks;
    tasks.push({ island, went: OPEN_TASK, error: undefined, report: undefined });
    if (tasks.length === 2) this.#send(tasks[0]);
    if (tasks.length > 1) this.#send(tasks[tasks.length - 1]);
  }

  /** Writes an island down if there is room, and calls the threads. Those that were sent are the first of the tasks. */
  #send({ island }: Task): void {
    const control = this.#control;
    const parcel = this.#parcel;
    const at = this.#end;
    this.#end += parcelLength(island);
    if (this.#end > parcel.numbers.length) this.#wanted = 2 * this.#end;
    if (this.#wanted > parcel.numbers.length || this.#sent === MOST_TASKS) return;
    parcel.at = at;
    sendIsland(parcel, island);
    control[PLACE + this.#sent] = at;
    control[STATUS + this.#sent] = OPEN_TASK;
    this.#sent++;
    Atomics.add(control, LIMIT, 1);
    Atomics.add(control, SIGNAL, 1);
    if (Atomics.load(control, ASLEEP) > 0) Atomics.notify(control, SIGNAL);
  }

  /**
   * Until all islands that were offered are computed, by all threads, the caller by `own`. Fills in their reports; false where the step is
   * to be taken in halves.
   */
  finish(own: IslandStep, reports: (IslandReport | undefined)[]): boolean {
    const control = this.#control;
    const tasks = this.#tasks;
    const setting = this.#setting!;
    const begun = performance.now();
    for (let at = this.#takeOne(); at >= 0; at = this.#takeOne()) {
      compute(tasks[at], setting, own);
      Atomics.store(control, STATUS + at, WELL);
      Atomics.add(control, DONE, 1);
    }
    for (let at = this.#sent; at < tasks.length; at++) compute(tasks[at], setting, own);
    this.#wait(begun);
    this.#collect(setting, own);
    // The first one decides, as on one thread.
    tasks.sort((x, y) => x.island.numbers[0] - y.island.numbers[0]);
    for (const { island, went, error, report } of tasks) {
      if (went === FAILED) throw error;
      if (went === TOO_LONG) return false;
      reports[island.numbers[0]] = report;
    }
    return true;
  }

  /** Gives up what was offered, since something else went wrong. */
  abandon(): void {
    const control = this.#control;
    for (let at = this.#takeOne(); at >= 0; at = this.#takeOne()) {
      this.#tasks[at].went = WELL;
      Atomics.store(control, STATUS + at, WELL);
      Atomics.add(control, DONE, 1);
    }
    this.#wait(performance.now());
    for (let at = 0; at < this.#sent; at++) if (Atomics.load(control, STATUS + at) <= 0) this.#isLate(at);
  }

  /** Takes a task that nobody has taken; -1: there is none. */
  #takeOne(): number {
    const control = this.#control;
    for (;;) {
      const task = Atomics.load(control, NEXT);
      if (((control[LIMIT] - task) | 0) <= 0) return -1;
      if (Atomics.compareExchange(control, NEXT, task, (task + 1) | 0) === task) return (task - control[FIRST]) | 0;
    }
  }

  #isLate(at: number): void {
    this.#late.push(at);
    this.#lateSince = performance.now();
  }

  /** Until all tasks are done, or it has taken too long. */
  #wait(begun: number): void {
    const control = this.#control;
    const limit = control[LIMIT];
    const start = performance.now();
    const end = start + WAIT * (start - begun) + GRACE;
    for (let done = Atomics.load(control, DONE); done !== limit; done = Atomics.load(control, DONE)) {
      const now = performance.now();
      if (now > end) return;
      if (now - start < SPIN) continue;
      Atomics.store(control, WAITING, 1);
      Atomics.wait(control, DONE, done, end - now);
      Atomics.store(control, WAITING, 0);
    }
  }

  /** What others computed; what they have not done, and what went wrong, is computed here. */
  #collect(setting: StepSetting, own: IslandStep): void {
    const control = this.#control;
    for (let at = 0; at < this.#sent; at++) {
      const task = this.#tasks[at];
      if (task.went !== OPEN_TASK) continue;
      const status = Atomics.load(control, STATUS + at);
      if (status === WELL) {
        this.#parcel.at = control[PLACE + at];
        task.report = takeAnswer(this.#parcel, task.island);
        task.went = WELL;
        this.counts.shared++;
      } else if (status === TOO_LONG) task.went = TOO_LONG;
      else {
        if (status !== FAILED) {
          this.#isLate(at);
          this.counts.stolen++;
        }
        compute(task, setting, own);
      }
    }
  }
}

interface Task {
  readonly island: Island;
  went: number;
  error: unknown;
  report: IslandReport | undefined;
}

/** By the caller itself. */
function compute(task: Task, setting: StepSetting, own: IslandStep): void {
  try {
    task.went = own.advance(task.island, setting) ? WELL : TOO_LONG;
    task.report = own.report;
  } catch (error) {
    task.went = FAILED;
    task.error = error;
  }
}
