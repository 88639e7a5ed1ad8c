// A step in time as formulas: semi-implicit Euler, as in src/simulation/integrators.ts. Velocities first, then positions
// along the new velocities for the time h, each joint on its own manifold.

import type { Node } from '../../formulas/graph.js';
import { Q, V } from '../../formulas/links.js';
import type { Vec3, VectorGraph } from '../../formulas/vectors.js';
import type { Plan, PlanLink } from '../../plan/plan.js';
import type { Finish } from './formulas.js';
import { NEXT_Q, NEXT_V, STEP } from './kernel.js';

export const stepForward =
  (plan: Plan): Finish =>
  (g, link, qdd) => {
    stepLink(g, plan.links[link.unit.links[0]], qdd);
  };

/** Next velocities and positions of a link's joint from its accelerations. */
export function stepLink(g: VectorGraph, { iq, iv, type }: PlanLink, qdd: readonly Node[]): void {
  const h = g.input(STEP, 0);
  const v = qdd.map((a, k) => g.add(g.input(V, iv + k), g.mul(h, a)));
  v.forEach((value, k) => {
    g.output(NEXT_V, iv + k, value);
  });
  const put = (at: number, values: readonly Node[]): void =>
    values.forEach((value, k) => {
      g.output(NEXT_Q, iq + at + k, value);
    });
  const q = (k: number): Node => g.input(Q, iq + k);
  const moved = v.map((rate) => g.mul(h, rate));
  if (type === 'spherical' || type === 'floating') {
    const u: Vec3 = [moved[0], moved[1], moved[2]];
    const quaternion = [0, 1, 2, 3].map(q);
    if (type === 'floating') put(4, origin(g, quaternion, u, [moved[3], moved[4], moved[5]], [4, 5, 6].map(q)));
    put(0, rotated(g, quaternion, u));
  } else
    put(
      0,
      moved.map((change, k) => g.add(q(k), change)),
    );
}

/** A polynomial in x, lowest power first. */
function polynomial(g: VectorGraph, x: Node, coefficients: readonly number[]): Node {
  return coefficients.reduceRight((sum, c) => g.add(g.constant(c), g.mul(x, sum)), g.zero);
}

/** q exp(u / 2), normalised. sin(t/2)/t and cos(t/2) by their series in t^2: exact in 32 bits for |u| below 2. */
function rotated(g: VectorGraph, [w, x, y, z]: readonly Node[], u: Vec3): Node[] {
  const t2 = g.dot(u, u);
  const k = polynomial(g, t2, [1 / 2, -1 / 48, 1 / 3840, -1 / 645120, 1 / 185794560]);
  const dw = polynomial(g, t2, [1, -1 / 8, 1 / 384, -1 / 46080, 1 / 10321920, -1 / 3715891200]);
  const [dx, dy, dz] = g.times(k, u);
  const row = (terms: readonly (readonly [Node, Node, boolean])[]): Node =>
    terms.reduce((sum, [a, b, minus]) => (minus ? g.sub(sum, g.mul(a, b)) : g.add(sum, g.mul(a, b))), g.zero);
  const next = [
    row([
      [w, dw, false],
      [x, dx, true],
      [y, dy, true],
      [z, dz, true],
    ]),
    row([
      [w, dx, false],
      [x, dw, false],
      [y, dz, false],
      [z, dy, true],
    ]),
    row([
      [w, dy, false],
      [x, dz, true],
      [y, dw, false],
      [z, dx, false],
    ]),
    row([
      [w, dz, false],
      [x, dy, false],
      [y, dx, true],
      [z, dw, false],
    ]),
  ];
  const scale = g.div(g.one, g.sqrt(g.dot(next, next)));
  return next.map((e) => g.mul(scale, e));
}

/** p + E^T V(u) x of the exponential map (src/joints/floating.ts), its coefficients by their series. */
function origin(g: VectorGraph, quaternion: readonly Node[], u: Vec3, x: Vec3, p: readonly Node[]): Node[] {
  const t2 = g.dot(u, u);
  const A = polynomial(g, t2, [1 / 2, -1 / 24, 1 / 720, -1 / 40320, 1 / 3628800]);
  const B = polynomial(g, t2, [1 / 6, -1 / 120, 1 / 5040, -1 / 362880]);
  const ux = g.cross(u, x);
  const d = g.plus(x, g.plus(g.times(A, ux), g.times(B, g.cross(u, ux))));
  // E^T d = d + 2 r x (r x d + w d) / |q|^2 with r the vector part.
  const [w, qx, qy, qz] = quaternion;
  const r: Vec3 = [qx, qy, qz];
  const k = g.div(g.constant(2), g.dot(quaternion, quaternion));
  const turned = g.plus(d, g.times(k, g.cross(r, g.plus(g.cross(r, d), g.times(w, d)))));
  return p.map((e, i) => g.add(e, turned[i]));
}
