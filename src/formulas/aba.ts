// The articulated-body algorithm as formulas: the steps of src/reference/aba.ts, each for one link. Who calls them for
// which links, and where their numbers live between the passes, is the business of specialise.ts and generic.ts.
//
// Every joint type takes the same way: its columns of motion space are eliminated one after the other,
//
//   U = I_A S,  D = S^T U + armature,  u = tau - S^T p_A,  I_A <- I_A - U U^T / D,  p_A <- p_A + U u / D,
//
// from the last column to the first; outwards, from the first to the last, qdd = (u - U^T delta) / D, delta += S qdd.
// For a spherical joint that is a third cheaper than the inverse of its 3x3 block, and where S is a unit vector the
// graph drops what is multiplied by zero.
//
// Velocity terms: accelerations are counted from a reference motion. Most joints hand it on (the motion with qdd = 0,
// as in src/reference/aba.ts); spherical and floating ones begin afresh from rest, since what is left over, the `lag`,
// then meets only the few entries of I_A that survive the elimination.

import type { FormulaType } from '../plan/plan.js';
import type { Node } from './graph.js';
import type { LinkFormulas, Pose } from './joints.js';
import { inertialForce, type LinkMotion, pointAcceleration, step } from './motion.js';
import { type NodeMat3, type NodeVec3, SYM, type Sym3, type Vec6, type VectorGraph } from './vectors.js';

/** Types after which the reference motion begins from rest. */
export const restarts = (type: FormulaType): boolean => type === 'spherical' || type === 'floating';

/** What the motion at the end of a joint has over the reference motion of its link. */
export interface Lag {
  /** Link coordinates. */
  readonly angular: NodeVec3;
  readonly linear: NodeVec3;
  /** Of the link's origin, parent coordinates. */
  readonly origin: NodeVec3;
}

export interface Moved {
  readonly motion: LinkMotion;
  readonly lag: Lag;
  /** Bias force p of the link. */
  readonly force: Vec6;
}

/** Pass 1: reference motion and bias force of a link. */
export function move(g: VectorGraph, link: LinkFormulas, pose: Pose, parent: LinkMotion): Moved {
  const { w, angular, linear, origin } = step(g, link, pose, parent);
  const { zero3 } = g;
  const rest = restarts(link.type);
  const alpha = rest ? zero3 : angular;
  const a = rest ? zero3 : g.plus(pose.rotation.toLink(origin), linear);
  const motion = { w, alpha, a, W: pointAcceleration(g, w, alpha) };
  return {
    motion,
    lag: rest ? { angular, linear, origin } : { angular: zero3, linear: zero3, origin: zero3 },
    force: inertialForce(g, link, motion),
  };
}

/** An articulated inertia I_A (upper triangle of 6 x 6, 21 nodes) and bias force p_A. */
export interface Articulated {
  readonly I: readonly Node[];
  readonly p: Vec6;
}

/** Where entry (i, j) of a symmetric 6 x 6 matrix stands: rows of the upper triangle. */
export const SYM6: readonly (readonly number[])[] = [0, 1, 2, 3, 4, 5].map((i) =>
  [0, 1, 2, 3, 4, 5].map((j) => {
    const [row, column] = i < j ? [i, j] : [j, i];
    return (row * (11 - row)) / 2 + column;
  }),
);

/** I = [inertia, h x; -h x, m 1]. */
export function rigidInertia(g: VectorGraph, { mass, h, sigma }: Pick<LinkFormulas, 'mass' | 'h' | 'sigma'>): Node[] {
  const { zero } = g;
  return join(g.complement(sigma), g.skew(h), [mass, zero, zero, mass, zero, mass]);
}

function join(J: Sym3, H: NodeMat3, M: Sym3): Node[] {
  const I: Node[] = [];
  for (let i = 0; i < 6; i++)
    for (let j = i; j < 6; j++) I.push(j < 3 ? J[SYM[i][j]] : i < 3 ? H[3 * i + j - 3] : M[SYM[i - 3][j - 3]]);
  return I;
}

function blocks(I: readonly Node[]): { J: Sym3; H: NodeMat3; M: Sym3 } {
  const at = (i: number, j: number): Node => I[SYM6[i][j]];
  return {
    J: [at(0, 0), at(0, 1), at(0, 2), at(1, 1), at(1, 2), at(2, 2)],
    H: [0, 1, 2].flatMap((i) => [3, 4, 5].map((j) => at(i, j))),
    M: [at(3, 3), at(3, 4), at(3, 5), at(4, 4), at(4, 5), at(5, 5)],
  };
}

