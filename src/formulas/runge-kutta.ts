// Explicit Runge-Kutta steps as formulas, in the form of Munthe-Kaas: within a step the position is q0 moved along a vector
// u, and u, which lives in a flat space, is what is integrated. For stage s
//
//   u_s = h sum_r A[s][r] k_r      v_s = v0 + h sum_r A[s][r] a_r      q_s = q0 moved along u_s
//   k_s = localRate(u_s, v_s)      a_s = forward dynamics at (q_s, v_s)
//
// One graph for each stage; forward dynamics runs between them.

import type { FormulaType, PlanLink } from '../plan/plan.js';
import type { Node } from './graph.js';
import { localRate, type MoveOptions, movePosition, turnSquared } from './integration.js';
import { FRICTION_SPEED, type PassiveJoint, passiveForce, tanh } from './passive.js';
import { VectorGraph } from './vectors.js';

export interface Tableau {
  /** Weights of the stages before. */
  readonly A: readonly (readonly number[])[];
  /** Times of the stages as parts of the step. */
  readonly C: readonly number[];
  /** Weights of all stages at the end of the step; left out where the last stage is the end. */
  readonly B?: readonly number[];
  /** Weights of the error. */
  readonly E?: readonly number[];
}

export const RUNGE_KUTTA_4: Tableau = {
  A: [[], [1 / 2], [0, 1 / 2], [0, 0, 1]],
  C: [0, 1 / 2, 1 / 2, 1],
  B: [1 / 6, 1 / 3, 1 / 3, 1 / 6],
};

