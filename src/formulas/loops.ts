// Loop joints as formulas: the rows of engines/plain/assembly/loop-joint.ts, written without the velocity and the pose of
// anything in space. Frame b is followed from its link inwards to the link that carries both ends, and outwards to link a:
// its origin x, its axes, and how it moves as seen from the link it has come to. A link between moves with [wJ, vJ]:
//
//   inwards    v += wJ x x + vJ,   w += wJ,   then everything is turned, and x += r
//   outwards   x -= r, everything is turned, then   v -= wJ x x + vJ,   w -= wJ
//
// At link a that is the relative velocity [w, v] of the joint. With [alpha, a] and W of motion.ts for both links, the
// accelerations that the motion without qdd breaks the joint with are, angular and linear,
//
//   alpha_b - alpha_a - w_a x w,   (a_b + W_b t_b) - (a_a + W_a x) - (2 w_a + w) x v

import { type PlanLoop, transmitted } from '../plan/loops.js';
import type { Node } from './graph.js';
import { alongJoint, type LinkFormulas, type Pose } from './joints.js';
import type { LinkMotion } from './motion.js';
import type { NodeVec3, Vec6, VectorGraph } from './vectors.js';

/** One constraint: F = -G^T for the two links, and what the motion without qdd breaks it with. */
export interface LoopRow {
  readonly Fa: Vec6;
  readonly Fb: Vec6;
  readonly beta: Node;
}

/** What is known of the links: entry i of each is link i. */
export interface LoopLinks {
  readonly parent: (link: number) => number;
  readonly link: (link: number) => LinkFormulas;
  readonly pose: (link: number) => Pose;
  /** Of a link or, for -1, of the ground. */
  readonly motion: (link: number) => LinkMotion;
}

interface Followed {
  readonly x: NodeVec3;
  readonly v: NodeVec3;
  readonly w: NodeVec3;
  readonly axes: readonly NodeVec3[];
}

export function loopRows(g: VectorGraph, loop: PlanLoop, links: LoopLinks): LoopRow[] {
  const { type, a, b } = loop;
  const constants = (X: readonly number[], at: number): NodeVec3 => g.vec((k) => g.constant(X[at + k]));
  const own = { x: constants(loop.Xb, 9), axes: [0, 3, 6].map((at) => constants(loop.Xb, at)) };
  const { x, v, w, axes } = follow(g, { ...own, v: g.zero3, w: g.zero3 }, a, b, links);
  const [from, to] = [links.motion(a), links.motion(b)];
  const angular = g.plus(from.alpha, g.cross(from.w, w));
  const twice = g.plus(g.plus(from.w, from.w), w);
  const linear = g.plus(g.plus(from.a, g.apply(from.W, x)), g.cross(twice, v));
  const point = g.plus(to.a, g.apply(to.W, own.x));
  const bias: Node[] = [
    ...g.vec((k) => g.sub(g.dot(own.axes[k], to.alpha), g.dot(axes[k], angular))),
    ...g.vec((k) => g.sub(g.dot(own.axes[k], point), g.dot(axes[k], linear))),
  ];
  const unit = (k: number): Vec6 => [0, 1, 2, 3, 4, 5].map((i) => (i === k ? g.one : g.zero));
  const rows = transmitted(type).map(unit);
  if (type === 'helical') {
    // A thrust f goes with the moment -pitch f.
    const size = Math.hypot(1, loop.pitch);
    const { zero } = g;
    rows.push([zero, zero, g.constant(-loop.pitch / size), zero, zero, g.constant(1 / size)]);
  } else if (type === 'universal') {
    const za = constants(loop.Xa, 6);
    const z = g.vec((k) => g.dot(axes[k], za));
    const rate = g.vec((k) => g.dot(axes[k], w));
    const { row, correction } = universal(g, z, constants(loop.axis2, 0), rate);
    rows.push([...row, ...g.zero3]);
    for (let k = 0; k < 3; k++) bias[k] = g.sub(bias[k], correction[k]);
  }
  const carried = (row: Vec6, along: readonly NodeVec3[], origin: NodeVec3): Vec6 => {
    const sum = (first: number): NodeVec3 =>
      g.vec((i) => g.sum(...along.map((axis, k) => g.mul(row[first + k], axis[i]))));
    const force = sum(3);
    return [...g.plus(sum(0), g.cross(origin, force)), ...force];
  };
  return rows.map((row) => ({
    Fa: carried(row, axes, x),
    Fb: carried(row, own.axes, own.x).map((e) => g.neg(e)),
    beta: g.dot(row, bias),
  }));
}

/** Frame b as seen from link a. */
function follow(g: VectorGraph, start: Followed, a: number, b: number, links: LoopLinks): Followed {
  const outwards: number[] = [];
  let [at, end, frame] = [b, a, start];
  // Parents have smaller numbers, so the larger of the two is never an ancestor of the other.
  while (at !== end) {
    if (end > at) {
      outwards.push(end);
      end = links.parent(end);
      continue;
    }
    const { rotation, r, S } = links.pose(at);
    const [wJ, vJ] = alongJoint(g, S, links.link(at).v);
    frame = {
      x: g.plus(rotation.toParent(frame.x), r),
      v: rotation.toParent(g.plus(g.plus(frame.v, g.cross(wJ, frame.x)), vJ)),
      w: rotation.toParent(g.plus(frame.w, wJ)),
      axes: frame.axes.map((axis) => rotation.toParent(axis)),
    };
    at = links.parent(at);
  }
  for (const link of outwards.reverse()) {
    const { rotation, r, S } = links.pose(link);
    const [wJ, vJ] = alongJoint(g, S, links.link(link).v);
    const x = rotation.toLink(g.minus(frame.x, r));
    frame = {
      x,
      v: g.minus(rotation.toLink(frame.v), g.plus(g.cross(wJ, x), vJ)),
      w: g.minus(rotation.toLink(frame.w), wJ),
      axes: frame.axes.map((axis) => rotation.toLink(axis)),
    };
  }
  return frame;
}

/**
 * A universal joint forbids turning about n = z_a x u, all in frame b. z_a turns against b: c also has n qd0 qd1, with the
 * rates by the relative velocity in the plane of the axes.
 */
function universal(
  g: VectorGraph,
  z: NodeVec3,
  u: NodeVec3,
  w: NodeVec3,
): { readonly row: NodeVec3; readonly correction: NodeVec3 } {
  const n = g.cross(z, u);
  const zu = g.dot(z, u);
  const [alongZ, alongU] = [g.dot(w, z), g.dot(w, u)];
  const sine = g.sub(g.one, g.mul(zu, zu));
  const rates = g.div(g.mul(g.sub(alongZ, g.mul(zu, alongU)), g.sub(alongU, g.mul(zu, alongZ))), g.mul(sine, sine));
  return { row: g.times(g.div(g.one, g.sqrt(g.dot(n, n))), n), correction: g.times(rates, n) };
}
