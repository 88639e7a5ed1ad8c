// The island as its contacts feel it. One pass takes every group's T through the factors of the mass matrices:
//
//   T H^-1 T^T = sum over nodes of Z_i^T D_i^-1 Z_i,     Z = (1 + M)^-1 T^T
//
// Z of a group lives on its nodes and their ancestors, so the pass is O(n) for all groups and O(m^2) for all pairs of them:
// contacting bodies are the handles of the assembly, and the product, projected on the contact frames, is G = J H^-1 J^T.

import { solveFactorised } from './block-matrix.js';
import { type ContactProblem, grown } from './problem.js';

/** A part of the largest inverse inertia below which a row cannot move. */
const IMMOBILE = 1e-12;

export class Handles {
  /** Mean of the diagonal of each block of G. */
  d = new Float64Array(16);
  /** Nodes that Z of each group lives on, ascending; one more entry. */
  firstPath = new Int32Array(17);
  pathNode = new Int32Array(128);
  /** Offset of Z (size of the node x rows of the group) of each of them; one more. */
  zAt = new Int32Array(129);
  Z = new Float64Array(2048);
  /** D^-1 Z. */
  Y = new Float64Array(2048);
  /** J v* + b. */
  c = new Float64Array(64);
  /** H^-1 J^T lambda of the last evaluation. */
  change = new Float64Array(64);
  readonly #wrench = new Float64Array(6);
  #seen = new Int32Array(16);

  /** Z, Y, d and c of a problem; its scale becomes no less than the fastest that a block would move. */
  prepare(problem: ContactProblem): void {
    const { groups, blocks, rows, velocities, nodes } = problem;
    this.firstPath = grown(this.firstPath, groups + 1);
    this.d = grown(this.d, blocks);
    this.c = grown(this.c, rows);
    this.change = grown(this.change, velocities);
    this.#seen = grown(this.#seen, nodes);
    this.#seen.fill(-1);
    for (let g = 0; g < groups; g++) {
      this.#findPath(problem, g);
      this.#eliminate(problem, g);
    }
    let most = 0;
    for (let c = 0; c < blocks; c++) {
      this.d[c] = this.#diagonal(problem, c) + problem.compliance[c] / (problem.firstRow[c + 1] - problem.firstRow[c]);
      most = Math.max(most, this.d[c]);
    }
    // Directions in which nothing can move, as redundant loops have them: any measure will do.
    for (let c = 0; c < blocks; c++) if (!(this.d[c] > IMMOBILE * most)) this.d[c] = most > 0 ? most : 1;
    this.toContacts(problem, problem.free, this.c);
    problem.scale = Math.max(problem.scale, this.#fastest(problem));
    for (let k = 0; k < rows; k++) this.c[k] += problem.b[k];
  }

  /** u <- J (v* + H^-1 J^T lambda) + b + R lambda; the change of velocities stays in `change`. */
  evaluate(problem: ContactProblem, lambda: Float64Array, u: Float64Array): void {
    const { change, c } = this;
    change.fill(0, 0, problem.velocities);
    this.toVelocities(problem, lambda, change);
    applyInverse(problem, change);
    this.toContacts(problem, change, u);
    for (let k = 0; k < problem.rows; k++) u[k] += c[k];
    for (let b = 0; b < problem.blocks; b++)
      u[problem.firstRow[b]] += problem.compliance[b] * lambda[problem.firstRow[b]];
  }

  /** u <- J v. */
  toContacts(problem: ContactProblem, v: Float64Array, u: Float64Array): void {
    const { blocks, group, firstRow, wrenchAt, F, groupRows } = problem;
    const w = this.#wrench;
    for (let c = 0, last = -1; c < blocks; c++) {
      const g = group[c];
      const rows = groupRows[g];
      if (g !== last) groupMotion(problem, g, v, w);
      last = g;
      const dim = firstRow[c + 1] - firstRow[c];
      for (let k = 0; k < dim; k++) {
        let sum = 0;
        for (let r = 0; r < rows; r++) sum += F[wrenchAt[c] + r * dim + k] * w[r];
        u[firstRow[c] + k] = sum;
      }
    }
  }

  /** v += J^T lambda. */
  toVelocities(problem: ContactProblem, lambda: Float64Array, v: Float64Array): void {
    const { blocks, group, firstRow, wrenchAt, F, groupRows } = problem;
    const w = this.#wrench;
    for (let c = 0; c < blocks; c++) {
      const g = group[c];
      const rows = groupRows[g];
      const dim = firstRow[c + 1] - firstRow[c];
      if (c === 0 || group[c - 1] !== g) w.fill(0);
      for (let r = 0; r < rows; r++)
        for (let k = 0; k < dim; k++) w[r] += F[wrenchAt[c] + r * dim + k] * lambda[firstRow[c] + k];
      if (c + 1 === blocks || group[c + 1] !== g) addGroupForce(problem, g, w, v);
    }
  }

  /** The nodes of a group's entries and all their ancestors. */
  #findPath({ members, firstEntry, entryNode, firstNode, nodeSize, groupRows }: ContactProblem, g: number): void {
    const seen = this.#seen;
    const from = this.firstPath[g];
    let end = from;
    const add = (node: number): void => {
      if (seen[node] === g) return;
      seen[node] = g;
      this.pathNode = grown(this.pathNode, end + 1);
      this.pathNode[end++] = node;
    };
    for (let e = firstEntry[g], m = 0; e < firstEntry[g + 1]; e++) {
      const node = entryNode[e];
      if (node < firstNode[m]) m = 0;
      while (node >= firstNode[m + 1]) m++;
      const { first, column } = members[m].structure;
      const own = node - firstNode[m];
      // Places of a mass matrix are its nodes: parents first.
      for (let a = first[own]; a < first[own + 1]; a++) add(firstNode[m] + column[a]);
      add(node);
    }
    this.firstPath[g + 1] = end;
    this.pathNode.subarray(from, end).sort();
    this.zAt = grown(this.zAt, end + 1);
    for (let a = from; a < end; a++) this.zAt[a + 1] = this.zAt[a] + groupRows[g] * nodeSize[this.pathNode[a]];
    this.Z = grown(this.Z, this.zAt[end]);
    this.Y = grown(this.Y, this.zAt[end]);
  }

