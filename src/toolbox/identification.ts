// Identification: the inertial parameters of a mechanism from states, accelerations and the joint forces that were measured.
// Forces are linear in the parameters (regressor, quantities.ts), of which only some combinations change them at all: those of
// all motions (the base parameters), and those of the motion at hand, fewer where it was too poor. The rest stays near the model's.
// Parameters are kept to those that a real body can have (pseudo-inertia.ts):
//
//   least  |Y pi - tau|^2 / (2 N) + gamma |pi - pi_model|^2 / 2 (scaled) - mu sum of log det P,   mu towards zero
//
// which is convex: Newton's method finds it.

import { dynamics } from '../dynamics/dynamics.js';
import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { Random } from '../mechanism/random.js';
import { State } from '../mechanism/state.js';
import { solvePositive } from '../reference/solve-positive.js';
import { diagonalise } from '../spatial/diagonalise.js';
import { checkNumbers } from './numbers.js';
import { barrierOf, isPossible } from './pseudo-inertia.js';
import { INERTIAL_PARAMETERS, inertialParameters, regressor } from './quantities.js';

/** One instant of a recorded motion: the forces are those that the joints exerted. */
export interface IdentificationSample {
  readonly state: State;
  readonly qdd: Float64Array;
  readonly tau: Float64Array;
}

/** What was found. */
export interface Identification {
  /** Ten for each body, as INERTIAL_PARAMETERS lists them; each body's are those of a real body. */
  readonly parameters: Float64Array;
  /** Root mean square of what is left of the forces, relative to the forces themselves. */
  readonly residual: number;
  /** Combinations of parameters that forces can tell at all, and those that this motion tells. */
  readonly baseParameters: number;
  readonly identified: number;
  /** Of the combinations that this motion tells: largest over smallest effect on the forces. */
  readonly condition: number;
  /** What the motion does not tell, and what would; empty where it tells everything. */
  readonly warnings: readonly string[];
}

/** Eigenvalues below this part of the largest are zero. */
const ZERO = 1e-11;
/** Weight of the model's own parameters beside what was measured. */
const PRIOR = 1e-7;

/** Inertial parameters from a recorded motion. Bodies without mass stay without. */
export function identify(mechanism: Mechanism, samples: readonly IdentificationSample[]): Identification {
  if (samples.length === 0) throw MechanismError.of('identification', '', 'There are no samples.');
  if (mechanism.couplings.length > 0 || mechanism.loops.length > 0)
    throw MechanismError.of('identification', '', 'It is made for open trees without coupled joints.');
  const model = inertialParameters({ mechanism });
  const real = mechanism.bodies.map((_, body) => isPossible(model, 10 * body));
  const scales = scalesOf(mechanism, model);
  const { A, b, size } = normalEquations(mechanism, samples, scales);
  if (size === 0) throw MechanismError.of('identification', '', 'The samples have no forces: they tell nothing.');
  const n = model.length;
  const own = eigen(A, n);
  const all = eigen(normalEquations(mechanism, richSamples(mechanism), scales).A, n);
  const told = own.values.filter((value) => value > ZERO * own.values[0]);
  const base = all.values.filter((value) => value > ZERO * all.values[0]).length;
  const parameters = possibleFit(A, b, model, real, scales, size);
  let left = size;
  for (let i = 0; i < n; i++) {
    let row = 0;
    for (let j = 0; j < n; j++) row += (A[i * n + j] * parameters[j]) / scales[j];
    left += (parameters[i] / scales[i]) * (row - 2 * b[i]);
  }
  return {
    parameters,
    residual: Math.sqrt(Math.max(0, left) / size),
    baseParameters: base,
    identified: told.length,
    condition: Math.sqrt(told[0] / told[told.length - 1]),
    warnings: told.length < base ? [explain(mechanism, samples, own, all, told.length, base)] : [],
  };
}

