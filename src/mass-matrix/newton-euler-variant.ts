// [004] Variant of the Newton-Euler based algorithm (V N-E B), as corrected (errata 004-7), for trees and all joints.
// One column of the mass matrix for each degree of freedom j, from a unit acceleration of that alone:
//
//   outwards  w(i,j) = Z(j),  V(i,j) = V(p,j) + w(p,j) x P(i,p),  starting from V(j,j) = Y(j), zero for a revolute joint
//             F = m(i) V(i,j) + w(i,j) x h(i)
//             N = k(i) w(i,j) + h(i) x V(i,j)
//   inwards   F(p) += F(i),  N(p) += N(i) + P(i,p) x F(i)
//             a_ij = Z(i) . N(i) + Y(i) . F(i)
//
// O(n^2). The paper's choice is a fixed frame.

import type { Vec } from './algebra.js';
import { type Frame, Frames } from './frames.js';
import { addArmature, type Links, SymmetricMatrix, subtrees } from './links.js';
import type { Projected } from './projected.js';

export function newtonEulerVariant<T>(model: Links<T>, frame: Frame = 'root'): Projected<T> {
  const { algebra: a, links, nv } = model;
  const frames = new Frames(model, frame);
  const H = new SymmetricMatrix(nv, a.zero);
  const columns = links.map((link, i) =>
    link.columns.map(({ Z, Y }) => ({ Z: frames.vector(i, Z), Y: frames.vector(i, Y) })),
  );
  const P = links.map(({ parent, P: own }, i) => (parent < 0 ? own : frames.origin(i)));
  const h = links.map(({ moments }, i) => frames.vector(i, moments.h));
  const k = links.map(({ moments }, i) => frames.sym(i, moments.k));
  const w = new Array<Vec<T>>(links.length);
  const V = new Array<Vec<T>>(links.length);
  const F = new Array<Vec<T>>(links.length);
  const N = new Array<Vec<T>>(links.length);
  const below = subtrees(links);
  links.forEach(({ dof }, root) => {
    columns[root].forEach((column, c) => {
      for (const i of below[root]) {
        const { parent: p, moments } = links[i];
        if (i === root) {
          w[i] = column.Z;
          V[i] = column.Y;
        } else {
          w[i] = frames.toChild(i, w[p]);
          V[i] = frames.toChild(i, a.add(V[p], a.cross(w[p], P[i])));
        }
        F[i] = a.add(a.scale(moments.m, V[i]), a.cross(w[i], h[i]));
        N[i] = a.add(a.symTimes(k[i], w[i]), a.cross(h[i], V[i]));
      }
      for (let at = below[root].length - 1; at >= 0; at--) {
        const i = below[root][at];
        columns[i].forEach(({ Z, Y }, l) => {
          if (i > root || l >= c) H.set(dof + c, links[i].dof + l, a.dot2(Z, N[i], Y, F[i]));
        });
        if (i === root) continue;
        const { parent: p } = links[i];
        const f = frames.toParent(i, F[i]);
        F[p] = a.add(F[p], f);
        N[p] = a.add(N[p], a.add(frames.toParent(i, N[i]), a.cross(P[i], f)));
      }
    });
  });
  return { H: addArmature(model, H), transformations: frames.transformations };
}
