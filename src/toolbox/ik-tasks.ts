// What inverse kinematics can be asked for. Every task has rows: what is left of it (zero where it is met), and how that changes
// with the degrees of freedom. Rotations are rotation vectors in axes of the ground: with a small turn they change by that turn.

import type { Dynamics } from '../dynamics/dynamics.js';
import { type FrameName, frameOf } from '../dynamics/frames.js';
import { updateLoops } from '../engines/plain/assembly/loop-joint.js';
import { createClosedInverse, updateConstraints } from '../engines/plain/closed-inverse.js';
import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism, Placement } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';
import { axisFrame, type Mat3, quaternionFromRotation, type Vec3 } from '../spatial/matrix3.js';

interface Common {
  /** For the report; made from its kind and frame where left out. */
  readonly name?: string;
  /** Of its residual, metres and radians alike; 1 where left out. */
  readonly weight?: number;
  /** Tasks of a lower number are met first, as far as they can be; 0 where left out. */
  readonly priority?: number;
}

/** A task: numbers of the target are read at every solve, so that they may be changed between them. */
export type IkTask = Common &
  (
    | { readonly kind: 'pose'; readonly frame: FrameName; pose: Placement }
    | { readonly kind: 'position'; readonly frame: FrameName; position: Vec3 }
    /** An axis of the frame along a direction of the ground. */
    | { readonly kind: 'direction'; readonly frame: FrameName; readonly axis: Vec3; direction: Vec3 }
    /** An axis of the frame, from its origin, at a point of the ground. */
    | { readonly kind: 'gaze'; readonly frame: FrameName; readonly axis: Vec3; target: Vec3 }
    | { readonly kind: 'centreOfMass'; position: Vec3 }
    | { readonly kind: 'joint'; readonly joint: string; position: number | ArrayLike<number> }
  );

/** What a task is computed from: the pose of every body and the columns of all Jacobians, ground coordinates. */
export interface Kinematics {
  readonly mechanism: Mechanism;
  readonly state: State;
  readonly poses: Float64Array;
  /** 6 x nv, row major. */
  readonly columns: Float64Array;
}

/** The rows of a task. */
export interface TaskRows {
  readonly name: string;
  readonly weight: number;
  readonly priority: number;
  readonly rows: number;
  /** Degrees of freedom that its rows depend on. */
  readonly dofs: Int32Array;
  /** Refuses a target that nothing can meet, whatever the joints do. */
  check?(): void;
  /** r <- what is left, from o on; poses are up to date. */
  residual(r: Float64Array, o: number): void;
  /** J <- rows x nv, row major, from row o on; after `residual`, columns up to date. Memory is zero where it writes nothing. */
  jacobian(J: Float64Array, o: number): void;
}

/** Loops are closed before everything else. */
export const LOOPS = Number.NEGATIVE_INFINITY;

export function rowsOf(task: IkTask, from: Kinematics): TaskRows {
  const { weight = 1, priority = 0 } = task;
  const common = { name: task.name ?? nameOf(task), weight, priority };
  const refuse = (message: string): never => {
    throw MechanismError.of('ik', common.name, message);
  };
  if (!(weight > 0 && weight < Number.POSITIVE_INFINITY))
    refuse(`The weight must be a positive number, got ${weight}; leave out a task that does not count.`);
  if (Number.isNaN(priority)) refuse('The priority is not a number.');
  const target = TARGETS.get(task.kind);
  if (target === undefined) refuse(`There is no such task; there are ${[...TARGETS.keys()].join(', ')}.`);
  else if (new Map<string, unknown>(Object.entries(task)).get(target) === undefined)
    refuse(`A task of kind "${task.kind}" has its target as "${target}".`);
  if (task.kind !== 'joint' && task.kind !== 'centreOfMass' && task.frame === undefined)
    refuse('Say whose it is: a task of this kind has a "frame".');
  switch (task.kind) {
    case 'pose': {
      const at = new FrameAt(task.frame, from);
      return {
        ...common,
        rows: 6,
        dofs: at.dofs,
        check: () => {
          if (!isRotation(task.pose.E))
            refuse('The matrix E of its pose is not a rotation: rows of length one, at right angles.');
        },
        residual: (r, o) => {
          at.update();
          const { E, t } = task.pose;
          setTurn(r, o, at.R, E);
          for (let k = 0; k < 3; k++) r[o + 3 + k] = at.p[k] - t[k];
        },
        jacobian: (J, o) => {
          at.turns(J, o);
          at.moves(J, o + 3);
        },
      };
    }
    case 'position':
    case 'centreOfMass': {
      const at = task.kind === 'position' ? new FrameAt(task.frame, from) : new CentreAt(from);
      return {
        ...common,
        rows: 3,
        dofs: at.dofs,
        residual: (r, o) => {
          at.update();
          for (let k = 0; k < 3; k++) r[o + k] = at.p[k] - task.position[k];
        },
        jacobian: (J, o) => at.moves(J, o),
      };
    }
    case 'direction':
    case 'gaze':
      return pointing(task, common, from);
    case 'joint': {
      const { model, iq, iv } = from.mechanism.joint(task.joint);
      const { nv } = from.mechanism;
      const goal = new Float64Array(model.nq);
      return {
        ...common,
        rows: model.nv,
        dofs: Int32Array.from({ length: model.nv }, (_, k) => iv + k),
        residual: (r, o) => {
          const given = typeof task.position === 'number' ? [task.position] : task.position;
          if (given.length !== goal.length) refuse(`Expected ${goal.length} numbers, got ${given.length}.`);
          goal.set(given);
          model.difference(r, o, goal, 0, from.state.q, iq);
        },
        jacobian: (J, o) => {
          for (let k = 0; k < model.nv; k++) J[(o + k) * nv + iv + k] = 1;
        },
      };
    }
  }
}

