// A mechanism and its state that are re-rooted again and again, in place: nothing is copied, so that the cost is that of the chain
// of inversion and of the children of its bodies, whatever the size of the rest ([001]: on the fly, linear in the chain).

import { type Body, GROUND, type Joint, Mechanism } from './mechanism.js';
import { checkLengths, moved, movedLoop, rewrite } from './reroot.js';
import { planReroot, type RerootOptions } from './reroot-plan.js';
import { State } from './state.js';

/** Numbers of a floating joint: by so much q may grow for each joint to the ground. */
const SPARE = 7;

/** A mechanism and its state that are re-rooted in place, in time that grows with the chain of inversion alone. */
export class RerootableMechanism {
  readonly #original: Mechanism;
  readonly #bodies: Body[];
  readonly #joints: Joint[];
  readonly #children: (readonly number[])[];
  #loops: Mechanism['loops'];
  #frames: Mechanism['frames'];
  #couplings: Mechanism['couplings'];
  readonly #time: number;
  // Room for the largest top joint; q and v are their beginnings.
  readonly #roomQ: Float64Array;
  readonly #roomV: Float64Array;
  #q: Float64Array;
  #v: Float64Array;

  /** Copies of the lists of bodies and joints and of the state are taken here, once. */
  constructor(mechanism: Mechanism, state: State) {
    checkLengths(mechanism, state, undefined);
    this.#original = mechanism;
    this.#bodies = mechanism.bodies.slice();
    this.#joints = mechanism.joints.slice();
    this.#children = mechanism.bodies.map((_, b) => mechanism.childrenOf(b));
    this.#loops = mechanism.loops;
    this.#frames = mechanism.frames;
    this.#couplings = mechanism.couplings;
    this.#time = state.time;
    const spare = SPARE * mechanism.joints.filter(({ parent }) => parent === GROUND).length;
    this.#roomQ = new Float64Array(mechanism.nq + spare);
    this.#roomV = new Float64Array(mechanism.nv + spare);
    this.#roomQ.set(state.q);
    this.#roomV.set(state.v);
    this.#q = this.#roomQ.subarray(0, mechanism.nq);
    this.#v = this.#roomV.subarray(0, mechanism.nv);
  }

  /** The joint that carries a body, as it is now; its coordinates stand at joint.iq in q and at joint.iv in v. */
  jointOf(body: string): Joint {
    return this.#joints[this.#original.bodyIndex(body)];
  }

  /** The body of that name as it is now: its frame moves with the root. */
  bodyNamed(name: string): Body {
    return this.#bodies[this.#original.bodyIndex(name)];
  }

  /** Positions and velocities; to be changed at will between re-rootings. Other arrays after the number of coordinates has changed. */
  get q(): Float64Array {
    return this.#q;
  }

  get v(): Float64Array {
    return this.#v;
  }

  /** As reroot; where that refuses, nothing has changed. */
  reroot(options: Omit<RerootOptions, 'accelerations'>): void {
    const top = this.#original.bodyIndex(options.top);
    const childrenOf = (body: number): readonly number[] => this.#children[body];
    const view = {
      bodies: this.#bodies,
      joints: this.#joints,
      couplings: this.#couplings,
      q: this.#q,
      v: this.#v,
      a: undefined,
      childrenOf,
    };
    const plan = planReroot(view, top, options);
    const place = this.#placeFor(plan.chain[0], plan.top.kind.model);
    for (const [body, children] of rewrite(
      this.#bodies,
      this.#joints,
      childrenOf,
      plan,
      this.#q,
      this.#v,
      undefined,
      place,
    ))
      this.#children[body] = children;
    this.#couplings = plan.couplings;
    if (this.#loops.length > 0) this.#loops = this.#loops.map((loop) => movedLoop(loop, plan));
    if (this.#frames.length > 0) this.#frames = this.#frames.map((frame) => moved(frame, plan));
  }

  /**
   * Where the new top joint has its coordinates: where the old one had them, if it has as many, else at the end. Moving them there
   * costs a walk over all joints, but only the first time: then they are there.
   */
  #placeFor(oldTop: number, { nq, nv }: Joint['model']): { iq: number; iv: number } {
    const old = this.#joints[oldTop];
    const { iq, iv, model } = old;
    if (model.nq === nq && model.nv === nv) return { iq, iv };
    const [restQ, restV] = [this.#q.length - model.nq, this.#v.length - model.nv];
    if (model.nq > 0 && (iq !== restQ || iv !== restV)) {
      this.#roomQ.copyWithin(iq, iq + model.nq, this.#q.length);
      this.#roomV.copyWithin(iv, iv + model.nv, this.#v.length);
      this.#joints.forEach((joint, k) => {
        this.#joints[k] = {
          ...joint,
          iq: joint.iq > iq ? joint.iq - model.nq : joint.iq,
          iv: joint.iv > iv ? joint.iv - model.nv : joint.iv,
        };
      });
    }
    this.#q = this.#roomQ.subarray(0, restQ + nq);
    this.#v = this.#roomV.subarray(0, restV + nv);
    return { iq: restQ, iv: restV };
  }

  /** What it is now, as a mechanism and a state of its own; this costs a copy of everything. */
  snapshot(): { mechanism: Mechanism; state: State } {
    const { name, gravity, warnings } = this.#original;
    const mechanism = new Mechanism({
      name,
      gravity,
      warnings,
      bodies: this.#bodies.slice(),
      joints: this.#joints.slice(),
      loops: this.#loops,
      frames: this.#frames,
      couplings: this.#couplings,
    });
    const state = new State(mechanism, { q: this.#q.slice(), v: this.#v.slice() });
    state.time = this.#time;
    return { mechanism, state };
  }
}
