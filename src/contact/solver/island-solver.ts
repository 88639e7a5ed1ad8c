// Lays an island out in the memory of the kernels and runs them.

import { type BlockStructure, blockOffset, createStructure } from './block-matrix.js';
import type { IslandProblem, IslandTree } from './island-problem.js';
import * as at from './kernel/layout.js';
import { type KernelMachine, kernels } from './kernels.js';

/** How good impulses are, and what that took. */
export interface IslandOutcome {
  residual: number;
  iterations: number;
}

/** What depends on the trees and on which links touch, as integers for the kernels. */
interface Symbolic {
  readonly trees: readonly IslandTree[];
  /** Sides of all blocks between two links or two joints, one for each run. */
  readonly pairs: readonly number[];
  /** Header and arrays. */
  readonly integers: Int32Array;
  /** Where the list of places of each pair begins. */
  readonly lists: readonly number[];
}

const WORK = 160;

export class IslandSolver {
  readonly #machine: KernelMachine;
  #symbolic: Symbolic | undefined;
  readonly #pairs: number[] = [];

  constructor(machine: KernelMachine = kernels()) {
    this.#machine = machine;
  }

  /**
   * Improves the impulses of the problem from its warm start, and fills change, force and u. `again`: only free velocities, impulses,
   * offsets, mu and scale are others than in the last call, which was the last of all islands.
   */
  solve(
    problem: IslandProblem,
    tolerance: number,
    aim: number,
    { again = false, iterations = 12, eps = 1e-3 } = {},
  ): IslandOutcome {
    const { run } = this.#machine;
    const { blocks } = problem;
    if (!again) this.#layOut(problem);
    const { F, N } = this.#machine;
    this.#write(problem);
    const outcome: IslandOutcome = { residual: Number.NaN, iterations: 0 };
    if (again || run.factoriseInertia() === 1) {
      run.prepareBlocks();
      const scalars = N[at.SCALARS];
      F[scalars + 1] = run.evaluate(N[at.LAMBDA], N[at.U]);
      if (!(F[scalars + 1] <= tolerance)) outcome.iterations = run.newton(aim, iterations, eps);
      outcome.residual = F[scalars + 1];
      problem.scale = F[scalars];
      copyOut(F, N[at.LAMBDA], problem.lambda, 3 * blocks);
      copyOut(F, N[at.U], problem.u, 3 * blocks);
      copyOut(F, N[at.CHANGE], problem.change, problem.velocities);
      copyOut(F, N[at.FORCE], problem.force, problem.velocities);
    }
    return outcome;
  }

  /** u <- J v, for the island of the last call. */
  motion(problem: IslandProblem, v: Float64Array, u: Float64Array): void {
    const { run, F, N } = this.#machine;
    copyIn(F, N[at.DV], v, problem.velocities);
    run.motionOfBlocks(N[at.DV], N[at.TRIED_U]);
    copyOut(F, N[at.TRIED_U], u, 3 * problem.blocks);
  }

