// Random contact problems without any geometry: free bodies of random inertia, random contacts between them and with the ground.

import { createStructure, factorise } from '../../../src/contact/solver/block-matrix.js';
import { BOX, CONTACT, ContactProblem, type Inertia, LIMIT } from '../../../src/contact/solver/problem.js';
import { Random } from '../../../src/mechanism/random.js';

/** A positive definite matrix of a tree of nodes: numbers wherever a node meets an ancestor. */
export function randomInertia(random: Random, sizes: readonly number[], parent: readonly number[]): Inertia {
  const ancestors = sizes.map((_, i) => {
    const list: number[] = [];
    for (let p = parent[i]; p >= 0; p = parent[p]) list.push(p);
    return list;
  });
  const structure = createStructure(sizes, ancestors, 'given');
  const n = structure.start[sizes.length];
  // H = sum over nodes of random squares on the node and its ancestors, as the links of a tree give it.
  const dense = new Float64Array(n * n);
  sizes.forEach((size, i) => {
    const rows = [i, ...ancestors[i]].flatMap((k) =>
      Array.from({ length: sizes[k] }, (_, j) => structure.start[k] + j),
    );
    for (let s = 0; s < size + 2; s++) {
      const a = rows.map(() => random.between(-1, 1));
      rows.forEach((r, x) => {
        rows.forEach((c, y) => {
          dense[r * n + c] += a[x] * a[y];
        });
      });
    }
  });
  for (let k = 0; k < n; k++) dense[k * n + k] += 0.3;
  const H = new Float64Array(structure.length);
  const put = (at: number, i: number, j: number): void => {
    for (let r = 0; r < sizes[i]; r++)
      for (let c = 0; c < sizes[j]; c++)
        H[at + r * sizes[j] + c] = dense[(structure.start[i] + r) * n + structure.start[j] + c];
  };
  for (let p = 0; p < sizes.length; p++) {
    put(structure.diagonal[p], p, p);
    for (let e = structure.first[p]; e < structure.first[p + 1]; e++) {
      put(structure.lower[e], p, structure.column[e]);
      put(structure.upper[e], structure.column[e], p);
    }
  }
  const factors = H.slice();
  if (!factorise(structure, factors)) throw new Error('a random inertia is singular');
  return { structure, H, factors };
}

export interface ProblemOptions {
  readonly members?: number;
  readonly contacts?: number;
  readonly limits?: number;
  readonly boxes?: number;
  readonly friction?: number;
}

export function randomProblem(seed: number, options: ProblemOptions = {}): ContactProblem {
  const random = new Random(seed);
  const { members = 2, contacts = 4, limits = 0, boxes = 0 } = options;
  const inertias = Array.from({ length: members }, () => randomInertia(random, [6, 1, 3, 1], [-1, 0, 0, 2]));
  const problem = new ContactProblem();
  problem.begin(inertias);
  for (let k = 0; k < problem.velocities; k++) problem.free[k] = random.between(-1, 1);
  const entry = (member: number, node: number): void => {
    const at = problem.addEntry(member, node);
    const end = problem.entryAt[problem.firstEntry[problem.groups]];
    for (let k = at; k < end; k++) problem.T[k] = random.between(-1, 1);
  };
  const block = (kind: number, group: number, mu: number): number => {
    const c = problem.addBlock(kind, group, mu);
    for (let k = problem.wrenchAt[c]; k < problem.wrenchAt[c + 1]; k++) problem.F[k] = random.between(-1, 1);
    return c;
  };
  for (let k = 0; k < contacts; ) {
    const a = random.below(members);
    const b = random.below(members + 1);
    const group = problem.addGroup(6);
    for (const member of [...new Set(b === members ? [a] : [a, b])].sort()) {
      const link = random.below(4);
      for (const node of [0, 1, 2, 3].filter((i) => i === link || i === 0 || (link === 3 && i === 2)))
        entry(member, node);
    }
    // Several contacts of one pair.
    for (let j = 1 + random.below(3); j > 0 && k < contacts; j--, k++) {
      const mu = random.pick([0, 0.3, 0.8, random.between(0, 1.2)]);
      const c = block(CONTACT, group, options.friction ?? mu);
      problem.b[problem.firstRow[c]] = random.below(3) === 0 ? random.between(0, 1) : 0;
    }
  }
  for (let k = 0; k < limits + boxes; k++) {
    const group = problem.addGroup(1);
    entry(random.below(members), 1 + random.below(3));
    block(k < limits ? LIMIT : BOX, group, random.pick([0.1, 0.5, Number.POSITIVE_INFINITY]));
  }
  return problem;
}
