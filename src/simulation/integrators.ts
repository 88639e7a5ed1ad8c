// One step in time. All methods move positions on the joints' own manifolds (quaternions stay unit quaternions).

import { addPassiveSlope } from '../engines/plain/passive.js';
import type { ForwardOptions, PlainDynamics } from '../engines/plain/plain-dynamics.js';
import type { State } from '../mechanism/state.js';
import type { Occurrence } from './events.js';

export type IntegratorName = 'euler' | 'rk4' | 'dopri5';

/** Writes joint forces for a state; called for every evaluation of the dynamics. */
export type Control = (tau: Float64Array, state: State) => void;

/** What gives the accelerations: PlainDynamics, or compiled code with the same results. */
export type ForwardEngine = Pick<PlainDynamics, 'mechanism' | 'tree' | 'forward'>;

export interface Integrator {
  readonly name: IntegratorName;
  /** Moves the state by h, or to the first event on the way; returns the events that happened there. */
  step(state: State, h: number, control: Control | undefined): readonly Occurrence[];
}

const NOTHING: readonly Occurrence[] = [];

/** What every integrator does to get accelerations: control, then forward dynamics with passive joint forces. */
export class Accelerations {
  readonly #dynamics: ForwardEngine;
  readonly #tau: Float64Array;

  constructor(dynamics: ForwardEngine) {
    this.#dynamics = dynamics;
    this.#tau = new Float64Array(dynamics.mechanism.nv);
  }

  at(state: State, control: Control | undefined, options: ForwardOptions): void {
    this.#tau.fill(0);
    control?.(this.#tau, state);
    this.#dynamics.forward(state, this.#tau, options);
  }
}

export function moveAlong(state: State, u: Float64Array, h: number): void {
  for (const { model, iq, iv } of state.mechanism.joints) model.integrate(state.q, iq, u, iv, h);
}

/**
 * Semi-implicit (symplectic) Euler, first order: v' = v + h a(q, v'), q' = q moved along v' for h. Damping and friction
 * enter linearly implicitly, (H + h D) a = ..., so that strong damping on a light link does not make it explode.
 */
export class SemiImplicitEuler implements Integrator {
  readonly name = 'euler';
  readonly #dynamics: ForwardEngine;
  readonly #accelerations: Accelerations;
  readonly #armature: Float64Array;
  readonly #options: ForwardOptions & { out: Float64Array };

  constructor(dynamics: ForwardEngine) {
    this.#dynamics = dynamics;
    this.#accelerations = new Accelerations(dynamics);
    const { nv } = dynamics.mechanism;
    this.#armature = new Float64Array(nv);
    this.#options = { passive: true, out: new Float64Array(nv), armature: this.#armature };
  }

  step(state: State, h: number, control: Control | undefined): readonly Occurrence[] {
    const { mechanism, tree } = this.#dynamics;
    this.#armature.set(tree.armature);
    addPassiveSlope(mechanism, this.#armature, state.v, h);
    this.#accelerations.at(state, control, this.#options);
    const { out: a } = this.#options;
    for (let k = 0; k < a.length; k++) state.v[k] += h * a[k];
    moveAlong(state, state.v, h);
    state.time += h;
    state.applyCouplings();
    return NOTHING;
  }
}

/**
 * The classical Runge-Kutta method, fourth order, in the form of Munthe-Kaas: within a step the position is q0 moved
 * along a vector u, and u, which lives in a flat space, is what is integrated.
 */
export class RungeKutta4 implements Integrator {
  readonly name = 'rk4';
  readonly #accelerations: Accelerations;
  readonly #stage: State;
  readonly #options: ForwardOptions & { out: Float64Array };
  /** Rate of u at the stage, its weighted sum, and the weighted sum of accelerations. */
  readonly #rate: Float64Array;
  readonly #u: Float64Array;
  readonly #sumRate: Float64Array;
  readonly #sumAcceleration: Float64Array;

  constructor(dynamics: ForwardEngine, state: State) {
    const { nv } = dynamics.mechanism;
    this.#accelerations = new Accelerations(dynamics);
    this.#stage = state.clone();
    this.#options = { passive: true, out: new Float64Array(nv) };
    this.#rate = new Float64Array(nv);
    this.#u = new Float64Array(nv);
    this.#sumRate = new Float64Array(nv);
    this.#sumAcceleration = new Float64Array(nv);
  }

  step(state: State, h: number, control: Control | undefined): readonly Occurrence[] {
    const stage = this.#stage.copy(state);
    const { out: a } = this.#options;
    const [rate, u, sumRate, sumA] = [this.#rate, this.#u, this.#sumRate, this.#sumAcceleration];
    sumRate.fill(0);
    sumA.fill(0);
    u.fill(0);
    for (let s = 0; s < 4; s++) {
      // The stage is at time t + c h with u = c h (rate of the stage before).
      if (s > 0) {
        const c = s === 3 ? h : h / 2;
        for (let k = 0; k < u.length; k++) {
          u[k] = c * rate[k];
          stage.v[k] = state.v[k] + c * a[k];
        }
        stage.q.set(state.q);
        moveAlong(stage, u, 1);
        stage.time = state.time + c;
        stage.applyCouplings();
      }
      this.#accelerations.at(stage, control, this.#options);
      const weight = s === 0 || s === 3 ? h / 6 : h / 3;
      for (const { model, iv } of state.mechanism.joints) model.localRate(rate, iv, u, iv, stage.v, iv);
      for (let k = 0; k < u.length; k++) {
        sumRate[k] += weight * rate[k];
        sumA[k] += weight * a[k];
      }
    }
    moveAlong(state, sumRate, 1);
    for (let k = 0; k < u.length; k++) state.v[k] += sumA[k];
    state.time += h;
    state.applyCouplings();
    return NOTHING;
  }
}