  #eliminate(problem: ContactProblem, g: number): void {
    const { members, firstNode, firstEntry, entryNode, entryAt, T, groupRows, nodeSize } = problem;
    const { firstPath, pathNode, zAt, Z, Y } = this;
    const rows = groupRows[g];
    const [from, end] = [firstPath[g], firstPath[g + 1]];
    Z.fill(0, zAt[from], zAt[end]);
    for (let e = firstEntry[g], a = from; e < firstEntry[g + 1]; e++) {
      while (pathNode[a] !== entryNode[e]) a = pathNode[a] < entryNode[e] ? a + 1 : from;
      const size = nodeSize[pathNode[a]];
      for (let r = 0; r < rows; r++)
        for (let k = 0; k < size; k++) Z[zAt[a] + k * rows + r] = T[entryAt[e] + r * size + k];
    }
    let m = members.length - 1;
    for (let a = end - 1; a >= from; a--) {
      const node = pathNode[a];
      while (node < firstNode[m]) m--;
      const { structure, factors } = members[m];
      const { first, column, upper, diagonal } = structure;
      const own = node - firstNode[m];
      const size = nodeSize[node];
      const z = zAt[a];
      // Ancestors stand before the node on the path, in the order of their numbers.
      for (let e = first[own + 1] - 1, to = a - 1; e >= first[own]; e--, to--) {
        const ancestor = firstNode[m] + column[e];
        while (pathNode[to] !== ancestor) to--;
        const M = upper[e];
        for (let k = 0; k < nodeSize[ancestor]; k++)
          for (let j = 0; j < size; j++) {
            const f = factors[M + k * size + j];
            if (f !== 0) for (let r = 0; r < rows; r++) Z[zAt[to] + k * rows + r] -= f * Z[z + j * rows + r];
          }
      }
      const D = diagonal[own];
      for (let k = 0; k < size; k++)
        for (let r = 0; r < rows; r++) {
          let sum = 0;
          for (let j = 0; j < size; j++) sum += factors[D + k * size + j] * Z[z + j * rows + r];
          Y[z + k * rows + r] = sum;
        }
    }
  }

  #fastest({ blocks, firstRow }: ContactProblem): number {
    let most = 0;
    for (let c = 0; c < blocks; c++) {
      let square = 0;
      for (let k = firstRow[c]; k < firstRow[c + 1]; k++) square += this.c[k] * this.c[k];
      most = Math.max(most, square);
    }
    return Math.sqrt(most);
  }

  /** Mean of the diagonal of F^T (sum of Z^T Y) F. */
  #diagonal({ group, groupRows, firstRow, wrenchAt, F, nodeSize }: ContactProblem, c: number): number {
    const { firstPath, pathNode, zAt, Z, Y } = this;
    const g = group[c];
    const rows = groupRows[g];
    const dim = firstRow[c + 1] - firstRow[c];
    let sum = 0;
    for (let a = firstPath[g]; a < firstPath[g + 1]; a++)
      for (let j = 0; j < nodeSize[pathNode[a]]; j++) {
        const o = zAt[a] + j * rows;
        for (let k = 0; k < dim; k++) {
          let z = 0;
          let y = 0;
          for (let r = 0; r < rows; r++) {
            const f = F[wrenchAt[c] + r * dim + k];
            z += f * Z[o + r];
            y += f * Y[o + r];
          }
          sum += z * y;
        }
      }
    return sum / dim;
  }
}

/** x <- H^-1 x, member by member. */
export function applyInverse({ members, firstVelocity }: ContactProblem, x: Float64Array): void {
  for (let m = 0; m < members.length; m++)
    solveFactorised(members[m].structure, members[m].factors, x, firstVelocity[m]);
}

/** w <- T v of a group. */
function groupMotion(problem: ContactProblem, g: number, v: Float64Array, w: Float64Array): void {
  const { firstEntry, entryNode, entryAt, T, groupRows, nodeSize, nodeStart } = problem;
  const rows = groupRows[g];
  for (let r = 0; r < rows; r++) w[r] = 0;
  for (let e = firstEntry[g]; e < firstEntry[g + 1]; e++) {
    const size = nodeSize[entryNode[e]];
    const start = nodeStart[entryNode[e]];
    for (let r = 0, t = entryAt[e]; r < rows; r++, t += size)
      for (let k = 0; k < size; k++) w[r] += T[t + k] * v[start + k];
  }
}

/** v += T^T w of a group. */
function addGroupForce(problem: ContactProblem, g: number, w: Float64Array, v: Float64Array): void {
  const { firstEntry, entryNode, entryAt, T, groupRows, nodeSize, nodeStart } = problem;
  const rows = groupRows[g];
  for (let e = firstEntry[g]; e < firstEntry[g + 1]; e++) {
    const size = nodeSize[entryNode[e]];
    const start = nodeStart[entryNode[e]];
    for (let r = 0, t = entryAt[e]; r < rows; r++, t += size)
      for (let k = 0; k < size; k++) v[start + k] += T[t + k] * w[r];
  }
}