/** What pass 3 needs of an eliminated column. */
export interface EliminatedColumn {
  /** U / D */
  readonly G: readonly Node[];
  /** u / D */
  readonly y: Node;
  /** 1 / D; the mixed form has none. */
  readonly inverse?: Node;
}

/** The index k for which S is the unit vector k, or -1. */
function unitIndex(g: VectorGraph, S: Vec6): number {
  const k = S.indexOf(g.one);
  return k >= 0 && S.every((component, i) => i === k || component === g.zero) ? k : -1;
}

/** The same, but -1 too where D has an armature in it. */
function plainAxis(g: VectorGraph, S: Vec6, armature: Node): number {
  return g.is(armature, 0) ? unitIndex(g, S) : -1;
}

function eliminate(
  g: VectorGraph,
  { I, p }: Articulated,
  S: Vec6,
  armature: Node,
  tau: Node,
): { column: EliminatedColumn; rest: Articulated } {
  const axis = plainAxis(g, S, armature);
  const unit = unitIndex(g, S);
  // S^T x: where S is a unit vector just one of the components.
  const along = (x: readonly Node[]): Node => (unit >= 0 ? x[unit] : g.dot(S, x));
  const U = SYM6.map((row) => along(row.map((at) => I[at])));
  const D = g.add(along(U), armature);
  const inverse = g.div(g.one, D);
  const y = g.mul(g.sub(tau, along(p)), inverse);
  // Along a plain axis U / D is exactly 1, the row vanishes, and the bias force becomes tau.
  const G = U.map((e, k) => (k === axis ? g.one : g.mul(e, inverse)));
  const rest: Node[] = [];
  for (let i = 0; i < 6; i++)
    for (let j = i; j < 6; j++) {
      const change = j === axis ? g.mul(U[i], G[j]) : g.mul(G[i], U[j]);
      rest.push(g.sub(I[SYM6[i][j]], change));
    }
  return {
    column: { G, y, inverse },
    rest: { I: rest, p: p.map((e, k) => (k === axis ? tau : g.add(e, g.mul(U[k], y)))) },
  };
}

/** Pass 2: eliminates the joint. `up` is what the parent receives, in its coordinates and at its origin. */
export function assemble(
  g: VectorGraph,
  link: Pick<LinkFormulas, 'armature'>,
  pose: Pose,
  lag: Lag,
  body: Articulated,
  tau: readonly Node[],
): { columns: EliminatedColumn[]; up: Articulated } {
  const { columns, up } = assembleAtJoint(g, link, pose, lag, body, tau);
  return { columns, up: toParentOrigin(g, pose.r, up) };
}

/** The same with `up` in the parent's coordinates, but at the link's origin: ball joints leave zeros there. */
export function assembleAtJoint(
  g: VectorGraph,
  link: Pick<LinkFormulas, 'armature'>,
  { rotation, S }: Pose,
  lag: Lag,
  body: Articulated,
  tau: readonly Node[],
): { columns: EliminatedColumn[]; up: Articulated } {
  const columns: EliminatedColumn[] = [];
  let left = body;
  for (let k = S.length - 1; k >= 0; k--) {
    const { column, rest } = eliminate(g, left, S[k], link.armature[k], tau[k]);
    columns[k] = column;
    left = rest;
  }
  const { J, H, M } = blocks(left.I);
  const [n, f] = halves(left.p);
  // p += I lag: the part in link coordinates before turning, that of the origin after it.
  const turned = {
    J: rotation.inertiaToParent(J),
    H: rotation.matToParent(H),
    M: rotation.symToParent(M),
    n: rotation.toParent(g.plus(n, g.plus(g.applySym(J, lag.angular), g.apply(H, lag.linear)))),
    f: rotation.toParent(g.plus(f, g.plus(g.applyT(H, lag.angular), g.applySym(M, lag.linear)))),
  };
  const moment = g.plus(turned.n, g.apply(turned.H, lag.origin));
  const force = g.plus(turned.f, g.applySym(turned.M, lag.origin));
  return { columns, up: { I: join(turned.J, turned.H, turned.M), p: [...moment, ...force] } };
}

