// A mechanism in motion: a state, an integrator and a clock.

import { type Connected, type ConnectOptions, connect, disconnect } from '../dynamics/connect.js';
import { type Dynamics, type DynamicsOptions, dynamics } from '../dynamics/dynamics.js';
import { type Impact, type ImpactOptions, impact } from '../dynamics/impact.js';
import type { Runs } from '../engines/engine.js';
import { LoopClosing } from '../engines/plain/assembly/closing.js';
import { refuseForeign } from '../engines/plain/refuse.js';
import { reasonForPlain } from '../engines/wasm/compiled.js';
import { MechanismError, SimulationError } from '../mechanism/errors.js';
import { allFinite } from '../mechanism/finite.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { type RerootOptions, reroot } from '../mechanism/reroot.js';
import { State, sameMotion } from '../mechanism/state.js';
import type { Energy } from '../reference/energy.js';
import { DormandPrince, type Tolerances } from './dormand-prince.js';
import { Drive, type DriveOptions } from './drive.js';
import { ENERGY_TOLERANCE, EnergyGuard } from './energy-guard.js';
import type { Occurrence, SimulationEvent } from './events.js';
import {
  type Control,
  type ForwardEngine,
  ImplicitEuler,
  INTEGRATORS,
  type Integrator,
  type IntegratorName,
  RungeKutta4,
} from './integrators.js';
import { Midpoint } from './midpoint.js';

/** `engine`, `threads`, `ranks` and `deterministic` as in dynamics(). */
export interface SimulationOptions extends Omit<DynamicsOptions, 'root'> {
  /**
   * 'dopri5' (default): Dormand-Prince, fifth order, takes steps of its own within each step of the simulation so as to
   * keep the tolerances and the energy; 'rk4': fourth order, fixed steps; 'midpoint': second order, fixed steps with books of
   * energy and momentum, for real time; 'euler': first order, with implicit damping, as rollouts of batches take it. What
   * each keeps and costs: docs/integrators.md.
   */
  readonly integrator?: IntegratorName;
  /** Seconds a step; 1 ms where left out, 10 ms for dopri5. */
  readonly step?: number;
  /** For dopri5. */
  readonly tolerances?: Tolerances;
  /**
   * How much more energy there may be than work was done, as a part of the largest kinetic energy and the work exchanged;
   * 1e-3 where left out. Beyond it a step ends with a SimulationError 'energy'. Infinity: nobody looks.
   */
  readonly energyTolerance?: number;
  /** For dopri5: what to look out for. A step is cut at each event. */
  readonly events?: readonly SimulationEvent[];
  /**
   * Called at an event with all that happen there at once; may change velocities or the structure. Returning false ends the
   * step there.
   */
  readonly onEvent?: (simulation: Simulation, occurrences: readonly Occurrence[]) => unknown;
  /** Where to start; the neutral state where left out. The simulation works on a copy. */
  readonly state?: State;
  /** Joint forces as a function of the state. */
  readonly control?: Control;
  /**
   * Springs and dampers towards target positions, beside `control`. Implicit in steps of 'midpoint' and 'euler', and stable
   * there whatever the gains are; 'dopri5' takes as many steps as they need, 'rk4' needs a short step.
   */
  readonly drive?: DriveOptions;
  /** Told why WebAssembly cannot be used where it could be; a warning on the console, once, where left out. */
  readonly onFallback?: (reason: string) => void;
}

/** How often a step whose energy is off is taken again, each time in steps half as long. */
const MOST_AUDITS = 6;

/** All that belongs to one structure; replaced as a whole when the structure changes. */
interface Running {
  readonly mechanism: Mechanism;
  readonly dynamics: Dynamics;
  readonly state: State;
  /** As the last step left it, and how the next one begins: what a step that fails goes back to. */
  readonly before: State;
  readonly integrator: Integrator;
  /** Joint forces that the integrator asks for. */
  readonly control: Control | undefined;
  /** For mechanisms with loops. */
  readonly closing: LoopClosing | undefined;
  readonly guard: EnergyGuard | undefined;
}