  /** Integers into N, room for everything, and what does not change between calls into F. */
  #layOut(problem: IslandProblem): void {
    const { members, blocks, links, velocities, kind, sideA, sideB } = problem;
    const symbolic = this.#find(problem);
    const { integers, lists } = symbolic;
    const first = integers.length + (integers.length & 1);
    const floats = (first + 4 * blocks + 1) >> 1;
    const hLength = integers[at.H_LENGTH];
    const kLength = integers[at.K_LENGTH];
    let next = floats;
    const place: [number, number][] = [];
    const room = (header: number, count: number): void => {
      place.push([header, next]);
      next += count;
    };
    room(at.MOTION, 6 * velocities);
    room(at.INERTIAS, 10 * links);
    room(at.ADDED, velocities);
    room(at.FREE_VELOCITY, velocities);
    room(at.MU, blocks);
    room(at.WRENCH_A, 18 * blocks);
    room(at.WRENCH_B, 18 * blocks);
    for (const header of [at.OFFSET, at.LAMBDA, at.U, at.C, at.TRIED_U, at.TRIED, at.E]) room(header, 3 * blocks);
    for (const header of [at.FORCE, at.CHANGE, at.DV]) room(header, velocities);
    room(at.D, blocks);
    room(at.W, 9 * blocks);
    room(at.H, hLength);
    room(at.FACTORS, hLength);
    room(at.K, kLength);
    room(at.RIGID, 36 * links);
    room(at.COMPOSITE, 36 * links);
    room(at.LINK_VECTOR, 6 * links);
    room(at.PATHS, 6 * velocities);
    room(at.WORK, WORK);
    room(at.SCALARS, 4);
    this.#machine.ensure(8 * next);
    const { F, N } = this.#machine;
    N.set(integers);
    for (const [header, where] of place) N[header] = where;
    N[at.BLOCKS] = blocks;
    N[at.KIND] = first;
    N[at.SIDE_A] = first + blocks;
    N[at.SIDE_B] = first + 2 * blocks;
    N[at.CROSS] = first + 3 * blocks;
    for (let c = 0, run = 0; c < blocks; c++) {
      N[first + c] = kind[c];
      N[first + blocks + c] = sideA[c];
      N[first + 2 * blocks + c] = sideB[c];
      N[first + 3 * blocks + c] = endsRun(problem, c) ? lists[run++] : -1;
    }
    for (let m = 0; m < members.length; m++) {
      const { S, I, added, tree, nv } = members[m];
      copyIn(F, N[at.MOTION] + 6 * problem.firstVelocity[m], S, 6 * nv);
      copyIn(F, N[at.INERTIAS] + 10 * problem.firstLink[m], I, 10 * tree.n);
      copyIn(F, N[at.ADDED] + problem.firstVelocity[m], added, nv);
    }
    copyIn(F, N[at.WRENCH_A], problem.wrenchA, 18 * blocks);
    copyIn(F, N[at.WRENCH_B], problem.wrenchB, 18 * blocks);
  }

  #write(problem: IslandProblem): void {
    const { F, N } = this.#machine;
    const { blocks } = problem;
    copyIn(F, N[at.FREE_VELOCITY], problem.free, problem.velocities);
    copyIn(F, N[at.MU], problem.mu, blocks);
    copyIn(F, N[at.OFFSET], problem.offset, 3 * blocks);
    copyIn(F, N[at.LAMBDA], problem.lambda, 3 * blocks);
    F[N[at.SCALARS]] = problem.scale;
  }

  #find(problem: IslandProblem): Symbolic {
    const { members, sideA, sideB, kind, blocks } = problem;
    const pairs = this.#pairs;
    pairs.length = 0;
    for (let c = 0; c < blocks; c++) if (endsRun(problem, c)) pairs.push(kind[c], sideA[c], sideB[c]);
    const known = this.#symbolic;
    if (known !== undefined && same(known.trees, members) && same(known.pairs, pairs)) return known;
    this.#symbolic = createSymbolic(problem, [...pairs]);
    return this.#symbolic;
  }
}

/** Whether a block is the last of those between two links, or is a row between two joints. */
function endsRun({ blocks, kind, sideA, sideB }: IslandProblem, c: number): boolean {
  if (sideA[c] < 0 || sideB[c] < 0) return false;
  if (kind[c] === at.KIND_BOX) return true;
  return c + 1 === blocks || kind[c + 1] !== kind[c] || sideA[c + 1] !== sideA[c] || sideB[c + 1] !== sideB[c];
}

function same<T>(a: readonly T[], b: readonly T[]): boolean {
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
}

function copyIn(F: Float64Array, to: number, from: Float64Array, count: number): void {
  for (let k = 0; k < count; k++) F[to + k] = from[k];
}

function copyOut(F: Float64Array, from: number, to: Float64Array, count: number): void {
  for (let k = 0; k < count; k++) to[k] = F[from + k];
}

