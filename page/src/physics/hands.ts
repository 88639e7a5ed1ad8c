// What a person does to a world: drag, push, connect, release, lock, drive, hang it from another body.

import type { Mechanism, Vec3 } from 'manikin';
import type { Member, World } from 'manikin/world';
import { controllerNamed, motorGains } from './controllers.js';
import { Drag } from './drag.js';
import { dynamicsOf } from './dynamics-of.js';
import type { Action, Gains } from './protocol.js';

/** Where nobody has said otherwise. */
const GAINS: Gains = { stiff: 15, damped: 1 };

/** What was done and still counts. Nothing of it is ever written to: a moment of the past keeps it as it is. */
export interface Marks {
  /** Joules that dragging and pushing put in, less those lost on connecting. */
  readonly work: number;
  /** Bodies on the way from the old root to the new one, after a change of root. */
  readonly inverted: readonly string[];
  /** Joints that are held where they are, and what sliders command; under `jointKey`. */
  readonly locked: ReadonlySet<string>;
  readonly targets: ReadonlyMap<string, number>;
  readonly driven: readonly Pick<Member, 'motors' | 'control'>[];
}

export function jointKey(member: number, joint: string): string {
  return `${member}/${joint}`;
}

/** A force on a point of a body during a step, and where the point was before it. */
interface Pull {
  readonly member: Member;
  readonly point: { readonly frame: string; readonly at: Vec3 };
  readonly force: Vec3;
  readonly from: Vec3;
}

export class Hands {
  readonly #world: World;
  #pulls: Pull[] = [];
  #drag: Drag | undefined;
  #work = 0;
  #inverted: readonly string[] = [];
  #locked: ReadonlySet<string> = new Set();
  #targets: ReadonlyMap<string, number> = new Map();

  constructor(world: World) {
    this.#world = world;
  }

  get dragging(): boolean {
    return this.#drag !== undefined;
  }

  get marks(): Marks {
    return {
      work: this.#work,
      inverted: this.#inverted,
      locked: this.#locked,
      targets: this.#targets,
      driven: this.#world.members.map(({ motors, control }) => ({ motors, control })),
    };
  }

  /** As it was at a moment to which the world has gone back. Nothing is dragged then. */
  set marks({ work, inverted, locked, targets, driven }: Marks) {
    this.#drag = undefined;
    this.#pulls = [];
    this.#work = work;
    this.#inverted = inverted;
    this.#locked = locked;
    this.#targets = targets;
    this.driveAgain(driven);
  }

