// The method of Dormand and Prince, order 5(4), with steps that keep the error below a tolerance and a dense output of order
// four (Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I, II.4 to II.6), in the form of Munthe-Kaas: within a
// step the position is q0 moved along a vector u, and u, which lives in a flat space, is what is integrated.

import { DORMAND_PRINCE, moveAlong, type Stages } from '../engines/plain/stages.js';
import { SimulationError } from '../mechanism/errors.js';
import { type State, sameMotion } from '../mechanism/state.js';
import {
  type EventSide,
  firstEvents,
  goesThrough,
  isRestless,
  type Occurrence,
  type SimulationEvent,
} from './events.js';
import { type Control, type ForwardEngine, type Integrator, stagesOf } from './integrators.js';

/** How exact steps of 'dopri5' and the times of events are. */
export interface Tolerances {
  /** Error of a step relative to the size of velocities, of angles and distances; 1e-6 where left out. */
  readonly relative?: number;
  /** And beside that in their units (radians, metres, and per second); 1e-8 where left out. */
  readonly absolute?: number;
  /** Seconds to which the times of events are found; 1e-12 where left out. */
  readonly event?: number;
}

const LAST = DORMAND_PRINCE.A.length - 1;
const ERROR = DORMAND_PRINCE.E!;
const DENSE = [
  -12715105075 / 11282082432,
  0,
  87487479700 / 32700410799,
  -10690763975 / 1880347072,
  701980252875 / 199316789632,
  -1453857185 / 822651844,
  69997945 / 29380423,
];

/** Step control of Hairer's DOPRI5: h <- h 0.9 err^-(0.2 - 0.75 beta) err_before^beta, within bounds. */
const BETA = 0.04;
const [SAFETY, SHRINK, GROW] = [0.9, 0.2, 10];

/** Steps of one call: more are taken for a tolerance that cannot be met. */
const MAX_STEPS = 1_000_000;

export class DormandPrince implements Integrator {
  readonly name = 'dopri5';
  readonly order = 5;
  readonly #stages: Stages;
  readonly #relative: number;
  readonly #absolute: number;
  readonly #eventTolerance: number;
  readonly #events: readonly SimulationEvent[];
  /** Where the step began. */
  readonly #base: State;
  readonly #probe: State;
  /** Last terms of the dense output. */
  readonly #lastU: Float64Array;
  readonly #lastV: Float64Array;
  /** Whole change of v in the step, and u of the dense output. */
  readonly #v: Float64Array;
  readonly #denseU: Float64Array;
  /** Of each degree of freedom, where its position stands in q; -1 where that is a quaternion. */
  readonly #positions: Int32Array;
  #work = 0;
  #duration = 0;
  /** The next step as the error control sees it; 0 before the first. */
  #next = 0;
  #errorBefore = 1e-4;
  /** Whether the accelerations of the last stage belong to the state at hand. */
  #fresh = false;
  /** Events that happened at the present time. */
  #fired = new Set<number>();
  #firedAt = Number.NaN;
  /** The sides from which the values of the last events came, and whether something bounced there. */
  #cameFrom: ReadonlyMap<number, EventSide> = new Map();
  #bounced = false;
  #warned = new Set<string>();
  /** The same before the last call; the shortest step of that call, and a limit for the next. */
  #firedBefore: readonly number[] = [];
  #firedAtBefore = Number.NaN;
  #shortest = 0;
  #longest = Number.POSITIVE_INFINITY;
  /** Steps taken and refused so far. */
  steps = 0;
  rejected = 0;

