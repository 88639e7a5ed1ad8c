// Frames of a mechanism by name: bodies, named frames (links that were merged away, sites, tools) and points of either are
// one kind of thing. How they move against the ground, or against another frame, which then plays the ground's part.
//
// In ground coordinates at the ground's origin a frame b moves against a frame a with M = V_b - V_a, columns and their rates
// alike. Their components, and the rates of those:
//
//   in: 'frame'     X_b M                   X_b (dM/dt - V_b x M)
//   in: 'world'     X_a M                   X_a (dM/dt - V_a x M)
//   in: 'aligned'   [w, l + w x p]          [dw, dl + dw x p + w x dp], with [w, l] in: 'world' and p the origin of b in a

import { MechanismError } from '../mechanism/errors.js';
import type { Frame, Mechanism, Placement } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';
import type { Tree } from '../mechanism/tree.js';
import { type ColumnScratch, columnMotions, createColumns } from '../reference/column-motions.js';
import { add, apply, type Mat3, transpose, type Vec3 } from '../spatial/matrix3.js';
import {
  addCrossMotion,
  compose,
  invert,
  motionToA,
  motionToB,
  ORIGIN,
  setIdentity,
  TRANSFORM,
} from '../spatial/spatial.js';

/** A body or a named frame, by its name; or a point of it, in its coordinates, with its axes. */
export type FrameName = string | FramePoint;

/** A point of a frame: a frame with the same axes there. */
export interface FramePoint {
  readonly frame: string;
  /** In coordinates of the frame, metres. */
  readonly at: Vec3;
}

/** In whose coordinates, and against what. */
export interface InOption {
  /**
   * 'frame' (where left out): at the frame's origin, along its own axes. 'aligned': at the frame's origin, along the axes of
   * the ground. 'world': at the ground's origin, along the axes of the ground.
   */
  readonly in?: 'frame' | 'aligned' | 'world';
  /** Against this frame in place of the ground: its axes and its origin take the place of the ground's. */
  readonly relativeTo?: FrameName;
}

/** How a frame accelerates. */
export interface AccelerationOptions extends InOption {
  /** Accelerations of the joints; none where left out, which leaves (dJ/dt) v. */
  readonly qdd?: Float64Array;
  /**
   * Whether the linear part is that of the point of the frame (its second derivative), or of the space through which it passes.
   * Where left out, the rate of the numbers that `velocity` gives: classical for 'aligned', spatial for the others.
   */
  readonly classical?: boolean;
}

/** How a frame moves: radians and metres a second; or accelerates. */
export interface FrameVelocity {
  readonly angular: Vec3;
  readonly linear: Vec3;
}

/** What the frames are computed from; the front door gives it. */
export interface BodyMotions {
  readonly mechanism: Mechanism;
  readonly tree: Tree;
  poses(state: State, options: { readonly out: Float64Array }): Float64Array;
  velocities(state: State, options: { readonly out: Float64Array; readonly poses: Float64Array }): Float64Array;
  jacobians(state: State, options: { readonly out: Float64Array }): Float64Array;
}

/** The frame of a name, or of a point of it. */
export function frameOf(mechanism: Mechanism, name: FrameName): Frame {
  if (typeof name === 'string') return mechanism.frame(name);
  const { body, E, t } = mechanism.frame(name.frame);
  checkPoint(name);
  return { name: '', body, E, t: add(t, apply(transpose(E), name.at)) };
}

function checkPoint({ frame, at }: FramePoint): void {
  if (at.length === 3 && Number.isFinite(at[0] + at[1] + at[2])) return;
  throw MechanismError.of('point', `frame "${frame}"`, 'A point is three finite numbers.');
}

/** Who knows other libraries, or has no compiler to ask, hears of a name that means nothing here. */
function checkIn({ in: how = 'frame' }: InOption): void {
  if (how === 'frame' || how === 'world' || how === 'aligned') return;
  const known = "'frame' (Pinocchio's LOCAL), 'world' (WORLD) and 'aligned' (LOCAL_WORLD_ALIGNED)";
  throw MechanismError.of('option', 'in', `There are ${known}, not "${String(how)}".`);
}

