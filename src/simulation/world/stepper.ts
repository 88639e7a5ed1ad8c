// One step of a World in time: contacts are found where the bodies are at its start, then every island is computed (island-step.ts).
//
// Where a step changes nothing, neither positions nor impulses, the next one would not either: it is not computed again while all
// that it depends on stays the same, to the bit.

import type { Vec3 } from '../../spatial/matrix3.js';
import type { Detection, NearPair } from './detection.js';
import type { IslandReport } from './island-solve.js';
import { IslandStep, isLanding, type StepSetting } from './island-step.js';
import { type Island, Islands, type NearShapes } from './islands.js';
import type { JointRows } from './joint-rows.js';
import type { Member } from './member.js';
import { isAsleep, type Sleep } from './sleep.js';
import type { WorldThreads } from './threads/world-threads.js';
import type { ShapePair } from './world-shape.js';

const NONE = { missed: 0, entered: 0 };

export class Stepper {
  readonly #detection: Detection;
  readonly #island: IslandStep;
  readonly #threads: WorldThreads;
  readonly #islands = new Islands();
  readonly #found: Island[] = [];
  /** Those that are to be computed in this step. */
  readonly #moving: Island[] = [];
  /** Members that are near each other, in steps on several threads; numbers of all members. */
  readonly #groups = new Islands<NearPair>();
  readonly #all: number[] = [];
  /** Reports of islands by their first members. */
  readonly #reports: (IslandReport | undefined)[] = [];
  islands: IslandReport[] = [];
  /** Whether something landed in the last step: what it struck may be faster than it was looked at for. */
  #landed = false;
  #wider = 0;
  /** Of the last step, seconds. */
  #length = 1;
  /** Its gravity. */
  readonly #gravity = new Float64Array(3);

  constructor(detection: Detection, threads: WorldThreads) {
    this.#detection = detection;
    this.#threads = threads;
    this.#island = new IslandStep(detection);
  }