/** Typical sizes of the parameters, so that they can be compared. */
function scalesOf({ bodies }: Mechanism, model: Float64Array): Float64Array {
  const mass = Math.max(...bodies.map((body) => body.mass), 1e-6);
  let length = 1e-3;
  for (let k = 0; k < model.length; k += 10)
    if (model[k] > 0) length = Math.max(length, Math.sqrt((model[k + 4] + model[k + 6] + model[k + 9]) / model[k]));
  return model.map((_, k) => (k % 10 === 0 ? mass : k % 10 < 4 ? mass * length : mass * length * length));
}

/** A = mean of Y^T Y, b = mean of Y^T tau, both in scaled parameters; size: mean of tau^2. */
function normalEquations(mechanism: Mechanism, samples: readonly IdentificationSample[], scales: Float64Array) {
  const door = dynamics(mechanism);
  const { nv, joints } = mechanism;
  const n = scales.length;
  const [A, b] = [new Float64Array(n * n), new Float64Array(n)];
  const armature = new Float64Array(nv);
  for (const joint of joints) armature.fill(joint.armature, joint.iv, joint.iv + joint.model.nv);
  let size = 0;
  for (const [k, { state, qdd, tau }] of samples.entries()) {
    for (const [what, values] of Object.entries({ q: state.q, v: state.v, qdd, tau }))
      checkNumbers(`${what} of sample ${k}`, values, what === 'q' ? mechanism.nq : nv);
    const { torque } = regressor(door, state, qdd);
    for (let row = 0; row < nv; row++) {
      const force = tau[row] - armature[row] * qdd[row];
      size += force * force;
      for (let i = 0; i < n; i++) {
        const y = torque[row * n + i] * scales[i];
        if (y === 0) continue;
        b[i] += y * force;
        for (let j = 0; j <= i; j++) A[i * n + j] += y * torque[row * n + j] * scales[j];
      }
    }
  }
  const count = samples.length;
  for (let i = 0; i < n; i++) {
    b[i] /= count;
    for (let j = 0; j <= i; j++) A[j * n + i] = A[i * n + j] /= count;
  }
  return { A, b, size: size / count };
}

/** States and accelerations at random: a motion that tells all that forces can tell. */
function richSamples(mechanism: Mechanism): IdentificationSample[] {
  const random = new Random(1);
  return Array.from({ length: 12 * mechanism.bodies.length + 20 }, (_, k) => ({
    state: State.random(mechanism, k + 1),
    qdd: Float64Array.from({ length: mechanism.nv }, () => random.between(-3, 3)),
    tau: new Float64Array(mechanism.nv),
  }));
}

