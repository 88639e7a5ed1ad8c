// [004] Variant of Kane's equation (VKE), as corrected (errata 004-6), for trees and all joints. For each degree of
// freedom i, with P*(j,i) the centre of mass of link j seen from O_i:
//
//   outwards  P(j,i) = P(p,i) + P(j,p),  P*(j,i) = P(j,i) + S(j)
//             N = I(j) Z(i),  F = m(j) (Y(i) + Z(i) x P*(j,i))
//   inwards   f(j) = F(j) + f of the children,  n(j) = N(j) + S(j) x F(j) + n + P x f of the children
//             a_ij = Z(j) . n(j) + Y(j) . f(j)
//
// O(n^2). The paper wants all vectors in one frame.

import type { Vec } from './algebra.js';
import { Frames, type ProjectionFrame } from './frames.js';
import { addArmature, type ChainLinks, SymmetricMatrix, subtrees } from './links.js';
import type { Projected } from './projected.js';

export function kaneVariant<T>(model: ChainLinks<T>, frame: ProjectionFrame = 'root'): Projected<T> {
  const { algebra: a, links, nv } = model;
  const frames = new Frames(model, frame);
  const H = new SymmetricMatrix(nv, a.zero);
  const columns = links.map((link, i) =>
    link.columns.map(({ Z, Y }) => ({ Z: frames.vector(i, Z), Y: frames.vector(i, Y) })),
  );
  const P = links.map(({ parent, P: own }, i) => (parent < 0 ? own : frames.origin(i)));
  const S = links.map(({ com }, i) => frames.vector(i, com));
  const I = links.map(({ inertia }, i) => frames.sym(i, inertia));
  const w = new Array<Vec<T>>(links.length);
  const y = new Array<Vec<T>>(links.length);
  const from = new Array<Vec<T>>(links.length);
  const f = new Array<Vec<T>>(links.length);
  const n = new Array<Vec<T>>(links.length);
  const below = subtrees(links);
  links.forEach(({ dof }, root) => {
    columns[root].forEach((column, c) => {
      for (const j of below[root]) {
        const { parent: p, moments } = links[j];
        if (j === root) {
          w[j] = column.Z;
          y[j] = column.Y;
          from[j] = a.zero3;
        } else {
          w[j] = frames.toChild(j, w[p]);
          y[j] = column.Y === a.zero3 ? a.zero3 : frames.toChild(j, y[p]);
          from[j] = frames.toChild(j, a.add(from[p], P[j]));
        }
        const partial = a.add(y[j], a.cross(w[j], a.add(from[j], S[j])));
        f[j] = a.scale(moments.m, partial);
        n[j] = a.add(a.symTimes(I[j], w[j]), a.cross(S[j], f[j]));
      }
      for (let at = below[root].length - 1; at >= 0; at--) {
        const j = below[root][at];
        columns[j].forEach(({ Z, Y }, l) => {
          if (j > root || l >= c) H.set(dof + c, links[j].dof + l, a.dot2(Z, n[j], Y, f[j]));
        });
        if (j === root) continue;
        const { parent: p } = links[j];
        const force = frames.toParent(j, f[j]);
        f[p] = a.add(f[p], force);
        n[p] = a.add(n[p], a.add(frames.toParent(j, n[j]), a.cross(P[j], force)));
      }
    });
  });
  return { H: addArmature(model, H), transformations: frames.transformations };
}