  constructor(
    dynamics: ForwardEngine,
    state: State,
    tolerances: Tolerances = {},
    events: readonly SimulationEvent[] = [],
  ) {
    const { nv } = dynamics.mechanism;
    const vector = (): Float64Array => new Float64Array(nv);
    this.#stages = stagesOf(dynamics, state, DORMAND_PRINCE);
    this.#relative = tolerances.relative ?? 1e-6;
    this.#absolute = tolerances.absolute ?? 1e-8;
    this.#eventTolerance = tolerances.event ?? 1e-12;
    this.#events = events;
    this.#base = state.clone();
    this.#probe = state.clone();
    this.#v = vector();
    this.#positions = new Int32Array(nv).fill(-1);
    for (const { model, iq, iv } of dynamics.mechanism.joints)
      if (model.nq === model.nv) for (let k = 0; k < model.nv; k++) this.#positions[iv + k] = iq + k;
    this.#denseU = vector();
    this.#lastU = vector();
    this.#lastV = vector();
  }

  get work(): number {
    return this.#work;
  }

  /** Goes on where another one was, with the same events: after a change of structure. */
  resume(other: DormandPrince): void {
    this.#next = other.#next;
    this.#fired = other.#fired;
    this.#firedAt = other.#firedAt;
    this.#warned = other.#warned;
    this.steps = other.steps;
    this.rejected = other.rejected;
  }

  /** After the events of the last step something has bounced: their values must go back to where they came from. */
  bounced(): void {
    this.#bounced = true;
  }

  /** Names of events whose values change too fast for the looks that are taken at them. */
  get restless(): ReadonlySet<string> {
    return this.#warned;
  }

  /** Part of the motion's energy by which a step may miss its balance; undefined where the tolerance alone will do. */
  get audit(): number | undefined {
    return this.#relative < 1e-7 ? undefined : 10 * this.#relative;
  }

  /** Takes the last call of `step` back, which failed its audit: the next one goes in steps half as long. */
  undo(): void {
    this.#longest = this.#shortest / 2;
    this.#next = this.#longest;
    this.#fired = new Set(this.#firedBefore);
    this.#firedAt = this.#firedAtBefore;
    this.#fresh = false;
  }

  /** Ends the limit that `undo` has set. */
  accept(): void {
    this.#longest = Number.POSITIVE_INFINITY;
  }