/** For each kind of task the name of its target. */
const TARGETS: ReadonlyMap<IkTask['kind'], string> = new Map([
  ['pose', 'pose'],
  ['position', 'position'],
  ['direction', 'direction'],
  ['gaze', 'target'],
  ['centreOfMass', 'position'],
  ['joint', 'position'],
]);

/** Off a rotation by this much, an entry of E E^T - 1 is taken for a mistake, not for rounding. */
const ROUNDED = 1e-6;

/** Also true of what is not finite, which is refused by its residual. */
function isRotation(E: Mat3): boolean {
  const dot = (i: number, j: number): number => E[i] * E[j] + E[i + 1] * E[j + 1] + E[i + 2] * E[j + 2];
  for (let i = 0; i < 9; i += 3)
    for (let j = 0; j <= i; j += 3) if (Math.abs(dot(i, j) - (i === j ? 1 : 0)) > ROUNDED) return false;
  const volume =
    E[0] * (E[4] * E[8] - E[5] * E[7]) - E[1] * (E[3] * E[8] - E[5] * E[6]) + E[2] * (E[3] * E[7] - E[4] * E[6]);
  return !(volume < 0);
}

function nameOf(task: IkTask): string {
  if (task.kind === 'joint') return `joint ${task.joint}`;
  if (task.kind === 'centreOfMass') return 'centre of mass';
  const { frame } = task;
  return `${task.kind} of ${typeof frame === 'string' ? frame : (frame?.frame ?? 'nothing')}`;
}

/** a, the axis in the ground, and d, where it should point: r = the turn that takes d to a. */
function pointing(
  task: IkTask & { readonly kind: 'direction' | 'gaze' },
  common: Pick<TaskRows, 'name' | 'weight' | 'priority'>,
  from: Kinematics,
): TaskRows {
  const at = new FrameAt(task.frame, from);
  const axis = unit(task.axis, common.name);
  const [a, d, move] = [new Float64Array(3), new Float64Array(3), new Float64Array(3 * from.mechanism.nv)];
  let distance = 1;
  return {
    ...common,
    rows: 3,
    dofs: at.dofs,
    residual: (r, o) => {
      at.update();
      for (let k = 0; k < 3; k++) {
        a[k] = at.R[3 * k] * axis[0] + at.R[3 * k + 1] * axis[1] + at.R[3 * k + 2] * axis[2];
        d[k] = task.kind === 'gaze' ? task.target[k] - at.p[k] : task.direction[k];
      }
      distance = Math.hypot(d[0], d[1], d[2]);
      if (task.kind === 'gaze' && distance === 0) distance = 1;
      for (let k = 0; k < 3; k++) d[k] /= distance;
      setCross(r, o, d, a);
      const sine = Math.hypot(r[o], r[o + 1], r[o + 2]);
      const cosine = a[0] * d[0] + a[1] * d[1] + a[2] * d[2];
      if (sine <= 1e-9 && cosine < 0) {
        // Half a turn, about any axis across.
        const [x, y, z] = axisFrame([d[0], d[1], d[2]]);
        r.set([Math.PI * x, Math.PI * y, Math.PI * z], o);
        return;
      }
      const factor = sine > 1e-9 ? Math.atan2(sine, cosine) / sine : 1;
      for (let k = 0; k < 3; k++) r[o + k] *= factor;
    },
    jacobian: (J, o) => {
      const { nv } = from.mechanism;
      at.turns(J, o);
      if (task.kind === 'gaze') {
        // d turns by -(d x dp) / distance while the origin moves by dp.
        move.fill(0);
        at.moves(move, 0);
        for (const j of at.dofs) {
          const [x, y, z] = [move[j], move[nv + j], move[2 * nv + j]];
          J[o * nv + j] += (d[1] * z - d[2] * y) / distance;
          J[(o + 1) * nv + j] += (d[2] * x - d[0] * z) / distance;
          J[(o + 2) * nv + j] += (d[0] * y - d[1] * x) / distance;
        }
      }
      // Turns about the axis itself change nothing.
      for (const j of at.dofs) {
        const along = a[0] * J[o * nv + j] + a[1] * J[(o + 1) * nv + j] + a[2] * J[(o + 2) * nv + j];
        for (let k = 0; k < 3; k++) J[(o + k) * nv + j] -= along * a[k];
      }
    },
  };
}

