// Partial chains in the form of papers 000 and 002, as formulas: a part answers to the forces at its handles with
//
//   a1 = Phi11 f1 + Phi12 f2 + b1,   a2 = Phi12^T f1 + Phi22 f2 + b2
//
// in world axes, accelerations [angular, of the handle's point], forces [moment about that point, force]; gravity is part
// of b. A joint between handle 2 of part A and handle 1 of part B transmits f = F tau + T lambda to B and -f to A, where T
// spans what it holds (part-joints.ts); T^T (a1B - a2A - c) = 0 gives
//
//   W = T (T^T V T)^-1 T^T,   V = Phi22A + Phi11B,   f = W (Phi12A^T f1 + b2A - Phi12B f2 - b1B + c - V F tau) + F tau.
//
// With an armature G the drive gives tau - G qdd. Let T' be T and the columns F sqrt(G), and E one on the diagonal for each
// of these: then W = T' (T'^T V T' + E)^-1 T'^T, positive definite for any G.
//
// Every inertia is inverted here. That is the fastest way, and good where links are alike; for others there is the mixed form
// (mixed-formulas.ts).

import { SYM6 } from '../../formulas/aba.js';
import type { Node } from '../../formulas/graph.js';
import type { NodeMat3, NodeVec3, Vec6, VectorGraph } from '../../formulas/vectors.js';
import type { JointHere } from './part-joints.js';

/** Where the numbers of a part begin; so many numbers in all. */
export const PART = { phi11: 0, phi12: 21, phi22: 57, b1: 78, b2: 84, size: 90 } as const;

export interface PartNodes {
  readonly phi11: readonly Node[];
  readonly phi12: readonly Node[];
  readonly phi22: readonly Node[];
  readonly b1: Vec6;
  readonly b2: Vec6;
}

export const readPart = (g: VectorGraph, array: number): PartNodes => ({
  phi11: g.inputs(array, PART.phi11, 21),
  phi12: g.inputs(array, PART.phi12, 36),
  phi22: g.inputs(array, PART.phi22, 21),
  b1: g.inputs(array, PART.b1, 6),
  b2: g.inputs(array, PART.b2, 6),
});

export function writePart(g: VectorGraph, array: number, { phi11, phi12, phi22, b1, b2 }: PartNodes): void {
  [...phi11, ...phi12, ...phi22, ...b1, ...b2].forEach((node, k) => {
    g.output(array, k, node);
  });
}

export const SIX = [0, 1, 2, 3, 4, 5] as const;
export const row = (phi: readonly Node[], i: number): Node[] => SIX.map((j) => phi[SYM6[i][j]]);
/** Rows and columns of the full block Phi12. */
export const row12 = (phi: readonly Node[], i: number): Node[] => SIX.map((j) => phi[6 * i + j]);
export const column12 = (phi: readonly Node[], j: number): Node[] => SIX.map((i) => phi[6 * i + j]);

/** Rotation matrix, link to world, of a unit quaternion [w, x, y, z]. */
export function worldRotation(g: VectorGraph, [w, x, y, z]: readonly Node[]): NodeMat3 {
  const double = (a: Node): Node => g.add(a, a);
  const [x2, y2, z2] = [double(x), double(y), double(z)];
  const [xx, yy, zz] = [g.mul(x, x2), g.mul(y, y2), g.mul(z, z2)];
  const [xy, xz, yz] = [g.mul(x, y2), g.mul(x, z2), g.mul(y, z2)];
  const [wx, wy, wz] = [g.mul(w, x2), g.mul(w, y2), g.mul(w, z2)];
  return [
    g.sub(g.one, g.add(yy, zz)),
    g.sub(xy, wz),
    g.add(xz, wy),
    g.add(xy, wz),
    g.sub(g.one, g.add(xx, zz)),
    g.sub(yz, wx),
    g.sub(xz, wy),
    g.add(yz, wx),
    g.sub(g.one, g.add(xx, yy)),
  ];
}

/** Inverse of a symmetric positive definite matrix by Gauss-Jordan elimination without pivots. */
export function inverse(g: VectorGraph, given: readonly (readonly Node[])[]): Node[][] {
  const A = given.map((r) => [...r]);
  const n = A.length;
  for (let k = 0; k < n; k++) {
    const pivot = g.div(g.one, A[k][k]);
    const scaled = A[k].map((x) => g.mul(x, pivot));
    for (let i = 0; i < n; i++)
      for (let j = i; j < n; j++) {
        if (i === k || j === k) continue;
        A[i][j] = g.sub(A[i][j], g.mul(A[i][k], scaled[j]));
        A[j][i] = A[i][j];
      }
    for (let i = 0; i < n; i++) if (i !== k) A[i][k] = A[k][i] = scaled[i];
    A[k][k] = g.neg(pivot);
  }
  return A.map((r) => r.map((x) => g.neg(x)));
}

