// Explicit Runge-Kutta steps as formulas, in the form of Munthe-Kaas: within a step the position is q0 moved along a vector
// u, and u, which lives in a flat space, is what is integrated. For stage s
//
//   u_s = h sum_r A[s][r] k_r      v_s = v0 + h sum_r A[s][r] a_r      q_s = q0 moved along u_s
//   k_s = localRate(u_s, v_s)      a_s = forward dynamics at (q_s, v_s)
//
// One graph for each stage and kind of joint; forward dynamics runs between the stages.

import type { PlanLink } from '../plan/plan.js';
import type { Node } from './graph.js';
import { hasQuaternion, localRate, movePosition, turnSquared } from './integration.js';
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
  /** For each stage the sum of all turns, squared; the end of a step has that of stage 0. */
  turn: 10,
  /** For each stage the power of damping and friction. */
  power: 11,
} as const;

/** What the formulas of steps know of a joint; passive forces where it has any. */
export interface StepJoint extends Pick<PlanLink, 'type' | 'iq' | 'iv' | 'nq' | 'nv'> {
  readonly passive: PassiveJoint | undefined;
}

/** Joints of one type whose numbers stand side by side, moved by one call: two by two in the lanes of vectors. */
export interface StepGroup extends Omit<StepJoint, 'passive'> {
  readonly joints: number;
}

/** Joints in a call: one function serves all calls of its kind, so that the code of a step stays in the cache. */
const GROUPS = { quaternion: [2, 1], simple: [8, 2, 1] } as const;

/** All joints in groups, as large as their neighbours allow. */
export function stepGroups(joints: readonly StepJoint[]): StepGroup[] {
  const sorted = [...joints].filter(({ nv }) => nv > 0).sort((a, b) => a.iv - b.iv);
  const groups: StepGroup[] = [];
  for (let from = 0; from < sorted.length; ) {
    const { type, iq, iv, nq, nv } = sorted[from];
    let count = 1;
    for (; from + count < sorted.length; count++) {
      const next = sorted[from + count];
      if (next.type !== type || next.iq !== iq + count * nq || next.iv !== iv + count * nv) break;
    }
    for (let done = 0; done < count; ) {
      const size = GROUPS[hasQuaternion(type) ? 'quaternion' : 'simple'].find((most) => most <= count - done)!;
      groups.push({ type, nq, nv, joints: size, iq: iq + done * nq, iv: iv + done * nv });
      done += size;
    }
    from += count;
  }
  return groups;
}

/** Places in a group of the joint, or of the two, that are computed together. */
type Lanes = readonly [first: number, second: number | undefined];

const { q: Q, v: V, tau: TAU, qdd: QDD, baseQ, baseV, u: U, rate: RATE, acceleration: ACC } = STEP_ARRAYS;

/** Graphs of a step. Those of a group count the numbers of its joints from its own first position and velocity. */
export class StepFormulas {
  readonly #nv: number;
  readonly #tableau: Tableau;

  constructor(nv: number, tableau: Tableau) {
    this.#nv = nv;
    this.#tableau = tableau;
  }

