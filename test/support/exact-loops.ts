// Forward dynamics of closed mechanisms in 32 digits and in another way: Newton and Euler for every body by itself, all joints and loop
// joints as constraints, one dense system. Revolute, prismatic and fixed joints; loop joints of those types and spherical ones.
//
//   M a + J^T lambda = f,   J a = -beta,   S = J M^-1 J^T by Cholesky's method with pivots; rows that depend on others are left out.

import type { Mechanism } from '../../src/mechanism/mechanism.js';
import type { State } from '../../src/mechanism/state.js';
import {
  add,
  cross,
  dot,
  sineCosine,
  subtract,
  times,
  turnBack,
  Wide,
  type WideMatrix,
  type WideVector,
  wide,
} from './double-double.js';

export interface ExactForward {
  readonly qdd: Float64Array;
  /** Independent constraints beyond those of the joints. */
  readonly rank: number;
  /** Ratios of pivots to the diagonal of S, of the loops' rows that were taken, in falling order, and those left. */
  readonly taken: readonly number[];
  readonly left: readonly number[];
  /** The most by which a row that was left out is broken (m/s^2, rad/s^2), and the largest by which any is without loops' forces. */
  readonly broken: number;
  readonly size: number;
}

interface Moving {
  readonly R: WideMatrix;
  readonly origin: WideVector;
  readonly com: WideVector;
  readonly w: WideVector;
  readonly velocity: WideVector;
}

const zero = wide([0, 0, 0]);
const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1].map((x) => new Wide(x));
const ground: Moving = { R: identity, origin: zero, com: zero, w: zero, velocity: zero };

/** Columns are the axes in space: R = E^T for a rotation E from outer to inner coordinates. */
const product = (A: WideMatrix, B: WideMatrix): WideMatrix =>
  Array.from({ length: 9 }, (_, at) => {
    const [i, j] = [Math.floor(at / 3), at % 3];
    return A[3 * i]
      .times(B[j])
      .plus(A[3 * i + 1].times(B[3 + j]))
      .plus(A[3 * i + 2].times(B[6 + j]));
  });

/** E here maps outer to inner coordinates, so vectors come out by E^T. */
const exactly = (E: ArrayLike<number>): WideMatrix => Array.from(E, (x) => new Wide(x));

function turnAbout(axis: WideVector, angle: number): WideMatrix {
  const [s, c] = sineCosine(-angle);
  const C = Wide.one.minus(c);
  const [x, y, z] = axis;
  const entry = (a: Wide, b: Wide, sign: Wide): Wide => a.times(b).times(C).plus(sign);
  const [xs, ys, zs] = [x.times(s), y.times(s), z.times(s)];
  const minus = (a: Wide): Wide => new Wide(-a.hi, -a.lo);
  return [
    entry(x, x, c),
    entry(x, y, minus(zs)),
    entry(x, z, ys),
    entry(y, x, zs),
    entry(y, y, c),
    entry(y, z, minus(xs)),
    entry(z, x, minus(ys)),
    entry(z, y, xs),
    entry(z, z, c),
  ];
}

function normalised(axis: ArrayLike<number>): WideVector {
  const a = wide(axis);
  return times(Wide.one.over(dot(a, a).sqrt()), a);
}

/** Two directions across a third one. */
function across(axis: WideVector): [WideVector, WideVector] {
  const smallest = axis.map((x) => Math.abs(x.hi));
  const k = smallest.indexOf(Math.min(...smallest));
  const first = cross(axis, wide([0, 1, 2].map((i) => (i === k ? 1 : 0))));
  const x = times(Wide.one.over(dot(first, first).sqrt()), first);
  return [x, cross(axis, x)];
}

