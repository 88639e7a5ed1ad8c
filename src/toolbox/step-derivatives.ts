// Derivatives of a step in time, as Simulation takes it: how the state at its end changes with the state at its begin and with the
// joint forces, which are held during the step. Displacements of positions are along the degrees of freedom, as `integrate` moves
// them, at the begin and at the end each in its own place.
//
//   euler   (H + h D) a = tau - C(q, v) - D v - K (q - rest)     v' = v + h a,  q' = q (+) h v'
//   rk4     the stages of formulas/runge-kutta.ts:  u_s = h sum A k_r,  v_s = v + h sum A a_r,  q_s = q (+) u_s,
//           k_s = v_s + u_s x v_s / 2 + u_s x (u_s x v_s) / 12
//
// Every line is differentiated; derivatives of a are those of forward dynamics, with dampers and springs through d a / d tau.

import { type Dynamics, dynamics } from '../dynamics/dynamics.js';
import { followSources } from '../engines/plain/couplings.js';
import { addPassiveForces, addPassiveSlope } from '../engines/plain/passive.js';
import { refuseForeign } from '../engines/plain/refuse.js';
import { moveAlong, RUNGE_KUTTA_4 } from '../engines/plain/stages.js';
import { createMechanism } from '../mechanism/create.js';
import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { State } from '../mechanism/state.js';
import { mechanismSpec } from '../mechanism/variants.js';
import { integrateDerivatives, localRateDerivatives } from './configurations.js';

/** The state at the end of a step, and what it depends on. */
export interface StepDerivatives {
  readonly end: State;
  /** 2 nv x 2 nv, row major: displacements of positions, then of velocities, at the end for those at the begin. */
  readonly A: Float64Array;
  /** 2 nv x nv: the same for the joint forces. */
  readonly B: Float64Array;
}

/** Which step. */
export interface StepOptions {
  /** Seconds. */
  readonly step: number;
  /** 'euler' (where left out) or 'rk4', as in Simulation. */
  readonly integrator?: 'euler' | 'rk4';
}

/** Of one step under the joint forces tau (none where left out), with springs, damping and friction of the joints. */
export function stepDerivatives(
  door: Dynamics,
  state: State,
  tau: Float64Array | undefined,
  options: StepOptions,
): StepDerivatives {
  const { mechanism } = door;
  const { nv } = mechanism;
  refuseForeign(mechanism, state);
  const { step: h, integrator = 'euler' } = options;
  if (!(h > 0 && h < Number.POSITIVE_INFINITY))
    throw MechanismError.of('step', '', `A step takes a positive number of seconds, not ${h}.`);
  const forces = tau ?? new Float64Array(nv);
  if (forces.length !== nv) throw MechanismError.of('length', 'tau', `Expected ${nv} numbers, got ${forces.length}.`);
  if (integrator !== 'euler' && integrator !== 'rk4')
    throw MechanismError.of('integrator', '', `Derivatives are made of "euler" and "rk4", not of "${integrator}".`);
  return integrator === 'euler' ? euler(door, state, forces, h) : rungeKutta(door, state, forces, h);
}

/** Rows for nv numbers that change with the 3 nv numbers of positions, velocities and forces at the begin. */
class Change {
  readonly rows: Float64Array;
  readonly #nv: number;

  constructor(nv: number) {
    this.#nv = nv;
    this.rows = new Float64Array(3 * nv * nv);
  }

  /** This += factor M x, with M nv x nv. */
  add(factor: number, M: Float64Array, x: Change): this {
    const n = this.#nv;
    const width = 3 * n;
    for (let i = 0; i < n; i++)
      for (let k = 0; k < n; k++) {
        const entry = factor * M[i * n + k];
        if (entry === 0) continue;
        for (let j = 0; j < width; j++) this.rows[i * width + j] += entry * x.rows[k * width + j];
      }
    return this;
  }

  /** This += factor x */
  plus(factor: number, x: Change): this {
    for (let k = 0; k < this.rows.length; k++) this.rows[k] += factor * x.rows[k];
    return this;
  }
}

/** The positions (0), velocities (1) and forces (2) at the begin: followers move with their sources, and have no columns. */
function begin(mechanism: Mechanism, part: 0 | 1 | 2): Change {
  const { nv, couplings, joints } = mechanism;
  const out = new Change(nv);
  const followers = new Set(couplings.map(({ joint }) => joints[joint].iv));
  const unit = new Float64Array(nv);
  for (let j = 0; j < nv; j++) {
    if (part < 2 && followers.has(j)) continue;
    unit.fill(0);
    unit[j] = 1;
    if (part < 2) followSources(mechanism, unit);
    for (let i = 0; i < nv; i++) out.rows[i * 3 * nv + part * nv + j] = unit[i];
  }
  return out;
}

/** The accelerations at a state, and how they change where its parts do; passive forces are part of it. */
function accelerate(
  door: Dynamics,
  state: State,
  tau: Float64Array,
  { q, v, forces }: { readonly q: Change; readonly v: Change; readonly forces: Change },
): { readonly a: Float64Array; readonly change: Change } {
  const { mechanism } = door;
  const { nv } = mechanism;
  const total = tau.slice();
  const [stiffness, damping] = [new Float64Array(nv), new Float64Array(nv)];
  addPassiveForces(mechanism, total, state.q, state.v);
  addPassiveSlope(mechanism, damping, state.v, 1);
  for (const joint of mechanism.joints) if (joint.stiffness !== 0) stiffness[joint.iv] = joint.stiffness;
  const { qdd, dq, dv, dtau } = door.forwardDerivatives(state, total);
  const passive = (slopes: Float64Array, x: Change): Change => {
    const out = new Change(nv);
    for (let i = 0; i < nv; i++)
      if (slopes[i] !== 0) for (let j = i * 3 * nv; j < (i + 1) * 3 * nv; j++) out.rows[j] = -slopes[i] * x.rows[j];
    return out;
  };
  const pushed = passive(stiffness, q).plus(1, passive(damping, v)).plus(1, forces);
  return { a: qdd, change: new Change(nv).add(1, dq, q).add(1, dv, v).add(1, dtau, pushed) };
}