/** What an earlier call gave, filled again. */
function fill(out: Vec3 | Mat3, count: number, numbers: Float64Array, at: number): void {
  if (out.length !== count) throw MechanismError.of('length', 'out', `Expected ${count} numbers, got ${out.length}.`);
  const to = out as readonly number[] as number[];
  for (let k = 0; k < count; k++) to[k] = numbers[at + k];
}

function inParts(m: Float64Array, out: FrameVelocity | undefined): FrameVelocity {
  if (out === undefined) return { angular: [m[0], m[1], m[2]], linear: [m[3], m[4], m[5]] };
  fill(out.angular, 3, m, 0);
  fill(out.linear, 3, m, 3);
  return out;
}

const transform = (): Float64Array => new Float64Array(TRANSFORM);
const motion = (): Float64Array => new Float64Array(6);

/** A frame in a state: ground to frame, its motion in ground coordinates at the ground's origin. */
class PlacedFrame {
  body = -1;
  readonly own = transform();
  readonly X = transform();
  readonly velocity = motion();
  readonly acceleration = motion();

  constructor() {
    this.ground();
  }

  ground(): void {
    this.body = -1;
    setIdentity(this.X, 0);
    this.velocity.fill(0);
    this.acceleration.fill(0);
  }

  place(mechanism: Mechanism, name: FrameName, poses: Float64Array): void {
    const known = typeof name === 'string' ? name : name.frame;
    const own = this.own;
    if (mechanism.hasBody(known)) {
      this.body = mechanism.bodyIndex(known);
      setIdentity(own, 0);
    } else {
      const { body, E, t } = mechanism.frame(known);
      this.body = body;
      own.set(E);
      own.set(t, ORIGIN);
    }
    if (typeof name !== 'string') {
      checkPoint(name);
      const { at } = name;
      for (let k = 0; k < 3; k++) own[ORIGIN + k] += own[k] * at[0] + own[3 + k] * at[1] + own[6 + k] * at[2];
    }
    compose(this.X, 0, own, 0, poses, TRANSFORM * this.body);
  }

  move({ link }: Tree, { v, a }: ColumnScratch): void {
    if (this.body < 0) return;
    const o = 6 * (link[this.body] + 1);
    for (let k = 0; k < 6; k++) {
      this.velocity[k] = v[o + k];
      this.acceleration[k] = a[o + k];
    }
  }
}

export class FrameMotions {
  readonly #bodies: BodyMotions;
  readonly #poses: Float64Array;
  readonly #velocities: Float64Array;
  readonly #intoPoses: { readonly out: Float64Array };
  readonly #intoVelocities: { readonly out: Float64Array; readonly poses: Float64Array };
  readonly #intoColumns: { readonly out: Float64Array };
  #scratch: ColumnScratch | undefined;
  /** For each body that was asked for, the degrees of freedom that carry it: 1 for each of them. */
  readonly #carried = new Map<number, Uint8Array>();
  readonly #b = new PlacedFrame();
  readonly #a = new PlacedFrame();
  /** Reference frame to frame. */
  readonly #between = transform();
  readonly #inverse = transform();
  readonly #m = motion();
  readonly #rate = motion();
  readonly #work = motion();
  /** What has been computed for a state that stays as it is. */
  #held: { places: boolean; velocities: boolean; qdd: Float64Array | null | undefined } | undefined;

  constructor(bodies: BodyMotions) {
    const { mechanism } = bodies;
    this.#bodies = bodies;
    this.#poses = new Float64Array(TRANSFORM * mechanism.bodies.length);
    this.#velocities = new Float64Array(6 * mechanism.bodies.length);
    this.#intoPoses = { out: this.#poses };
    this.#intoVelocities = { out: this.#velocities, poses: this.#poses };
    this.#intoColumns = { out: new Float64Array(6 * mechanism.nv) };
  }

  /** While `act` asks for frames, the state and all else that it is given stay as they are: what one frame needs serves all. */
  hold<T>(act: () => T): T {
    this.#held = { places: false, velocities: false, qdd: undefined };
    try {
      return act();
    } finally {
      this.#held = undefined;
    }
  }