/**
 * What disassembly needs of a joint. The force on the lower part is W (what the outer forces make accelerations differ by)
 * + force; then each joint acceleration is y . force + rest, less what they make differ along F.
 */
export interface Transmitted {
  readonly W: readonly Node[];
  readonly force: Vec6;
  readonly along: readonly { readonly y: Vec6; readonly rest: Node }[];
}

/** Numbers of it: W, force, and y and rest of each degree of freedom. */
export const transmittedNumbers = (dof: number): number => 21 + 6 + 7 * dof;

export function writeTransmitted(g: VectorGraph, array: number, { W, force, along }: Transmitted): void {
  [...W, ...force, ...along.flatMap(({ y, rest }) => [...y, rest])].forEach((node, k) => {
    g.output(array, k, node);
  });
}

export const readTransmitted = (g: VectorGraph, array: number, { F }: JointHere): Transmitted => ({
  W: g.inputs(array, 0, 21),
  force: g.inputs(array, 21, 6),
  along: F.map((_, k) => ({ y: g.inputs(array, 27 + 7 * k, 6), rest: g.input(array, 27 + 7 * k + 6) })),
});

/** V: sum of the parts' compliances at the joint; `difference`: b of the upper handle less b of the lower one. */
export function transmit(g: VectorGraph, joint: JointHere, V: readonly Node[], difference: Vec6): Transmitted {
  const { c, drive, F, gear } = joint;
  const geared = gear === undefined ? [] : F.map((column) => column.map((e) => g.mul(gear, e)));
  const T = [...geared, ...joint.T];
  const VT = T.map((t) => SIX.map((i) => g.dot(row(V, i), t)));
  const inverted = inverse(
    g,
    T.map((t, i) => VT.map((vt, j) => (i === j && i < geared.length ? g.add(g.one, g.dot(t, vt)) : g.dot(t, vt)))),
  );
  const half = T.map((_, i) =>
    SIX.map((k) =>
      g.dot(
        inverted[i],
        T.map((t) => t[k]),
      ),
    ),
  );
  const W: Node[] = [];
  for (let i = 0; i < 6; i++)
    for (let j = i; j < 6; j++)
      W.push(
        g.dot(
          T.map((t) => t[i]),
          half.map((h) => h[j]),
        ),
      );
  const rest = SIX.map((i) => g.sub(g.add(difference[i], c[i]), g.dot(row(V, i), drive)));
  const force = SIX.map((i) => g.add(g.dot(row(W, i), rest), drive[i]));
  const along = F.map((column) => ({
    y: SIX.map((i) => g.dot(row(V, i), column)),
    rest: g.neg(
      g.dot(
        column,
        SIX.map((i) => g.add(difference[i], c[i])),
      ),
    ),
  }));
  return { W, force, along };
}

/** Two parts with a joint between them as one; and what its disassembly needs. */
export function joinParts(
  g: VectorGraph,
  A: PartNodes,
  B: PartNodes,
  joint: JointHere,
): { part: PartNodes; transmitted: Transmitted } {
  const V = A.phi22.map((x, k) => g.add(x, B.phi11[k]));
  const transmitted = transmit(
    g,
    joint,
    V,
    SIX.map((i) => g.sub(A.b2[i], B.b1[i])),
  );
  const { W, force } = transmitted;
  // Row by row, so that few numbers are alive at a time: first of Phi12A W, then of Phi12B^T W.
  const phi11: Node[] = [];
  const phi12: Node[] = [];
  const phi22: Node[] = [];
  const [b1, b2]: Node[][] = [[], []];
  for (let i = 0; i < 6; i++) {
    const AW = SIX.map((j) => g.dot(row12(A.phi12, i), row(W, j)));
    for (let j = i; j < 6; j++) phi11.push(g.sub(A.phi11[SYM6[i][j]], g.dot(AW, row12(A.phi12, j))));
    for (let j = 0; j < 6; j++) phi12.push(g.dot(AW, column12(B.phi12, j)));
    b1.push(g.sub(A.b1[i], g.dot(row12(A.phi12, i), force)));
  }
  for (let i = 0; i < 6; i++) {
    const BW = SIX.map((j) => g.dot(column12(B.phi12, i), row(W, j)));
    for (let j = i; j < 6; j++) phi22.push(g.sub(B.phi22[SYM6[i][j]], g.dot(BW, column12(B.phi12, j))));
    b2.push(g.add(B.b2[i], g.dot(column12(B.phi12, i), force)));
  }
  return { part: { phi11, phi12, phi22, b1, b2 }, transmitted };
}

