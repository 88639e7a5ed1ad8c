// What else is known of a mechanism in a state: its centre of mass and momentum, the parts of its joint forces, the inertia that
// frames feel, and how forces and energies follow from the inertial parameters. Symbols as in reference/inverse-derivatives.ts.

import type { Dynamics } from '../dynamics/dynamics.js';
import { type FrameName, frameOf, type InOption } from '../dynamics/frames.js';
import { refuseForeign } from '../engines/plain/refuse.js';
import { MechanismError } from '../mechanism/errors.js';
import { State } from '../mechanism/state.js';
import type { Tree } from '../mechanism/tree.js';
import { columnMotions } from '../reference/column-motions.js';
import {
  addTwiceB,
  createInverseDerivatives,
  type InverseDerivativesScratch,
  subtreeSums,
} from '../reference/inverse-derivatives.js';
import { OperationalInertiaSolver } from '../reference/operational-inertia.js';
import { add, apply, cross, scale, subtract, type Vec3 } from '../spatial/matrix3.js';
import { addCrossForce, dot6, INERTIA, inertiaTimes } from '../spatial/spatial.js';

const scratches = new WeakMap<Dynamics, InverseDerivativesScratch>();
const solvers = new WeakMap<Dynamics, OperationalInertiaSolver>();

/** Motions of the columns and sums of the subtrees at a state. */
function motions(door: Dynamics, state: State, qdd: Float64Array | undefined): InverseDerivativesScratch {
  const { mechanism, tree } = door;
  refuseForeign(mechanism, state);
  if (qdd !== undefined && qdd.length !== mechanism.nv)
    throw MechanismError.of('length', 'qdd', `Expected ${mechanism.nv} numbers, got ${qdd.length}.`);
  let scratch = scratches.get(door);
  if (scratch === undefined) {
    scratch = createInverseDerivatives(tree);
    scratches.set(door, scratch);
  }
  columnMotions(tree, scratch, state.q, state.v, qdd ?? null, false);
  subtreeSums(tree, scratch);
  return scratch;
}

/**
 * The centre of mass and momentum about it, in axes of the ground; gravity is not part of accelerations. As in `centroidal`, bodies
 * that are welded to the ground do not count; where nothing else has mass the centre is the ground's origin.
 */
export interface CentroidalMotion {
  readonly mass: number;
  readonly position: Vec3;
  readonly velocity: Vec3;
  readonly acceleration: Vec3;
  /** 3 x nv, row major: times v it is the velocity of the centre. */
  readonly jacobian: Float64Array;
  /** Angular momentum about the centre of mass, then linear momentum. */
  readonly momentum: Float64Array;
  readonly momentumRate: Float64Array;
  /** 6 x nv, row major: times v it is the momentum. */
  readonly matrix: Float64Array;
  /** The rate of that matrix along v. */
  readonly matrixRate: Float64Array;
}

const [unitForce, unitRate] = [new Float64Array(6), new Float64Array(6)];
const [momentumSum, forceSum] = [new Float64Array(6), new Float64Array(6)];
/** Mass and first moments, and the centre of mass. */
const [total, centre] = [new Float64Array(4), new Float64Array(3)];

/** Memory for `centroidalMotion`. */
function newCentroidalMotion(nv: number): CentroidalMotion {
  const numbers = (count: number): Float64Array => new Float64Array(count);
  const [position, velocity, acceleration]: [Vec3, Vec3, Vec3] = [
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ];
  const [momentum, momentumRate] = [numbers(6), numbers(6)];
  const [jacobian, matrix, matrixRate] = [numbers(3 * nv), numbers(6 * nv), numbers(6 * nv)];
  return { mass: 0, position, velocity, acceleration, jacobian, momentum, momentumRate, matrix, matrixRate };
}

/**
 * Centre of mass, its Jacobian, and the centroidal momentum matrix with its rate. `qdd`: accelerations of the joints, for
 * those of the centre; none where left out. `out`: what an earlier call gave, to be filled again.
 */
