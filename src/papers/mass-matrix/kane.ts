// [004] Original Kane's equation (OKE), as corrected (errata 004-5), for trees and all joints:
//
//   a_ij = sum over the links k beyond both of  V*_k(i) . F_k(j) + w_k(i) . N_k(j)
//
// with the partial velocities of link k for degree of freedom j, w_k(j) = Z(j) and V*_k(j) = Y(j) + Z(j) x P*(k,j), and
// the partial momenta F_k(j) = m(k) V*_k(j), N_k(j) = I(k) w_k(j). Those are made once, O(n^2); the sums are O(n^3).

import type { Vec } from './algebra.js';
import { Frames, type ProjectionFrame } from './frames.js';
import { addArmature, type ChainLinks, SymmetricMatrix, subtrees } from './links.js';
import type { Projected } from './projected.js';

interface Partial<T> {
  readonly w: Vec<T>;
  readonly V: Vec<T>;
  readonly N: Vec<T>;
  readonly F: Vec<T>;
}

export function kane<T>(model: ChainLinks<T>, frame: ProjectionFrame = 'root'): Projected<T> {
  const { algebra: a, links, nv } = model;
  const frames = new Frames(model, frame);
  const H = new SymmetricMatrix(nv, a.zero);
  const P = links.map(({ parent, P: own }, i) => (parent < 0 ? own : frames.origin(i)));
  const S = links.map(({ com }, i) => frames.vector(i, com));
  const I = links.map(({ inertia }, i) => frames.sym(i, inertia));
  const below = subtrees(links);
  /** For each degree of freedom the partial velocities and momenta of the links it moves, by link. */
  const partials: Map<number, Partial<T>>[] = [];
  links.forEach((link, root) => {
    for (const column of link.columns) {
      const own = new Map<number, Partial<T>>();
      const w = new Map<number, Vec<T>>([[root, frames.vector(root, column.Z)]]);
      const y = new Map<number, Vec<T>>([[root, frames.vector(root, column.Y)]]);
      const from = new Map<number, Vec<T>>([[root, a.zero3]]);
      for (const k of below[root]) {
        const { parent: p, moments } = links[k];
        if (k !== root) {
          w.set(k, frames.toChild(k, w.get(p)!));
          y.set(k, column.Y === a.zero3 ? a.zero3 : frames.toChild(k, y.get(p)!));
          from.set(k, frames.toChild(k, a.add(from.get(p)!, P[k])));
        }
        const V = a.add(y.get(k)!, a.cross(w.get(k)!, a.add(from.get(k)!, S[k])));
        own.set(k, { w: w.get(k)!, V, N: a.symTimes(I[k], w.get(k)!), F: a.scale(moments.m, V) });
      }
      partials.push(own);
    }
  });
  links.forEach(({ dof, columns }, i) => {
    for (const j of below[i])
      for (let c = 0; c < columns.length; c++)
        for (let l = 0; l < links[j].columns.length; l++) {
          if (i === j && l < c) continue;
          const [row, column] = [partials[dof + c], partials[links[j].dof + l]];
          let sum = a.zero;
          for (const k of below[j]) {
            const [left, right] = [row.get(k)!, column.get(k)!];
            sum = a.arithmetic.add(sum, a.dot2(left.V, right.F, left.w, right.N));
          }
          H.set(dof + c, links[j].dof + l, sum);
        }
  });
  return { H: addArmature(model, H), transformations: frames.transformations };
}
