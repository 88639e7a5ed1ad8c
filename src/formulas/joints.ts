// The joint types as formulas: rotation, origin, motion space and its bias. The counterpart of src/joints over the graph.

import type { LowInertiaAxis } from '../plan/low-inertia-axes.js';
import type { FormulaType } from '../plan/plan.js';
import type { Node } from './graph.js';
import { matrixRotation, type Rotation, turnRotation } from './rotation.js';
import type { NodeMat3, NodeVec3, Sym3, Vec6, VectorGraph } from './vectors.js';

/** What the formulas of one link start from: constants of the mechanism or numbers read from a table. */
export interface LinkFormulas {
  readonly type: FormulaType;
  /** Placement: parent coordinates to tree coordinates, and the origin of the tree frame in the parent. */
  readonly E: NodeMat3;
  readonly t: NodeVec3;
  readonly mass: Node;
  readonly h: NodeVec3;
  /** Second moments of mass about the origin. */
  readonly sigma: Sym3;
  /** Helical joints: [pitch]. Universal joints: the second axis. */
  readonly parameters: NodeVec3;
  /** For each degree of freedom. */
  readonly armature: readonly Node[];
  /** Coordinates along z, whatever the author's sense. */
  readonly q: readonly Node[];
  readonly v: readonly Node[];
  readonly sincos: (x: Node) => readonly [Node, Node];
  /** The matrix of a quaternion, where there is a better one than quaternionMatrix for it. */
  readonly matrixOf?: (g: VectorGraph, q: readonly Node[]) => NodeMat3;
  /** For joints that turn about z, where 32 bits call for care. */
  readonly lowInertia?: LowInertiaAxis | undefined;
}

/** The numbers that fix a joint's position; kept between the passes. */
export interface PoseNumbers {
  /** Sine and cosine of the turn about z; empty where the type has none or needs the whole matrix. */
  readonly turn: readonly Node[];
  /** The whole rotation from parent to link coordinates, for types without a plain turn; else empty. */
  readonly matrix: NodeMat3;
  /** Link origin in parent coordinates. */
  readonly r: NodeVec3;
  /** Universal joints: the first axis in link coordinates; else empty. */
  readonly axis: readonly Node[];
}

export interface Pose extends PoseNumbers {
  readonly rotation: Rotation;
  /** Motion space: columns in link coordinates. */
  readonly S: readonly Vec6[];
}

/** Joint types whose rotation is a turn about z. */
const TURNS: ReadonlySet<FormulaType> = new Set(['revolute', 'helical', 'cylindrical', 'planar']);
/** Joint types whose rotation needs a matrix of its own. */
const MATRICES: ReadonlySet<FormulaType> = new Set(['universal', 'spherical', 'floating']);

export const hasTurn = (type: FormulaType): boolean => TURNS.has(type);
export const hasMatrix = (type: FormulaType): boolean => MATRICES.has(type);
/** The origin moves in the parent. */
export const slides = (type: FormulaType): boolean => !['revolute', 'spherical', 'universal'].includes(type);

export function poseNumbers(g: VectorGraph, link: LinkFormulas): PoseNumbers {
  const { type, q, t, E, matrixOf = quaternionMatrix } = link;
  const along = (x: NodeVec3): NodeVec3 => g.plus(t, g.applyT(E, x));
  const up = (distance: Node): NodeVec3 => along([g.zero, g.zero, distance]);
  const none: Pick<PoseNumbers, 'turn' | 'matrix' | 'axis'> = { turn: [], matrix: [], axis: [] };
  switch (type) {
    case 'revolute':
      return { ...none, turn: link.sincos(q[0]), r: t };
    case 'prismatic':
      return { ...none, r: up(q[0]) };
    case 'helical':
      return { ...none, turn: link.sincos(q[0]), r: up(g.mul(link.parameters[0], q[0])) };
    case 'cylindrical':
      return { ...none, turn: link.sincos(q[0]), r: up(q[1]) };
    case 'planar':
      return { ...none, turn: link.sincos(q[2]), r: along([q[0], q[1], g.zero]) };
    case 'universal': {
      const [s0, c0] = link.sincos(q[0]);
      const second = rotationAbout(g, link.parameters, ...link.sincos(q[1]));
      const first = [c0, s0, g.zero, g.neg(s0), c0, g.zero, g.zero, g.zero, g.one];
      const matrix = g.multiply(g.multiply(second, first), E);
      return { ...none, matrix, r: t, axis: [second[2], second[5], second[8]] };
    }
    case 'spherical':
      return { ...none, matrix: g.multiply(matrixOf(g, q), E), r: t };
    case 'floating':
      return {
        ...none,
        matrix: g.multiply(matrixOf(g, q), E),
        r: along([q[4], q[5], q[6]]),
      };
  }
}