function euler(door: Dynamics, state: State, tau: Float64Array, h: number): StepDerivatives {
  const { mechanism } = door;
  const { nv } = mechanism;
  const [q, v, forces] = [begin(mechanism, 0), begin(mechanism, 1), begin(mechanism, 2)];
  const damped = dampedDoor(door, h);
  const there = damped === door ? state : new State(damped.mechanism, state);
  const { a, change } = accelerate(damped, there, tau, { q, v, forces });
  const end = state.clone();
  for (let k = 0; k < nv; k++) end.v[k] += h * a[k];
  const velocity = new Change(nv).plus(1, v).plus(h, change);
  moveAlong(end, end.v, h);
  end.applyCouplings();
  end.time += h;
  const u = end.v.map((x) => h * x);
  const moved = integrateDerivatives(mechanism, u);
  return result(nv, end, new Change(nv).add(1, moved.from, q).add(h, moved.to, velocity), velocity);
}

function rungeKutta(door: Dynamics, state: State, tau: Float64Array, h: number): StepDerivatives {
  const { mechanism } = door;
  const { nv } = mechanism;
  const { A, B } = RUNGE_KUTTA_4;
  const [q, v, forces] = [begin(mechanism, 0), begin(mechanism, 1), begin(mechanism, 2)];
  const rates: { readonly k: Float64Array; readonly change: Change }[] = [];
  const accelerations: { readonly a: Float64Array; readonly change: Change }[] = [];
  const at = state.clone();
  /** The state for weights of the stages before, u, and their changes. */
  const move = (weights: readonly number[]) => {
    const u = new Float64Array(nv);
    const [ofU, ofV] = [new Change(nv), new Change(nv).plus(1, v)];
    at.copy(state);
    weights.forEach((weight, r) => {
      if (weight === 0) return;
      const [rate, acceleration] = [rates[r], accelerations[r]];
      for (let k = 0; k < nv; k++) {
        u[k] += h * weight * rate.k[k];
        at.v[k] += h * weight * acceleration.a[k];
      }
      ofU.plus(h * weight, rate.change);
      ofV.plus(h * weight, acceleration.change);
    });
    moveAlong(at, u, 1);
    at.applyCouplings();
    const moved = integrateDerivatives(mechanism, u);
    const ofQ = new Change(nv).add(1, moved.from, q).add(1, moved.to, ofU);
    return { u, ofU, ofV, ofQ };
  };
  for (const weights of A) {
    const { u, ofU, ofV, ofQ } = move(weights);
    accelerations.push(accelerate(door, at, tau, { q: ofQ, v: ofV, forces }));
    const k = new Float64Array(nv);
    for (const { model, iv } of mechanism.joints) model.localRate(k, iv, u, iv, at.v, iv);
    const rate = localRateDerivatives(mechanism, u, at.v);
    rates.push({ k, change: new Change(nv).add(1, rate.from, ofU).add(1, rate.to, ofV) });
  }
  const { ofQ, ofV } = move(B!);
  at.time = state.time + h;
  return result(nv, at, ofQ, ofV);
}

function result(nv: number, end: State, q: Change, v: Change): StepDerivatives {
  const A = new Float64Array(4 * nv * nv);
  const B = new Float64Array(2 * nv * nv);
  [q, v].forEach(({ rows }, part) => {
    for (let i = 0; i < nv; i++) {
      A.set(rows.subarray(3 * nv * i, 3 * nv * i + 2 * nv), 2 * nv * (part * nv + i));
      B.set(rows.subarray(3 * nv * i + 2 * nv, 3 * nv * (i + 1)), nv * (part * nv + i));
    }
  });
  return { end, A, B };
}

/** Doors of the mechanism with h D more inertia in its joints, by h. */
const doors = new WeakMap<Dynamics, Map<number, Dynamics>>();

function dampedDoor(door: Dynamics, h: number): Dynamics {
  const { mechanism, engine } = door;
  const rough = mechanism.joints.find(({ friction, model }) => friction !== 0 && model.nv > 0);
  if (rough !== undefined)
    throw MechanismError.of(
      'friction',
      `joint "${rough.name}"`,
      'A step of "euler" takes dry friction implicitly, by its slope; take "rk4", or remove the friction.',
    );
  if (mechanism.joints.every(({ damping }) => damping === 0)) return door;
  let made = doors.get(door);
  if (made === undefined) {
    made = new Map();
    doors.set(door, made);
  }
  let damped = made.get(h);
  if (damped === undefined) {
    const spec = mechanismSpec(mechanism);
    const joints = spec.joints.map((joint) => ({
      ...joint,
      armature: (joint.armature ?? 0) + h * (joint.damping ?? 0),
    }));
    damped = dynamics(createMechanism({ ...spec, joints }, { inertia: 'warn' }), {
      ...(engine !== 'threads' && { engine }),
    });
    if (damped.mechanism.joints.some(({ iv }, k) => iv !== mechanism.joints[k].iv))
      throw MechanismError.of(
        'root',
        '',
        'Of a re-rooted mechanism with damping take "rk4", or derive before re-rooting.',
      );
    made.set(h, damped);
  }
  return damped;
}