/** The force through a joint between two parts whose outer forces are known, and the joint's accelerations. */
export function separate(
  g: VectorGraph,
  phi12A: readonly Node[],
  phi12B: readonly Node[],
  { F }: JointHere,
  transmitted: Transmitted,
  f1: Vec6,
  f2: Vec6,
): { force: Vec6; qdd: Node[] } {
  return through(
    g,
    F,
    transmitted,
    SIX.map((i) => g.sub(g.dot(column12(phi12A, i), f1), g.dot(row12(phi12B, i), f2))),
  );
}

/** `difference`: acceleration of the upper side less that of the lower one, as far as forces outside make it. */
function through(
  g: VectorGraph,
  F: readonly Vec6[],
  { W, force: given, along }: Transmitted,
  difference: Vec6,
): { force: Vec6; qdd: Node[] } {
  const force = SIX.map((i) => g.add(g.dot(row(W, i), difference), given[i]));
  const qdd = along.map(({ y, rest }, k) => g.sub(g.add(g.dot(y, force), rest), g.dot(F[k], difference)));
  return { force, qdd };
}

export interface BodyHere {
  readonly R: NodeMat3;
  readonly w: NodeVec3;
  readonly mass: Node;
  readonly inverseMass: Node;
  /** Centre of mass, and the lower handle, link coordinates. */
  readonly com: NodeVec3;
  readonly handle: NodeVec3;
  /** About the centre of mass, link coordinates, and its inverse: 6 each. */
  readonly inertia: readonly Node[];
  readonly inverseInertia: readonly Node[];
  readonly gravity: NodeVec3;
}

/** R A R^T of a symmetric matrix. */
function turned(g: VectorGraph, R: NodeMat3, A: readonly Node[]): Node[] {
  const image = [0, 1, 2].map((i) => g.applySym(A, [R[3 * i], R[3 * i + 1], R[3 * i + 2]]));
  const entry = (i: number, j: number): Node => g.dot([R[3 * i], R[3 * i + 1], R[3 * i + 2]], image[j]);
  return [entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)];
}

const full = (A: readonly Node[]): NodeMat3 => [A[0], A[1], A[2], A[1], A[3], A[4], A[2], A[4], A[5]];

/** A single rigid body as a part: handle 1 at its origin, handle 2 where its child hangs. */
export function rigidPart(g: VectorGraph, body: BodyHere): PartNodes {
  const { R, w, inertia, inverseInertia, inverseMass, gravity } = body;
  const J = full(turned(g, R, inverseInertia));
  const local = g.applyT(R, w);
  const gyration = g.cross(local, g.applySym(inertia, local));
  // Without forces: alpha = -I^-1 (w x I w), and the centre of mass falls.
  const alpha = g.apply(
    R,
    g.vec((k) => g.neg(g.applySym(inverseInertia, gyration)[k])),
  );
  const com = g.apply(R, body.com);
  const d1: NodeVec3 = g.vec((k) => g.neg(com[k]));
  const d2 = g.minus(g.apply(R, body.handle), com);
  const block = (dh: NodeVec3, dk: NodeVec3): ((i: number, j: number) => Node) => {
    const right = g.multiply(J, g.skew(dk));
    const left = g.multiply(g.skew(dh), J);
    const both = g.multiply(g.skew(dh), right);
    return (i, j) => {
      if (i < 3) return j < 3 ? J[3 * i + j] : right[3 * i + j - 3];
      if (j < 3) return g.neg(left[3 * (i - 3) + j]);
      return g.sub(i === j ? inverseMass : g.zero, both[3 * (i - 3) + j - 3]);
    };
  };
  const symmetric = (of: (i: number, j: number) => Node): Node[] => {
    const made: Node[] = [];
    for (let i = 0; i < 6; i++) for (let j = i; j < 6; j++) made.push(of(i, j));
    return made;
  };
  const bias = (d: NodeVec3): Vec6 => [
    ...alpha,
    ...g.plus(g.plus(g.cross(w, g.cross(w, d)), g.cross(alpha, d)), gravity),
  ];
  const mixed = block(d1, d2);
  return {
    phi11: symmetric(block(d1, d1)),
    phi12: SIX.flatMap((i) => SIX.map((j) => mixed(i, j))),
    phi22: symmetric(block(d2, d2)),
    b1: bias(d1),
    b2: bias(d2),
  };
}

