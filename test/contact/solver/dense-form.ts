// A contact problem the long way: J and H as full matrices, G = J H^-1 J^T by elimination.

import { blockOffset } from '../../../src/contact/solver/block-matrix.js';
import { solveDense } from '../../../src/contact/solver/linear-solve.js';
import type { ContactProblem, Inertia } from '../../../src/contact/solver/problem.js';

export function denseInertia({ structure, H }: Inertia): Float64Array {
  const { nodes, size, start } = structure;
  const n = start[nodes];
  const out = new Float64Array(n * n);
  for (let i = 0; i < nodes; i++)
    for (let j = 0; j < nodes; j++) {
      const at = blockOffset(structure, i, j);
      if (at < 0) continue;
      for (let r = 0; r < size[i]; r++)
        for (let c = 0; c < size[j]; c++) out[(start[i] + r) * n + start[j] + c] = H[at + r * size[j] + c];
    }
  return out;
}

/** rows x velocities. */
export function denseJacobian(p: ContactProblem): Float64Array {
  const nv = p.velocities;
  const J = new Float64Array(p.rows * nv);
  for (let c = 0; c < p.blocks; c++) {
    const g = p.group[c];
    const dim = p.firstRow[c + 1] - p.firstRow[c];
    for (let e = p.firstEntry[g]; e < p.firstEntry[g + 1]; e++) {
      const size = p.nodeSize[p.entryNode[e]];
      for (let k = 0; k < dim; k++)
        for (let r = 0; r < p.groupRows[g]; r++)
          for (let j = 0; j < size; j++)
            J[(p.firstRow[c] + k) * nv + p.nodeStart[p.entryNode[e]] + j] +=
              p.F[p.wrenchAt[c] + r * dim + k] * p.T[p.entryAt[e] + r * size + j];
    }
  }
  return J;
}

/** H^-1 x of all members. */
export function denseSolve(p: ContactProblem, x: Float64Array): Float64Array {
  const out = x.slice();
  p.members.forEach((member, m) => {
    const part = out.subarray(p.firstVelocity[m], p.firstVelocity[m + 1]);
    solveDense(denseInertia(member), part, part.length);
  });
  return out;
}

/** G and g. */
export function denseForm(p: ContactProblem): { G: Float64Array; g: Float64Array } {
  const [n, nv] = [p.rows, p.velocities];
  const J = denseJacobian(p);
  const G = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    const column = denseSolve(p, J.slice(i * nv, (i + 1) * nv));
    for (let j = 0; j < n; j++) for (let k = 0; k < nv; k++) G[j * n + i] += J[j * nv + k] * column[k];
  }
  const g = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    g[i] = p.b[i];
    for (let k = 0; k < nv; k++) g[i] += J[i * nv + k] * p.free[k];
  }
  return { G, g };
}