function unit(axis: Vec3, name: string): Vec3 {
  const size = Math.hypot(...axis);
  if (!(size > 1e-12 && size < Number.POSITIVE_INFINITY))
    throw MechanismError.of('ik', name, 'The axis must be three finite numbers, not all zero.');
  return [axis[0] / size, axis[1] / size, axis[2] / size];
}

/** Degrees of freedom that carry a body. */
function carrying({ joints }: Mechanism, body: number): Int32Array {
  const dofs: number[] = [];
  for (let b = body; b >= 0; b = joints[b].parent)
    for (let k = 0; k < joints[b].model.nv; k++) dofs.push(joints[b].iv + k);
  return Int32Array.from(dofs.sort((x, y) => x - y));
}

/** A frame, or a point of it, in the ground: R takes its coordinates to the ground's. */
class FrameAt {
  readonly dofs: Int32Array;
  readonly R = new Float64Array(9);
  readonly p = new Float64Array(3);
  readonly #from: Kinematics;
  readonly #body: number;
  readonly #E: Mat3;
  readonly #t: Vec3;

  constructor(name: FrameName, from: Kinematics) {
    const { body, E, t } = frameOf(from.mechanism, name);
    this.#from = from;
    this.#body = body;
    this.#E = E;
    this.#t = t;
    this.dofs = carrying(from.mechanism, body);
  }

  update(): void {
    const { poses } = this.#from;
    const X = 12 * this.#body;
    const [E, t] = [this.#E, this.#t];
    for (let row = 0; row < 3; row++) {
      // Row of R_body = E_body^T.
      const [a, b, c] = [poses[X + row], poses[X + 3 + row], poses[X + 6 + row]];
      this.p[row] = poses[X + 9 + row] + a * t[0] + b * t[1] + c * t[2];
      this.R[3 * row] = a * E[0] + b * E[1] + c * E[2];
      this.R[3 * row + 1] = a * E[3] + b * E[4] + c * E[5];
      this.R[3 * row + 2] = a * E[6] + b * E[7] + c * E[8];
    }
  }

  turns(J: Float64Array, o: number): void {
    const { columns, mechanism } = this.#from;
    const { nv } = mechanism;
    const { dofs } = this;
    for (let n = 0; n < dofs.length; n++) {
      const k = dofs[n];
      for (let row = 0; row < 3; row++) J[(o + row) * nv + k] = columns[row * nv + k];
    }
  }

  moves(J: Float64Array, o: number): void {
    const { columns, mechanism } = this.#from;
    setMoves(J, o, columns, mechanism.nv, this.dofs, this.p[0], this.p[1], this.p[2], 1);
  }
}

/** Rows o to o + 2 <- factor (l + w x p) of the columns [w, l]. */
function setMoves(
  J: Float64Array,
  o: number,
  columns: Float64Array,
  nv: number,
  dofs: Int32Array,
  x: number,
  y: number,
  z: number,
  factor: number,
): void {
  for (let n = 0; n < dofs.length; n++) {
    const k = dofs[n];
    const [wx, wy, wz] = [columns[k], columns[nv + k], columns[2 * nv + k]];
    J[o * nv + k] = factor * (columns[3 * nv + k] + wy * z - wz * y);
    J[(o + 1) * nv + k] = factor * (columns[4 * nv + k] + wz * x - wx * z);
    J[(o + 2) * nv + k] = factor * (columns[5 * nv + k] + wx * y - wy * x);
  }
}

/** The centre of mass. Each joint moves that of what it carries. */
class CentreAt {
  readonly dofs: Int32Array;
  readonly p = new Float64Array(3);
  readonly #from: Kinematics;
  /** Of the subtree of each body: mass, mass times centre. */
  readonly #sums: Float64Array;
  readonly #order: readonly number[];
  readonly #own: readonly Int32Array[];

  constructor(from: Kinematics) {
    const { mechanism } = from;
    const { joints, nv } = mechanism;
    if (!mechanism.bodies.some(({ mass }) => mass > 0))
      throw MechanismError.of('ik', 'centre of mass', 'No body has any mass.');
    this.#from = from;
    this.dofs = Int32Array.from({ length: nv }, (_, k) => k);
    this.#sums = new Float64Array(4 * joints.length);
    this.#order = deepestFirst(mechanism);
    this.#own = joints.map(({ iv, model }) => Int32Array.from({ length: model.nv }, (_, k) => iv + k));
  }

