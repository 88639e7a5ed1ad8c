// The plain engine: the algorithms of this folder for one mechanism, in the author's order and coordinates. It can do
// everything; other engines fall back to it. States and lengths are checked by whoever calls (dynamics/dynamics.ts). Memory is taken on first use of an algorithm and kept; after that no call allocates if given its outputs.

import { MechanismError, SimulationError } from '../../mechanism/errors.js';
import { allFinite } from '../../mechanism/finite.js';
import { GROUND, type Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { boundByArmature, createTree, type Tree } from '../../mechanism/tree.js';
import { createPlan } from '../../plan/plan.js';
import { type AbaScratch, aba, createAba } from '../../reference/aba.js';
import { type CentroidalScratch, centroidal, createCentroidal } from '../../reference/centroidal.js';
import { crba } from '../../reference/crba.js';
import { createEnergy, type Energy, type EnergyScratch, energy } from '../../reference/energy.js';
import { createJacobian, type JacobianScratch, jacobian } from '../../reference/jacobian.js';
import { createKinematics, type KinematicsScratch, poses, velocities } from '../../reference/kinematics.js';
import { createRnea, type RneaScratch, rnea } from '../../reference/rnea.js';
import type { ScheduleTree } from '../../schedule/tree.js';
import { compose, forceToA, forceToB, invert, motionToA, TRANSFORM } from '../../spatial/spatial.js';
import type { Engine, ForwardDerivatives, InverseDerivatives, OutOption, Runs } from '../engine.js';
import { type AdaScratch, ada, CONTRADICTION, createAda } from './assembly/ada.js';
import { endToRootSchedule } from './assembly/orders.js';
import { type LoopReport, loopForces, loopForcesOf, loopReport, reportOn } from './assembly/report.js';
import type { MassMatrix } from './author-order.js';
import {
  type ClosedInverseScratch,
  createClosedInverse,
  pushLinks,
  shareLoad,
  updateConstraints,
} from './closed-inverse.js';
import { type CoupledAbaScratch, coupledAba, createCoupledAba } from './coupled-aba.js';
import { foldForces, followSources, reduceMatrix } from './couplings.js';
import { createDense, type DenseScratch, denseForwardDynamics } from './dense.js';
import { type ForwardAndInverseMass, PlainDerivatives } from './derivatives.js';
import { KernelForward } from './kernel-forward.js';
import { type InverseMassMatrix, MassMatrixSolver } from './mass-matrix-solver.js';
import { addPassiveForces } from './passive.js';
import { refuseContradiction, refuseSingular } from './refuse.js';
import { RerootMap } from './reroot-map.js';
import { weakJoint } from './weak-joints.js';

/** The readable algorithms of forward dynamics. */
export type ForwardAlgorithm = 'aba' | 'ada' | 'dense';

/** Options of forward dynamics: what acts from outside, what else is wanted, where results go. */
export interface ForwardOptions {
  /**
   * By default kernels made from formulas, O(n). By name the readable algorithms: 'aba' is O(n), with coupled joints too;
   * 'ada' assembles in the order of a schedule, and is what closed loops always take; 'dense' solves with the whole mass
   * matrix, O(n^3).
   */
  readonly algorithm?: ForwardAlgorithm;
  /** For 'ada', which it implies: the order of assembly. From the ends to the root, then the loops, where left out. */
  readonly schedule?: ScheduleTree;
  /** Forces on the bodies: 6 numbers each [moment, force] at the body's origin, in body coordinates. */
  readonly external?: Float64Array;
  /** Adds damping, friction and springs of the joints to tau. */
  readonly passive?: boolean;
  /** Inertia added to each degree of freedom in place of the joints' armature: how implicit integrators put damping in. */
  readonly armature?: Float64Array;
  /** Filled with 6 numbers for each joint: the whole force through it on the body it carries, body coordinates. */
  readonly jointForces?: Float64Array;
  /** Filled with 6 numbers for each loop joint: its force on body b, at that body's origin, body coordinates. */
  readonly loopForces?: Float64Array;
  /** Filled with the result and returned; made afresh where left out. */
  readonly out?: Float64Array;
}

/** Options of inverse dynamics. */
export interface InverseOptions extends Pick<ForwardOptions, 'external' | 'jointForces' | 'loopForces' | 'out'> {
  /**
   * Names of the joints that have motors: all others get no force. Where left out, every joint may have one, and closed
   * loops take the forces of least norm.
   */
  readonly actuated?: readonly string[];
}

export type { MassMatrix } from './author-order.js';

/** Accelerations given to inverse dynamics may break loops by this much. */
const BROKEN_TOLERANCE = 1e-6;
/** Forces that may be left in joints without motors, relative to the largest. */
const LEFT_TOLERANCE = 1e-8;

export class PlainDynamics implements Engine {
  readonly mechanism: Mechanism;
  readonly tree: Tree;
  readonly #reroot: RerootMap | undefined;
  readonly #tau: Float64Array;
  readonly #treeQdd: Float64Array;
  readonly #external: Float64Array;
  readonly #qdd: Float64Array;
  readonly #toBody = new Float64Array(TRANSFORM);
  #kernels: KernelForward | undefined;
  #weak: boolean | undefined;
  #aba: AbaScratch | undefined;
  #rerooted: KernelForward | undefined;
  #ada: AdaScratch | undefined;
  #schedule: ScheduleTree | undefined;
  #dense: DenseScratch | undefined;
  #coupled: CoupledAbaScratch | undefined;
  #closed: ClosedInverseScratch | undefined;
  #rnea: RneaScratch | undefined;
  #energy: EnergyScratch | undefined;
  #kinematics: KinematicsScratch | undefined;
  #jacobian: JacobianScratch | undefined;
  #centroidal: CentroidalScratch | undefined;
  #solver: MassMatrixSolver | undefined;
  #derivatives: PlainDerivatives | undefined;
  readonly #column = new Float64Array(6);

  /** `root`: the body at the root of forward dynamics, for free-flying mechanisms; results do not depend on it. */
  constructor(mechanism: Mechanism, options: { readonly root?: string } = {}) {
    this.mechanism = mechanism;
    this.tree = createTree(mechanism);
    if (options.root !== undefined) {
      const root = mechanism.bodyIndex(options.root);
      // Where armature binds a joint to the author's reading, the author's root does: results do not depend on it.
      if (mechanism.joints[root].parent !== GROUND && boundByArmature(mechanism, root) === undefined)
        this.#reroot = new RerootMap(this.tree, root);
    }
    const { nv, bodies } = mechanism;
    this.#tau = new Float64Array(nv);
    this.#treeQdd = new Float64Array(nv);
    this.#qdd = new Float64Array(nv);
    this.#external = new Float64Array(bodies.length * 6);
  }

  /** Accelerations of the joints under the joint forces tau (none where left out). */
  forward(state: State, tau?: Float64Array, options: ForwardOptions = {}): Float64Array {
    const { mechanism, tree } = this;
    const qdd = options.out ?? new Float64Array(mechanism.nv);
    const { q, v } = state;
    const total = this.#tau;
    if (tau === undefined) total.fill(0);
    else total.set(tau);
    if (options.passive === true) addPassiveForces(mechanism, total, q, v);
    const external = this.#externalToLinks(options.external);
    const armature = options.armature ?? tree.armature;
    const looped = mechanism.loops.length > 0;
    if (options.algorithm === 'dense') {
      this.#refuseLoops('the dense method');
      this.#dense ??= createDense(tree);
      refuseSingular(denseForwardDynamics(tree, this.#dense, qdd, q, v, total, external, armature), tree);
      if (options.jointForces !== undefined) this.#forcesByInverse(state, qdd, options);
    } else if (mechanism.couplings.length > 0) {
      this.#coupled ??= createCoupledAba(tree);
      const { closed } = this.#coupled;
      const status = coupledAba(tree, this.#coupled, qdd, q, v, total, external, armature);
      if (status === CONTRADICTION) refuseContradiction(state.time);
      refuseSingular(status, tree);
      if (options.jointForces !== undefined) {
        if (closed !== undefined) {
          pushLinks(closed);
          this.#forcesWithLoops(state, qdd, closed.push, external);
          this.#forcesToBodies(options.jointForces, this.#rnea!.f);
        } else this.#forcesByInverse(state, qdd, options);
      }
      if (closed !== undefined && options.loopForces !== undefined)
        loopForcesOf(tree, closed.loops, closed.lambda, options.loopForces);
    } else if (looped || options.algorithm === 'ada' || options.schedule !== undefined) {
      const scratch = this.#adaFor(options.schedule);
      const status = ada(tree, scratch, qdd, q, v, total, external, armature);
      if (status === CONTRADICTION) refuseContradiction(state.time);
      refuseSingular(status, tree);
      if (options.jointForces !== undefined) {
        this.#forcesToBodies(options.jointForces, scratch.forces);
      }
      if (options.loopForces !== undefined) loopForces(scratch, options.loopForces);
    } else if (this.#forwardByKernels(qdd, state, total, armature, options)) {
      if (options.jointForces !== undefined) this.#forcesByInverse(state, qdd, options);
      return qdd;
    } else {
      this.#aba ??= createAba(tree);
      refuseSingular(aba(tree, this.#aba, qdd, q, v, total, external, armature), tree);
      if (options.jointForces !== undefined) this.#forcesByInverse(state, qdd, options);
    }
    this.#refuseNonFinite(qdd, 'accelerations', state, total);
    return qdd;
  }

  /** The way of most calls. Where something is wrong the readable algorithm says what. */
  #forwardByKernels(
    qdd: Float64Array,
    { q, v }: State,
    tau: Float64Array,
    armature: Float64Array,
    { external, algorithm }: ForwardOptions,
  ): boolean {
    if (algorithm !== undefined || this.#watched()) return false;
    const map = this.#reroot?.keeps(armature) === true ? this.#reroot : undefined;
    if (map === undefined) {
      this.#kernels ??= new KernelForward(createPlan(this.tree));
      return this.#kernels.run(qdd, q, v, tau, external ?? null, armature) && allFinite(qdd);
    }
    this.#rerooted ??= new KernelForward(createPlan(map.tree));
    map.toTree(q, v, tau, external ?? null);
    if (!this.#rerooted.run(this.#treeQdd, map.q, map.v, map.tau, map.external, armature)) return false;
    map.fromTree(qdd, this.#treeQdd);
    return allFinite(qdd);
  }

  /** Whether some state of this mechanism has a singular mass matrix: kernels would not notice. */
  #watched(): boolean {
    this.#weak ??= weakJoint(this.tree) !== undefined;
    return this.#weak;
  }

  /** About the loops, as the last forward dynamics found them. */
  loopReport(): LoopReport {
    const closed = this.#coupled?.closed;
    if (closed !== undefined)
      return reportOn(this.tree, closed.loops, [{ ...closed, loops: [...closed.loops.loops.keys()] }]);
    return this.#ada === undefined
      ? { constraints: 0, rank: 0, indeterminate: [], warnings: [] }
      : loopReport(this.#ada);
  }

  /** The scratch memory for a schedule; kept while the schedule stays the same object. */
  #adaFor(schedule: ScheduleTree | undefined): AdaScratch {
    if (this.#ada === undefined || schedule !== this.#schedule) {
      this.#ada = createAda(this.tree, schedule ?? endToRootSchedule(this.tree));
      this.#schedule = schedule;
    }
    return this.#ada;
  }

  /** Joint forces that produce the accelerations qdd (none where left out). */
  inverse(state: State, qdd?: Float64Array, options: InverseOptions = {}): Float64Array {
    const { mechanism, tree } = this;
    const tau = options.out ?? new Float64Array(mechanism.nv);
    const given = this.#qdd;
    if (qdd === undefined) given.fill(0);
    else given.set(qdd);
    followSources(mechanism, given);
    this.#rnea ??= createRnea(tree);
    const external = this.#externalToLinks(options.external);
    rnea(tree, this.#rnea, tau, state.q, state.v, given, external);
    foldForces(mechanism, tau);
    if (mechanism.loops.length > 0 || options.actuated !== undefined) {
      const scratch = this.#loopShare(state, given, tau, options);
      if (options.jointForces !== undefined) this.#forcesWithLoops(state, given, scratch.push, external);
    }
    if (options.jointForces !== undefined) this.#forcesToBodies(options.jointForces, this.#rnea.f);
    this.#refuseNonFinite(tau, 'forces', state, given);
    return tau;
  }

  /** tau <- what of the forces of the open tree the joints do themselves, the loops having done the rest. */
  #loopShare(state: State, qdd: Float64Array, tau: Float64Array, options: InverseOptions): ClosedInverseScratch {
    const { mechanism, tree } = this;
    this.#closed ??= createClosedInverse(tree);
    const scratch = this.#closed;
    const broken = updateConstraints(tree, scratch, state.q, state.v, qdd);
    const { time } = state;
    if (!(broken <= BROKEN_TOLERANCE))
      throw new SimulationError(
        'inconsistent',
        `The accelerations break the loop joints by ${broken.toPrecision(3)} (relative to 1 m/s^2 or rad/s^2, and to what the velocities demand). Give those of a motion that the loops allow, for example of forward dynamics.`,
        { time },
      );
    const passive = options.actuated === undefined ? undefined : passiveJoints(mechanism, options.actuated);
    const left = shareLoad(tree, scratch, tau, passive);
    if (!(left <= LEFT_TOLERANCE))
      throw new SimulationError(
        'not-actuated',
        `The actuated joints (${options.actuated!.join(', ')}) cannot produce this motion: joints without motors would need forces of ${left.toPrecision(3)} relative to the largest. Name more joints.`,
        { time },
      );
    pushLinks(scratch);
    if (options.loopForces !== undefined) loopForcesOf(tree, scratch.loops, scratch.lambda, options.loopForces);
    return scratch;
  }

  /** The mass matrix, rows and columns in the order of v; that of the independent joints where there are couplings. */
  massMatrix(state: State, { out }: OutOption = {}): MassMatrix {
    const { tree } = this;
    this.#dense ??= createDense(tree);
    const { rows: m, joints, crba: scratch } = this.#dense;
    const H = out ?? new Float64Array(m * m);
    crba(tree, scratch, state.q);
    reduceMatrix(H, scratch.H, this.#dense);
    return { n: m, H, joints };
  }

  /** The inverse of the mass matrix. */
  inverseMassMatrix(state: State, { out }: OutOption = {}): InverseMassMatrix {
    this.#solver ??= new MassMatrixSolver(this.mechanism, this.tree);
    return this.#solver.inverse(state, out);
  }

  /** x with H x = b. */
  solve(state: State, b: Float64Array, { out }: OutOption = {}): Float64Array {
    this.#solver ??= new MassMatrixSolver(this.mechanism, this.tree);
    return this.#solver.solve(state, b, out);
  }

  /** out <- H^-1 B, nv x nv; false where the inverse is the better way. */
  solveColumns(state: State, B: Float64Array, out: Float64Array): boolean {
    this.#solver ??= new MassMatrixSolver(this.mechanism, this.tree);
    return this.#solver.solveColumns(state, B, out);
  }

  /** Of the joint forces that produce qdd, with respect to positions and velocities. */
  inverseDerivatives(state: State, qdd: Float64Array, out: InverseDerivatives): true {
    this.#derivatives ??= new PlainDerivatives(this);
    this.#derivatives.inverse(state, qdd, out);
    return true;
  }

  /** Of the accelerations under tau, with respect to positions, velocities and tau. `by`: who computes accelerations and H^-1. */
  forwardDerivatives(state: State, tau: Float64Array, out: ForwardDerivatives, by?: ForwardAndInverseMass): true {
    this.#derivatives ??= new PlainDerivatives(this);
    this.#derivatives.forward(state, tau, out, by);
    return true;
  }

  runs(): Runs {
    return { engine: 'plain' };
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  readonly notes: readonly string[] = [];

  dispose(): void {}

  energy(state: State): Energy {
    this.#energy ??= createEnergy(this.tree);
    return energy(this.tree, this.#energy, state.q, state.v);
  }

  /** Pose of every body: 12 numbers each, ground to body frame (E row major, then the origin in ground coordinates). */
  poses(state: State, out: Float64Array = new Float64Array(this.mechanism.bodies.length * TRANSFORM)): Float64Array {
    const { tree } = this;
    this.#kinematics ??= createKinematics(tree);
    poses(tree, this.#kinematics, state.q);
    const toBody = this.#toBody;
    for (let i = 0; i < tree.n; i++) {
      invert(toBody, 0, tree.offset, TRANSFORM * i);
      compose(out, TRANSFORM * tree.body[i], toBody, 0, this.#kinematics.pose, TRANSFORM * i);
    }
    return out;
  }

  /** Spatial velocity of every body: 6 numbers each [angular, linear] at its origin, body coordinates. `poses`: filled too. */
  velocities(
    state: State,
    out: Float64Array = new Float64Array(this.mechanism.bodies.length * 6),
    poses?: Float64Array,
  ): Float64Array {
    if (poses !== undefined) this.poses(state, poses);
    const { tree } = this;
    this.#kinematics ??= createKinematics(tree);
    velocities(tree, this.#kinematics, state.q, state.v);
    for (let i = 0; i < tree.n; i++)
      motionToA(out, 6 * tree.body[i], tree.offset, TRANSFORM * i, this.#kinematics.v, 6 * i);
    return out;
  }

  /** Jacobian of a body, by index: 6 x nv, row major; times v it gives the body's spatial velocity in body coordinates. */
  jacobian(state: State, body: number, out: Float64Array = new Float64Array(6 * this.mechanism.nv)): Float64Array {
    const { tree } = this;
    const { nv } = this.mechanism;
    const i = tree.link[body];
    this.#jacobian ??= createJacobian(tree);
    jacobian(tree, this.#jacobian, out, state.q, i);
    const column = this.#column;
    for (let k = 0; k < nv; k++) {
      for (let row = 0; row < 6; row++) column[row] = out[row * nv + k];
      motionToA(column, 0, tree.offset, TRANSFORM * i, column, 0);
      for (let row = 0; row < 6; row++) out[row * nv + k] = column[row];
    }
    return out;
  }

  /**
   * The columns of all Jacobians: 6 x nv, row major. Column k is the motion that one unit of degree of freedom k gives the
   * bodies it carries, in ground coordinates at the ground's origin.
   */
  jacobians(state: State, J: Float64Array = new Float64Array(6 * this.mechanism.nv)): Float64Array {
    const { tree } = this;
    this.#kinematics ??= createKinematics(tree);
    poses(tree, this.#kinematics, state.q);
    const { pose, S } = this.#kinematics;
    const { nv } = this.mechanism;
    const column = new Float64Array(6);
    for (let i = 0; i < tree.n; i++)
      for (let k = tree.dof[i]; k < tree.dof[i + 1]; k++) {
        motionToA(column, 0, pose, TRANSFORM * i, S, 6 * k);
        for (let row = 0; row < 6; row++) J[row * nv + tree.iv[i] + k - tree.dof[i]] = column[row];
      }
    return J;
  }

  /** The centroidal momentum matrix: 6 x nv, row major. */
  centroidal(state: State, out: Float64Array = new Float64Array(6 * this.mechanism.nv)): Float64Array {
    this.#centroidal ??= createCentroidal(this.tree);
    centroidal(this.tree, this.#centroidal, out, state.q);
    return out;
  }

  #forcesByInverse(state: State, qdd: Float64Array, options: ForwardOptions): void {
    const { external, jointForces } = options;
    this.inverse(state, qdd, {
      out: this.#treeQdd,
      jointForces: jointForces!,
      ...(external !== undefined && { external }),
    });
  }

  /** External forces from body to link coordinates and order. */
  #externalToLinks(given: Float64Array | undefined): Float64Array | null {
    if (given === undefined) return null;
    const { tree } = this;
    for (let i = 0; i < tree.n; i++)
      forceToB(this.#external, 6 * i, tree.offset, TRANSFORM * i, given, 6 * tree.body[i]);
    return this.#external;
  }

  #forcesToBodies(out: Float64Array, forces: Float64Array): void {
    const { tree } = this;
    for (let i = 0; i < tree.n; i++) forceToA(out, 6 * tree.body[i], tree.offset, TRANSFORM * i, forces, 6 * i);
  }

  /** Inverse dynamics with what the loop joints do to the links, besides forces from outside. */
  #forcesWithLoops({ q, v }: State, qdd: Float64Array, push: Float64Array, external: Float64Array | null): void {
    const pushed = this.#external;
    for (let k = 0; k < pushed.length; k++) pushed[k] = push[k] + (external === null ? 0 : external[k]);
    this.#rnea ??= createRnea(this.tree);
    rnea(this.tree, this.#rnea, this.#treeQdd, q, v, qdd, pushed);
  }

  #refuseLoops(what: string): void {
    const [loop] = this.mechanism.loops;
    if (loop !== undefined)
      throw MechanismError.of(
        'loops',
        `loop "${loop.name}"`,
        `This mechanism has closed loops, for which ${what} is not made. Remove the loop joints to compute the open tree.`,
      );
  }

  /** Complains about the first number that is not finite: of what was given, since that is the cause, or of the result. */
  #refuseNonFinite(result: Float64Array, what: string, state: State, given: Float64Array): void {
    if (allFinite(result)) return;
    const { time } = state;
    const bad = (values: Float64Array, from: number, count: number): number | undefined =>
      values.subarray(from, from + count).find((value) => !Number.isFinite(value));
    for (const [values, label] of [
      [state.q, 'position'],
      [state.v, 'velocity'],
      [given, what === 'forces' ? 'acceleration' : 'force'],
      [result, `computed ${what}`],
    ] as const) {
      const positions = values === state.q;
      for (const [i, { name: joint, iq, iv, model }] of this.mechanism.joints.entries()) {
        const value = positions ? bad(values, iq, model.nq) : bad(values, iv, model.nv);
        if (value === undefined) continue;
        const body = this.mechanism.bodies[i].name;
        const message = `The ${label} of joint "${joint}" (body "${body}") at time ${time} is ${value}, not a finite number.`;
        throw new SimulationError('not-finite', message, { body, joint, time });
      }
    }
  }
}

/** 1 for each degree of freedom that has no motor. */
function passiveJoints(mechanism: Mechanism, actuated: readonly string[]): Uint8Array {
  const passive = new Uint8Array(mechanism.nv).fill(1);
  for (const name of actuated) {
    const { iv, model } = mechanism.joints[mechanism.jointIndex(name)];
    passive.fill(0, iv, iv + model.nv);
  }
  return passive;
}