export function centroidalMotion(
  door: Dynamics,
  state: State,
  options: { readonly qdd?: Float64Array; readonly out?: CentroidalMotion } = {},
): CentroidalMotion {
  const { tree, mechanism } = door;
  const { nv } = mechanism;
  const out: Filled<CentroidalMotion> = options.out ?? newCentroidalMotion(nv);
  const { jacobian, matrix, matrixRate, momentum, momentumRate } = out;
  if (jacobian.length !== 3 * nv) refuseOut('out.jacobian', 3 * nv, jacobian.length);
  if (matrix.length !== 6 * nv) refuseOut('out.matrix', 6 * nv, matrix.length);
  if (matrixRate.length !== 6 * nv) refuseOut('out.matrixRate', 6 * nv, matrixRate.length);
  if (momentum.length !== 6) refuseOut('out.momentum', 6, momentum.length);
  if (momentumRate.length !== 6) refuseOut('out.momentumRate', 6, momentumRate.length);
  const scratch = motions(door, state, options.qdd);
  const { S, rate, inertia, momentum: sums, force } = scratch;
  momentumSum.fill(0);
  forceSum.fill(0);
  total.fill(0);
  for (let i = 0; i < tree.n; i++) {
    if (!movesFirst(tree, i)) continue;
    for (let c = 0; c < 4; c++) total[c] += inertia[INERTIA * i + c];
    for (let c = 0; c < 6; c++) {
      momentumSum[c] += sums[6 * i + c];
      forceSum[c] += force[6 * i + c];
    }
  }
  const mass = total[0];
  const perMass = mass > 0 ? 1 / mass : 0;
  out.mass = mass;
  for (let c = 0; c < 3; c++) {
    centre[c] = perMass * total[1 + c];
    (out.position as Filled<Vec3>)[c] = centre[c];
    (out.velocity as Filled<Vec3>)[c] = perMass * momentumSum[3 + c];
    (out.acceleration as Filled<Vec3>)[c] = perMass * forceSum[3 + c];
  }
  const [F, dF] = [unitForce, unitRate];
  for (let i = 0; i < tree.n; i++)
    for (let k = tree.dof[i]; k < tree.dof[i + 1]; k++) {
      const at = tree.iv[i] + k - tree.dof[i];
      // dI/dt m = v x* I m - I (v x m) = B m - m x* I v, summed over the subtree.
      F.fill(0);
      addCrossForce(F, 0, S, 6 * k, sums, 6 * i);
      inertiaTimes(dF, 0, inertia, INERTIA * i, rate, 6 * k);
      for (let c = 0; c < 6; c++) dF[c] -= F[c];
      addTwiceB(dF, 0, scratch, i, S, 6 * k);
      inertiaTimes(F, 0, inertia, INERTIA * i, S, 6 * k);
      setAbout(matrix, at, nv, F);
      setAbout(matrixRate, at, nv, dF);
      for (let c = 0; c < 3; c++) {
        jacobian[c * nv + at] = perMass * F[3 + c];
        // The centre itself moves.
        const [d, e] = [NEXT[c], NEXT[c + 1]];
        matrixRate[c * nv + at] -= perMass * (momentumSum[3 + d] * F[3 + e] - momentumSum[3 + e] * F[3 + d]);
      }
    }
  setAbout(momentum, 0, 1, momentumSum);
  setAbout(momentumRate, 0, 1, forceSum);
  return out;
}

const NEXT = [1, 2, 0, 1];

/** A result that is filled in place. */
type Filled<T> = { -readonly [key in keyof T]: T[key] };

function refuseOut(what: string, expected: number, got: number): never {
  throw MechanismError.of('length', what, `Expected ${expected} numbers, got ${got}.`);
}

/** A column of out <- a force, its moment about `centre` in place of the ground's origin. */
function setAbout(out: Float64Array, at: number, stride: number, f: Float64Array): void {
  for (let c = 0; c < 3; c++) {
    const [d, e] = [NEXT[c], NEXT[c + 1]];
    out[c * stride + at] = f[c] - (centre[d] * f[3 + e] - centre[e] * f[3 + d]);
    out[(3 + c) * stride + at] = f[3 + c];
  }
}