  update(): void {
    const { poses, mechanism } = this.#from;
    const sums = this.#sums;
    let total = 0;
    this.p.fill(0);
    mechanism.bodies.forEach(({ mass, com }, b) => {
      const X = 12 * b;
      sums[4 * b] = mass;
      total += mass;
      for (let k = 0; k < 3; k++) {
        const at = poses[X + 9 + k] + poses[X + k] * com[0] + poses[X + 3 + k] * com[1] + poses[X + 6 + k] * com[2];
        sums[4 * b + 1 + k] = mass * at;
        this.p[k] += mass * at;
      }
    });
    for (let k = 0; k < 3; k++) this.p[k] /= total;
  }

  moves(J: Float64Array, o: number): void {
    const { columns, mechanism } = this.#from;
    const { joints, nv } = mechanism;
    const sums = this.#sums;
    const total = mechanism.bodies.reduce((sum, { mass }) => sum + mass, 0);
    for (const b of this.#order) {
      const { parent } = joints[b];
      const mass = sums[4 * b];
      if (mass > 0)
        setMoves(
          J,
          o,
          columns,
          nv,
          this.#own[b],
          sums[4 * b + 1] / mass,
          sums[4 * b + 2] / mass,
          sums[4 * b + 3] / mass,
          mass / total,
        );
      if (parent >= 0) for (let k = 0; k < 4; k++) sums[4 * parent + k] += sums[4 * b + k];
    }
  }
}

function deepestFirst({ joints }: Mechanism): number[] {
  const depth = joints.map((_, b) => {
    let steps = 0;
    for (let p = joints[b].parent; p >= 0; p = joints[p].parent) steps++;
    return steps;
  });
  return [...joints.keys()].sort((a, b) => depth[b] - depth[a]);
}

/** The loop joints of a mechanism, as a task that comes first; undefined where there are none. */
export function loopRows(door: Dynamics, from: Kinematics): TaskRows | undefined {
  const { mechanism, state } = from;
  if (mechanism.loops.length === 0) return undefined;
  const { tree } = door;
  const scratch = createClosedInverse(tree);
  const none = new Float64Array(mechanism.nv);
  return {
    name: 'loops',
    weight: 1,
    priority: LOOPS,
    rows: scratch.m,
    dofs: Int32Array.from({ length: mechanism.nv }, (_, k) => k),
    residual: (r, o) => {
      updateLoops(tree, scratch.loops, 'position', scratch.rnea.a, state.q, none);
      let row = o;
      for (const gaps of scratch.loops.beta) for (const gap of gaps) r[row++] = gap;
    },
    jacobian: (J, o) => {
      updateConstraints(tree, scratch, state.q, none, none);
      J.set(scratch.J, o * mechanism.nv);
    },
  };
}

function setCross(out: Float64Array, o: number, a: Float64Array, b: Float64Array): void {
  out[o] = a[1] * b[2] - a[2] * b[1];
  out[o + 1] = a[2] * b[0] - a[0] * b[2];
  out[o + 2] = a[0] * b[1] - a[1] * b[0];
}

/** r <- rotation vector of R R_goal^T = R E, in axes of the ground. */
function setTurn(r: Float64Array, o: number, R: Float64Array, E: Mat3): void {
  const entry = (i: number, j: number): number => R[3 * i] * E[j] + R[3 * i + 1] * E[3 + j] + R[3 * i + 2] * E[6 + j];
  const x = entry(2, 1) - entry(1, 2);
  const y = entry(0, 2) - entry(2, 0);
  const z = entry(1, 0) - entry(0, 1);
  const sine = Math.sqrt(x * x + y * y + z * z) / 2;
  const cosine = (entry(0, 0) + entry(1, 1) + entry(2, 2) - 1) / 2;
  if (cosine > -0.9) {
    const factor = sine > 1e-9 ? Math.atan2(sine, cosine) / (2 * sine) : 0.5;
    r[o] = factor * x;
    r[o + 1] = factor * y;
    r[o + 2] = factor * z;
    return;
  }
  // Near half a turn the sine says little about the axis.
  const M = [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => entry(i, j))) as unknown as Mat3;
  const [w, a, b, c] = quaternionFromRotation(M);
  const size = Math.hypot(a, b, c);
  const factor = ((w < 0 ? -1 : 1) * 2 * Math.atan2(size, Math.abs(w))) / size;
  r[o] = factor * a;
  r[o + 1] = factor * b;
  r[o + 2] = factor * c;
}