/** The pose with what follows from its numbers. */
export function poseOf(
  g: VectorGraph,
  link: Pick<LinkFormulas, 'type' | 'E' | 'parameters' | 'lowInertia'>,
  numbers: PoseNumbers,
): Pose {
  const { type, E } = link;
  const rotation = hasMatrix(type)
    ? matrixRotation(g, numbers.matrix)
    : hasTurn(type)
      ? turnRotation(g, matrixRotation(g, E), numbers.turn[0], numbers.turn[1], link.lowInertia)
      : matrixRotation(g, E);
  return { ...numbers, rotation, S: motionSpace(g, type, numbers, link.parameters) };
}

function motionSpace(g: VectorGraph, type: FormulaType, { turn, axis }: PoseNumbers, parameters: NodeVec3): Vec6[] {
  const { zero, one } = g;
  const unit = (k: number): Vec6 => [0, 1, 2, 3, 4, 5].map((i) => (i === k ? one : zero));
  switch (type) {
    case 'revolute':
      return [unit(2)];
    case 'prismatic':
      return [unit(5)];
    case 'helical':
      return [[zero, zero, one, zero, zero, parameters[0]]];
    case 'cylindrical':
      return [unit(2), unit(5)];
    case 'universal':
      return [
        [...axis, zero, zero, zero],
        [...parameters, zero, zero, zero],
      ];
    case 'planar': {
      const [s, c] = turn;
      return [[zero, zero, zero, c, g.neg(s), zero], [zero, zero, zero, s, c, zero], unit(2)];
    }
    case 'spherical':
      return [unit(0), unit(1), unit(2)];
    case 'floating':
      return [0, 1, 2, 3, 4, 5].map(unit);
  }
}

/** cJ = (dS/dt) v, in link coordinates. */
export function motionBias(g: VectorGraph, { type, v, parameters }: LinkFormulas, pose: Pose): Vec6 {
  const { zero, zero3 } = g;
  if (type === 'universal') {
    // The first axis turns against the link: d/dt axis = -v1 u x axis.
    const [x, y, z] = pose.axis;
    const rate = g.cross(parameters, [x, y, z]);
    return [...g.times(g.neg(g.mul(v[0], v[1])), rate), ...zero3];
  }
  if (type === 'planar') {
    // In link coordinates the velocity in the plane, [x, y], turns with -v2.
    const [s, c] = pose.turn;
    const x = g.add(g.mul(c, v[0]), g.mul(s, v[1]));
    const y = g.sub(g.mul(c, v[1]), g.mul(s, v[0]));
    return [...zero3, g.mul(v[2], y), g.neg(g.mul(v[2], x)), zero];
  }
  return [...zero3, ...zero3];
}

/** S x: a joint velocity or acceleration as a spatial vector. */
export function alongJoint(g: VectorGraph, S: readonly Vec6[], x: readonly Node[]): readonly [NodeVec3, NodeVec3] {
  const component = (k: number): Node => g.sum(...S.map((column, j) => g.mul(column[k], x[j])));
  return [
    [component(0), component(1), component(2)],
    [component(3), component(4), component(5)],
  ];
}

/** x -> 2 x / |q|^2; what follows the quaternion in q is not part of it. */
function doubled(g: VectorGraph, [w, x, y, z]: readonly Node[]): (x: Node) => Node {
  const k = g.div(g.constant(2), g.dot([w, x, y, z], [w, x, y, z]));
  return (e) => g.mul(k, e);
}

/** E of a quaternion [w, x, y, z], which need not be of unit length: tree to link coordinates. */
export function quaternionMatrix(g: VectorGraph, q: readonly Node[], scaled = doubled(g, q)): NodeMat3 {
  const [w, x, y, z] = q;
  const { one } = g;
  const [kx, ky, kz] = [scaled(x), scaled(y), scaled(z)];
  const [xx, yy, zz] = [g.mul(x, kx), g.mul(y, ky), g.mul(z, kz)];
  const [xy, xz, yz] = [g.mul(x, ky), g.mul(x, kz), g.mul(y, kz)];
  const [wx, wy, wz] = [g.mul(w, kx), g.mul(w, ky), g.mul(w, kz)];
  return [
    g.sub(one, g.add(yy, zz)),
    g.add(xy, wz),
    g.sub(xz, wy),
    g.sub(xy, wz),
    g.sub(one, g.add(xx, zz)),
    g.add(yz, wx),
    g.add(xz, wy),
    g.sub(yz, wx),
    g.sub(one, g.add(xx, yy)),
  ];
}

/** Ru^T, the turn of coordinates for a rotation about the unit vector u: c 1 + (1 - c) u u^T - s [u x]. */
function rotationAbout(g: VectorGraph, u: NodeVec3, s: Node, c: Node): NodeMat3 {
  const k = g.sub(g.one, c);
  const cross = g.skew(u);
  return [0, 1, 2].flatMap((i) =>
    [0, 1, 2].map((j) => {
      const square = g.mul(k, g.mul(u[i], u[j]));
      const diagonal = i === j ? g.add(c, square) : square;
      return g.sub(diagonal, g.mul(s, cross[3 * i + j]));
    }),
  );
}
