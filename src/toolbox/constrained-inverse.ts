// Inverse dynamics of a mechanism that stands on several supports and has motors in some joints only: which motor forces, support
// forces and loop forces produce a motion is not unique, and the criterion decides.
//
//   H qdd + C = tau + J^T x        x: forces of the supports and multipliers of the loops, J: their rows
//
// With t = H qdd + C of the open tree, tau = t - J^T x. Degrees of freedom without motors (N) say J_N^T x = t_N, so
// x = x0 + Z y with orthonormal Z; of those y the program (cone-program.ts) takes the one with
//
//   effort    sum of w tau^2 least, and a trace of the forces', which decides what no motor feels
//   forces    |x| least
//
// and forces of contacts in their cones |(x1, x2)| <= friction x0. The weight of a support's forces grows as its `share` falls
// from one to zero, where it is gone: the answer is continuous in it.

import type { Dynamics } from '../dynamics/dynamics.js';
import type { FrameName } from '../dynamics/frames.js';
import { loopForcesOf } from '../engines/plain/assembly/report.js';
import {
  type ClosedInverseScratch,
  createClosedInverse,
  foldColumns,
  nearest,
  orthogonalRows,
  updateConstraints,
} from '../engines/plain/closed-inverse.js';
import { foldForces, followSources } from '../engines/plain/couplings.js';
import { refuseForeign } from '../engines/plain/refuse.js';
import { MechanismError, SimulationError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';
import { rnea } from '../reference/rnea.js';
import { axisFrame, norm, scale, type Vec3 } from '../spatial/matrix3.js';
import { type ConeProgram, solveConeProgram } from './cone-program.js';
import { checkNumbers } from './numbers.js';

/** Where a mechanism is held up. */
export interface SupportPoint {
  /** The point of contact: a frame, or a point of it. A foot is several of them. */
  readonly frame: FrameName;
  /** 'contact' (where left out) only pushes, within its cone of friction; 'grip' takes any force and moment. */
  readonly kind?: 'contact' | 'grip';
  /** Of a contact: the direction in which it pushes the mechanism, in ground axes; against gravity where left out. */
  readonly normal?: Vec3;
  /** Coefficient of friction of a contact; one where left out. */
  readonly friction?: number;
  /** From one (where left out) to zero: let it fade before the support is gone, and its force fades, too. */
  readonly share?: number;
}

/** What is known, and what is wanted. */
export interface ConstrainedInverseOptions {
  readonly supports?: readonly SupportPoint[];
  /** Names of the joints with motors; where left out, all but floating joints. */
  readonly actuated?: readonly string[];
  /** 'effort' (where left out): least squares of the motors' forces. 'forces': of supports and loops. */
  readonly least?: 'effort' | 'forces';
  /** For 'effort', the weight of each degree of freedom; one where left out. */
  readonly weights?: Float64Array;
  /** No motor force is larger, one number for each degree of freedom; infinite ones are none. */
  readonly limits?: Float64Array;
  /** Forces on the bodies: 6 numbers each [moment, force] at the body's origin, in body coordinates. */
  readonly external?: Float64Array;
  /** Where the motion is impossible, what comes nearest to it, with what is missing; an error where left out. */
  readonly nearest?: boolean;
}

/** Force and moment of a support on the mechanism, at its point, in ground axes. */
export interface SupportForce {
  readonly force: Vec3;
  readonly moment: Vec3;
}

/** Forces that produce a motion. */
export interface ConstrainedInverse {
  /** Of the motors; zero in joints without one. */
  readonly tau: Float64Array;
  /** In the order of the supports. */
  readonly supports: readonly SupportForce[];
  /** Six for each loop joint: its force on body b, at that body's origin, body coordinates. */
  readonly loopForces: Float64Array;
  /** Forces that joints without motors would need besides, one for each degree of freedom: zero where the motion is possible. */
  readonly missing: Float64Array;
}

/** Weight of the forces beside the effort. */
export const TRACE = 1e-6;
/** Weight of what is missing beside all else, where something is. */
const DEMAND = 1e8;
/** Weight of the forces of a support that has all but faded: more would leave the program without digits. */
const GONE = 1e18;
const POSSIBLE = 1e-9;
const BROKEN = 1e-6;

const scratches = new WeakMap<Dynamics, ClosedInverseScratch>();

/** Motor forces, support forces and loop forces that give the mechanism the accelerations qdd (none where left out). */
export function constrainedInverse(
  door: Dynamics,
  state: State,
  qdd?: Float64Array,
  options: ConstrainedInverseOptions = {},
): ConstrainedInverse {
  const { mechanism, tree } = door;
  const { nv } = mechanism;
  refuseForeign(mechanism, state);
  checkOptions(nv, options);
  checkNumbers('q', state.q, mechanism.nq);
  checkNumbers('v', state.v, nv);
  if (qdd !== undefined) checkNumbers('qdd', qdd, nv);
  let closed = scratches.get(door);
  if (closed === undefined) {
    closed = createClosedInverse(tree);
    scratches.set(door, closed);
  }
  const accelerations = qdd?.slice() ?? new Float64Array(nv);
  followSources(mechanism, accelerations);
  const t = new Float64Array(nv);
  rnea(tree, closed.rnea, t, state.q, state.v, accelerations, null);
  subtractExternal(door, state, t, options.external);
  foldForces(mechanism, t);
  const broken = updateConstraints(tree, closed, state.q, state.v, accelerations);
  if (!(broken <= BROKEN))
    throw new SimulationError(
      'inconsistent',
      `The accelerations break the loop joints by ${broken.toPrecision(3)}; give those of a motion that the loops allow.`,
      { time: state.time },
    );
  const problem = new Problem(door, state, t, closed, options);
  const { x, missing } = problem.solve(state.time);
  const { supports, forces } = problem.forcesOf(x);
  const loopForces = new Float64Array(6 * mechanism.loops.length);
  closed.lambda.set(x.subarray(x.length - closed.m));
  loopForcesOf(tree, closed.loops, closed.lambda, loopForces);
  return { tau: forces, supports, loopForces, missing };
}

function checkOptions(nv: number, { weights, limits, least = 'effort' }: ConstrainedInverseOptions): void {
  if (least !== 'effort' && least !== 'forces')
    throw MechanismError.of('option', 'least', `There are 'effort' and 'forces', not "${String(least)}".`);
  if (weights !== undefined) {
    checkNumbers('weights', weights, nv);
    if (weights.some((weight) => weight < 0)) throw MechanismError.of('number', 'weights', 'Weights are not negative.');
  }
  if (limits === undefined) return;
  if (limits.length !== nv)
    throw MechanismError.of('length', 'limits', `Expected ${nv} numbers, got ${limits.length}.`);
  if (!limits.every((limit) => limit >= 0))
    throw MechanismError.of('number', 'limits', 'Limits are not negative; infinite ones are none.');
}

function subtractExternal(door: Dynamics, state: State, t: Float64Array, external: Float64Array | undefined): void {
  if (external === undefined) return;
  const { bodies, nv } = door.mechanism;
  checkNumbers('external', external, 6 * bodies.length);
  const J = new Float64Array(6 * nv);
  bodies.forEach(({ name }, b) => {
    if (external.subarray(6 * b, 6 * b + 6).every((value) => value === 0)) return;
    door.jacobian(state, name, { out: J });
    for (let c = 0; c < 6; c++) for (let k = 0; k < nv; k++) t[k] -= J[c * nv + k] * external[6 * b + c];
  });
}

/** Unknowns of one support: a unit of each is this force and moment. */
interface Placed {
  readonly from: number;
  readonly units: readonly { readonly force: Vec3; readonly moment: Vec3 }[];
  /** Zero where there is no cone. */
  readonly friction: number;
  readonly pushes: boolean;
  readonly share: number;
}

class Problem {
  readonly #mechanism: Mechanism;
  readonly #options: ConstrainedInverseOptions;
  readonly #t: Float64Array;
  readonly #placed: readonly (Placed | undefined)[];
  /** Unknowns. */
  readonly #n: number;
  /** n x nv */
  readonly #J: Float64Array;
  /** 1 for degrees of freedom with a motor. */
  readonly #motor: Uint8Array;
  /** Forces are counted in this unit. */
  readonly #unit: number;
  /** Length of the longest row of J. */
  readonly #size: number;

  constructor(
    door: Dynamics,
    state: State,
    t: Float64Array,
    closed: ClosedInverseScratch,
    options: ConstrainedInverseOptions,
  ) {
    const { mechanism } = door;
    const { nv } = mechanism;
    this.#mechanism = mechanism;
    this.#options = options;
    this.#t = t;
    this.#motor = motorsOf(mechanism, options.actuated);
    let n = 0;
    this.#placed = (options.supports ?? []).map((support) => {
      const placed = placeSupport(mechanism, support, n);
      n += placed?.units.length ?? 0;
      return placed;
    });
    this.#n = n + closed.m;
    this.#J = new Float64Array(this.#n * nv);
    const J6 = new Float64Array(6 * nv);
    this.#placed.forEach((placed, s) => {
      if (placed === undefined) return;
      door.jacobian(state, options.supports![s].frame, { in: 'aligned', out: J6 });
      placed.units.forEach(({ force, moment }, u) => {
        const row = (placed.from + u) * nv;
        for (let c = 0; c < 3; c++)
          for (let k = 0; k < nv; k++) this.#J[row + k] += moment[c] * J6[c * nv + k] + force[c] * J6[(3 + c) * nv + k];
      });
    });
    this.#J.set(closed.J, n * nv);
    foldColumns(mechanism, this.#J, this.#n);
    this.#unit = Math.max(largest(t), 1e-9);
    let size = 0;
    for (let row = 0; row < this.#n; row++) size = Math.max(size, length(this.#J, row * nv, nv));
    this.#size = size || 1;
  }

  /** Forces and multipliers x, and what no x provides. */
  solve(time: number): { readonly x: Float64Array; readonly missing: Float64Array } {
    const { nv } = this.#mechanism;
    const found = this.#exact() ?? this.#nearest(time);
    const missing = new Float64Array(nv);
    const torque = this.#torque(found);
    for (let k = 0; k < nv; k++) if (this.#motor[k] === 0) missing[k] = torque[k];
    const worst = largest(missing);
    if (worst > POSSIBLE * this.#unit && this.#options.nearest !== true) {
      const { joints, bodies } = this.#mechanism;
      const k = missing.findIndex((value) => Math.abs(value) === worst);
      const at = joints.findIndex(({ iv, model }) => iv <= k && k < iv + model.nv);
      throw new SimulationError(
        'unsupported',
        `The supports and motors cannot produce this motion: joint "${joints[at].name}", without a motor, would need ${worst.toPrecision(3)} N or Nm. Add supports or motors, or ask for the nearest.`,
        { joint: joints[at].name, body: bodies[at].name, time },
      );
    }
    if (worst <= POSSIBLE * this.#unit) missing.fill(0);
    return { x: found, missing };
  }

  /** The motors' forces, and those of the supports. */
  forcesOf(x: Float64Array): { readonly forces: Float64Array; readonly supports: readonly SupportForce[] } {
    const forces = this.#torque(x);
    for (let k = 0; k < forces.length; k++) if (this.#motor[k] === 0) forces[k] = 0;
    const supports = this.#placed.map((placed): SupportForce => {
      const [force, moment] = [
        [0, 0, 0],
        [0, 0, 0],
      ];
      placed?.units.forEach((unit, u) => {
        for (let c = 0; c < 3; c++) {
          force[c] += x[placed.from + u] * unit.force[c];
          moment[c] += x[placed.from + u] * unit.moment[c];
        }
      });
      return { force: [force[0], force[1], force[2]], moment: [moment[0], moment[1], moment[2]] };
    });
    return { forces, supports };
  }

  /** t - J^T x */
  #torque(x: Float64Array): Float64Array {
    const { nv } = this.#mechanism;
    const out = this.#t.slice();
    for (let row = 0; row < this.#n; row++) for (let k = 0; k < nv; k++) out[k] -= x[row] * this.#J[row * nv + k];
    return out;
  }

  /** Undefined where no forces within the cones give the joints without motors what they need. */
  #exact(): Float64Array | undefined {
    const [n, unit] = [this.#n, this.#unit];
    const { passive, A, b } = this.#passiveRows();
    // Rows of A^T made orthogonal: the last ones of V have no effect on joints without motors.
    const rows = orthogonalRows(A, n, passive, this.#size);
    const x0 = new Float64Array(n);
    const left = b.slice();
    // Twice: the second time with what rounding has left.
    for (let round = 0; round < 2; round++) {
      const more = nearest(rows, left, n, passive);
      for (let i = 0; i < n; i++) {
        x0[i] += more[i];
        for (let k = 0; k < passive; k++) left[k] -= more[i] * A[i * passive + k];
      }
    }
    if (largest(left) > POSSIBLE) return undefined;
    const free = n - rows.rank;
    const Z = rows.V.subarray(rows.rank * n);
    const y = minimum(substitute(this.#program(), x0, Z, free));
    if (y === undefined) return undefined;
    const x = x0.slice();
    for (let j = 0; j < free; j++) for (let i = 0; i < n; i++) x[i] += Z[j * n + i] * y[j];
    return x.map((value) => value * unit);
  }

  #nearest(time: number): Float64Array {
    const n = this.#n;
    const { passive, A, b } = this.#passiveRows();
    const program = this.#program();
    const weight = (DEMAND * traceOf(program.P, n)) / (n * this.#size ** 2);
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < passive; k++) program.c[i] -= weight * A[i * passive + k] * b[k];
      for (let j = 0; j < n; j++)
        for (let k = 0; k < passive; k++) program.P[i * n + j] += weight * A[i * passive + k] * A[j * passive + k];
    }
    const x = minimum(program);
    if (x === undefined)
      throw new SimulationError(
        'limits',
        'No forces of the supports keep the motors within their limits; give larger limits.',
        { time },
      );
    return x.map((value) => value * this.#unit);
  }

  /** Of joints without motors: J_N, n x passive, and t_N in our unit. */
  #passiveRows(): { readonly passive: number; readonly A: Float64Array; readonly b: Float64Array } {
    const { nv } = this.#mechanism;
    const at: number[] = [];
    for (let k = 0; k < nv; k++) if (this.#motor[k] === 0) at.push(k);
    const A = new Float64Array(this.#n * at.length);
    for (let row = 0; row < this.#n; row++)
      at.forEach((k, c) => {
        A[row * at.length + c] = this.#J[row * nv + k];
      });
    return { passive: at.length, A, b: Float64Array.from(at, (k) => this.#t[k] / this.#unit) };
  }

  /** The criterion and the cones, for x in our unit. */
  #program(): ConeProgram {
    const { nv } = this.#mechanism;
    const { least = 'effort', weights, limits } = this.#options;
    const [n, J, unit] = [this.#n, this.#J, this.#unit];
    const P = new Float64Array(n * n);
    const c = new Float64Array(n);
    if (least === 'effort')
      for (let k = 0; k < nv; k++) {
        const weight = this.#motor[k] * (weights?.[k] ?? 1);
        if (weight === 0) continue;
        for (let i = 0; i < n; i++) {
          const own = weight * J[i * nv + k];
          c[i] -= (own * this.#t[k]) / unit;
          for (let j = 0; j < n; j++) P[i * n + j] += own * J[j * nv + k];
        }
      }
    const typical = least === 'effort' ? traceOf(P, n) / Math.max(1, n) || 1 : 1;
    const base = least === 'effort' ? TRACE : 1;
    for (let i = 0; i < n; i++) P[i * n + i] += base * typical;
    for (const placed of this.#placed) {
      if (placed === undefined) continue;
      // At a tenth of its share a support weighs as much as the effort.
      const grown = placed.share ** (least === 'effort' ? -6 : -2);
      const more = base * typical * (Math.min(grown, GONE) - 1);
      placed.units.forEach((_, u) => {
        P[(placed.from + u) * (n + 1)] += more;
      });
    }
    const G: Float64Array[] = [];
    const h: number[] = [];
    /** -G <- entries of x. */
    const keep = (entries: readonly (readonly [index: number, factor: number])[], constant = 0): void => {
      const row = new Float64Array(n);
      for (const [i, factor] of entries) row[i] -= factor;
      G.push(row);
      h.push(constant);
    };
    for (let k = 0; k < nv; k++) {
      const limit = (limits?.[k] ?? Number.POSITIVE_INFINITY) / unit;
      if (this.#motor[k] === 0 || limit === Number.POSITIVE_INFINITY) continue;
      for (const sign of [1, -1])
        keep(
          Array.from({ length: n }, (_, i) => [i, sign * J[i * nv + k]] as const),
          limit - (sign * this.#t[k]) / unit,
        );
    }
    for (const placed of this.#placed) if (placed?.pushes && placed.friction === 0) keep([[placed.from, 1]]);
    const linear = h.length;
    for (const placed of this.#placed)
      if (placed?.pushes && placed.friction > 0) {
        keep([[placed.from, placed.friction]]);
        keep([[placed.from + 1, 1]]);
        keep([[placed.from + 2, 1]]);
      }
    const matrix = new Float64Array(h.length * n);
    G.forEach((row, r) => {
      matrix.set(row, r * n);
    });
    return { n, P, c, G: matrix, h: Float64Array.from(h), linear };
  }
}

/** The same program for y, x = x0 + Z^T y with `free` rows of Z. */
function substitute(
  { n, P, c, G, h, linear }: ConeProgram,
  x0: Float64Array,
  Z: Float64Array,
  free: number,
): ConeProgram {
  const times = (M: Float64Array, rows: number, x: Float64Array, o: number): Float64Array =>
    Float64Array.from({ length: rows }, (_, r) => {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += M[r * n + i] * x[o + i];
      return sum;
    });
  const rows = h.length;
  const [P2, c2, G2] = [new Float64Array(free * free), new Float64Array(free), new Float64Array(rows * free)];
  const slope = times(P, n, x0, 0).map((value, i) => value + c[i]);
  for (let j = 0; j < free; j++) {
    const PZ = times(P, n, Z, j * n);
    for (let i = 0; i < free; i++) for (let k = 0; k < n; k++) P2[i * free + j] += Z[i * n + k] * PZ[k];
    for (let k = 0; k < n; k++) c2[j] += Z[j * n + k] * slope[k];
    times(G, rows, Z, j * n).forEach((value, r) => {
      G2[r * free + j] = value;
    });
  }
  return { n: free, P: P2, c: c2, G: G2, h: times(G, rows, x0, 0).map((value, r) => h[r] - value), linear };
}

/** Undefined where nothing is allowed. */
function minimum(program: ConeProgram): Float64Array | undefined {
  const { status, x } = solveConeProgram(program);
  return status === 'solved' ? x : undefined;
}

function placeSupport(mechanism: Mechanism, support: SupportPoint, from: number): Placed | undefined {
  const { frame, kind = 'contact', normal, friction = 1, share = 1 } = support;
  const name = typeof frame === 'string' ? frame : frame.frame;
  if (kind !== 'contact' && kind !== 'grip')
    throw MechanismError.of('support', `support "${name}"`, `There are 'contact' and 'grip', not "${String(kind)}".`);
  if (!(share >= 0 && share <= 1))
    throw MechanismError.of('share', `support "${name}"`, `A share is between 0 and 1, not ${share}.`);
  if (!(friction >= 0 && friction < Number.POSITIVE_INFINITY))
    throw MechanismError.of('friction', `support "${name}"`, `A coefficient of friction is not ${friction}.`);
  if (share === 0) return undefined;
  const unit = (k: number): Vec3 => [k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0];
  const none: Vec3 = [0, 0, 0];
  if (kind === 'grip')
    return {
      from,
      units: [
        ...[0, 1, 2].map((k) => ({ force: unit(k), moment: none })),
        ...[0, 1, 2].map((k) => ({ force: none, moment: unit(k) })),
      ],
      friction: 0,
      pushes: false,
      share,
    };
  const up = normal ?? scale(-1, mechanism.gravity);
  const size = norm(up);
  if (normal === undefined && size === 0)
    throw MechanismError.of('normal', `support "${name}"`, 'Give a normal: without gravity there is no way up.');
  if (!(size > 0 && size < Number.POSITIVE_INFINITY))
    throw MechanismError.of('normal', `support "${name}"`, 'The normal must be three finite numbers, not all zero.');
  const [ax, ay, az, bx, by, bz, nx, ny, nz] = axisFrame(scale(1 / size, up));
  const directions: Vec3[] = [[nx, ny, nz]];
  if (friction > 0) directions.push([ax, ay, az], [bx, by, bz]);
  return { from, units: directions.map((force) => ({ force, moment: none })), friction, pushes: true, share };
}

/** 1 for each degree of freedom with a motor. */
function motorsOf(mechanism: Mechanism, actuated: readonly string[] | undefined): Uint8Array {
  const motor = new Uint8Array(mechanism.nv);
  const named = actuated?.map((name) => mechanism.joints[mechanism.jointIndex(name)]);
  for (const { iv, model } of named ?? mechanism.joints.filter(({ type }) => type !== 'floating'))
    motor.fill(1, iv, iv + model.nv);
  return motor;
}

function traceOf(P: Float64Array, n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += P[i * (n + 1)];
  return sum;
}

function length(x: Float64Array, o: number, count: number): number {
  let sum = 0;
  for (let k = o; k < o + count; k++) sum += x[k] * x[k];
  return Math.sqrt(sum);
}

const largest = (x: Float64Array): number => x.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