  /** Moves the state by h, or to the first event on the way; returns what happened there. */
  step(state: State, h: number, control: Control | undefined): readonly Occurrence[] {
    const end = state.time + h;
    let left = h;
    let refusedBefore = false;
    this.#work = 0;
    this.#shortest = h;
    this.#firedBefore = [...this.#fired];
    this.#firedAtBefore = this.#firedAt;
    if (state.time !== this.#firedAt) this.#fired.clear();
    for (let count = 0; count < MAX_STEPS; count++) {
      if (!refusedBefore) this.#begin(state, control);
      if (this.#next === 0) this.#next = Math.min(h, this.#firstStep());
      this.#next = Math.min(this.#next, this.#longest);
      const last = this.#next >= left * (1 - 1e-10);
      const size = last ? left : this.#next;
      const error = this.#try(size, control);
      if (!(error <= 1)) {
        this.rejected++;
        refusedBefore = true;
        this.#next = size * (Number.isFinite(error) ? Math.max(SHRINK, SAFETY * error ** -0.2) : 0.1);
        if (!(this.#next > 1e-15 * Math.max(Math.abs(state.time), 1e-3)))
          throw new SimulationError(
            'step',
            `The step became too small at time ${state.time}: the tolerance cannot be met there. Allow a larger error, or look for a force that is not smooth.`,
            { time: state.time },
          );
        continue;
      }
      this.steps++;
      if (!last) this.#shortest = Math.min(this.#shortest, size);
      const proposed = size * this.#growth(error, refusedBefore);
      // A step cut short at the end says nothing against a longer one.
      this.#next = last ? Math.max(this.#next, proposed) : proposed;
      refusedBefore = false;
      const occurrences = this.#search(control);
      this.#finish(state);
      if (occurrences.length > 0) return occurrences;
      this.#fired.clear();
      if (last) {
        state.time = end;
        this.#stages.end.time = end;
        return [];
      }
      left = end - state.time;
    }
    throw new SimulationError('step', `More than ${MAX_STEPS} steps for ${h} s at time ${state.time}.`, {
      time: state.time,
    });
  }

  /** First stage: the accelerations here, taken over from the end of the step before if nothing was changed since. */
  #begin(state: State, control: Control | undefined): void {
    const { end } = this.#stages;
    this.#fresh &&= sameMotion(state, end) && state.time === end.time;
    this.#base.copy(state);
    this.#stages.begin(state);
    this.#stages.accelerate(control, this.#fresh);
    this.#fresh = false;
  }

  /** All stages of a step; returns its error relative to the tolerance. */
  #try(h: number, control: Control | undefined): number {
    this.#duration = h;
    this.#stages.run(h, control);
    const { v } = this.#stages.end;
    for (let k = 0; k < v.length; k++) this.#v[k] = v[k] - this.#base.v[k];
    return this.#error(h);
  }

  #error(h: number): number {
    const { rates: r, accelerations: a, u } = this.#stages;
    const { q, v } = this.#base;
    const positions = this.#positions;
    const change = this.#v;
    const absolute = this.#absolute;
    const relative = this.#relative;
    let worst = 0;
    for (let n = 0; n < positions.length; n++) {
      let eu = 0;
      let ev = 0;
      // The second stage has no part in the error.
      for (let s = 0; s < ERROR.length; s++) {
        if (s === 1) continue;
        eu += ERROR[s] * r[s][n];
        ev += ERROR[s] * a[s][n];
      }
      // Quaternions have size one, and so have the rotations they stand for.
      const at = positions[n];
      const position = at < 0 ? 1 : Math.max(Math.abs(q[at]), Math.abs(q[at] + u[n]));
      const velocity = Math.max(Math.abs(v[n]), Math.abs(v[n] + change[n]));
      worst = Math.max(worst, Math.abs(h * eu) / (absolute + relative * position));
      worst = Math.max(worst, Math.abs(h * ev) / (absolute + relative * velocity));
      if (Number.isNaN(eu + ev)) return Number.NaN;
    }
    return worst;
  }

  #growth(error: number, refusedBefore: boolean): number {
    const factor = SAFETY * Math.max(error, 1e-10) ** -(0.2 - 0.75 * BETA) * this.#errorBefore ** BETA;
    this.#errorBefore = Math.max(error, 1e-4);
    return Math.min(refusedBefore ? 1 : GROW, Math.max(SHRINK, factor));
  }