  /** From the accelerations of the stage before to positions and velocities of stage s > 0. */
  stage(s: number, group: StepGroup): VectorGraph {
    const { A, B } = this.#tableau;
    const end = B === undefined && s === A.length - 1;
    return this.#moved(group, A[s], s, end, (g, lanes, { u, v }) => {
      put(g, RATE, lanes, group.nv, localRate(g, group.type, u, v), s * this.#nv);
      if (end) put(g, U, lanes, group.nv, u);
    });
  }

  /** From the accelerations of the last stage to the end of the step, where that is no stage. */
  end(group: StepGroup): VectorGraph | undefined {
    const { B } = this.#tableau;
    return B && this.#moved(group, B, B.length, true);
  }

  /** Passive forces at stage s, whose positions and velocities are in memory; undefined where no joint has any. */
  passive(s: number, joints: readonly StepJoint[]): VectorGraph | undefined {
    if (joints.every(({ passive }) => passive === undefined)) return undefined;
    const g = new VectorGraph();
    let power = g.zero;
    for (const { passive, iq, iv, nv } of joints) {
      if (passive === undefined) continue;
      const q = g.input(s === 0 ? baseQ : Q, iq);
      g.inputs(s === 0 ? baseV : V, iv, nv).forEach((rate, k) => {
        const steep = (): Node => tanh(g, g.mul(g.constant(1 / FRICTION_SPEED), rate));
        const inputs = { q, v: rate, steep };
        g.output(TAU, iv + k, passiveForce(g, passive, k, inputs));
        // Springs store what they take; it is not lost.
        const slowing = passiveForce(g, { ...passive, stiffness: 0 }, k, inputs);
        power = g.add(power, g.mul(slowing, rate));
      });
      g.mark();
    }
    g.output(STEP_ARRAYS.power, s, power);
    return g;
  }

  /** Positions, velocities and turns for weights of the stages before `stage`; `also` writes more. */
  #moved(
    { type, joints, nq, nv }: StepGroup,
    weights: readonly number[],
    stage: number,
    normalise: boolean,
    also?: (g: VectorGraph, lanes: Lanes, moved: { readonly u: Node[]; readonly v: Node[] }) => void,
  ): VectorGraph {
    const g = new VectorGraph();
    const at = stage < this.#tableau.A.length ? stage : 0;
    let turns: Node | undefined;
    for (let first = 0; first < joints; first += 2) {
      const lanes: Lanes = [first, first + 1 < joints ? first + 1 : undefined];
      const { u, v } = this.#motion(g, lanes, nv, weights, stage);
      put(g, V, lanes, nv, v);
      put(g, Q, lanes, nq, movePosition(g, type, get(g, baseQ, lanes, nq), u, { precision: 'double', normalise }));
      also?.(g, lanes, { u, v });
      const turn = turnSquared(g, type, u);
      if (turn !== undefined)
        turns = g.add(turns ?? g.input(STEP_ARRAYS.turn, at), lanes[1] === undefined ? turn : g.laneSum(turn));
    }
    if (turns !== undefined) g.output(STEP_ARRAYS.turn, at, turns);
    return g;
  }

  /** u and v for weights of the stages before `stage`, whose accelerations are all kept but the last one's. */
  #motion(
    g: VectorGraph,
    lanes: Lanes,
    nv: number,
    weights: readonly number[],
    stage: number,
  ): { readonly u: Node[]; readonly v: Node[] } {
    const nvAll = this.#nv;
    const h = g.input(STEP_ARRAYS.step, 0);
    const base = get(g, baseV, lanes, nv);
    // The rate of the first stage is the velocity there.
    const rates = weights.map((_, r) => (r === 0 ? base : get(g, RATE, lanes, nv, r * nvAll)));
    const accelerations = weights.map((_, r) => {
      const last = r === stage - 1;
      // The end of a step may give the first accelerations of the next: there they are kept already.
      if (!last || (r === 0 && this.#tableau.B === undefined)) return get(g, ACC, lanes, nv, r * nvAll);
      const fresh = get(g, QDD, lanes, nv);
      if (stage < this.#tableau.A.length) put(g, ACC, lanes, nv, fresh, r * nvAll);
      return fresh;
    });
    const shares = weights.map((weight) => g.mul(h, g.constant(weight)));
    const sum = (of: readonly (readonly Node[])[], k: number): Node =>
      g.sum(...shares.map((share, r) => g.mul(share, of[r][k])));
    return { u: base.map((_, k) => sum(rates, k)), v: base.map((x, k) => g.add(x, sum(accelerations, k))) };
  }
}

/** `count` numbers of each of the joints in the lanes, which have as many each. */
function get(g: VectorGraph, array: number, [first, second]: Lanes, count: number, from = 0): Node[] {
  return Array.from({ length: count }, (_, k) =>
    g.input(array, from + first * count + k, second === undefined ? -1 : from + second * count + k),
  );
}

function put(g: VectorGraph, array: number, [first, second]: Lanes, count: number, nodes: Node[], from = 0): void {
  nodes.forEach((node, k) => {
    g.output(array, from + first * count + k, node, second === undefined ? -1 : from + second * count + k);
  });
}
