// Runs the kernels on an island: what its members do without contacts, then the impulses of its contacts.

import { layOutPairs, layOutTrees, type PairSegment, type Segment, type TreeSegment } from './island-layout.js';
import type { IslandProblem } from './island-problem.js';
import * as at from './kernel/layout.js';
import { type KernelMachine, kernels } from './kernels.js';
import type { Outcome } from './residual.js';

/** What the prediction of a tree needs besides its inertia; velocities in the order of the tree. */
export interface Prediction {
  /** Velocities at the start of the step, and those that bias forces have. */
  readonly v0: Float64Array;
  readonly middle: Float64Array;
  /** Forces on the joints; 6 for each link: forces on the links, and accelerations of joints whose axes turn in the link. */
  readonly tau: Float64Array;
  readonly external: Float64Array;
  /** Whether no forces act on the links. */
  readonly unpushed?: boolean;
  readonly own: Float64Array | undefined;
}

export class IslandSolver {
  readonly #machine: KernelMachine;
  #trees: TreeSegment | undefined;
  #pairs: PairSegment | undefined;
  readonly #runs: number[] = [];

  constructor(machine: KernelMachine = kernels()) {
    this.#machine = machine;
  }

  /** Trees and inertias of the problem into memory, and the factors of the mass matrices; false where some joint feels no inertia. */
  begin(problem: IslandProblem): boolean {
    const { members, firstLink, firstVelocity } = problem;
    if (this.#trees === undefined || !same(this.#trees.trees, members)) {
      this.#trees = layOutTrees(problem);
      this.#pairs = undefined;
    }
    const trees = this.#trees;
    const machine = this.#machine;
    machine.ensure(8 * trees.end);
    if (machine.holds !== trees) {
      write(machine, trees);
      machine.holds = trees;
      machine.holdsPairs = undefined;
    }
    const { F, N } = machine;
    for (let m = 0; m < members.length; m++) {
      const { S, I, added, moving, nodeOf } = members[m];
      const { linkOf, fixed } = moving;
      const to = N[at.INERTIAS] + 10 * firstLink[m];
      F.set(S, N[at.MOTION] + 6 * firstVelocity[m]);
      for (let i = 0; i < linkOf.length; i++) for (let k = 0; k < 10; k++) F[to + 10 * i + k] = I[10 * linkOf[i] + k];
      for (let i = 0; i < fixed.length; i++) addSome(F, to, 10, nodeOf[fixed[i]], I, fixed[i]);
      F.set(added, N[at.ADDED] + firstVelocity[m]);
    }
    return machine.run.factoriseInertia() === 1;
  }

  /** problem.free <- velocities of its members at the end of the step without contacts; after begin. */
  predict(problem: IslandProblem, members: readonly Prediction[], h: number, gravity: readonly number[]): void {
    const { firstLink, firstVelocity } = problem;
    const { F, N } = this.#machine;
    for (let m = 0; m < members.length; m++) {
      const { v0, tau, external, unpushed = false } = members[m];
      F.set(v0, N[at.START_VELOCITY] + firstVelocity[m]);
      F.set(tau, N[at.TAU] + firstVelocity[m]);
      const { nodeOf } = problem.members[m];
      const to = N[at.EXTERNAL] + 6 * firstLink[m];
      F.fill(0, to, to + 6 * (firstLink[m + 1] - firstLink[m]));
      if (unpushed) continue;
      for (let i = 0; i < nodeOf.length; i++) addSome(F, to, 6, nodeOf[i], external, i);
    }
    F.fill(0, N[at.OWN], N[at.OWN] + 6 * problem.links);
    this.predictAgain(problem, members, h, gravity);
  }

  /** The same after nothing but the velocities of the bias forces changed. */
  predictAgain(problem: IslandProblem, members: readonly Prediction[], h: number, gravity: readonly number[]): void {
    const { firstLink, firstVelocity, velocities } = problem;
    const { F, N, run } = this.#machine;
    for (let m = 0; m < members.length; m++) {
      const { middle, own } = members[m];
      F.set(middle, N[at.BIAS_VELOCITY] + firstVelocity[m]);
      if (own === undefined) continue;
      const { linkOf } = problem.members[m].moving;
      const to = N[at.OWN] + 6 * firstLink[m];
      for (let i = 0; i < linkOf.length; i++) for (let k = 0; k < 6; k++) F[to + 6 * i + k] = own[6 * linkOf[i] + k];
    }
    run.predict(h, gravity[0], gravity[1], gravity[2]);
    copyOut(F, N[at.FREE_VELOCITY], problem.free, velocities);
  }

  /**
   * Improves the impulses of the problem from its warm start by Newton's method, and fills change, force and u; after begin. `again`:
   * only free velocities, impulses, offsets, mu and scale are others than in the last call.
   */
  solve(
    problem: IslandProblem,
    tolerance: number,
    aim: number,
    { again = false, iterations = 12, eps = 1e-3, growth = 10 } = {},
  ): Outcome {
    if (!again) this.#layOut(problem);
    const { F, N, run } = this.#machine;
    this.#write(problem);
    const scalars = N[at.SCALARS];
    run.prepareBlocks(again ? 0 : 1);
    F[scalars + 1] = run.evaluate(N[at.LAMBDA], N[at.U]);
    const used = F[scalars + 1] <= tolerance ? 0 : run.newton(aim, iterations, eps, growth);
    return this.#read(problem, used);
  }