/**
 * A mechanism that moves: integrator, control, events.
 *
 *     const simulation = new Simulation(mechanism, { state, integrator: 'rk4', step: 0.001 });
 *     simulation.runUntil(2);
 */
export class Simulation {
  readonly stepSize: number;
  readonly #integrator: IntegratorName;
  readonly #control: Control | undefined;
  readonly #driveOptions: DriveOptions | undefined;
  readonly #options: DynamicsOptions;
  readonly #onFallback: (reason: string) => void;
  readonly #tolerances: Tolerances;
  readonly #events: readonly SimulationEvent[];
  readonly #onEvent: SimulationOptions['onEvent'];
  readonly #energyTolerance: number;
  #running: Running;
  #drift = 0;

  /** Loops that are open at the start by less than a thousandth are closed; wider gaps are refused. */
  constructor(mechanism: Mechanism, options: SimulationOptions = {}) {
    const { integrator = 'dopri5', state, control, tolerances = {}, events = [], onEvent } = options;
    const { onFallback = warnOnce, energyTolerance = ENERGY_TOLERANCE } = options;
    if (state !== undefined) refuseForeign(mechanism, state);
    const step = options.step ?? (integrator === 'dopri5' ? 1e-2 : 1e-3);
    if (!(step > 0) || !Number.isFinite(step))
      throw MechanismError.of('step', '', `The step must be a positive number of seconds, got ${step}.`);
    if (!INTEGRATORS.includes(integrator))
      throw MechanismError.of(
        'integrator',
        '',
        `There is no integrator "${integrator}"; take one of ${INTEGRATORS.join(', ')}.`,
      );
    checkTolerances(tolerances);
    if (!(energyTolerance > 0))
      throw MechanismError.of('tolerance', '', `The tolerance of the energy must be positive, got ${energyTolerance}.`);
    if (events.length > 0 && integrator !== 'dopri5')
      throw MechanismError.of('events', '', 'Only the integrator dopri5 finds events.');
    this.stepSize = step;
    this.#integrator = integrator;
    this.#control = control;
    this.#driveOptions = options.drive;
    const { engine = 'auto', threads, deterministic, ranks } = options;
    this.#options = {
      engine,
      ...(threads !== undefined && { threads }),
      ...(deterministic !== undefined && { deterministic }),
      ...(ranks !== undefined && { ranks }),
    };
    this.#onFallback = onFallback;
    this.#tolerances = tolerances;
    this.#events = events;
    this.#onEvent = onEvent;
    this.#energyTolerance = energyTolerance;
    this.#running = this.#start(mechanism, state === undefined ? new State(mechanism) : state.clone());
    this.#closeAtStart();
  }

  #start(mechanism: Mechanism, state: State): Running {
    const model = dynamics(mechanism, this.#options);
    const { engine, reason } = runsForward(model);
    if (engine === 'plain' && reason !== undefined && reasonForPlain(mechanism) === undefined) this.#onFallback(reason);
    this.#running?.dynamics.dispose();
    return {
      mechanism,
      dynamics: model,
      state,
      before: state.clone(),
      ...this.#makeIntegrator(model, state),
      closing: mechanism.loops.length > 0 ? new LoopClosing(model.tree, model.loopImpulse) : undefined,
      guard: this.#guard(model),
    };
  }

  #guard(model: Dynamics): EnergyGuard | undefined {
    const tolerance = this.#energyTolerance;
    if (tolerance === Number.POSITIVE_INFINITY) return undefined;
    const controlled = this.#control !== undefined || this.#driveOptions !== undefined;
    return new EnergyGuard(model.mechanism, (at) => model.energy(at), { controlled, tolerance });
  }

  #makeIntegrator(dynamics: ForwardEngine, state: State): Pick<Running, 'integrator' | 'control'> {
    const given = this.#driveOptions;
    const drive = given === undefined ? undefined : new Drive(dynamics.mechanism, given);
    const control = this.#control;
    if (this.#integrator === 'euler') return { integrator: new ImplicitEuler(dynamics, drive), control };
    if (this.#integrator === 'midpoint') return { integrator: new Midpoint(dynamics, state, drive), control };
    // Runge-Kutta methods see a force like any other.
    const both: Control | undefined =
      drive === undefined
        ? control
        : (tau, at) => {
            control?.(tau, at);
            drive.add(tau, at);
          };
    if (this.#integrator === 'rk4') return { integrator: new RungeKutta4(dynamics, state), control: both };
    const integrator = new DormandPrince(dynamics, state, this.#tolerances, this.#events);
    const before = this.#running?.integrator;
    if (before instanceof DormandPrince) integrator.resume(before);
    return { integrator, control: both };
  }

  #closeAtStart(): void {
    const { closing, state } = this.#running;
    closing?.closeGiven(state, '');
  }

  get mechanism(): Mechanism {
    return this.#running.mechanism;
  }

  /** The dynamics of the present structure, on the engine of the options. */
  get dynamics(): Dynamics {
    return this.#running.dynamics;
  }

  /** What computes accelerations now, and why not what was asked for. */
  get engine(): Runs {
    return runsForward(this.dynamics);
  }

  /** Lets go of memory and threads; further steps run on the plain engine. */
  dispose(): void {
    this.dynamics.dispose();
  }

  /** The present state: always the last good one. Another object after the structure has changed. */
  get state(): State {
    return this.#running.state;
  }

  /** The largest gap (metres, radians) that a step has left in a loop before it was closed again. */
  get loopDrift(): number {
    return this.#drift;
  }

  /** The largest energy, in joules, that the mechanism has had above what it began with and work done since. */
  get energyGain(): number {
    return this.#running.guard?.largestGain ?? 0;
  }

  /**
   * Of 'midpoint': the largest part by which velocities were scaled to keep the books, at most 0.02, and how often a step
   * was taken in halves. Zero for other integrators, which keep no books.
   */
  get correction(): { readonly scale: number; readonly halved: number } {
    const { integrator } = this.#running;
    if (!(integrator instanceof Midpoint)) return { scale: 0, halved: 0 };
    return { scale: integrator.largestScale, halved: integrator.halved };
  }

  /** What the simulation cannot promise: events that may have been missed. */
  get warnings(): readonly string[] {
    const { integrator } = this.#running;
    if (!(integrator instanceof DormandPrince)) return [];
    return [...integrator.restless].map(
      (name) =>
        `The value of event "${name}" turns round more than once in a step, so passages may have been missed: give its rate, the fastest that it can change.`,
    );
  }

  /** Joins two bodies, or a body and the ground, from now on; see connect. */
  connect(options: ConnectOptions): Connected {
    const connected = connect(this.mechanism, this.state, options);
    this.#running = this.#start(connected.mechanism, connected.state);
    return connected;
  }

  /** Takes a joint away from now on; see disconnect. */
  disconnect(joint: string): void {
    const { mechanism, state } = disconnect(this.mechanism, this.state, joint);
    this.#running = this.#start(mechanism, state);
  }

  /** Lets another body hang from the ground from now on, in the same state; see reroot. */
  reroot(options: RerootOptions): void {
    const { mechanism, state } = reroot(this.mechanism, this.state, options);
    this.#running = this.#start(mechanism, state);
  }

  /** A body strikes the ground now: velocities jump; see impact. */
  impact(options: ImpactOptions): Impact {
    const result = impact(this.mechanism, this.state, options);
    this.state.v.set(result.state.v);
    const { integrator } = this.#running;
    if (integrator instanceof DormandPrince) integrator.bounced();
    return result;
  }

  get time(): number {
    return this.state.time;
  }

  /** Energy, momentum and centre of mass now. */
  energy(): Energy {
    return this.dynamics.energy(this.state);
  }

  /**
   * One step, with the events on its way; returns whether it went to its end. If it fails, the state stays the last good one and
   * the error names body, joint and time.
   */
  step(h = this.stepSize): boolean {
    const end = this.time + h;
    for (let left = h; ; left = end - this.time) {
      const occurrences = this.#advance(left);
      if (occurrences.length === 0) return true;
      if (this.#onEvent?.(this, occurrences) === false) return false;
      // An event at the very end of the step.
      if (!(end - this.time > 1e-12 * h)) return true;
    }
  }

  /** Moves the state by h, or to the first event. */
  #advance(h: number): readonly Occurrence[] {
    const { before, integrator, closing, guard, state } = this.#running;
    const changed = !sameMotion(state, before);
    if (changed) before.copy(state);
    before.time = state.time;
    try {
      guard?.before(state, changed);
      const occurrences = this.#integrate(h);
      if (this.time === before.time && occurrences.length === 0)
        throw new SimulationError('step', `A step of ${h} s is lost in rounding at time ${this.time}.`, {
          time: this.time,
        });
      if (integrator.finite !== true) this.#refuseNonFinite();
      if (closing !== undefined) {
        this.#drift = Math.max(this.#drift, closing.close(state));
        closing.hold(state);
        integrator.left?.(state);
      }
      guard?.after(state, integrator.work, h, integrator);
      before.copy(state);
      return occurrences;
    } catch (error) {
      state.copy(before);
      throw error;
    }
  }

  /** A step, taken again in shorter ones where the integrator can and its energy is off. */
  #integrate(h: number): readonly Occurrence[] {
    const { before, integrator, control, closing, guard, state } = this.#running;
    let occurrences = integrator.step(state, h, control);
    // Loops are closed after the step, so the balance cannot be seen before.
    if (!(integrator instanceof DormandPrince) || integrator.audit === undefined || closing !== undefined)
      return occurrences;
    for (let k = 0; k < MOST_AUDITS && guard?.audit(state, integrator.work, integrator.audit) === false; k++) {
      integrator.undo();
      state.copy(before);
      occurrences = integrator.step(state, h, control);
    }
    integrator.accept();
    return occurrences;
  }

  #refuseNonFinite(): void {
    const { q, v, time } = this.state;
    if (allFinite(q) && allFinite(v)) return;
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

  /**
   * Whole steps until the given time is reached, the last one shortened to meet it; `onStep` after each may stop it by
   * returning false, and so may an event.
   */
  runUntil(end: number, onStep?: (simulation: Simulation) => boolean | undefined): void {
    // A remainder below this is rounding in the sum of steps, not a step.
    const slack = 1e-9 * this.stepSize;
    while (end - this.time > slack) {
      const left = end - this.time;
      const last = left < this.stepSize * (1 + 1e-9);
      const whole = this.step(last ? left : this.stepSize);
      // time + left is the end but for rounding.
      if (last && whole) this.state.time = end;
      if (onStep?.(this) === false || !whole) return;
    }
  }
}

function runsForward(model: Dynamics): Runs {
  const { engine, reason } = model.report().functions.find(({ name }) => name === 'forward')!;
  return { engine, ...(reason !== undefined && { reason }) };
}

let warned = false;

function warnOnce(reason: string): void {
  if (!warned) console.warn(`Manikin computes in plain TypeScript: ${reason}`);
  warned = true;
}

function checkTolerances(tolerances: Tolerances): void {
  for (const [name, value] of Object.entries(tolerances))
    if (value !== undefined && !(value > 0 && Number.isFinite(value)))
      throw MechanismError.of('tolerance', '', `The ${name} tolerance must be a positive number, got ${value}.`);
}