  /**
   * A step of all members; false where it should be taken in halves, unless it is the `last` resort. `wider`: how much farther (m) it
   * looks for contacts than speeds at its start say.
   */
  step(
    members: readonly Member[],
    rows: readonly JointRows[],
    gravity: Vec3,
    h: number,
    time: number,
    last: boolean,
    wider: number,
    sleep?: Sleep,
  ): boolean {
    const g = Math.sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]);
    const same = this.#goesOnWith(gravity, h);
    for (let m = 0; m < members.length; m++) {
      const member = members[m];
      if (!member.asleep && !(same && member.halted && member.leftAlone && member.stayed)) member.begin();
    }
    const setting: StepSetting = { gravity, g, h, time, last };
    this.#wider = wider;
    this.#landed = false;
    this.#moving.length = 0;
    this.#islands.begin(members.length);
    const went = this.#threads.available()
      ? this.#stepTogether(members, rows, setting, sleep)
      : this.#stepAlone(members, rows, setting, sleep);
    if (!went) return false;
    for (const island of this.#moving) {
      for (const pair of island.pairs) pair.h = h;
      for (const member of island.members) member.h = h;
      if (changedNothing(island)) for (const member of island.members) member.halted = true;
    }
    const all = this.#found;
    all.length = 0;
    let sorted = true;
    for (let k = 0; k < this.#islands.count; k++) {
      all.push(this.#islands.at(k));
      sorted &&= k === 0 || byFirst(all[k - 1], all[k]) < 0;
    }
    // Groups of several threads come in another order.
    if (!sorted) all.sort(byFirst);
    this.islands = [];
    for (const island of all) {
      const report = isAsleep(island) ? undefined : this.#reports[island.numbers[0]];
      if (report !== undefined) this.islands.push(report);
      sleep?.rest(island, h);
    }
    return true;
  }

  /** How deep (m) the last step let shapes enter each other, those that it did not look at and others; see Detection. */
  surprises(): ReturnType<Detection['surprises']> {
    return this.#landed ? this.#detection.surprises() : NONE;
  }

  #stepAlone(
    members: readonly Member[],
    rows: readonly JointRows[],
    setting: StepSetting,
    sleep: Sleep | undefined,
  ): boolean {
    this.#detection.find(setting.h, setting.g, this.#wider);
    while (this.#all.length < members.length) this.#all.push(this.#all.length);
    this.#all.length = members.length;
    this.#find(this.#all, members, rows, this.#detection.touching, setting, sleep);
    for (const island of this.#moving) {
      if (!this.#island.advance(island, setting)) return false;
      this.#reports[island.numbers[0]] = this.#island.report;
    }
    return true;
  }

  /** While this thread looks for contacts the others compute the islands that were found: groups of bodies near each other in turn. */
  #stepTogether(
    members: readonly Member[],
    rows: readonly JointRows[],
    setting: StepSetting,
    sleep: Sleep | undefined,
  ): boolean {
    const threads = this.#threads;
    const detection = this.#detection;
    const groups = this.#groups;
    while (this.#all.length < members.length) this.#all.push(this.#all.length);
    this.#all.length = members.length;
    detection.sweep(setting.h, setting.g, this.#wider);
    groups.begin(members.length);
    groups.add(this.#all, members, rows, detection.candidates);
    // The largest first: who comes last should have little to do.
    const order = Array.from({ length: groups.count }, (_, k) => groups.at(k)).sort(
      (x, y) => y.members.length + y.pairs.length - x.members.length - x.pairs.length || byFirst(x, y),
    );
    threads.begin(setting);
    try {
      for (const { numbers, pairs } of order) {
        const touching = pairs.map((candidate) => detection.look(candidate)).filter((pair) => pair !== undefined);
        const from = this.#moving.length;
        this.#find(numbers, members, rows, touching, setting, sleep);
        for (let k = from; k < this.#moving.length; k++) threads.offer(this.#moving[k]);
      }
    } catch (error) {
      threads.abandon();
      throw error;
    }
    detection.gather();
    return threads.finish(this.#island, this.#reports);
  }

  /** Islands of some members, and those of them that are to be computed. */
  #find(
    numbers: ArrayLike<number>,
    members: readonly Member[],
    rows: readonly JointRows[],
    pairs: readonly ShapePair[],
    { h, g }: StepSetting,
    sleep: Sleep | undefined,
  ): void {
    const islands = this.#islands;
    const from = islands.count;
    islands.add(numbers, members, rows, pairs);
    for (let k = from; k < islands.count; k++) {
      const island = islands.at(k);
      sleep?.wake(island);
      if (isAsleep(island) || isStill(island)) continue;
      for (const member of island.members) if (member.halted) member.begin();
      this.#landed ||= isLanding(island, h, g);
      this.#moving.push(island);
    }
  }

  /** Whether gravity and length of the step are those of the last one. */
  #goesOnWith(gravity: Vec3, h: number): boolean {
    let same = this.#length === h;
    this.#length = h;
    for (let k = 0; k < 3; k++) {
      same &&= this.#gravity[k] === gravity[k];
      this.#gravity[k] = gravity[k];
    }
    return same;
  }
}

/** Whether a step left everything as it was that the next one depends on. */
function changedNothing({ members, rows, pairs }: Island): boolean {
  for (let m = 0; m < members.length; m++) if (!members[m].leftAlone || !members[m].stayed) return false;
  for (let p = 0; p < pairs.length; p++) if (!pairs[p].unchanged) return false;
  for (let k = 0; k < rows.length; k++) if (!rows[k].unchanged) return false;
  return pairs.length > 0;
}

/** Whether nothing is asked of an island that was not in the last step, which changed nothing. */
function isStill({ members, pairs }: Island): boolean {
  for (let m = 0; m < members.length; m++) if (!members[m].halted) return false;
  for (let p = 0; p < pairs.length; p++) if (!pairs[p].kept) return false;
  return pairs.length > 0;
}

function byFirst<Pair extends NearShapes>(x: Island<Pair>, y: Island<Pair>): number {
  return x.numbers[0] - y.numbers[0];
}