  #findPlaces(state: State): void {
    if (this.#held?.places === true) return;
    this.#bodies.poses(state, this.#intoPoses);
    if (this.#held !== undefined) this.#held.places = true;
  }

  pose(state: State, name: FrameName, { relativeTo, out }: InOption & { readonly out?: Placement }): Placement {
    this.#findPlaces(state);
    this.#place(name, relativeTo);
    const X = this.#between;
    if (out !== undefined) {
      fill(out.E, 9, X, 0);
      fill(out.t, 3, X, ORIGIN);
      return out;
    }
    const E: Mat3 = [X[0], X[1], X[2], X[3], X[4], X[5], X[6], X[7], X[8]];
    return { E, t: [X[9], X[10], X[11]] };
  }

  velocity(state: State, name: FrameName, options: InOption & { readonly out?: FrameVelocity }): FrameVelocity {
    checkIn(options);
    const { relativeTo } = options;
    const a = this.#a;
    const b = this.#b;
    const m = this.#m;
    if (this.#held?.velocities !== true) this.#bodies.velocities(state, this.#intoVelocities);
    if (this.#held !== undefined) this.#held.places = this.#held.velocities = true;
    this.#place(name, relativeTo);
    if (relativeTo === undefined && options.in !== 'world') {
      // Not by way of the ground's origin, which may be far away.
      motionToB(m, 0, b.own, 0, this.#velocities, 6 * b.body);
      if (options.in === 'aligned') this.#turnBack(m);
    } else {
      this.#toGround(b);
      if (relativeTo !== undefined) this.#toGround(a);
      for (let k = 0; k < 6; k++) m[k] = b.velocity[k] - a.velocity[k];
      this.#represent(m, options.in);
    }
    return inParts(m, options.out);
  }

  acceleration(
    state: State,
    name: FrameName,
    options: AccelerationOptions & { readonly out?: FrameVelocity },
  ): FrameVelocity {
    checkIn(options);
    const a = this.#a;
    const b = this.#b;
    const m = this.#m;
    const rate = this.#rate;
    this.#move(state, name, options, options.qdd ?? null);
    for (let k = 0; k < 6; k++) {
      m[k] = b.velocity[k] - a.velocity[k];
      rate[k] = b.acceleration[k] - a.acceleration[k];
    }
    this.#representRate(rate, m, options.in);
    this.#represent(m, options.in);
    const classical = options.in === 'aligned';
    if ((options.classical ?? classical) !== classical) {
      // classical = spatial + w x v
      const sign = classical ? -1 : 1;
      for (let k = 0; k < 3; k++) {
        const [y, z] = [(k + 1) % 3, (k + 2) % 3];
        rate[3 + k] += sign * (m[y] * m[3 + z] - m[z] * m[3 + y]);
      }
    }
    return inParts(rate, options.out);
  }

  jacobian(state: State, name: FrameName, options: InOption, J: Float64Array): Float64Array {
    checkIn(options);
    const { nv } = this.#bodies.mechanism;
    const m = this.#m;
    const all = this.#bodies.jacobians(state, this.#intoColumns);
    this.#bodies.poses(state, this.#intoPoses);
    this.#place(name, options.relativeTo);
    const on = this.#carries(this.#b.body);
    const off = this.#carries(this.#a.body);
    for (let k = 0; k < nv; k++) {
      const factor = on[k] - off[k];
      if (factor !== 0) {
        for (let row = 0; row < 6; row++) m[row] = factor * all[row * nv + k];
        this.#represent(m, options.in);
      } else m.fill(0);
      for (let row = 0; row < 6; row++) J[row * nv + k] = m[row];
    }
    return J;
  }

  jacobianRate(state: State, name: FrameName, options: InOption, J: Float64Array): Float64Array {
    checkIn(options);
    const { tree, mechanism } = this.#bodies;
    const { nv } = mechanism;
    const m = this.#m;
    const rate = this.#rate;
    const { S, rate: dS } = this.#move(state, name, options, null);
    const on = this.#carries(this.#b.body);
    const off = this.#carries(this.#a.body);
    J.fill(0);
    for (let i = 0; i < tree.n; i++)
      for (let k = tree.dof[i]; k < tree.dof[i + 1]; k++) {
        const at = tree.iv[i] + k - tree.dof[i];
        const factor = on[at] - off[at];
        if (factor === 0) continue;
        for (let row = 0; row < 6; row++) {
          m[row] = factor * S[6 * k + row];
          rate[row] = factor * dS[6 * k + row];
        }
        this.#representRate(rate, m, options.in);
        for (let row = 0; row < 6; row++) J[row * nv + at] = rate[row];
      }
    return J;
  }

  /** Places, velocities and accelerations of the frame and of the one that it is related to. */
  #move(state: State, name: FrameName, { relativeTo }: InOption, qdd: Float64Array | null): ColumnScratch {
    const { tree } = this.#bodies;
    this.#scratch ??= createColumns(tree);
    const scratch = this.#scratch;
    if (this.#held === undefined || this.#held.qdd !== qdd) columnMotions(tree, scratch, state.q, state.v, qdd, false);
    if (this.#held !== undefined) this.#held.qdd = qdd;
    this.#findPlaces(state);
    this.#place(name, relativeTo);
    this.#a.move(tree, scratch);
    this.#b.move(tree, scratch);
    return scratch;
  }

  /** Both frames, and the one seen from the other; poses of the bodies must be there. */
  #place(name: FrameName, relativeTo: FrameName | undefined): void {
    const a = this.#a;
    const b = this.#b;
    const { mechanism } = this.#bodies;
    b.place(mechanism, name, this.#poses);
    if (relativeTo === undefined) {
      if (a.body >= 0) a.ground();
      this.#between.set(b.X);
      return;
    }
    a.place(mechanism, relativeTo, this.#poses);
    invert(this.#inverse, 0, a.X, 0);
    compose(this.#between, 0, b.X, 0, this.#inverse, 0);
  }

  #toGround(placed: PlacedFrame): void {
    motionToA(placed.velocity, 0, this.#poses, TRANSFORM * placed.body, this.#velocities, 6 * placed.body);
  }

  /** A motion in ground coordinates, in place. */
  #represent(m: Float64Array, how: InOption['in'] = 'frame'): void {
    if (how === 'frame') {
      motionToB(m, 0, this.#b.X, 0, m, 0);
      return;
    }
    motionToB(m, 0, this.#a.X, 0, m, 0);
    if (how === 'aligned') this.#shift(m, m);
  }

  /** The rate of the components of m, from its rate in ground coordinates, in place. */
  #representRate(rate: Float64Array, m: Float64Array, how: InOption['in'] = 'frame'): void {
    const { X, velocity } = how === 'frame' ? this.#b : this.#a;
    const work = this.#work;
    work.fill(0);
    addCrossMotion(work, 0, velocity, 0, m, 0);
    for (let k = 0; k < 6; k++) rate[k] -= work[k];
    motionToB(rate, 0, X, 0, rate, 0);
    if (how !== 'aligned') return;
    this.#shift(rate, rate);
    // + w x dp: w of m, and the velocity of the origin.
    const a = this.#a;
    const b = this.#b;
    motionToB(work, 0, a.X, 0, m, 0);
    const wx = work[0];
    const wy = work[1];
    const wz = work[2];
    for (let k = 0; k < 6; k++) work[k] = b.velocity[k] - a.velocity[k];
    motionToB(work, 0, a.X, 0, work, 0);
    this.#shift(work, work);
    rate[3] += wy * work[5] - wz * work[4];
    rate[4] += wz * work[3] - wx * work[5];
    rate[5] += wx * work[4] - wy * work[3];
  }

  /** [w, l + w x p] */
  #shift(out: Float64Array, m: Float64Array): void {
    const p = this.#between;
    const wx = m[0];
    const wy = m[1];
    const wz = m[2];
    const x = p[ORIGIN];
    const y = p[ORIGIN + 1];
    const z = p[ORIGIN + 2];
    out[3] += wy * z - wz * y;
    out[4] += wz * x - wx * z;
    out[5] += wx * y - wy * x;
  }

  /** From the axes of the frame to those of the ground. */
  #turnBack(m: Float64Array): void {
    const { X } = this.#b;
    for (let o = 0; o < 6; o += 3) {
      const x = m[o];
      const y = m[o + 1];
      const z = m[o + 2];
      for (let k = 0; k < 3; k++) m[o + k] = X[k] * x + X[3 + k] * y + X[6 + k] * z;
    }
  }

  #carries(body: number): Uint8Array {
    let carried = this.#carried.get(body);
    if (carried === undefined) {
      const { joints, nv } = this.#bodies.mechanism;
      carried = new Uint8Array(nv);
      for (let b = body; b >= 0; b = joints[b].parent) carried.fill(1, joints[b].iv, joints[b].iv + joints[b].model.nv);
      this.#carried.set(body, carried);
    }
    return carried;
  }
}