/** To the parent's origin: H_p = H + r x M,  J_p = J + r x H^T - H_p r x,  n_p = n + r x f. */
export function toParentOrigin(g: VectorGraph, r: NodeVec3, { I, p }: Articulated): Articulated {
  const { J, H, M } = blocks(I);
  const [n, f] = halves(p);
  const moved: Node[] = [];
  for (let j = 0; j < 3; j++) {
    const column = g.cross(r, [M[SYM[0][j]], M[SYM[1][j]], M[SYM[2][j]]]);
    for (let i = 0; i < 3; i++) moved[3 * i + j] = g.add(H[3 * i + j], column[i]);
  }
  const Jp: Node[] = [];
  for (let x = 0; x < 3; x++) {
    const y = (x + 1) % 3;
    const z = (x + 2) % 3;
    const h = (i: number, j: number): Node => H[3 * i + j];
    const m = (i: number, j: number): Node => moved[3 * i + j];
    Jp[SYM[x][x]] = g.add(
      J[SYM[x][x]],
      g.sub(g.mul(r[y], g.add(h(x, z), m(x, z))), g.mul(r[z], g.add(h(x, y), m(x, y)))),
    );
    Jp[SYM[x][y]] = g.add(
      J[SYM[x][y]],
      g.sub(g.add(g.mul(r[z], g.sub(m(x, x), h(y, y))), g.mul(r[y], h(y, z))), g.mul(r[x], m(x, z))),
    );
  }
  return { I: join(Jp, moved, M), p: [...g.plus(n, g.cross(r, f)), ...f] };
}

/**
 * The columns of a joint solved for each other, where all of them are plain axes: each then gives its acceleration from the
 * motion that the joint does not change, with as many numbers fewer to keep.
 *
 *   z_k = y_k - sum_j G_kj z_j - G_k delta (j < k)   becomes   z_k = y'_k - G'_k delta
 */
export function solved(
  g: VectorGraph,
  { armature }: Pick<LinkFormulas, 'armature'>,
  { S }: Pick<Pose, 'S'>,
  columns: readonly EliminatedColumn[],
): readonly EliminatedColumn[] {
  const axes = S.map((column, k) => plainAxis(g, column, armature[k]));
  if (columns.length < 2 || axes.some((axis) => axis < 0)) return columns;
  const done: { G: Node[]; y: Node }[] = [];
  columns.forEach(({ G, y }, k) => {
    const own = { G: [...G], y };
    done.forEach((before, j) => {
      const factor = G[axes[j]];
      own.y = g.sub(own.y, g.mul(factor, before.y));
      own.G = own.G.map((e, i) => {
        if (i === axes[j]) return g.zero;
        return i === axes[k] || axes.includes(i) ? e : g.sub(e, g.mul(factor, before.G[i]));
      });
    });
    done.push(own);
  });
  return done;
}

function halves(x: Vec6): readonly [NodeVec3, NodeVec3] {
  return [
    [x[0], x[1], x[2]],
    [x[3], x[4], x[5]],
  ];
}

/** Pass 3: the joint's accelerations, and delta: acceleration of the link over its reference motion. */
export function accelerate(
  g: VectorGraph,
  link: Pick<LinkFormulas, 'armature'>,
  { rotation, r, S }: Pose,
  lag: Lag,
  columns: readonly EliminatedColumn[],
  parentDelta: Vec6,
): { qdd: Node[]; delta: Vec6 } {
  const [angular, linear] = halves(parentDelta);
  const delta: Node[] = [
    ...g.plus(rotation.toLink(angular), lag.angular),
    ...g.plus(rotation.toLink(g.plus(g.plus(linear, g.cross(angular, r)), lag.origin)), lag.linear),
  ];
  const qdd = columns.map(({ G, y }, k) => {
    const axis = plainAxis(g, S[k], link.armature[k]);
    const others = [0, 1, 2, 3, 4, 5].filter((i) => i !== axis);
    const total = g.lessProducts(
      y,
      others.map((i) => G[i]),
      others.map((i) => delta[i]),
    );
    if (axis >= 0) {
      // delta after the joint is known at once: y - G delta over the other five.
      const own = g.sub(total, delta[axis]);
      delta[axis] = total;
      return own;
    }
    S[k].forEach((component, i) => {
      delta[i] = g.add(delta[i], g.mul(component, total));
    });
    return total;
  });
  return { qdd, delta };
}