/** `tolerance`: pivots below this part of their diagonal element count as redundant; 1e-26: nothing that 32 digits can see. */
export function exactForward(mechanism: Mechanism, state: State, tau: Float64Array, tolerance = 1e-26): ExactForward {
  const { bodies, joints } = mechanism;
  const n = bodies.length;
  const moving: Moving[] = [];
  const at = (body: number): Moving => (body < 0 ? ground : moving[body]);
  const axes: WideVector[] = [];
  const gravity = wide(mechanism.gravity);
  // Forces and moments about the centre of mass, without those of constraints; motors push body and parent.
  const force: WideVector[] = bodies.map(({ mass }) => times(new Wide(mass), gravity));
  const moment: WideVector[] = [];
  const push = (body: number, f: WideVector, point: WideVector): void => {
    if (body < 0) return;
    force[body] = add(force[body], f);
    moment[body] = add(moment[body], cross(subtract(point, moving[body].com), f));
  };
  joints.forEach((joint, i) => {
    const parent = at(joint.parent);
    const q = joint.model.nq > 0 ? state.q[joint.iq] : 0;
    const qd = new Wide(joint.model.nv > 0 ? state.v[joint.iv] : 0);
    const E = product(exactly(joint.E), parent.R);
    const axis = normalised(joint.axis);
    const z = turnBack(E, axis);
    axes[i] = z;
    let origin = add(parent.origin, turnBack(parent.R, wide(joint.t)));
    let [R, w]: [WideMatrix, WideVector] = [E, parent.w];
    let slide = zero;
    if (joint.type === 'revolute') {
      R = product(turnAbout(axis, q), E);
      w = add(w, times(qd, z));
    } else if (joint.type === 'prismatic') {
      origin = add(origin, times(new Wide(q), z));
      slide = times(qd, z);
    } else if (joint.type !== 'fixed') throw new Error(`no ${joint.type} joints here`);
    const velocity = add(add(parent.velocity, cross(parent.w, subtract(origin, parent.origin))), slide);
    const com = add(origin, turnBack(R, wide(bodies[i].com)));
    moving[i] = { R, origin, com, w, velocity };
  });
  const inertias = bodies.map(({ inertia }, i) => {
    const { R } = moving[i];
    const own = exactly(inertia);
    const transposed = [0, 3, 6, 1, 4, 7, 2, 5, 8].map((k) => R[k]);
    return product(product(transposed, own), R);
  });
  const multiply = (A: WideMatrix, x: WideVector): WideVector =>
    [0, 3, 6].map((o) =>
      A[o]
        .times(x[0])
        .plus(A[o + 1].times(x[1]))
        .plus(A[o + 2].times(x[2])),
    ) as never as WideVector;
  for (let i = 0; i < n; i++) {
    const { w } = moving[i];
    moment[i] = subtract(zero, cross(w, multiply(inertias[i], w)));
  }
  joints.forEach((joint, i) => {
    const { type, parent, iv } = joint;
    if (type === 'fixed') return;
    const along = times(new Wide(tau[iv]), axes[i]);
    if (type === 'revolute') {
      moment[i] = add(moment[i], along);
      if (parent >= 0) moment[parent] = subtract(moment[parent], along);
    } else {
      push(i, along, moving[i].origin);
      push(parent, times(new Wide(-1), along), moving[i].origin);
    }
  });
  // Rows: for body b and for body a, [angular, linear about the centre of mass], and beta.
  const rows: { b: number; a: number; B: Wide[]; A: Wide[]; beta: Wide; loop: boolean }[] = [];
  const addRow = (a: number, b: number, point: WideVector, angular: WideVector, linear: WideVector, loop: boolean) => {
    const [from, to] = [at(a), at(b)];
    const rel = subtract(to.w, from.w);
    const velocityAt = (m: Moving): WideVector => add(m.velocity, cross(m.w, subtract(point, m.origin)));
    const centripetal = (m: Moving): WideVector => cross(m.w, cross(m.w, subtract(point, m.com)));
    const slip = subtract(velocityAt(to), velocityAt(from));
    const side = (body: number, sign: number): Wide[] => {
      const arm = subtract(point, at(body).com);
      const s = new Wide(sign);
      // linear . (a_c + alpha x arm) = linear . a_c + alpha . (arm x linear)
      return [...times(s, add(angular, cross(arm, linear))), ...times(s, linear)];
    };
    // Rates of relative velocities in the directions of body b.
    const biasLinear = subtract(subtract(centripetal(to), centripetal(from)), cross(add(to.w, from.w), slip));
    const biasAngular = times(new Wide(-1), cross(to.w, rel));
    const beta = dot(linear, biasLinear).plus(dot(angular, biasAngular));
    rows.push({ a, b, A: side(a, -1), B: side(b, 1), beta, loop });
  };
  const join = (type: string, a: number, b: number, point: WideVector, z: WideVector, loop: boolean): void => {
    const [x, y] = across(z);
    const angular = type === 'fixed' || type === 'prismatic' ? [x, y, z] : type === 'revolute' ? [x, y] : [];
    const linear = type === 'prismatic' ? [x, y] : [x, y, z];
    for (const e of angular) addRow(a, b, point, e, zero, loop);
    for (const e of linear) addRow(a, b, point, zero, e, loop);
  };
  joints.forEach((joint, i) => {
    join(joint.type, joint.parent, i, moving[i].origin, axes[i], false);
  });
  for (const { type, axis, b, a } of mechanism.loops) {
    const { R, origin } = at(b.body);
    const frame = product(exactly(b.E), R);
    join(type, a.body, b.body, add(origin, turnBack(R, wide(b.t))), turnBack(frame, normalised(axis)), true);
  }
  const inverses = inertias.map(inverse3);
  const weighted = (body: number, side: readonly Wide[]): Wide[] => {
    if (body < 0) return side.map(() => Wide.zero);
    const turned = multiply(inverses[body], side.slice(0, 3) as never as WideVector);
    const scale = Wide.one.over(new Wide(bodies[body].mass));
    return [...turned, ...times(scale, side.slice(3) as never as WideVector)];
  };
  const m = rows.length;
  const MA = rows.map(({ a, A }) => weighted(a, A));
  const MB = rows.map(({ b, B }) => weighted(b, B));
  const sum = (x: readonly Wide[], y: readonly Wide[]): Wide => {
    let total = Wide.zero;
    for (let k = 0; k < 6; k++) total = total.plus(x[k].times(y[k]));
    return total;
  };
  const between = (i: number, j: number): Wide => {
    let total = Wide.zero;
    const [p, q] = [rows[i], rows[j]];
    if (p.a >= 0 && p.a === q.a) total = total.plus(sum(p.A, MA[j]));
    if (p.a >= 0 && p.a === q.b) total = total.plus(sum(p.A, MB[j]));
    if (p.b >= 0 && p.b === q.a) total = total.plus(sum(p.B, MA[j]));
    if (p.b >= 0 && p.b === q.b) total = total.plus(sum(p.B, MB[j]));
    return total;
  };
  const S = rows.map((_, i) => rows.map((_, j) => (j <= i ? between(i, j) : Wide.zero)));
  const entry = (i: number, j: number): Wide => (i > j ? S[i][j] : S[j][i]);
  // J M^-1 f + beta
  const free = rows.map(({ a, b, beta }, i) => {
    let total = beta;
    for (const [body, side] of [
      [a, MA[i]],
      [b, MB[i]],
    ] as const)
      if (body >= 0) total = total.plus(sum(side, [...moment[body], ...force[body]]));
    return total;
  });
  // Joints of the tree first: they are independent. Then rows of loops by their pivots.
  const L = rows.map(() => [] as Wide[]);
  const rest = rows.map((_, i) => entry(i, i));
  const order: number[] = [];
  const open = new Set(rows.keys());
  const [taken, left]: [number[], number[]] = [[], []];
  const y: Wide[] = [];
  const right = free.map((x) => new Wide(-x.hi, -x.lo));
  while (open.size > 0) {
    const trees = [...open].filter((i) => !rows[i].loop);
    const candidates = trees.length > 0 ? trees : [...open];
    let [best, ratio] = [-1, Number.NEGATIVE_INFINITY];
    for (const i of candidates) {
      const own = rest[i].value / entry(i, i).value;
      if (own > ratio) [best, ratio] = [i, own];
    }
    if (trees.length === 0 && !(ratio > tolerance)) break;
    open.delete(best);
    if (rows[best].loop) taken.push(ratio);
    const k = order.length;
    order.push(best);
    const root = rest[best].sqrt();
    L[best][k] = root;
    y[k] = right[best].over(root);
    for (const i of open) {
      let value = entry(i, best);
      for (let l = 0; l < k; l++) value = value.minus(L[i][l].times(L[best][l]));
      L[i][k] = value.over(root);
      rest[i] = rest[i].minus(L[i][k].times(L[i][k]));
      right[i] = right[i].minus(L[i][k].times(y[k]));
    }
  }
  let broken = 0;
  for (const i of open) {
    left.push(rest[i].value / entry(i, i).value);
    broken = Math.max(broken, Math.abs(right[i].value));
  }
  const lambda: Wide[] = new Array(m).fill(Wide.zero);
  for (let k = order.length - 1; k >= 0; k--) {
    let value = y[k];
    for (let l = k + 1; l < order.length; l++) value = value.minus(L[order[l]][k].times(lambda[order[l]]));
    lambda[order[k]] = value.over(L[order[k]][k]);
  }
  const total = bodies.map((_, i) => weighted(i, [...moment[i], ...force[i]]));
  rows.forEach(({ a, b }, i) => {
    if (a >= 0) total[a] = total[a].map((x, k) => x.plus(MA[i][k].times(lambda[i])));
    if (b >= 0) total[b] = total[b].map((x, k) => x.plus(MB[i][k].times(lambda[i])));
  });
  const accelerationAt = (body: number, point: WideVector): WideVector => {
    if (body < 0) return zero;
    const { com, w } = moving[body];
    const alpha = total[body].slice(0, 3) as never as WideVector;
    const arm = subtract(point, com);
    return add(add(total[body].slice(3) as never as WideVector, cross(alpha, arm)), cross(w, cross(w, arm)));
  };
  const qdd = new Float64Array(mechanism.nv);
  joints.forEach(({ type, parent, iv }, i) => {
    if (type === 'revolute') {
      const alpha = (body: number): WideVector => (body < 0 ? zero : (total[body].slice(0, 3) as never as WideVector));
      qdd[iv] = dot(axes[i], subtract(alpha(i), alpha(parent))).value;
    } else if (type === 'prismatic') {
      const { origin } = moving[i];
      const slide = times(new Wide(2 * state.v[iv]), cross(at(parent).w, axes[i]));
      qdd[iv] = dot(
        axes[i],
        subtract(subtract(accelerationAt(i, origin), accelerationAt(parent, origin)), slide),
      ).value;
    }
  });
  const size = Math.max(...free.map((x, i) => (rows[i].loop ? Math.abs(x.value) : 0)), ...qdd.map(Math.abs));
  return { qdd, rank: taken.length, taken, left, broken, size };
}

function inverse3(A: WideMatrix): WideMatrix {
  const [r0, r1, r2] = [0, 3, 6].map((o) => [A[o], A[o + 1], A[o + 2]] as const);
  const [c0, c1, c2] = [cross(r1, r2), cross(r2, r0), cross(r0, r1)];
  const scale = Wide.one.over(dot(r0, c0));
  return Array.from({ length: 9 }, (_, k) => [c0, c1, c2][k % 3][Math.floor(k / 3)].times(scale));
}
