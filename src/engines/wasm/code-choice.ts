// Which code runs the functions of a mechanism, and why: generic kernels, code made for the mechanism, or the readable
// algorithms. It depends on the mechanism and the options alone.

import type { Mechanism } from '../../mechanism/mechanism.js';
import type { Plan } from '../../plan/plan.js';
import type { FunctionName } from '../engine.js';
import { countVisits } from './generic.js';
import { type CompiledTask, jacobianTask } from './specialise.js';

export type Tier = 'plain' | 'generic' | 'specialised';

/**
 * When code for a mechanism is made: 'first-use' (the default) at the first call of each function, unless `ready` had it made
 * before; 'small' the same for what is made within some tens of milliseconds, and generic kernels for the rest; 'never'.
 */
export type When = 'first-use' | 'small' | 'never';

/** Mass matrices of deeper trees are left to the readable algorithm: code and tables grow with the square of the depth. */
const MAX_VISITS = 100_000;
/**
 * Up to these sizes 'small' makes code for the mechanism: links and, for the mass matrix, pairs of a link and one above it.
 * Milliseconds to make forward dynamics, first thing in a process / after five others (Node 20, two cores of an EPYC that
 * others used, too): human-34 70 / 20, chain-64 155 / 25, human-161 140 / 50, chain-128 210 / 40, chain-256 240 / 100; mass
 * matrix: human-34 30 / 15, chain-64 170 / 90, human-161 180 / 55, chain-256 570 / 310. Most of a first time is the warming
 * up of our own compiler; up to 64 links what follows it stays within some tens of milliseconds.
 */
const SMALL_LINKS = 64;
const SMALL_VISITS = 2048;

/** Code for every link is not made for mechanisms of more links; generic kernels, or blocks that share code, serve them. */
const MAX_WHOLE_LINKS = 800;

/**
 * Up to so many links 'small' makes code that blocks share: a free chain of 200 takes 115 ms to its first result, and 70
 * before that to be planned; a crowd of 580 links took 380 in all.
 */
const SMALL_SHARED_LINKS = 256;

/** Functions without generic kernels are left to the readable algorithms above so many links: code grows with them. */
const MAX_FUNCTION_LINKS = 256;

/** Tasks with generic kernels; code for the others is made for the mechanism, or not at all. */
export const GENERIC_TASKS: readonly CompiledTask[] = ['forward', 'forwardLoaded', 'inverse', 'massMatrix'];
const GENERIC: ReadonlySet<CompiledTask> = new Set(GENERIC_TASKS);

/** The code that a function runs; what is not here runs on the readable algorithms. */
export const TASK_OF: ReadonlyMap<string, CompiledTask> = new Map<FunctionName, CompiledTask>([
  ['forward', 'forward'],
  ['forward with external', 'forwardLoaded'],
  ['forward with jointForces', 'inverseForces'],
  ['inverse', 'inverse'],
  ['inverse with external', 'inverseLoaded'],
  ['inverse with jointForces', 'inverseForces'],
  ['massMatrix', 'massMatrix'],
  ['inverseMassMatrix', 'inverseMassMatrix'],
  ['solve', 'solve'],
  ['poses', 'poses'],
  ['velocities', 'velocities'],
  ['velocities with poses', 'posesAndVelocities'],
  ['jacobian', jacobianTask(0)],
  ['jacobians', 'jacobians'],
  ['centroidal', 'centroidal'],
  ['energy', 'energy'],
  ['inverseDerivatives', 'inverseDerivatives'],
  ['forwardDerivatives', 'forwardDerivatives'],
]);

export class CodeChoice {
  /** Whether generic kernels know this kind of mechanism; if not, code for it is made on the first call. */
  readonly hasGeneric: boolean;
  /** Whether the mass matrix is compiled. */
  readonly matrix: boolean;
  /** Whether code is made for functions that have no generic kernels. */
  readonly makesFunctions: boolean;
  /** Whether there is code for the forces in all joints: links merged by fixed joints hide those. */
  readonly forces: boolean;
  readonly #when: When;
  readonly #links: number;
  /** Pairs of a link and one above it. */
  readonly #visits: number;
  readonly #coupled: boolean;
  readonly #closed: boolean;
  readonly #sharesBlocks: () => boolean;

  /** `sharesBlocks`: whether blocks of links share the code of forward dynamics. */
  constructor({ couplings, loops }: Mechanism, { links, bodies }: Plan, when: When, sharesBlocks: () => boolean) {
    this.#coupled = couplings.length > 0;
    this.#closed = loops.length > 0;
    this.hasGeneric = !this.#coupled && !this.#closed;
    this.#when = when;
    this.#links = links.length;
    this.#visits = countVisits(links);
    this.matrix = this.#visits <= MAX_VISITS;
    this.makesFunctions = when !== 'never' && links.length <= MAX_FUNCTION_LINKS;
    const apart = links.length === bodies.length && bodies.every(({ link }) => link >= 0);
    this.forces = this.makesFunctions && this.hasGeneric && apart;
    this.#sharesBlocks = sharesBlocks;
  }

  /** Whether the first call of a task makes its code, and generic kernels must not run before. */
  onUse(task: CompiledTask): boolean {
    if (this.#when === 'first-use') return true;
    if (this.#when !== 'small') return false;
    if (this.#links <= SMALL_LINKS && (task !== 'massMatrix' || this.#visits <= SMALL_VISITS)) return true;
    // Code that blocks share is short, however many links there are.
    return task === 'forward' && this.#links <= SMALL_SHARED_LINKS && this.#sharesBlocks();
  }

  compiles(task: CompiledTask): boolean {
    return task !== 'massMatrix' || this.matrix;
  }

  /** Whether better code than generic kernels can be made for a task. */
  specialises(task: CompiledTask): boolean {
    return this.compiles(task) && (task === 'forward' || this.#links <= MAX_WHOLE_LINKS);
  }

  /** Whether whoever waits for the code of a task gets it. */
  readies(task: CompiledTask): boolean {
    if (this.#when === 'never' || !this.specialises(task)) return false;
    return this.hasGeneric && GENERIC.has(task) ? this.onUse(task) : this.makesFunctions;
  }

  /** What the first call of a task will run. */
  tier(task: CompiledTask): Tier {
    if (!this.compiles(task)) return 'plain';
    if (this.#coupled && task === 'solve') return 'plain';
    if (this.#closed && (task === 'inverse' || task === 'inverseLoaded' || task.endsWith('Derivatives')))
      return 'plain';
    if (task === 'inverseForces' && !this.forces) return 'plain';
    if (!this.hasGeneric || !GENERIC.has(task)) return this.makesFunctions ? 'specialised' : 'plain';
    return this.onUse(task) ? 'specialised' : 'generic';
  }

  /** Why there is no code for a task. */
  reason(task: CompiledTask): string {
    if (!this.compiles(task)) return 'the tree is so deep that code or tables for it would take too much memory.';
    if (this.#when === 'never') return 'there are no generic kernels for it.';
    if (this.#closed) return 'for closed loops only the plain engine has it.';
    if (this.#coupled) return 'for coupled joints only the plain engine has it.';
    if (this.makesFunctions) return 'with fixed joints or loops only the plain engine has it.';
    return `code for it is made up to ${MAX_FUNCTION_LINKS} moving links, and there are no generic kernels.`;
  }
}
