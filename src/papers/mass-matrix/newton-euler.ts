// [004] Original Newton-Euler based algorithm (O N-E B): the whole inverse dynamics, called once for each column with a
// unit acceleration, no velocity, no gravity. It knows nothing of that: velocities and accelerations are numbers like
// any others, all links take part, and each column is computed from top to bottom ([004] eq. 2, [004] eq. 3, errata 004-4).
//
//   outwards  w = w_p + Z qd,   w' = w'_p + w_p x Z qd + Z qdd
//             V' = V'_p + w'_p x P + w_p x (w_p x P) + Y qdd + 2 w x Y qd
//             V*' = V' + w' x S + w x (w x S),   F = m V*',   N = I w' + w x I w
//   inwards   f = F + f of the children,   n = N + S x F + n + P x f of the children,   tau = Z . n + Y . f

import type { Vec } from './algebra.js';
import { Frames, type ProjectionFrame } from './frames.js';
import { addArmature, type ChainLinks, SymmetricMatrix } from './links.js';
import type { Projected } from './projected.js';

export function newtonEuler<T>(model: ChainLinks<T>, frame: ProjectionFrame = 'body'): Projected<T> {
  const { algebra: a, links, nv } = model;
  const { arithmetic } = a;
  const frames = new Frames(model, frame);
  const H = new SymmetricMatrix(nv, a.zero);
  const own = links.map((link, i) => ({
    ...link,
    columns: link.columns.map(({ Z, Y }) => ({ Z: frames.vector(i, Z), Y: frames.vector(i, Y) })),
    P: link.parent < 0 ? a.zero3 : frames.origin(i),
    S: frames.vector(i, link.com),
    I: frames.sym(i, link.inertia),
  }));
  const two = arithmetic.constant(2);
  const w = new Array<Vec<T>>(links.length);
  const alpha = new Array<Vec<T>>(links.length);
  const acceleration = new Array<Vec<T>>(links.length);
  const f = new Array<Vec<T>>(links.length);
  const n = new Array<Vec<T>>(links.length);
  for (let column = 0; column < nv; column++) {
    own.forEach(({ parent: p, columns, P, S, I, moments, dof }, i) => {
      let turning = a.zero3;
      let spin = a.zero3;
      let start = a.zero3;
      if (p >= 0) {
        const carried = a.add(a.cross(alpha[p], P), a.cross(w[p], a.cross(w[p], P)));
        turning = frames.toChild(i, w[p]);
        spin = frames.toChild(i, alpha[p]);
        start = frames.toChild(i, a.add(acceleration[p], carried));
      }
      const before = turning;
      columns.forEach(({ Z, Y }, l) => {
        const qd = arithmetic.variable(0);
        const qdd = arithmetic.variable(dof + l === column ? 1 : 0);
        const Zqd = a.scale(qd, Z);
        spin = a.add(spin, a.add(a.cross(before, Zqd), a.scale(qdd, Z)));
        turning = a.add(turning, Zqd);
        start = a.add(start, a.add(a.scale(qdd, Y), a.scale(two, a.cross(before, a.scale(qd, Y)))));
      });
      const atCom = a.add(start, a.add(a.cross(spin, S), a.cross(turning, a.cross(turning, S))));
      w[i] = turning;
      alpha[i] = spin;
      acceleration[i] = start;
      f[i] = a.scale(moments.m, atCom);
      n[i] = a.add(a.add(a.symTimes(I, spin), a.cross(turning, a.symTimes(I, turning))), a.cross(S, f[i]));
    });
    for (let i = links.length - 1; i >= 0; i--) {
      const { parent: p, columns, P, dof } = own[i];
      columns.forEach(({ Z, Y }, l) => {
        H.entries[column * nv + dof + l] = a.dot2(Z, n[i], Y, f[i]);
      });
      if (p < 0) continue;
      const force = frames.toParent(i, f[i]);
      f[p] = a.add(f[p], force);
      n[p] = a.add(n[p], a.add(frames.toParent(i, n[i]), a.cross(P, force)));
    }
  }
  return { H: addArmature(model, H), transformations: frames.transformations };
}