/** Whether a link is the first on its way from the ground that can move. */
function movesFirst({ dof, parent }: Tree, link: number): boolean {
  if (dof[link + 1] === dof[link]) return false;
  for (let i = parent[link]; i >= 0; i = parent[i]) if (dof[i + 1] > dof[i]) return false;
  return true;
}

const atRest = new WeakMap<Dynamics, State>();

/** Joint forces that hold the mechanism still against gravity: inverse dynamics at rest. */
export function gravityForces(door: Dynamics, state: State, out?: Float64Array): Float64Array {
  refuseForeign(door.mechanism, state);
  let still = atRest.get(door);
  if (still === undefined) {
    still = new State(door.mechanism);
    atRest.set(door, still);
  }
  still.q.set(state.q);
  return biasForces(door, still, out);
}

const into: { out: Float64Array } = { out: new Float64Array(0) };

/** Joint forces at no acceleration, C v + g: gravity, centrifugal and Coriolis forces. */
export function biasForces(door: Dynamics, state: State, out?: Float64Array): Float64Array {
  if (out === undefined) return door.inverse(state);
  into.out = out;
  return door.inverse(state, undefined, into);
}

/**
 * C with C v = bias - gravity and dH/dt - 2 C skew: C = sum over bodies of J^T (I dJ/dt + B J / 2), nv x nv, row major, for all
 * joints of the tree (coupled ones as if they were not).
 */
export function coriolisMatrix(
  door: Dynamics,
  state: State,
  out: Float64Array = new Float64Array(door.mechanism.nv ** 2),
): Float64Array {
  const { tree, mechanism } = door;
  const { nv } = mechanism;
  if (out.length !== nv * nv) refuseOut('out', nv * nv, out.length);
  const scratch = motions(door, state, undefined);
  const { S } = scratch;
  out.fill(0);
  // The bodies that two degrees of freedom both move are the subtree of the further one.
  for (let i = 0; i < tree.n; i++)
    for (let k = tree.dof[i]; k < tree.dof[i + 1]; k++) {
      const row = tree.iv[i] + k - tree.dof[i];
      for (let b = i; b >= 0; b = tree.parent[b])
        for (let j = tree.dof[b]; j < tree.dof[b + 1]; j++) {
          const column = tree.iv[b] + j - tree.dof[b];
          respond(scratch, i, j);
          out[nv * row + column] = dot6(S, 6 * k, unitForce, 0);
          respond(scratch, i, k);
          out[nv * column + row] = dot6(S, 6 * j, unitForce, 0);
        }
    }
  return out;
}

/** unitForce <- I dJ/dt + B J / 2 of the subtree of a link, for the degree of freedom k. */
function respond(scratch: InverseDerivativesScratch, link: number, k: number): void {
  const [force, own] = [unitForce, unitRate];
  force.fill(0);
  addTwiceB(force, 0, scratch, link, scratch.S, 6 * k);
  inertiaTimes(own, 0, scratch.inertia, INERTIA * link, scratch.rate, 6 * k);
  for (let c = 0; c < 6; c++) force[c] = force[c] / 2 + own[c];
}

/** J H^-1 J^T of a set of frames, and their Jacobians. */
export interface OperationalInertia {
  /** Rows: six for each frame. */
  readonly rows: number;
  /** rows x rows, row major: the accelerations of the frames under unit forces at them. Its inverse is the inertia they feel. */
  readonly inverse: Float64Array;
  /** rows x nv, row major. */
  readonly jacobian: Float64Array;
}

/**
 * How frames answer to forces at them. Of an open tree by articulated bodies (reference/operational-inertia.ts), O(n + m d + m^2 d) for m
 * rows and depth d; with loops and coupled joints by d qdd / d tau of forward dynamics, which holds both. What a loop itself feels: two
 * frames of the open tree against each other, with `relativeTo`.
 */