function createSymbolic(
  { members, firstLink, firstVelocity, links, velocities }: IslandProblem,
  pairs: number[],
): Symbolic {
  const list: number[] = new Array(at.HEADER).fill(0);
  const put = (header: number, numbers: Iterable<number>): number => {
    const where = list.length;
    for (const x of numbers) list.push(x);
    if (header >= 0) list[header] = where;
    return where;
  };
  const parent: number[] = [];
  const dof: number[] = [];
  const nodeOf: number[] = [];
  const last: number[] = [];
  const free: number[] = [];
  const root: number[] = [];
  const linkOf: number[] = [];
  const nodeParent: number[] = [];
  const sizes: number[] = [];
  const ancestors: number[][] = [];
  members.forEach(({ tree, chains, free: own, root: roots }, m) => {
    const [l, v, n] = [firstLink[m], firstVelocity[m], sizes.length];
    const shifted = (x: number, by: number): number => (x < 0 ? -1 : x + by);
    for (let i = 0; i < tree.n; i++) {
      parent.push(shifted(tree.parent[i], l));
      dof.push(tree.dof[i] + v);
      nodeOf.push(shifted(chains.nodeOf[i], n));
      last.push(chains.last[i] + v);
      free.push(own[i]);
      root.push(roots[i] + l);
    }
    for (const link of chains.linkOf) linkOf.push(link + l);
    for (const p of chains.parent) nodeParent.push(shifted(p, n));
    const { nodes, size, first, column } = chains.structure;
    for (let k = 0; k < nodes; k++) {
      sizes.push(size[k]);
      ancestors.push(Array.from(column.subarray(first[k], first[k + 1]), (x) => x + n));
    }
  });
  dof.push(velocities);
  put(at.PARENT, parent);
  put(at.DOF, dof);
  put(at.NODE_OF, nodeOf);
  put(at.LAST, last);
  put(at.FREE, free);
  put(at.ROOT, root);
  put(at.LINK_OF, linkOf);
  put(at.NODE_PARENT, nodeParent);
  const trees = createStructure(sizes, ancestors, 'given');
  const path = (node: number): number[] => {
    const out: number[] = [];
    for (let n = node; n >= 0; n = nodeParent[n]) out.push(n);
    return out;
  };
  // Nodes that each pair couples: those on the way from one link to its root with those of the other.
  const coupled: { kind: number; a: number; b: number; x: number[]; y: number[] }[] = [];
  for (let k = 0; k < pairs.length; k += 3) {
    const [kind, a, b] = [pairs[k], pairs[k + 1], pairs[k + 2]];
    const row = kind === at.KIND_BOX;
    const [x, y] = row ? [[nodeOf[linkOf[a]]], [nodeOf[linkOf[b]]]] : [path(nodeOf[a]), path(nodeOf[b])];
    coupled.push({ kind, a, b, x, y });
  }
  let island: BlockStructure = trees;
  if (coupled.length > 0) {
    const neighbours = ancestors.map((nodes) => [...nodes]);
    for (const { x, y } of coupled) for (const i of x) for (const j of y) if (i !== j) neighbours[i].push(j);
    island = createStructure(sizes, neighbours, 'minimum-degree');
  }
  const treeAt = putStructure(list, trees);
  list[at.TREE_STRUCTURE] = treeAt;
  list[at.ISLAND_STRUCTURE] = island === trees ? treeAt : putStructure(list, island);
  const { nodes, first, column } = trees;
  const rowOf: number[] = [];
  for (let n = 0; n < nodes; n++) for (let e = first[n]; e < first[n + 1]; e++) rowOf.push(n);
  put(
    at.IN_DIAGONAL,
    sizes.map((_, n) => blockOffset(island, n, n)),
  );
  put(
    at.IN_LOWER,
    rowOf.map((n, e) => blockOffset(island, n, column[e])),
  );
  put(
    at.IN_UPPER,
    rowOf.map((n, e) => blockOffset(island, column[e], n)),
  );
  const lists = coupled.map(({ kind, a, b, x, y }) => {
    const where = list.length;
    for (const i of x)
      for (const j of y) {
        let [ij, ji] = [blockOffset(island, i, j), blockOffset(island, j, i)];
        if (kind === at.KIND_BOX) {
          // The element itself.
          const [p, q] = [a - trees.start[i], b - trees.start[j]];
          ij += p * sizes[j] + q;
          ji += q * sizes[i] + p;
        }
        list.push(ij, ji);
      }
    return where;
  });
  list[at.LINKS] = links;
  list[at.DOFS] = velocities;
  list[at.NODES] = nodes;
  list[at.H_LENGTH] = trees.length;
  list[at.K_LENGTH] = island.length;
  return { trees: [...members], pairs, integers: Int32Array.from(list), lists };
}

function putStructure(list: number[], s: BlockStructure): number {
  const where = list.length;
  for (let k = 0; k < at.S_HEADER; k++) list.push(0);
  list[where + at.S_NODES] = s.nodes;
  const put = (header: number, numbers: Int32Array): void => {
    list[where + header] = list.length;
    for (const x of numbers) list.push(x);
  };
  put(at.S_SIZE, s.size);
  put(at.S_START, s.start);
  put(at.S_NODE, s.node);
  put(at.S_FIRST, s.first);
  put(at.S_COLUMN, s.column);
  put(at.S_DIAGONAL, s.diagonal);
  put(at.S_LOWER, s.lower);
  put(at.S_UPPER, s.upper);
  put(at.S_PAIRS, s.pairs);
  put(at.S_TARGET, s.target);
  return where;
}