/** `real`: bodies whose parameters are found; the others keep theirs. */
function possibleFit(
  A: Float64Array,
  b: Float64Array,
  model: Float64Array,
  real: readonly boolean[],
  scales: Float64Array,
  size: number,
): Float64Array {
  const n = model.length;
  const gamma = (PRIOR * A.reduce((sum, x, k) => sum + (k % (n + 1) === 0 ? x : 0), 0)) / n;
  const [gradient, H, step, trial] = [new Float64Array(n), new Float64Array(n * n), new Float64Array(n), model.slice()];
  const parameters = model.slice();
  /** Undefined where some body is not possible. */
  const merit = (at: Float64Array, mu: number): number | undefined => {
    let total = 0;
    for (let i = 0; i < n; i++) {
      const x = at[i] / scales[i];
      const off = x - model[i] / scales[i];
      let row = 0;
      for (let j = 0; j < n; j++) row += (A[i * n + j] * at[j]) / scales[j];
      gradient[i] = row - b[i] + gamma * off;
      total += x * (row / 2 - b[i]) + (gamma * off * off) / 2;
    }
    for (let body = 0; body < real.length; body++) {
      if (!real[body]) continue;
      const barrier = barrierOf(at, 10 * body);
      if (barrier === undefined) return undefined;
      total += mu * barrier.value;
    }
    return total;
  };
  for (let mu = 1e-2 * size; mu > 1e-9 * size; mu /= 8)
    for (let round = 0; round < 30; round++) {
      const value = merit(parameters, mu)!;
      H.set(A);
      for (let i = 0; i < n; i++) {
        H[i * n + i] += gamma;
        step[i] = -gradient[i];
      }
      for (let body = 0; body < real.length; body++) {
        const o = 10 * body;
        const barrier = real[body] ? barrierOf(parameters, o)! : undefined;
        for (let k = 0; k < 10; k++) {
          if (barrier === undefined) {
            // Held where it is.
            for (let j = 0; j < n; j++) H[(o + k) * n + j] = H[j * n + o + k] = 0;
            H[(o + k) * n + o + k] = 1;
            step[o + k] = 0;
            continue;
          }
          step[o + k] -= mu * barrier.gradient[k] * scales[o + k];
          for (let l = 0; l < 10; l++)
            H[(o + k) * n + o + l] += mu * barrier.second[k][l] * scales[o + k] * scales[o + l];
        }
      }
      const slope = step.slice();
      if (!solvePositive(H, step, n)) break;
      let gain = 0;
      for (let i = 0; i < n; i++) gain += slope[i] * step[i];
      let part = 1;
      for (; part > 1e-10; part /= 2) {
        for (let i = 0; i < n; i++) trial[i] = parameters[i] + part * step[i] * scales[i];
        const next = merit(trial, mu);
        if (next !== undefined && next <= value - 1e-4 * part * gain) break;
      }
      if (part <= 1e-10) break;
      parameters.set(trial);
      if (gain < 1e-3 * mu) break;
    }
  return parameters;
}

interface Eigen {
  /** Largest first. */
  readonly values: number[];
  readonly vectors: Float64Array[];
}

function eigen(given: Float64Array, n: number): Eigen {
  const [V, values] = [new Float64Array(n * n), new Float64Array(n)];
  diagonalise(given.slice(), V, values, n);
  const column = (k: number): Float64Array => Float64Array.from({ length: n }, (_, i) => V[i * n + k]);
  return {
    values: Array.from(values).reverse(),
    vectors: Array.from(values.keys(), (k) => column(n - 1 - k)),
  };
}

/** Which parameters the motion leaves open, and the joints that moved least. */
function explain(
  mechanism: Mechanism,
  samples: readonly IdentificationSample[],
  own: Eigen,
  all: Eigen,
  told: number,
  base: number,
): string {
  // Of each parameter that forces can tell: how much of it this motion tells.
  const part = (vectors: readonly Float64Array[], k: number): number =>
    vectors.reduce((sum, vector) => sum + vector[k] ** 2, 0);
  const missing = Array.from({ length: own.values.length }, (_, k) => ({
    k,
    lost: part(all.vectors.slice(0, base), k) - part(own.vectors.slice(0, told), k),
  }))
    .filter(({ lost }) => lost > 0.2)
    .sort((x, y) => y.lost - x.lost)
    .slice(0, 5)
    .map(({ k }) => `${INERTIAL_PARAMETERS[k % 10]} of ${mechanism.bodies[Math.floor(k / 10)].name}`);
  const still = mechanism.joints
    .filter(({ model }) => model.nv > 0)
    .map(({ name, iv, model }) => {
      let sum = 0;
      for (const { state, qdd } of samples)
        for (let k = iv; k < iv + model.nv; k++) sum += qdd[k] ** 2 + state.v[k] ** 4;
      return { name, moved: Math.sqrt(sum / samples.length) };
    })
    .sort((x, y) => x.moved - y.moved)
    .slice(0, 3)
    .map(({ name }) => `"${name}"`);
  return `The motion tells ${told} of ${base} combinations of parameters${missing.length === 0 ? '' : ` (not ${missing.join(', ')})`}; the rest is the model's. Move ${still.join(', ')} more, at different speeds and together with the others.`;
}
