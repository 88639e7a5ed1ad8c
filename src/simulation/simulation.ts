// A mechanism in motion: a state, an integrator and a clock.

import { Dynamics } from '../dynamics/dynamics.js';
import type { Energy } from '../dynamics/energy.js';
import { MechanismError, SimulationError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { State } from '../mechanism/state.js';
import { type Control, type Integrator, type IntegratorName, RungeKutta4, SemiImplicitEuler } from './integrators.js';

export interface SimulationOptions {
  /** 'rk4' (default): fourth order; 'euler': semi-implicit, first order, sturdy with strong damping. */
  readonly integrator?: IntegratorName;
  /** Seconds a step; 1 ms where left out. */
  readonly step?: number;
  /** Where to start; the neutral state where left out. The simulation works on a copy. */
  readonly state?: State;
  /** Joint forces as a function of the state. */
  readonly control?: Control;
}

export class Simulation {
  readonly mechanism: Mechanism;
  readonly dynamics: Dynamics;
  readonly stepSize: number;
  /** The present state: always the last good one. */
  readonly state: State;
  readonly #integrator: Integrator;
  readonly #control: Control | undefined;
  readonly #before: State;

  constructor(mechanism: Mechanism, options: SimulationOptions = {}) {
    const { integrator = 'rk4', step = 1e-3, state, control } = options;
    if (!(step > 0) || !Number.isFinite(step))
      throw MechanismError.of('step', '', `The step must be a positive number of seconds, got ${step}.`);
    this.mechanism = mechanism;
    this.dynamics = new Dynamics(mechanism);
    this.stepSize = step;
    this.state = state === undefined ? new State(mechanism) : state.clone();
    this.#before = this.state.clone();
    this.#control = control;
    if (integrator === 'euler') this.#integrator = new SemiImplicitEuler(this.dynamics);
    else if (integrator === 'rk4') this.#integrator = new RungeKutta4(this.dynamics, this.state);
    else throw MechanismError.of('integrator', '', `There is no integrator "${integrator}"; take euler or rk4.`);
  }

  get time(): number {
    return this.state.time;
  }

  energy(): Energy {
    return this.dynamics.energy(this.state);
  }

  /** One step. If it fails, the state stays the last good one and the error names body, joint and time. */
  step(h = this.stepSize): void {
    this.#before.copy(this.state);
    try {
      this.#integrator.step(this.state, h, this.#control);
      if (this.time === this.#before.time)
        throw new SimulationError('step', `A step of ${h} s is lost in rounding at time ${this.time}.`, {
          time: this.time,
        });
      this.#refuseNonFinite();
    } catch (error) {
      this.state.copy(this.#before);
      throw error;
    }
  }

  #refuseNonFinite(): void {
    const { q, v, time } = this.state;
    for (const [i, { iq, iv, model, name }] of this.mechanism.joints.entries()) {
      let fine = true;
      for (let k = iq; k < iq + model.nq; k++) fine &&= Number.isFinite(q[k]);
      for (let k = iv; k < iv + model.nv; k++) fine &&= Number.isFinite(v[k]);
      if (fine) continue;
      const body = this.mechanism.bodies[i].name;
      throw new SimulationError(
        'not-finite',
        `Joint "${name}" (body "${body}") left the range of numbers at time ${time}. Take a smaller step, or more damping.`,
        { body, joint: name, time },
      );
    }
  }

  /** Whole steps until the given time is reached, the last one shortened to meet it; `onStep` after each may stop it by returning false. */
  runUntil(end: number, onStep?: (simulation: Simulation) => boolean | undefined): void {
    // A remainder below this is rounding in the sum of steps, not a step.
    const slack = 1e-9 * this.stepSize;
    while (end - this.time > slack) {
      const left = end - this.time;
      const last = left < this.stepSize * (1 + 1e-9);
      this.step(last ? left : this.stepSize);
      // time + left is the end but for rounding.
      if (last) this.state.time = end;
      if (onStep?.(this) === false) return;
    }
  }
}
