// A world as one of its threads has it: the same members and shapes, which stand wherever the last task left them.

import { jointType } from '../../../joints/index.js';
import { Mechanism, type MechanismParts } from '../../../mechanism/mechanism.js';
import { State } from '../../../mechanism/state.js';
import { Detection } from '../detection.js';
import { IslandStep } from '../island-step.js';
import { Island } from '../islands.js';
import { JointRows } from '../joint-rows.js';
import { Member } from '../member.js';
import { type ShapePair, worldShapes } from '../world-shape.js';
import { answerIsland, Parcel, receiveIsland } from './parcel.js';
import { FAILED, SETTING, TOO_LONG, WELL, type WorldPlan } from './protocol.js';

export class Deputy {
  readonly #mechanisms = new Map<number, Mechanism>();
  #known = new Map<number, Member>();
  #members: Member[] = [];
  #rows: JointRows[] = [];
  readonly #detection = new Detection();
  readonly #step = new IslandStep(this.#detection);
  readonly #island = new Island();
  #pairs = new Map<number, ShapePair>();

  /** The world as it is from now on. */
  prepare({ mechanisms, members, obstacles, given }: WorldPlan): void {
    for (const [id, parts] of mechanisms) this.#mechanisms.set(id, new Mechanism(received(parts)));
    const known = this.#known;
    this.#known = new Map();
    this.#members = members.map(({ id, name, mechanism: number }) => {
      const mechanism = this.#mechanisms.get(number)!;
      const member = known.get(id) ?? new Member(name, mechanism, new State(mechanism));
      this.#known.set(id, member);
      return member;
    });
    this.#rows = this.#members.map((member) => new JointRows(member));
    this.#pairs = new Map();
    this.#detection.follow(worldShapes(obstacles, this.#members), new Map(given));
  }

  /** Computes the island that is described from `at` on, and writes there what became of it; how that went. */
  advance(numbers: Float64Array, at: number): number {
    const parcel = new Parcel(numbers);
    parcel.at = at;
    receiveIsland(parcel, this.#island, this.#members, this.#rows, (key) => this.#pairOf(key));
    const [x, y, z, g, h, time, last] = numbers.subarray(0, SETTING);
    try {
      const went = this.#step.advance(this.#island, { gravity: [x, y, z], g, h, time, last: last === 1 });
      if (!went) return TOO_LONG;
    } catch {
      return FAILED;
    }
    parcel.at = at;
    answerIsland(parcel, this.#island, this.#step.report);
    return WELL;
  }

  #pairOf(key: number): ShapePair {
    const known = this.#pairs.get(key) ?? this.#detection.newPair(key);
    this.#pairs.set(key, known);
    return known;
  }
}

function received(parts: MechanismParts): MechanismParts {
  return { ...parts, joints: parts.joints.map((joint) => ({ ...joint, model: jointType(joint.type) })) };
}