  /** Checkpoints of a world hold no motors: after it has gone somewhere else they are set anew. */
  driveAgain(driven: Marks['driven']): void {
    this.#world.members.forEach((member, m) => {
      for (const { joint } of member.motors) member.drive(joint.name, undefined);
      for (const { joint, motor } of driven[m].motors) member.drive(joint.name, motor);
      member.control = driven[m].control;
    });
  }

  /** A step in which the mouse pulls and motors push. Work of the mouse is force times way: that of the velocity before the step would be another. */
  step(step: () => void): void {
    const drag = this.#drag;
    if (drag !== undefined) this.#pull(drag.member, drag.body, drag.point, drag.force());
    const pulls = this.#pulls;
    this.#pulls = [];
    const before = this.#driven;
    step();
    this.#work += this.#driven - before;
    for (const { member, point, force, from } of pulls) {
      const { t } = dynamicsOf(member.state.mechanism).pose(member.state, point);
      for (let k = 0; k < 3; k++) this.#work += force[k] * (t[k] - from[k]);
    }
  }

  /** Joules that motors have put in. */
  get #driven(): number {
    return this.#world.members.reduce((sum, { driven }) => sum + driven, 0);
  }

  #pull(member: Member, frame: string, at: Vec3, force: Vec3): void {
    const { t } = dynamicsOf(member.state.mechanism).pose(member.state, { frame, at });
    member.push(frame, force, t);
    this.#pulls.push({ member, point: { frame, at }, force, from: t });
  }

  /** Does it, and says what came of it. */
  do(action: Action): string | undefined {
    switch (action.do) {
      case 'drag':
        return this.#dragTo(action);
      case 'push': {
        const [member, body] = this.#body(action.member, action.body);
        const h = this.#world.stepSize;
        this.#pull(member, body, [0, 0, 0], action.impulse.map((x) => x / h) as unknown as Vec3);
        return `${body} is pushed: ${digits(Math.hypot(...action.impulse))} N s.`;
      }
      case 'connect':
        return this.#connect(action);
      case 'release':
        return this.#release(action.member, action.joint);
      case 'lock':
        return this.#lock(action.member, action.joint, action.locked);
      case 'target':
        return this.#target(action.member, action.joint, action.position, action.gains);
      case 'controller':
        return this.#control(action.name, action.gains);
      case 'reroot':
        return this.#reroot(action.member, action.body);
    }
  }

  member(index: number): Member {
    const member = this.#world.members[index];
    if (member === undefined) throw new Error(`There is no mechanism number ${index + 1}.`);
    return member;
  }

  #body(index: number, body: number): readonly [Member, string] {
    const member = this.member(index);
    const found = member.state.mechanism.bodies[body];
    if (found === undefined) throw new Error(`"${member.name}" has no body number ${body + 1}.`);
    return [member, found.name];
  }

  #dragTo({ grip, to }: Extract<Action, { do: 'drag' }>): undefined {
    if (grip === null || to === undefined) {
      this.#drag = undefined;
      return;
    }
    const [member, body] = this.#body(grip.member, grip.body);
    if (this.#drag?.member === member && this.#drag.body === body) this.#drag.target = to;
    else this.#drag = new Drag(member, body, grip.point, to);
  }

  #connect({ grip, to, joint }: Extract<Action, { do: 'connect' }>): string {
    const [member, a] = this.#body(grip.member, grip.body);
    const b = to === null ? null : this.#partner(member, to);
    const { mechanism } = member.state;
    const at = dynamicsOf(mechanism).pose(member.state, { frame: a, at: grip.point }).t;
    const taken = new Set([...mechanism.loops, ...mechanism.joints].map(({ name }) => name));
    let name = `${a} on ${b ?? 'ground'}`;
    for (let k = 2; taken.has(name); k++) name = `${a} on ${b ?? 'ground'} ${k}`;
    const { energyLost, impulse } = this.#world.connect(member, { name, a, b, joint, at });
    this.#work -= energyLost;
    this.#drag = undefined;
    const size = Math.hypot(impulse[3], impulse[4], impulse[5]);
    return `${a} and ${b ?? 'the ground'} are joined (${joint.type}): impulse ${digits(size)} N s, ${digits(energyLost)} J lost.`;
  }

  #release(index: number, name: string): string {
    const member = this.member(index);
    const free = freeBody(member, name);
    if (free !== undefined) return `${free} is free already: no joint holds it.`;
    this.#world.disconnect(member, name);
    this.#drag = undefined;
    return `${name} is released.`;
  }

  #partner(member: Member, to: { readonly member: number; readonly body: number }): string {
    const [other, body] = this.#body(to.member, to.body);
    if (other !== member)
      throw new Error(`"${member.name}" and "${other.name}" cannot be joined: they are two mechanisms.`);
    return body;
  }

  #lock(index: number, name: string, locked: boolean): string {
    const member = this.member(index);
    const free = freeBody(member, name);
    if (free !== undefined)
      throw new Error(`${free} is free and has no motor: connect it to the ground (g) to hold it.`);
    const joint = member.state.mechanism.joint(name);
    if (!locked) member.drive(name, undefined);
    else if (joint.model.nv === 1) member.drive(name, { kind: 'velocity', velocity: 0 });
    else {
      const position = member.state.q.slice(...joint.q);
      const inertia = felt(member, joint.v[0]);
      member.drive(name, { kind: 'position', position, stiffness: 4e4 * inertia, damping: 400 * inertia });
    }
    this.#mark(jointKey(index, name), locked, undefined);
    return `${name} is ${locked ? 'locked' : 'free'}.`;
  }

  #target(index: number, name: string, position: number, gains = GAINS): undefined {
    const member = this.member(index);
    const inertia = felt(member, member.state.mechanism.joint(name).v[0]);
    member.drive(name, {
      kind: 'position',
      position,
      ...motorGains(gains, inertia),
    });
    this.#mark(jointKey(index, name), false, position);
  }

  #mark(key: string, locked: boolean, target: number | undefined): void {
    const others = [...this.#locked].filter((other) => other !== key);
    this.#locked = new Set(locked ? [...others, key] : others);
    const targets = new Map(this.#targets);
    if (target === undefined) targets.delete(key);
    else targets.set(key, target);
    this.#targets = targets;
  }

  #control(name: string, gains = GAINS): string {
    const { title, apply } = controllerNamed(name);
    this.#locked = new Set();
    this.#targets = new Map();
    for (const member of this.#world.members) apply(member, dynamicsOf(member.state.mechanism), gains);
    return `${title}.`;
  }

  /** The same motion, seen from another root: nothing moves. */
  #reroot(index: number, body: number): string {
    const [member, top] = this.#body(index, body);
    const before = member.state.mechanism;
    if (before.joints[body].parent < 0) return `${top} is the root already.`;
    this.#world.reroot(member, { top, at: this.#world.pose(member, top).t, joint: 'floating' });
    // Its frames are others now, and the grip was told in the old ones.
    this.#drag = undefined;
    this.#inverted = wayToRoot(before, body);
    return `${top} is the root now; ${this.#inverted.length} bodies are read from their other sides, nothing moved.`;
  }
}

/** The body that a joint lets move as it likes, from the ground; undefined: the joint holds something. */
function freeBody({ state: { mechanism } }: Member, name: string): string | undefined {
  const b = mechanism.joints.findIndex((joint) => joint.name === name);
  const joint = mechanism.joints[b];
  return joint !== undefined && joint.parent < 0 && joint.type === 'floating' ? mechanism.bodies[b].name : undefined;
}

/** As many digits as people read; what is nothing but rounding is 0. */
function digits(x: number): string {
  return Math.abs(x) < 5e-4 ? '0' : x.toPrecision(3);
}

/** Inertia that a degree of freedom feels where everything else stands still. */
function felt({ state }: Member, k: number): number {
  const { H, n } = dynamicsOf(state.mechanism).massMatrix(state);
  return H[k * n + k];
}

/** Bodies from the one that hung from the ground down to this one. */
function wayToRoot({ bodies, joints }: Mechanism, body: number): string[] {
  const names: string[] = [];
  for (let b = body; b >= 0; b = joints[b].parent) names.push(bodies[b].name);
  return names.reverse();
}
