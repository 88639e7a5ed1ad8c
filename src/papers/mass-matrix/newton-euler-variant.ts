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

import type { Algebra, Sym, Vec } from './algebra.js';
import { Frames, type ProjectionFrame } from './frames.js';
import type { MotionColumn } from './joint-pose.js';
import { addArmature, type ChainLinks, type Link, SymmetricMatrix, subtrees } from './links.js';
import type { Projected } from './projected.js';

export function newtonEulerVariant<T>(model: ChainLinks<T>, frame: ProjectionFrame = 'root'): Projected<T> {
  const { algebra: a, links, nv } = model;
  const frames = new Frames(model, frame);
  const H = new SymmetricMatrix(nv, a.zero);
  const columns = links.map((link, i) =>
    link.columns.map(({ Z, Y }) => ({ Z: frames.vector(i, Z), Y: frames.vector(i, Y) })),
  );
  const P = links.map(({ parent, P: own }, i) => (parent < 0 ? own : frames.origin(i)));
  const h = links.map(({ moments }, i) => frames.vector(i, moments.h));
  const k = links.map(({ moments }, i) => frames.sym(i, moments.k));
  const rows: LinkRows<T> = { links, columns, P, h, k, below: subtrees(links) };
  links.forEach((_, root) => {
    for (let c = 0; c < columns[root].length; c++) newtonEulerColumn(a, rows, frames, root, c, H);
  });
  return { H: addArmature(model, H), transformations: frames.transformations };
}

/** What a column needs of every link, in the working frame. */
export interface LinkRows<T> {
  readonly links: readonly Pick<Link<T>, 'parent' | 'moments' | 'dof'>[];
  readonly columns: readonly (readonly MotionColumn<T>[])[];
  readonly P: readonly Vec<T>[];
  readonly h: readonly Vec<T>[];
  readonly k: readonly Sym<T>[];
  readonly below: readonly (readonly number[])[];
}

/** Steps 1 and 2 for degree of freedom c of link `root`: its entries with all that it moves. */
export function newtonEulerColumn<T>(
  a: Algebra<T>,
  { links, columns, P, h, k, below }: LinkRows<T>,
  frames: Pick<Frames<T>, 'toChild' | 'toParent'>,
  root: number,
  c: number,
  H: SymmetricMatrix<T>,
): void {
  const { Z: own, Y: start } = columns[root][c];
  const w = new Map<number, Vec<T>>();
  const V = new Map<number, Vec<T>>();
  const F = new Map<number, Vec<T>>();
  const N = new Map<number, Vec<T>>();
  for (const i of below[root]) {
    const { parent: p, moments } = links[i];
    const wi = i === root ? own : frames.toChild(i, w.get(p)!);
    const Vi = i === root ? start : frames.toChild(i, a.add(V.get(p)!, a.cross(w.get(p)!, P[i])));
    w.set(i, wi);
    V.set(i, Vi);
    F.set(i, a.add(a.scale(moments.m, Vi), a.cross(wi, h[i])));
    N.set(i, a.add(a.symTimes(k[i], wi), a.cross(h[i], Vi)));
  }
  for (let at = below[root].length - 1; at >= 0; at--) {
    const i = below[root][at];
    const [f, n] = [F.get(i)!, N.get(i)!];
    columns[i].forEach(({ Z, Y }, l) => {
      if (i > root || l >= c) H.set(links[root].dof + c, links[i].dof + l, a.dot2(Z, n, Y, f));
    });
    if (i === root) continue;
    const { parent: p } = links[i];
    const force = frames.toParent(i, f);
    F.set(p, a.add(F.get(p)!, force));
    N.set(p, a.add(N.get(p)!, a.add(frames.toParent(i, n), a.cross(P[i], force))));
  }
}
