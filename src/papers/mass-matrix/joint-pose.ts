// Transform and motion space of every joint type, as in src/joints, over any arithmetic.

import type { JointTypeName } from '../../joints/index.js';
import { PITCH, SENSE } from '../../joints/index.js';
import type { Algebra, Mat, Vec } from './algebra.js';
import { axisRotation, type LinkRotation, matrixRotation, noRotation } from './rotation.js';

/** One degree of freedom: angular and linear part of its column of S, in link coordinates. */
export interface MotionColumn<T> {
  readonly Z: Vec<T>;
  readonly Y: Vec<T>;
}

export interface JointPose<T> {
  readonly rotation: LinkRotation<T>;
  /** Origin of the child in tree coordinates. */
  readonly r: Vec<T>;
  readonly columns: readonly MotionColumn<T>[];
}

/** q: the joint's coordinates; p: its parameters. */
export function jointPose<T>(
  algebra: Algebra<T>,
  type: JointTypeName,
  q: ArrayLike<number>,
  p: ArrayLike<number>,
): JointPose<T> {
  const { arithmetic: a, zero, zero3 } = algebra;
  const variables = Array.from(q, (x) => a.variable(x));
  const one = a.constant(1);
  const two = a.constant(2);
  const sense = a.constant(p[SENSE]);
  const alongZ: Vec<T> = [zero, zero, sense];
  const about = (angle: T): LinkRotation<T> => axisRotation(algebra, 2, a.cos(angle), a.sin(angle));
  const units: Vec<T>[] = [
    [one, zero, zero],
    [zero, one, zero],
    [zero, zero, one],
  ];
  switch (type) {
    case 'fixed':
      return { rotation: noRotation(), r: zero3, columns: [] };
    case 'revolute':
    case 'continuous':
      return { rotation: about(a.mul(sense, variables[0])), r: zero3, columns: [{ Z: alongZ, Y: zero3 }] };
    case 'prismatic':
      return {
        rotation: noRotation(),
        r: [zero, zero, a.mul(sense, variables[0])],
        columns: [{ Z: zero3, Y: alongZ }],
      };
    case 'helical': {
      const angle = a.mul(sense, variables[0]);
      const pitch = a.constant(p[PITCH]);
      return {
        rotation: about(angle),
        r: [zero, zero, a.mul(pitch, angle)],
        columns: [{ Z: alongZ, Y: [zero, zero, a.mul(sense, pitch)] }],
      };
    }
    case 'cylindrical':
      return {
        rotation: about(a.mul(sense, variables[0])),
        r: [zero, zero, a.mul(sense, variables[1])],
        columns: [
          { Z: alongZ, Y: zero3 },
          { Z: zero3, Y: alongZ },
        ],
      };
    case 'universal': {
      // E = Ru(q1)^T Rz(q0)^T with u = p, an axis fixed in the child; S = [Ru^T z, u].
      const [c, s] = [a.cos(variables[1]), a.sin(variables[1])];
      const k = a.sub(one, c);
      const u: Vec<T> = [a.constant(p[0]), a.constant(p[1]), a.constant(p[2])];
      const ku = algebra.scale(k, u);
      const su = algebra.scale(s, u);
      const Ru: Mat<T> = [
        a.add(c, a.mul(ku[0], u[0])),
        a.add(a.mul(ku[0], u[1]), su[2]),
        a.sub(a.mul(ku[0], u[2]), su[1]),
        a.sub(a.mul(ku[0], u[1]), su[2]),
        a.add(c, a.mul(ku[1], u[1])),
        a.add(a.mul(ku[1], u[2]), su[0]),
        a.add(a.mul(ku[0], u[2]), su[1]),
        a.sub(a.mul(ku[1], u[2]), su[0]),
        a.add(c, a.mul(ku[2], u[2])),
      ];
      const E = axisRotation(algebra, 2, a.cos(variables[0]), a.sin(variables[0])).above(Ru);
      return {
        rotation: matrixRotation(algebra, E),
        r: zero3,
        columns: [
          { Z: [Ru[2], Ru[5], Ru[8]], Y: zero3 },
          { Z: u, Y: zero3 },
        ],
      };
    }
    case 'planar': {
      const [c, s] = [a.cos(variables[2]), a.sin(variables[2])];
      return {
        rotation: axisRotation(algebra, 2, c, s),
        r: [variables[0], variables[1], zero],
        columns: [
          { Z: zero3, Y: [c, a.neg(s), zero] },
          { Z: zero3, Y: [s, c, zero] },
          { Z: units[2], Y: zero3 },
        ],
      };
    }
    case 'spherical':
    case 'floating': {
      const [w, x, y, z] = variables;
      const square = a.add(a.add(a.mul(w, w), a.mul(x, x)), a.add(a.mul(y, y), a.mul(z, z)));
      const k = a.div(two, square);
      const [kx, ky, kz] = algebra.scale(k, [x, y, z]);
      const [xx, yy, zz] = [a.mul(kx, x), a.mul(ky, y), a.mul(kz, z)];
      const [xy, xz, yz] = [a.mul(kx, y), a.mul(kx, z), a.mul(ky, z)];
      const [wx, wy, wz] = [a.mul(kx, w), a.mul(ky, w), a.mul(kz, w)];
      const E: Mat<T> = [
        a.sub(one, a.add(yy, zz)),
        a.add(xy, wz),
        a.sub(xz, wy),
        a.sub(xy, wz),
        a.sub(one, a.add(xx, zz)),
        a.add(yz, wx),
        a.add(xz, wy),
        a.sub(yz, wx),
        a.sub(one, a.add(xx, yy)),
      ];
      const turning = units.map((Z) => ({ Z, Y: zero3 }));
      if (type === 'spherical') return { rotation: matrixRotation(algebra, E), r: zero3, columns: turning };
      return {
        rotation: matrixRotation(algebra, E),
        r: [variables[4], variables[5], variables[6]],
        columns: [...turning, ...units.map((Y) => ({ Z: zero3, Y }))],
      };
    }
  }
}