  /** The same by the interior-point method, for the island of the last call. */
  solveFromInside(problem: IslandProblem, tolerance: number, aim: number, iterations: number): Outcome {
    this.#write(problem);
    const { run } = this.#machine;
    run.prepareBlocks(0);
    return this.#read(problem, run.interior(tolerance, aim, iterations));
  }

  /** What changes from call to call, into memory. */
  #write({ blocks, velocities, free, mu, offset, lambda, scale }: IslandProblem): void {
    const { F, N } = this.#machine;
    copyIn(F, N[at.FREE_VELOCITY], free, velocities);
    copyIn(F, N[at.MU], mu, blocks);
    copyIn(F, N[at.OFFSET], offset, 3 * blocks);
    copyIn(F, N[at.LAMBDA], lambda, 3 * blocks);
    F[N[at.SCALARS]] = scale;
  }

  #read(problem: IslandProblem, iterations: number): Outcome {
    const { blocks, velocities } = problem;
    const { F, N } = this.#machine;
    problem.scale = F[N[at.SCALARS]];
    copyOut(F, N[at.LAMBDA], problem.lambda, 3 * blocks);
    copyOut(F, N[at.U], problem.u, 3 * blocks);
    copyOut(F, N[at.CHANGE], problem.change, velocities);
    copyOut(F, N[at.FORCE], problem.force, velocities);
    return { residual: F[N[at.SCALARS] + 1], iterations };
  }

  /** u <- J v, for the island of the last call. */
  motion(problem: IslandProblem, v: Float64Array, u: Float64Array): void {
    const { run, F, N } = this.#machine;
    copyIn(F, N[at.DV], v, problem.velocities);
    run.motionOfBlocks(N[at.DV], N[at.TRIED_U]);
    copyOut(F, N[at.TRIED_U], u, 3 * problem.blocks);
  }

  /** Blocks, and what couples links, into memory. */
  #layOut(problem: IslandProblem): void {
    const { blocks, kind, sideA, sideB } = problem;
    const machine = this.#machine;
    const runs = this.#runs;
    runs.length = 0;
    for (let c = 0; c < blocks; c++) if (endsRun(problem, c)) runs.push(kind[c], sideA[c], sideB[c]);
    if (this.#pairs === undefined || !same(this.#pairs.pairs, runs))
      this.#pairs = layOutPairs(this.#trees!, runs.slice());
    const pairs = this.#pairs;
    const first = 2 * pairs.end;
    let next = pairs.end + 2 * blocks;
    machine.ensure(8 * (next + 129 * blocks));
    const { F, N } = machine;
    if (machine.holdsPairs !== pairs) {
      write(machine, pairs);
      machine.holdsPairs = pairs;
    }
    N[at.BLOCKS] = blocks;
    N[at.KIND] = first;
    N[at.SIDE_A] = first + blocks;
    N[at.SIDE_B] = first + 2 * blocks;
    N[at.CROSS] = first + 3 * blocks;
    for (let k = 0; k < BLOCK_NUMBERS.length; k += 2) {
      N[BLOCK_NUMBERS[k]] = next;
      next += BLOCK_NUMBERS[k + 1] * blocks;
    }
    for (let c = 0, run = 0; c < blocks; c++) {
      N[first + c] = kind[c];
      N[first + blocks + c] = sideA[c];
      N[first + 2 * blocks + c] = sideB[c];
      N[first + 3 * blocks + c] = endsRun(problem, c) ? pairs.lists[run++] : -1;
    }
    copyIn(F, N[at.COMPLIANCE], problem.compliance, blocks);
    copyIn(F, N[at.WRENCH_A], problem.wrenchA, 18 * blocks);
    copyIn(F, N[at.WRENCH_B], problem.wrenchB, 18 * blocks);
  }
}

/** Entries of the header for numbers of blocks, and how many each block has. */
const BLOCK_NUMBERS: readonly number[] = [
  ...[at.MU, 1, at.D, 1, at.COMPLIANCE, 1, at.NORMAL_W, 3, at.WRENCH_A, 18, at.WRENCH_B, 18, at.W, 9],
  ...[at.ANSWER_A, 18, at.ANSWER_B, 18, at.OWN_ANSWER, 18],
  ...[at.OFFSET, 3, at.LAMBDA, 3, at.U, 3, at.C, 3, at.TRIED_U, 3, at.TRIED, 3, at.BEST, 3, at.E, 3],
];

function write({ N }: KernelMachine, { base, integers, header }: Segment): void {
  N.set(integers, base);
  for (let k = 0; k < header.length; k += 2) N[header[k]] = header[k + 1];
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

/** Adds `count` numbers of a link to those of the moving link that carries it, at F[to...]. */
function addSome(F: Float64Array, to: number, count: number, node: number, from: Float64Array, link: number): void {
  if (node < 0) return;
  for (let k = 0; k < count; k++) F[to + count * node + k] += from[count * link + k];
}

function copyIn(F: Float64Array, to: number, from: Float64Array, count: number): void {
  for (let k = 0; k < count; k++) F[to + k] = from[k];
}

function copyOut(F: Float64Array, from: number, to: Float64Array, count: number): void {
  for (let k = 0; k < count; k++) to[k] = F[from + k];
}