/** Inertia (21) and bias force (6) of a rigid body about its origin: I a + p = f. */
export function rigidBody(g: VectorGraph, body: BodyHere): Node[] {
  const { R, w, mass, inertia, gravity } = body;
  const c = g.apply(R, body.com);
  const Ic = full(turned(g, R, inertia));
  const cx = g.skew(c);
  const cc = g.multiply(cx, cx);
  const J = Ic.map((x, k) => g.sub(x, g.mul(mass, cc[k])));
  const mc = g.times(mass, c);
  const mcx = g.skew(mc);
  const I: Node[] = [];
  for (let i = 0; i < 6; i++)
    for (let j = i; j < 6; j++) I.push(j < 3 ? J[3 * i + j] : i < 3 ? mcx[3 * i + j - 3] : i === j ? mass : g.zero);
  const wI = g.cross(w, g.apply(J, w));
  const falling = g.cross(mc, gravity);
  const centripetal = g.cross(w, g.cross(w, mc));
  return [...I, ...g.minus(wI, falling), ...g.minus(centripetal, g.times(mass, gravity))];
}

/** What a complete part gives to the body it hangs from: inertia (21) and bias force (6) about that body's origin. */
export function rakePart(
  g: VectorGraph,
  { W, force }: Pick<Transmitted, 'W' | 'force'>,
  w: NodeVec3,
  d: NodeVec3,
): Node[] {
  // a at the joint = X a + [0, w x (w x d)], X = [1 0; -d x 1].
  const lift = g.cross(w, g.cross(w, d));
  const p = SIX.map((i) => g.add(force[i], g.dot(row(W, i), [g.zero, g.zero, g.zero, ...lift])));
  const X = handleMap(g, d);
  const WX = SIX.map((i) =>
    SIX.map((j) =>
      g.dot(
        row(W, i),
        SIX.map((k) => X[k][j]),
      ),
    ),
  );
  const I: Node[] = [];
  for (let i = 0; i < 6; i++)
    for (let j = i; j < 6; j++)
      I.push(
        g.dot(
          SIX.map((k) => X[k][i]),
          SIX.map((k) => WX[k][j]),
        ),
      );
  return [
    ...I,
    ...SIX.map((i) =>
      g.dot(
        SIX.map((k) => X[k][i]),
        p,
      ),
    ),
  ];
}

/** a of the point d away: [alpha, a + alpha x d]. */
export function handleMap(g: VectorGraph, d: NodeVec3): Node[][] {
  const dx = g.skew(d);
  return SIX.map((i) => SIX.map((j) => (i === j ? g.one : i >= 3 && j < 3 ? g.neg(dx[3 * (i - 3) + j]) : g.zero)));
}

/** A body with what has been taken in, I (21) and p (6), as a part: handle 1 at its origin, handle 2 at d. */
export function invertedBody(g: VectorGraph, whole: readonly Node[], w: NodeVec3, d: NodeVec3): PartNodes {
  const I = whole.slice(0, 21);
  const M = inverse(
    g,
    SIX.map((i) => row(I, i)),
  );
  const p = whole.slice(21);
  const b1 = SIX.map((i) => g.neg(g.dot(M[i], p)));
  const X = handleMap(g, d);
  const phi12 = SIX.flatMap((i) => SIX.map((j) => g.dot(M[i], X[j])));
  const phi11: Node[] = [];
  const phi22: Node[] = [];
  for (let i = 0; i < 6; i++)
    for (let j = i; j < 6; j++) {
      phi11.push(M[i][j]);
      phi22.push(g.dot(X[i], column12(phi12, j)));
    }
  return { phi11, phi12, phi22, b1, b2: handleAcceleration(g, b1, w, d) };
}

/** The acceleration of a point d away from the origin of a body. */
export function handleAcceleration(g: VectorGraph, a: Vec6, w: NodeVec3, d: NodeVec3): Vec6 {
  const X = handleMap(g, d);
  const lift = g.cross(w, g.cross(w, d));
  return SIX.map((i) => (i < 3 ? a[i] : g.add(g.dot(X[i], a), lift[i - 3])));
}

/** Acceleration of the origin of a body whose forces are known. */
export function originAcceleration(g: VectorGraph, { phi11, phi12, b1 }: PartNodes, f1: Vec6, f2: Vec6): Vec6 {
  return SIX.map((i) => g.add(b1[i], g.add(g.dot(row(phi11, i), f1), g.dot(row12(phi12, i), f2))));
}

/** Force and accelerations of a joint to something whose acceleration at the joint is known: a body, or the ground. */
export function hang(
  g: VectorGraph,
  { F }: JointHere,
  transmitted: Transmitted,
  a: Vec6,
): { force: Vec6; qdd: Node[] } {
  return through(g, F, transmitted, a);
}