export function operationalInertia(
  door: Dynamics,
  state: State,
  frames: readonly FrameName[],
  options: InOption = {},
): OperationalInertia {
  const { mechanism } = door;
  const { nv } = mechanism;
  const rows = 6 * frames.length;
  const jacobian = new Float64Array(rows * nv);
  frames.forEach((frame, n) => {
    door.jacobian(state, frame, { ...options, out: jacobian.subarray(6 * n * nv, 6 * (n + 1) * nv) });
  });
  const inverse = new Float64Array(rows * rows);
  if (mechanism.couplings.length > 0 || mechanism.loops.length > 0) {
    const { dtau } = door.forwardDerivatives(state);
    for (let i = 0; i < rows; i++)
      for (let k = 0; k < nv; k++) {
        let answer = 0;
        for (let l = 0; l < nv; l++) answer += jacobian[i * nv + l] * dtau[l * nv + k];
        for (let j = 0; j < rows; j++) inverse[i * rows + j] += answer * jacobian[j * nv + k];
      }
    return { rows, inverse, jacobian };
  }
  const { tree } = door;
  const solver = solvers.get(door) ?? new OperationalInertiaSolver(tree);
  solvers.set(door, solver);
  const columns = motions(door, state, undefined);
  // The inverse of the mass matrix says what is wrong.
  if (!solver.update(columns)) door.inverseMassMatrix(state);
  const linkOf = (frame: FrameName): number => tree.link[frameOf(mechanism, frame).body];
  const others = options.relativeTo === undefined ? [] : [linkOf(options.relativeTo)];
  const carriers = frames.map((frame) => solver.carriers([linkOf(frame), ...others]));
  const answers = new Float64Array(rows * nv);
  for (let i = 0; i < rows; i++) {
    const answer = answers.subarray(i * nv, (i + 1) * nv);
    const own = carriers[Math.floor(i / 6)];
    solver.solve(answer, jacobian.subarray(i * nv, (i + 1) * nv), columns, own);
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (const link of own)
        for (let k = tree.dof[link]; k < tree.dof[link + 1]; k++) sum += answer[k] * answers[j * nv + k];
      inverse[i * rows + j] = inverse[j * rows + i] = sum;
    }
  }
  return { rows, inverse, jacobian };
}

/** The inertial parameters of a body, in this order; inertia about the origin of the body's frame, in its axes. */
export const INERTIAL_PARAMETERS = ['m', 'mcx', 'mcy', 'mcz', 'Ixx', 'Ixy', 'Iyy', 'Ixz', 'Iyz', 'Izz'] as const;

/** The inertial parameters of all bodies, ten each, in the order of the bodies. */
export function inertialParameters({ mechanism }: Pick<Dynamics, 'mechanism'>): Float64Array {
  return Float64Array.from(
    mechanism.bodies.flatMap(({ mass: m, com: [x, y, z], inertia: I }) => [
      m,
      m * x,
      m * y,
      m * z,
      I[0] + m * (y * y + z * z),
      I[1] - m * x * y,
      I[4] + m * (x * x + z * z),
      I[2] - m * x * z,
      I[5] - m * y * z,
      I[8] + m * (x * x + y * y),
    ]),
  );
}

/** How forces and energies follow from the inertial parameters of the bodies, ten each. */
export interface Regressor {
  /**
   * nv x 10 bodies, row major: times the parameters it gives the joint forces of inverse dynamics, less armature, for all joints of
   * the tree (coupled ones as if they were not).
   */
  readonly torque: Float64Array;
  /** 10 bodies: times the parameters, the kinetic energy of the bodies; and their potential energy. */
  readonly kinetic: Float64Array;
  readonly potential: Float64Array;
}