/** Dormand and Prince, order 5(4); the last stage is the end of the step, and the first of the next. */
export const DORMAND_PRINCE: Tableau = {
  A: [
    [],
    [1 / 5],
    [3 / 40, 9 / 40],
    [44 / 45, -56 / 15, 32 / 9],
    [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
    [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
    [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
  ],
  C: [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1],
  E: [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40],
};

/** Weights of the stages at the end of the step. */
export const endWeights = ({ A, B }: Tableau): readonly number[] => B ?? [...A[A.length - 1], 0];

/** Arrays of the formulas by their numbers; the first four as in links.ts. RATE and ACCELERATION have nv for each stage. */
export const STEP_ARRAYS = {
  q: 0,
  v: 1,
  tau: 2,
  qdd: 3,
  baseQ: 4,
  baseV: 5,
  u: 6,
  rate: 7,
  acceleration: 8,
  /** [h]. */
  step: 9,
  /** For each stage the largest turn, squared, or a little more than that. */
  turn: 10,
  /** For each stage the power of damping and friction. */
  power: 11,
} as const;

/** What the formulas of steps know of a joint; passive forces where it has any. */
export interface StepJoint extends Pick<PlanLink, 'type' | 'iq' | 'iv' | 'nq' | 'nv'> {
  readonly passive: PassiveJoint | undefined;
}

/** One joint, or two of one type in the lanes of vectors. */
type Lanes = readonly [first: StepJoint, second?: StepJoint];

/** Joints two by two: neighbours of one type first come together, so their numbers mostly stand side by side. */
function inLanes(joints: readonly StepJoint[]): Lanes[] {
  const waiting = new Map<FormulaType, StepJoint>();
  const lanes: Lanes[] = [];
  for (const joint of joints) {
    const other = waiting.get(joint.type);
    if (other === undefined) waiting.set(joint.type, joint);
    else {
      waiting.delete(joint.type);
      lanes.push([other, joint]);
    }
  }
  return [...lanes, ...[...waiting.values()].map((joint): Lanes => [joint])];
}

const { q: Q, v: V, tau: TAU, qdd: QDD, baseQ, baseV, u: U, rate: RATE, acceleration: ACC } = STEP_ARRAYS;

export class StepFormulas {
  readonly #joints: readonly StepJoint[];
  readonly #lanes: readonly Lanes[];
  readonly #nv: number;
  readonly #tableau: Tableau;

  constructor(joints: readonly StepJoint[], nv: number, tableau: Tableau) {
    this.#joints = joints;
    this.#lanes = inLanes(joints);
    this.#nv = nv;
    this.#tableau = tableau;
  }

  get #last(): number {
    return this.#tableau.A.length - 1;
  }

  /** Passive forces at the base; undefined where no joint has any. */
  first(): VectorGraph | undefined {
    if (this.#joints.every(({ passive }) => passive === undefined)) return undefined;
    const g = new VectorGraph();
    const read = (array: number, from: number, count: number): Node[] => g.inputs(array, from, count);
    this.#passive(g, 0, (joint) => [read(baseQ, joint.iq, joint.nq), read(baseV, joint.iv, joint.nv)]);
    return g;
  }

  /** From the accelerations of the stage before to positions and velocities of stage s > 0. */
  stage(s: number): VectorGraph {
    const { A, B } = this.#tableau;
    const end = B === undefined && s === this.#last;
    const g = new VectorGraph();
    const moved = new Map<StepJoint, readonly [Node[], Node[]]>();
    let turns = g.zero;
    for (const lanes of this.#lanes) {
      const { u, v, q } = this.#move(g, lanes, A[s], s, { precision: 'double', normalise: end });
      const { type, nq, nv } = lanes[0];
      put(g, V, lanes, 'iv', v);
      put(g, Q, lanes, 'iq', q);
      put(g, RATE, lanes, 'iv', localRate(g, type, u, v), s * this.#nv);
      if (end) put(g, U, lanes, 'iv', u);
      const turn = turnSquared(g, type, u);
      if (turn !== undefined) turns = g.add(turns, lanes.length === 2 ? g.laneSum(turn) : turn);
      lanes.forEach((joint, lane) => {
        const part = (nodes: readonly Node[], count: number): Node[] =>
          nodes.slice(0, count).map((node) => (lanes.length === 2 ? g.lane(node, lane as 0 | 1) : node));
        if (joint?.passive !== undefined) moved.set(joint, [part(q, nq), part(v, nv)]);
      });
      g.mark();
    }
    g.output(STEP_ARRAYS.turn, s, turns);
    this.#passive(g, s, (joint) => moved.get(joint)!);
    return g;
  }

  /** From the accelerations of the last stage to the end of the step, where that is no stage. */
  end(): VectorGraph | undefined {
    const { B } = this.#tableau;
    if (B === undefined) return undefined;
    const g = new VectorGraph();
    let turns = g.zero;
    for (const lanes of this.#lanes) {
      const { u, v, q } = this.#move(g, lanes, B, B.length, { precision: 'double', normalise: true });
      put(g, V, lanes, 'iv', v);
      put(g, Q, lanes, 'iq', q);
      const turn = turnSquared(g, lanes[0].type, u);
      if (turn !== undefined) turns = g.add(turns, lanes.length === 2 ? g.laneSum(turn) : turn);
      g.mark();
    }
    g.output(STEP_ARRAYS.turn, 0, turns);
    return g;
  }

  /** u, v and q for weights of the stages before `stage`, whose accelerations are all kept but the last one's. */
  #move(
    g: VectorGraph,
    lanes: Lanes,
    weights: readonly number[],
    stage: number,
    options: MoveOptions,
  ): { u: Node[]; v: Node[]; q: Node[] } {
    const { type, nq, nv } = lanes[0];
    const nvAll = this.#nv;
    const h = g.input(STEP_ARRAYS.step, 0);
    const base = get(g, baseV, lanes, 'iv', nv);
    // The rate of the first stage is the velocity there.
    const rates = weights.map((_, r) => (r === 0 ? base : get(g, RATE, lanes, 'iv', nv, r * nvAll)));
    const accelerations = weights.map((_, r) => {
      const last = r === stage - 1;
      // The end of a step may give the first accelerations of the next: there they are kept already.
      if (!last || (r === 0 && this.#tableau.B === undefined)) return get(g, ACC, lanes, 'iv', nv, r * nvAll);
      const fresh = get(g, QDD, lanes, 'iv', nv);
      if (stage < this.#tableau.A.length) put(g, ACC, lanes, 'iv', fresh, r * nvAll);
      return fresh;
    });
    const sum = (of: readonly (readonly Node[])[], k: number): Node =>
      g.mul(h, g.sum(...weights.map((weight, r) => g.mul(g.constant(weight), of[r][k]))));
    const degrees = Array.from({ length: nv }, (_, k) => k);
    const u = degrees.map((k) => sum(rates, k));
    const v = degrees.map((k) => g.add(base[k], sum(accelerations, k)));
    return { u, v, q: movePosition(g, type, get(g, baseQ, lanes, 'iq', nq), u, options) };
  }

  #passive(g: VectorGraph, s: number, at: (joint: StepJoint) => readonly [readonly Node[], readonly Node[]]): void {
    let power = g.zero;
    let any = false;
    for (const joint of this.#joints) {
      const { passive, iv } = joint;
      if (passive === undefined) continue;
      any = true;
      const [q, v] = at(joint);
      v.forEach((rate, k) => {
        const steep = (): Node => tanh(g, g.mul(g.constant(1 / FRICTION_SPEED), rate));
        const inputs = { q: q[0], v: rate, steep };
        g.output(TAU, iv + k, passiveForce(g, passive, k, inputs));
        // Springs store what they take; it is not lost.
        const slowing = passiveForce(g, { ...passive, stiffness: 0 }, k, inputs);
        power = g.add(power, g.mul(slowing, rate));
      });
      g.mark();
    }
    if (any) g.output(STEP_ARRAYS.power, s, power);
  }
}

function get(
  g: VectorGraph,
  array: number,
  [first, second]: Lanes,
  offset: 'iq' | 'iv',
  count: number,
  from = 0,
): Node[] {
  return Array.from({ length: count }, (_, k) =>
    g.input(array, from + first[offset] + k, second === undefined ? -1 : from + second[offset] + k),
  );
}

function put(
  g: VectorGraph,
  array: number,
  [first, second]: Lanes,
  offset: 'iq' | 'iv',
  nodes: readonly Node[],
  from = 0,
): void {
  nodes.forEach((node, k) => {
    g.output(array, from + first[offset] + k, node, second === undefined ? -1 : from + second[offset] + k);
  });
}
