// One step in time. All methods move positions on the joints' own manifolds (quaternions stay unit quaternions).

import { addDamping, addPassiveSlope } from '../engines/plain/passive.js';
import type { ForwardOptions, PlainDynamics } from '../engines/plain/plain-dynamics.js';
import {
  type Control,
  moveAlong,
  PlainStages,
  RUNGE_KUTTA_4,
  type Stages,
  type Tableau,
} from '../engines/plain/stages.js';
import type { State } from '../mechanism/state.js';
import type { Drive } from './drive.js';
import type { Occurrence } from './events.js';

export type { Control } from '../engines/plain/stages.js';

/** The integrators: semi-implicit Euler, Runge-Kutta of order 4, Dormand-Prince with steps of its own choice. */
export type IntegratorName = 'dopri5' | 'rk4' | 'midpoint' | 'euler';

export const INTEGRATORS: readonly IntegratorName[] = ['dopri5', 'rk4', 'midpoint', 'euler'];

/** What gives the accelerations, and whole steps where it can take them faster than from outside. */
export interface ForwardEngine extends Pick<PlainDynamics, 'mechanism' | 'tree' | 'forward'> {
  stages?(state: State, tableau: Tableau): Stages | undefined;
}

export interface Integrator {
  readonly name: IntegratorName;
  /** Of the error of a step of given length, less one. */
  readonly order: number;
  /** Work of control, damping and friction in the last step. */
  readonly work: number;
  /** Whether the last step is known to have ended in finite numbers. */
  readonly finite?: boolean;
  /** Moves the state by h, or to the first event on the way; returns the events that happened there. */
  step(state: State, h: number, control: Control | undefined): readonly Occurrence[];
  /** Told what the simulation has made of the state after a step, by closing loops. */
  left?(state: State): void;
}

const NOTHING: readonly Occurrence[] = [];

export function stagesOf(dynamics: ForwardEngine, state: State, tableau: Tableau): Stages {
  return dynamics.stages?.(state, tableau) ?? new PlainStages(dynamics, state, tableau);
}

/**
 * Linearly implicit Euler, first order, as rollouts of batches take it: v' = v + h a(q, v), q' = q moved along v' for h.
 * Damping, friction and drives enter implicitly, (H + h D + h^2 K) a = ..., so that strong ones on a light link do not make it
 * explode.
 * Velocity terms are those of the old velocity, so fast motions gain energy: the guard of Simulation watches it.
 */
export class ImplicitEuler implements Integrator {
  readonly name = 'euler';
  readonly order = 1;
  work = 0;
  readonly #dynamics: ForwardEngine;
  readonly #tau: Float64Array;
  readonly #armature: Float64Array;
  readonly #options: ForwardOptions & { out: Float64Array };
  readonly #before: Float64Array;
  readonly #drive: Drive | undefined;

  constructor(dynamics: ForwardEngine, drive: Drive | undefined) {
    this.#dynamics = dynamics;
    this.#drive = drive;
    const { nv } = dynamics.mechanism;
    this.#tau = new Float64Array(nv);
    this.#before = new Float64Array(nv);
    this.#armature = new Float64Array(nv);
    this.#options = { passive: true, out: new Float64Array(nv), armature: this.#armature };
  }

  step(state: State, h: number, control: Control | undefined): readonly Occurrence[] {
    const { mechanism, tree } = this.#dynamics;
    const tau = this.#tau;
    const before = this.#before;
    this.#armature.set(tree.armature);
    addPassiveSlope(mechanism, this.#armature, state.v, h);
    this.#drive?.addSlope(this.#armature, h);
    tau.fill(0);
    control?.(tau, state);
    this.#drive?.add(tau, state, h);
    this.#dynamics.forward(state, tau, this.#options);
    const { out: a } = this.#options;
    before.set(state.v);
    addDamping(mechanism, tau, state.v);
    for (let k = 0; k < a.length; k++) state.v[k] += h * a[k];
    moveAlong(state, state.v, h);
    state.time += h;
    state.applyCouplings();
    // Forces times mean velocities; what slows down does so as it is at the end, by h D a more than at the start.
    this.work = 0;
    for (let k = 0; k < a.length; k++) {
      const slope = this.#armature[k] - tree.armature[k];
      this.work += (h * (tau[k] - slope * a[k]) * (before[k] + state.v[k])) / 2;
    }
    return NOTHING;
  }
}

/** The classical Runge-Kutta method, fourth order, in the form of Munthe-Kaas (formulas/runge-kutta.ts). */
export class RungeKutta4 implements Integrator {
  readonly name = 'rk4';
  readonly order = 4;
  readonly #stages: Stages;

  constructor(dynamics: ForwardEngine, state: State) {
    this.#stages = stagesOf(dynamics, state, RUNGE_KUTTA_4);
  }

  get work(): number {
    return this.#stages.work;
  }

  get finite(): boolean {
    return this.#stages.finite;
  }

  step(state: State, h: number, control: Control | undefined): readonly Occurrence[] {
    const stages = this.#stages;
    stages.begin(state);
    stages.run(h, control);
    state.copy(stages.end);
    return NOTHING;
  }
}
