// [004] Original composite rigid body algorithm (O C R-B; Walker and Orin 1982), for trees and all joints. Beyond joint
// i all links are one body: its mass M, its centre of mass c, its inertia E about that centre.
//
//   inwards   M(i) = sum of masses,   c(i) = (m s + sum of M (c + P)) / M(i)
//             E(i) = I + m shift(s - c(i)) + sum of E + M shift(c + P - c(i))
//   column i  F = M (Y(i) + Z(i) x c),   N = E Z(i) + c x F
//   up the ancestors j:  N <- N + P x F,   a_ij = Z(j) . N + Y(j) . F
//
// The original keeps everything in body frames: O(n^2) transformations.

import type { Sym, Vec } from './algebra.js';
import { Frames, type ProjectionFrame } from './frames.js';
import { addArmature, type ChainLinks, SymmetricMatrix } from './links.js';
import type { Projected } from './projected.js';

interface Composite<T> {
  readonly M: T;
  readonly c: Vec<T>;
  readonly E: Sym<T>;
}

export function composite<T>(model: ChainLinks<T>, frame: ProjectionFrame = 'body'): Projected<T> {
  const { algebra: a, links, nv } = model;
  const { arithmetic: r } = a;
  const frames = new Frames(model, frame);
  const H = new SymmetricMatrix(nv, a.zero);
  const columns = links.map((link, i) =>
    link.columns.map(({ Z, Y }) => ({ Z: frames.vector(i, Z), Y: frames.vector(i, Y) })),
  );
  const P = links.map(({ parent, P: own }, i) => (parent < 0 ? own : frames.origin(i)));
  /** Inertia about a point at d from the centre of a mass M, less that about its centre. */
  const pointMass = (M: T, d: Vec<T>): Sym<T> => {
    const Md = a.scale(M, d);
    const [xx, yy, zz] = [r.mul(Md[0], d[0]), r.mul(Md[1], d[1]), r.mul(Md[2], d[2])];
    const beside = (i: 0 | 1 | 2, j: 0 | 1 | 2): T => r.neg(r.mul(Md[i], d[j]));
    return [r.add(yy, zz), beside(0, 1), beside(0, 2), r.add(xx, zz), beside(1, 2), r.add(xx, yy)];
  };
  /** What the link itself and its children have brought: parts of the composite, in the working frame of the link. */
  const parts = links.map(({ moments, com, inertia }, i): Composite<T>[] => [
    { M: moments.m, c: frames.vector(i, com), E: frames.sym(i, inertia) },
  ]);
  for (let i = links.length - 1; i >= 0; i--) {
    const { parent, dof } = links[i];
    const whole = put(parts[i]);
    columns[i].forEach(({ Z, Y }, c) => {
      let F = a.scale(whole.M, a.add(Y, a.cross(Z, whole.c)));
      let N = a.add(a.symTimes(whole.E, Z), a.cross(whole.c, F));
      for (let l = 0; l <= c; l++) H.set(dof + c, dof + l, a.dot2(columns[i][l].Z, N, columns[i][l].Y, F));
      for (let child = i, j = parent; j >= 0; child = j, j = links[j].parent) {
        F = frames.toParent(child, F);
        N = a.add(frames.toParent(child, N), a.cross(P[child], F));
        columns[j].forEach((above, l) => {
          H.set(dof + c, links[j].dof + l, a.dot2(above.Z, N, above.Y, F));
        });
      }
    });
    if (parent < 0) continue;
    const { placement, joint } = links[i];
    const E = frame === 'body' ? placement.symToParent(joint.symToParent(whole.E)) : whole.E;
    parts[parent].push({ M: whole.M, c: a.add(frames.toParent(i, whole.c), P[i]), E });
  }
  return { H: addArmature(model, H), transformations: frames.transformations };

  function put(list: readonly Composite<T>[]): Composite<T> {
    if (list.length === 1) return list[0];
    const M = list.map((part) => part.M).reduce((sum, m) => r.add(sum, m));
    // Without any mass there is no centre; any point does.
    if (r.valueOf(M) === 0) return { M, c: a.zero3, E: list.map((part) => part.E).reduce((x, y) => a.symAdd(x, y)) };
    const share = r.div(r.constant(1), M);
    const first = list.map((part) => a.scale(part.M, part.c)).reduce((sum, x) => a.add(sum, x));
    const c = a.scale(share, first);
    const E = list
      .map((part) => a.symAdd(part.E, pointMass(part.M, a.sub(part.c, c))))
      .reduce((sum, x) => a.symAdd(sum, x));
    return { M, c, E };
  }
}