/** The regressors at a state and the accelerations qdd (none where left out). */
export function regressor(door: Dynamics, state: State, qdd?: Float64Array): Regressor {
  const { mechanism } = door;
  const { nv, bodies } = mechanism;
  const width = 10 * bodies.length;
  const [torque, kinetic, potential] = [new Float64Array(nv * width), new Float64Array(width), new Float64Array(width)];
  const J = new Float64Array(6 * nv);
  const g = mechanism.gravity;
  bodies.forEach(({ name }, b) => {
    const { E, t } = door.pose(state, name);
    const { angular: w, linear: v } = door.velocity(state, name);
    const moved = door.acceleration(state, name, { ...(qdd !== undefined && { qdd }), classical: true });
    const alpha = moved.angular;
    const down = apply(E, g);
    const a = subtract(moved.linear, down);
    door.jacobian(state, name, { out: J });
    const columns = forceColumns(w, alpha, a);
    columns.forEach((column, p) => {
      for (let k = 0; k < nv; k++) {
        let sum = 0;
        for (let c = 0; c < 6; c++) sum += J[c * nv + k] * column[c];
        torque[k * width + 10 * b + p] = sum;
      }
    });
    // m |v|^2 / 2 + v . (w x mc) + w . I w / 2
    const [x, y, z] = w;
    const turned = cross(v, w);
    kinetic.set(
      [(v[0] ** 2 + v[1] ** 2 + v[2] ** 2) / 2, ...turned, x ** 2 / 2, x * y, y ** 2 / 2, x * z, y * z, z ** 2 / 2],
      10 * b,
    );
    potential.set([-(g[0] * t[0] + g[1] * t[1] + g[2] * t[2]), ...scale(-1, down)], 10 * b);
  });
  return { torque, kinetic, potential };
}

/** How forces and accelerations change with the inertial parameters of the bodies, ten each: nv x 10 bodies, row major. */
export interface InertialDerivatives {
  /** Of the joint forces that produce the accelerations qdd. */
  readonly inverse: Float64Array;
  /** Of the accelerations under the joint forces. */
  readonly forward: Float64Array;
  /** The accelerations. */
  readonly qdd: Float64Array;
}

/**
 * Derivatives with respect to the inertial parameters (`inertialParameters`) at a state, under the joint forces tau (none where
 * left out): forces are linear in them, by the regressor Y, so with d qdd / d tau of forward dynamics, couplings and loops
 * included, d qdd = -(d qdd / d tau) Y.
 */
export function inertialDerivatives(door: Dynamics, state: State, tau?: Float64Array): InertialDerivatives {
  const { nv, bodies } = door.mechanism;
  const width = 10 * bodies.length;
  const { qdd, dtau } = door.forwardDerivatives(state, tau);
  const { torque } = regressor(door, state, qdd);
  const forward = new Float64Array(nv * width);
  for (let i = 0; i < nv; i++)
    for (let k = 0; k < nv; k++) {
      const factor = dtau[i * nv + k];
      if (factor === 0) continue;
      for (let p = 0; p < width; p++) forward[i * width + p] -= factor * torque[k * width + p];
    }
  for (const { joint, source, multiplier } of door.mechanism.couplings) {
    const [follower, own] = [door.mechanism.joints[joint].iv, door.mechanism.joints[source].iv];
    for (let p = 0; p < width; p++) {
      torque[own * width + p] += multiplier * torque[follower * width + p];
      torque[follower * width + p] = 0;
    }
  }
  return { inverse: torque, forward, qdd };
}

/** [moment, force] that each parameter of a body adds, at its origin: f = m a + (alpha x + w x w x) mc, n = mc x a + I alpha + w x I w. */
function forceColumns(w: Vec3, alpha: Vec3, a: Vec3): number[][] {
  const none: Vec3 = [0, 0, 0];
  const columns: number[][] = [[...none, ...a]];
  for (const unit of [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ] as const)
    columns.push([...cross(unit, a), ...add(cross(alpha, unit), cross(w, cross(w, unit)))]);
  const symmetric = (i: number, j: number): void => {
    const times = (x: Vec3): Vec3 => {
      const out = [0, 0, 0];
      out[i] += x[j];
      if (i !== j) out[j] += x[i];
      return [out[0], out[1], out[2]];
    };
    columns.push([...add(times(alpha), cross(w, times(w))), ...none]);
  };
  symmetric(0, 0);
  symmetric(0, 1);
  symmetric(1, 1);
  symmetric(0, 2);
  symmetric(1, 2);
  symmetric(2, 2);
  return columns;
}
