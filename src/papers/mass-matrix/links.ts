// A mechanism at a position, as the algorithms of this folder see it: constant numbers of each link in its own frame,
// and how each link stands to its parent.

import { JOINT_TYPES, PARAMETERS } from '../../joints/index.js';
import type { Tree } from '../../mechanism/tree.js';
import { INERTIA, TRANSFORM } from '../../spatial/spatial.js';
import { Algebra, type Moments, type Sym, type Vec } from './algebra.js';
import type { Arithmetic } from './arithmetic.js';
import { jointPose, type MotionColumn } from './joint-pose.js';
import { constantRotation, type LinkRotation } from './rotation.js';

export interface Link<T> {
  /** -1: the ground. */
  readonly parent: number;
  /** m(i), h(i), k(i): mass, first and second moment about O_i, link coordinates. */
  readonly moments: Moments<T>;
  /** S_i: centre of mass from O_i, and the inertia about it. */
  readonly com: Vec<T>;
  readonly inertia: Sym<T>;
  /** P(i, parent): O_i from the parent's origin, parent coordinates. */
  readonly P: Vec<T>;
  /** Parent to tree frame, tree frame to link frame. */
  readonly placement: LinkRotation<T>;
  readonly joint: LinkRotation<T>;
  readonly columns: readonly MotionColumn<T>[];
  /** First degree of freedom, link order. */
  readonly dof: number;
}

export interface ChainLinks<T> {
  readonly algebra: Algebra<T>;
  readonly links: readonly Link<T>[];
  /** Rows of the mass matrix. */
  readonly nv: number;
  /** Rotor inertia of each row. */
  readonly armature: readonly T[];
  /** Row and position in v of each degree of freedom are those of tree.dof. */
  readonly tree: Tree;
}

export function createLinks<T>(tree: Tree, arithmetic: Arithmetic<T>, q: Float64Array): ChainLinks<T> {
  const algebra = new Algebra(arithmetic);
  const links = Array.from({ length: tree.n }, (_, i) => createLink(tree, algebra, q, i));
  const armature = links.flatMap(({ columns }, i) =>
    columns.map((_, c) => arithmetic.constant(tree.armature[tree.iv[i] + c])),
  );
  return { algebra, links, nv: tree.dof[tree.n], armature, tree };
}

/** Link i at the position q. */
export function createLink<T>(tree: Tree, algebra: Algebra<T>, q: Float64Array, i: number): Link<T> {
  const model = JOINT_TYPES[tree.type[i]];
  const X = tree.X.subarray(TRANSFORM * i, TRANSFORM * (i + 1));
  const I = tree.inertia.subarray(INERTIA * i, INERTIA * (i + 1));
  const parameters = tree.parameters.subarray(PARAMETERS * i, PARAMETERS * (i + 1));
  const pose = jointPose(algebra, model.name, q.subarray(tree.iq[i], tree.iq[i] + model.nq), parameters);
  const placement = constantRotation(algebra, X);
  const [m, hx, hy, hz, ...k] = I;
  const [x, y, z] = m > 0 ? [hx / m, hy / m, hz / m] : [0, 0, 0];
  const aboutCom = [
    k[0] - m * (y * y + z * z),
    k[1] + m * x * y,
    k[2] + m * x * z,
    k[3] - m * (x * x + z * z),
    k[4] + m * y * z,
    k[5] - m * (x * x + y * y),
  ] as const;
  return {
    parent: tree.parent[i],
    moments: {
      m: algebra.arithmetic.constant(m),
      h: algebra.constants([hx, hy, hz]),
      k: algebra.constants(k as unknown as Sym<number>),
    },
    com: algebra.constants([x, y, z]),
    inertia: algebra.constants(aboutCom),
    P: algebra.add(algebra.constants([X[9], X[10], X[11]]), placement.toParent(pose.r)),
    placement,
    joint: pose.rotation,
    columns: pose.columns,
    dof: tree.dof[i],
  };
}

/** Links of the subtree of each link, itself first, parents before children. */
export function subtrees(links: readonly { readonly parent: number }[]): readonly (readonly number[])[] {
  const lists: number[][] = links.map(() => []);
  links.forEach((_, i) => {
    for (let j = i; j >= 0; j = links[j].parent) lists[j].push(i);
  });
  return lists;
}

/** A symmetric matrix that is filled entry by entry; what is never set is zero. */
export class SymmetricMatrix<T> {
  readonly n: number;
  /** Row major, both triangles. */
  readonly entries: T[];

  constructor(n: number, zero: T) {
    this.n = n;
    this.entries = new Array<T>(n * n).fill(zero);
  }

  set(i: number, j: number, value: T): void {
    this.entries[i * this.n + j] = value;
    this.entries[j * this.n + i] = value;
  }
}

/** Adds the rotor inertias to the diagonal. */
export function addArmature<T>({ algebra, armature }: ChainLinks<T>, H: SymmetricMatrix<T>): SymmetricMatrix<T> {
  armature.forEach((inertia, k) => {
    H.set(k, k, algebra.arithmetic.add(H.entries[k * H.n + k], inertia));
  });
  return H;
}