  /** A first step by the sizes of velocities and accelerations. */
  #firstStep(): number {
    let fastest = 0;
    for (let k = 0; k < this.#v.length; k++)
      fastest = Math.max(fastest, Math.abs(this.#base.v[k]), Math.sqrt(Math.abs(this.#stages.accelerations[0][k])));
    return (0.1 * (this.#relative + this.#absolute) ** 0.2) / (fastest + 1e-3);
  }

  /** Prepares the dense output, looks for events, and cuts the step at the first of them. */
  #search(control: Control | undefined): readonly Occurrence[] {
    const events = this.#events;
    if (events.length === 0) return [];
    this.#prepareDense();
    const probe = this.#probe;
    const value = (event: number, part: number): number => events[event].value(this.#dense(probe, part));
    const segment = { duration: this.#duration, value };
    this.#refuseFallingThrough(segment);
    // Values may cost more than the step: now and then will do.
    const looks = this.steps < 32 || this.steps % 8 === 0;
    events.forEach(({ rate, name }, k) => {
      if (looks && rate === undefined && !this.#warned.has(name) && isRestless(segment, k)) this.#warned.add(name);
    });
    const found = firstEvents(segment, events, this.#fired, this.#eventTolerance);
    if (found.length === 0) return [];
    const full = this.#duration;
    const crossing = found.find(({ kind }) => kind === 'crossing');
    const { part } = crossing ?? found[0];
    // The dense output is of a lower order than the step: take the step to the event itself, and mend its length by the secant
    // method, begun with the slope of the dense output.
    let size = Math.max(part * full, this.#eventTolerance);
    let slope = 0;
    if (crossing !== undefined)
      slope = (value(crossing.event, part + 1e-5) - value(crossing.event, part - 1e-5)) / (2e-5 * full);
    let before: { size: number; value: number } | undefined;
    for (let k = 0; k < 12; k++) {
      this.#try(size, control);
      if (crossing === undefined) break;
      const here = events[crossing.event].value(this.#stages.end);
      if (before !== undefined && size !== before.size && here !== before.value)
        slope = (here - before.value) / (size - before.size);
      const change = -here / slope;
      if (!Number.isFinite(change) || Math.abs(change) <= this.#eventTolerance / 4) break;
      before = { size, value: here };
      size = Math.max(0, size + Math.max(-full / 4, Math.min(full / 4, change)));
    }
    this.#fired = new Set(found.map(({ event }) => event));
    this.#cameFrom = new Map(found.map(({ event, from }) => [event, from]));
    this.#bounced = false;
    const { time } = this.#stages.end;
    // Events that come faster and faster (a ball that bounces less and less) must not slip through one long step.
    if (time > this.#firedAt) this.#next = Math.min(this.#next, 2 * (time - this.#firedAt));
    this.#firedAt = time;
    return found.map(({ event, kind }) => ({ name: events[event].name, time, kind }));
  }

  /** A bounce at an event must send its value back. */
  #refuseFallingThrough(segment: Parameters<typeof goesThrough>[0]): void {
    if (!this.#bounced || this.#base.time !== this.#firedAt) return;
    const time = this.#firedAt;
    for (const [k, from] of this.#cameFrom)
      if (goesThrough(segment, k, from))
        throw new SimulationError(
          'zeno',
          `At time ${time} the bounces of event "${this.#events[k].name}" have become too small to follow: what bounces there has come to rest. End the run there, or connect what rests to what it rests on.`,
          { time },
        );
  }

  #prepareDense(): void {
    const h = this.#duration;
    this.#lastU.fill(0);
    this.#lastV.fill(0);
    const { rates, accelerations } = this.#stages;
    for (let s = 0; s <= LAST; s++)
      for (let k = 0; k < this.#v.length; k++) {
        this.#lastU[k] += h * DENSE[s] * rates[s][k];
        this.#lastV[k] += h * DENSE[s] * accelerations[s][k];
      }
  }

  /** The state at a part of the step: Hairer's form of the fourth-order polynomial. */
  #dense(out: State, part: number): State {
    const base = this.#base;
    const h = this.#duration;
    const { rates, accelerations, u: wholeU } = this.#stages;
    const u = this.#denseU;
    const rest = 1 - part;
    const [first, last] = [rates[0], rates[LAST]];
    for (let k = 0; k < u.length; k++) {
      const whole = wholeU[k];
      const bend = h * first[k] - whole;
      u[k] = part * (whole + rest * (bend + part * (whole - h * last[k] - bend + rest * this.#lastU[k])));
    }
    out.q.set(base.q);
    moveAlong(out, u, 1);
    const [firstA, lastA] = [accelerations[0], accelerations[LAST]];
    for (let k = 0; k < u.length; k++) {
      const whole = this.#v[k];
      const bend = h * firstA[k] - whole;
      out.v[k] =
        base.v[k] + part * (whole + rest * (bend + part * (whole - h * lastA[k] - bend + rest * this.#lastV[k])));
    }
    out.time = base.time + part * h;
    return out.applyCouplings();
  }

  /** The last stage is the end of the step. */
  #finish(state: State): void {
    state.copy(this.#stages.end);
    this.#work += this.#stages.work;
    this.#fresh = true;
  }
}
