// [004] Variant of the composite rigid body algorithm (V C R-B), as corrected (errata 004-8), for trees and all joints.
// The moments of the composite body are kept about O_i:
//
//   step 1    M(i) = m(i) + sum of M,   H(i) = h(i) + sum of H + M P,   K(i) = k(i) + sum of K shifted by P
//             f(i) = M(i) Y(i) + Z(i) x H(i),   n(i) = K(i) Z(i) + H(i) x Y(i)
//             a_ii = Z(i) . n(i) + Y(i) . f(i)
//   step 2    up the ancestors j:  n(j) = n(j+1) + P(j+1,j) x f,   a_ji = Z(j) . n(j) + Y(j) . f
//
// O(n^2). The paper's choice: step 1 in body frames, where Z(i) is a coordinate axis, and step 2 in a fixed frame.

import type { Moments } from './algebra.js';
import { Frames, type ProjectionFrame } from './frames.js';
import { addArmature, type ChainLinks, SymmetricMatrix } from './links.js';
import type { Projected } from './projected.js';
import { momentsToParent } from './rotation.js';

/** `frame`: of both steps; where left out, body frames in step 1 and the root's in step 2. */
export function compositeVariant<T>(model: ChainLinks<T>, frame?: ProjectionFrame): Projected<T> {
  const { algebra: a, links, nv } = model;
  const first = new Frames(model, frame ?? 'body');
  const second = frame === undefined ? new Frames(model, 'root') : first;
  /** Vectors of step 1 into the frame of step 2. */
  const across = (i: number, x: readonly [T, T, T]) => (first === second ? x : second.vector(i, x));
  const fixed = frame !== undefined && frame !== 'body';
  const H = new SymmetricMatrix(nv, a.zero);
  const columns = links.map((link, i) =>
    link.columns.map(({ Z, Y }) => ({ Z: first.vector(i, Z), Y: first.vector(i, Y) })),
  );
  const above = links.map((_, i) => columns[i].map(({ Z, Y }) => ({ Z: across(i, Z), Y: across(i, Y) })));
  const P = links.map(({ parent, P: own }, i) => (parent < 0 ? own : first.origin(i)));
  const Pabove = links.map(({ parent }, i) => (parent < 0 ? P[i] : across(parent, P[i])));
  const whole: Moments<T>[] = links.map(({ moments: { m, h, k } }, i) => ({
    m,
    h: first.vector(i, h),
    k: first.sym(i, k),
  }));
  let turned = 0;
  for (let i = links.length - 1; i >= 0; i--) {
    const { parent, dof, placement, joint } = links[i];
    const { m, h, k } = whole[i];
    columns[i].forEach(({ Z, Y }, c) => {
      const ownF = a.add(a.scale(m, Y), a.cross(Z, h));
      const ownN = a.add(a.symTimes(k, Z), a.cross(h, Y));
      for (let l = 0; l <= c; l++) H.set(dof + c, dof + l, a.dot2(columns[i][l].Z, ownN, columns[i][l].Y, ownF));
      let f = across(i, ownF);
      let n = across(i, ownN);
      for (let child = i, j = parent; j >= 0; child = j, j = links[j].parent) {
        f = second.toParent(child, f);
        n = a.add(second.toParent(child, n), a.cross(Pabove[child], f));
        above[j].forEach(({ Z: Zj, Y: Yj }, l) => {
          H.set(dof + c, links[j].dof + l, a.dot2(Zj, n, Yj, f));
        });
      }
    });
    if (parent < 0) continue;
    let inParent = whole[i];
    if (!fixed) {
      inParent = momentsToParent(placement, momentsToParent(joint, inParent));
      turned += 2;
    }
    whole[parent] = a.joined(whole[parent], a.shift(inParent, P[i]));
  }
  const transformations = turned + first.transformations + (first === second ? 0 : second.transformations);
  return { H: addArmature(model, H), transformations };
}
