// The stages of a Runge-Kutta step (formulas/runge-kutta.ts), joint by joint in plain TypeScript over any forward dynamics:
// the reference, and what mechanisms with loops or couplings take.

import { endWeights, type Tableau } from '../../formulas/runge-kutta.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { passiveJoints, passivePower } from './passive.js';
import type { ForwardOptions } from './plain-dynamics.js';

export { DORMAND_PRINCE, RUNGE_KUTTA_4, type Tableau } from '../../formulas/runge-kutta.js';

/** Writes joint forces for a state; called for every evaluation of the dynamics. */
export type Control = (tau: Float64Array, state: State) => void;

/** What gives the accelerations. */
export interface ForwardDynamics {
  readonly mechanism: Mechanism;
  forward(state: State, tau?: Float64Array, options?: ForwardOptions): Float64Array;
}

export interface Stages {
  /** Of each stage: the rate of u and the accelerations, nv numbers. */
  readonly rates: readonly Float64Array[];
  readonly accelerations: readonly Float64Array[];
  /** The whole u of the step, where its last stage is its end. */
  readonly u: Float64Array;
  /** Where the step ends. */
  readonly end: State;
  /** Work of control, damping and friction in the step. */
  readonly work: number;
  /** Whether the end of the last step is known to be finite; false where nobody has looked. */
  readonly finite: boolean;
  /** Steps start here from now on. */
  begin(state: State): void;
  /**
   * Accelerations at the start, for tableaus whose last stage is the end of the step; `taken` where they are those at the
   * end of the last step.
   */
  accelerate(control: Control | undefined, taken: boolean): void;
  /** All other stages of a step of h seconds. */
  run(h: number, control: Control | undefined): void;
}

export class PlainStages implements Stages {
  readonly rates: readonly Float64Array[];
  readonly accelerations: readonly Float64Array[];
  readonly u: Float64Array;
  readonly end: State;
  work = 0;
  readonly finite = false;
  readonly #dynamics: ForwardDynamics;
  readonly #tableau: Tableau;
  readonly #base: State;
  readonly #tau: Float64Array;
  readonly #powers: Float64Array;
  readonly #rubs: boolean;

  constructor(dynamics: ForwardDynamics, state: State, tableau: Tableau) {
    const { mechanism } = dynamics;
    const vectors = (): Float64Array[] => tableau.A.map(() => new Float64Array(mechanism.nv));
    this.#dynamics = dynamics;
    this.#tableau = tableau;
    this.rates = vectors();
    this.accelerations = vectors();
    this.u = new Float64Array(mechanism.nv);
    this.end = state.clone();
    this.#base = state.clone();
    this.#tau = new Float64Array(mechanism.nv);
    this.#powers = new Float64Array(tableau.A.length);
    this.#rubs = passiveJoints(mechanism).size > 0;
  }

  begin(state: State): void {
    this.#base.copy(state);
    this.end.copy(state);
    // With u = 0 its rate is v.
    this.rates[0].set(state.v);
  }

  accelerate(control: Control | undefined, taken: boolean): void {
    if (!taken) {
      this.end.copy(this.#base);
      this.#accelerate(0, control);
      return;
    }
    const last = this.#tableau.A.length - 1;
    this.accelerations[0].set(this.accelerations[last]);
    this.#powers[0] = this.#powers[last];
  }

  run(h: number, control: Control | undefined): void {
    const { A, B, C } = this.#tableau;
    const base = this.#base;
    const { end, u } = this;
    if (B !== undefined) {
      end.copy(base);
      this.#accelerate(0, control);
    }
    for (let s = 1; s < A.length; s++) {
      this.#move(A[s], s, h);
      end.time = base.time + C[s] * h;
      this.#accelerate(s, control);
      for (const { model, iv } of base.mechanism.joints) model.localRate(this.rates[s], iv, u, iv, end.v, iv);
    }
    if (B !== undefined) {
      this.#move(B, B.length, h);
      end.time = base.time + h;
    }
    this.work = h * endWeights(this.#tableau).reduce((sum, weight, s) => sum + weight * this.#powers[s], 0);
  }

  /** The state for weights of the stages before, and u. */
  #move(weights: readonly number[], stage: number, h: number): void {
    const base = this.#base;
    const { end, u, rates, accelerations } = this;
    u.fill(0);
    end.v.set(base.v);
    for (let r = 0; r < stage; r++) {
      const weight = h * weights[r];
      if (weight === 0) continue;
      const [rate, a] = [rates[r], accelerations[r]];
      for (let k = 0; k < u.length; k++) {
        u[k] += weight * rate[k];
        end.v[k] += weight * a[k];
      }
    }
    end.q.set(base.q);
    moveAlong(end, u, 1);
    end.applyCouplings();
  }

  #accelerate(s: number, control: Control | undefined): void {
    const { end } = this;
    const tau = this.#tau;
    tau.fill(0);
    control?.(tau, end);
    let power = this.#rubs ? passivePower(end.mechanism, end.v) : 0;
    if (control !== undefined) for (let k = 0; k < tau.length; k++) power += tau[k] * end.v[k];
    this.#powers[s] = power;
    this.#dynamics.forward(end, tau, { passive: true, out: this.accelerations[s] });
  }
}

/** q moved along u for the time h. */
export function moveAlong(state: State, u: Float64Array, h: number): void {
  for (const { model, iq, iv } of state.mechanism.joints) model.integrate(state.q, iq, u, iv, h);
}
