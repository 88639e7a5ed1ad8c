// The stages of a Runge-Kutta step inside WebAssembly (step-module.ts). What its series are not good for (turns of more than
// LARGEST_TURN in a step) and what is not finite goes the readable way, which also knows what to say about it.

import { LARGEST_TURN } from '../../formulas/integration.js';
import { endWeights, type StepJoint, type Tableau } from '../../formulas/runge-kutta.js';
import { allFinite } from '../../mechanism/finite.js';
import type { State } from '../../mechanism/state.js';
import type { Plan } from '../../plan/plan.js';
import { passiveJoints } from '../plain/passive.js';
import type { Control, PlainStages, Stages } from '../plain/stages.js';
import type { Layout } from './layout.js';
import { madeOnce } from './made-once.js';
import { createStepModule } from './step-module.js';
import type { Store } from './store.js';
import type { Running } from './task-code.js';
import { type WasmInstance, webAssembly } from './webassembly.js';

/** Of TaskCode. */
interface StagesParts {
  readonly store: Store;
  readonly plan: Plan;
  readonly layout: Layout;
  codeInDoubt: boolean;
}

/** Larger mechanisms are moved joint by joint: code would grow with them. */
export const MOST_STAGED = 1000;

export class WasmStages implements Stages {
  readonly end: State;
  rates: readonly Float64Array[] = [];
  accelerations: readonly Float64Array[] = [];
  u = new Float64Array(0);
  work = 0;
  finite = false;
  readonly #parts: StagesParts;
  readonly #forward: Pick<Running, 'code' | 'call'>;
  readonly #onRun: () => void;
  readonly #readable: PlainStages;
  readonly #tableau: Tableau;
  readonly #weights: readonly number[];
  readonly #code: WasmInstance['exports'];
  readonly #at: ReturnType<typeof createStepModule>['at'];
  readonly #base: State;
  /** Of the joints that have them: where their forces stand in tau. */
  readonly #passive: readonly number[];
  readonly #passiveTau: Float64Array;
  readonly #control: Float64Array;
  readonly #powers: Float64Array;
  /** Whether anything but gravity does work in a step. */
  #worked = false;
  #q = new Float64Array(0);
  #v = new Float64Array(0);
  #tau = new Float64Array(0);
  #qdd = new Float64Array(0);
  #baseQ = new Float64Array(0);
  #baseV = new Float64Array(0);
  #step = new Float64Array(0);
  #turn = new Float64Array(0);
  #power = new Float64Array(0);

  /** `forward`: forward dynamics without loads. `onRun` is told of every step. */
  constructor(
    parts: StagesParts,
    forward: Pick<Running, 'code' | 'call'>,
    readable: PlainStages,
    state: State,
    tableau: Tableau,
    onRun: () => void,
  ) {
    this.#onRun = onRun;
    const { store, plan, layout } = parts;
    const { nq, nv } = plan;
    const passive = passiveJoints(state.mechanism);
    const joints = plan.links.map(
      ({ type, iq, iv, nq, nv }): StepJoint => ({ type, iq, iv, nq, nv, passive: passive.get(iv) }),
    );
    const { top } = store;
    const order = joints.map(({ iv }) => iv);
    const key = `step ${JSON.stringify(tableau)} of ${order} at ${layout.end}, ${top} by ${forward.call}`;
    const { module, made } = madeOnce(state.mechanism, key, () => {
      const made = createStepModule({ joints, nq, nv, tableau, layout, top, forward: forward.call });
      return { module: new (webAssembly().Module)(made.bytes), made };
    });
    store.reserve(made.memoryBytes);
    this.#code = store.instantiate(module, { forward: forward.code });
    this.#at = made.at;
    this.#parts = parts;
    this.#forward = forward;
    this.#readable = readable;
    this.#tableau = tableau;
    this.#weights = endWeights(tableau);
    this.end = state.clone();
    this.#base = state.clone();
    this.#passive = [...passive.values()].flatMap(({ iv, model }) =>
      Array.from({ length: model.nv }, (_, k) => iv + k),
    );
    this.#passiveTau = new Float64Array(this.#passive.length);
    this.#control = new Float64Array(nv);
    this.#powers = new Float64Array(tableau.A.length);
    this.#refreshViews();
  }

  begin(state: State): void {
    // Views are lost where the memory has grown meanwhile.
    if (this.#q.length === 0) this.#refreshViews();
    const base = this.#base;
    base.time = state.time;
    const { couplings } = state.mechanism;
    const { q, v } = couplings.length === 0 ? state : base.copy(state).applyCouplings();
    this.#baseQ.set(q);
    this.#baseV.set(v);
  }

  accelerate(control: Control | undefined, taken: boolean): void {
    const last = this.#tableau.A.length - 1;
    if (taken) {
      this.accelerations[0].set(this.accelerations[last]);
      this.#powers[0] = this.#powers[last];
      return;
    }
    this.#atBase();
    this.end.time = this.#base.time;
    this.#accelerate(0, control);
    this.accelerations[0].set(this.#qdd);
  }

  run(h: number, control: Control | undefined): void {
    const { A, B, C } = this.#tableau;
    this.#step[0] = h;
    this.#onRun();
    this.#worked = control !== undefined || this.#passive.length > 0;
    if (control === undefined) {
      if (B !== undefined) this.#atBase();
      else this.#tau.fill(0);
      this.#code.step();
    } else {
      if (B !== undefined) {
        this.#atBase();
        this.end.time = this.#base.time;
        this.#accelerate(0, control);
      }
      for (let s = 1; s < A.length; s++) {
        this.#code[`stage${s}`]();
        this.end.time = this.#base.time + C[s] * h;
        this.#accelerate(s, control);
      }
      if (B !== undefined) this.#code.end();
    }
    const { end } = this;
    end.q.set(this.#q);
    end.v.set(this.#v);
    end.time = this.#base.time + h;
    // Coupled joints follow as their accelerations do, but for rounding.
    end.applyCouplings();
    if (B === undefined) this.accelerations[A.length - 1].set(this.#qdd);
    this.finite = this.#isGood();
    if (!this.finite) {
      this.#runReadable(h, control);
      return;
    }
    if (!this.#worked) return;
    if (control === undefined)
      this.#powers.set(B === undefined ? this.#power.subarray(1) : this.#power, B === undefined ? 1 : 0);
    this.work = 0;
    for (let s = 0; s < this.#weights.length; s++) this.work += h * this.#weights[s] * this.#powers[s];
  }

  #atBase(): void {
    this.#q.set(this.#baseQ);
    this.#v.set(this.#baseV);
    this.#tau.fill(0);
    this.#code.stage0?.();
  }

  /** Forward dynamics of a stage whose positions, velocities and passive forces are in memory. */
  #accelerate(s: number, control: Control | undefined): void {
    const { code, call } = this.#forward;
    this.#powers[s] = this.#passive.length > 0 ? this.#power[s] : 0;
    if (control !== undefined) this.#addControl(s, control);
    code(...call);
  }

  #addControl(s: number, control: Control): void {
    const { end } = this;
    const passive = this.#passiveTau;
    end.q.set(this.#q);
    end.v.set(this.#v);
    this.#passive.forEach((at, k) => {
      passive[k] = this.#tau[at];
    });
    const given = this.#control;
    given.fill(0);
    control(given, end);
    // The control function may have used this very memory for dynamics of its own, and made it grow.
    if (this.#q.length === 0) this.#refreshViews();
    this.#q.set(end.q);
    this.#v.set(end.v);
    let power = 0;
    for (let k = 0; k < given.length; k++) power += given[k] * end.v[k];
    this.#powers[s] += power;
    const tau = this.#tau;
    tau.set(given);
    this.#passive.forEach((at, k) => {
      tau[at] += passive[k];
    });
  }

  /** Turns within the range of the series, no doubt about the rank of loops, and all numbers finite. */
  #isGood(): boolean {
    const parts = this.#parts;
    const { codeInDoubt } = parts;
    parts.codeInDoubt = false;
    if (codeInDoubt) return false;
    for (let s = 0; s < this.#turn.length; s++) if (this.#turn[s] > LARGEST_TURN ** 2) return false;
    const { q, v } = this.end;
    return allFinite(q) && allFinite(v) && (this.#tableau.B !== undefined || allFinite(this.#qdd));
  }

  #runReadable(h: number, control: Control | undefined): void {
    const readable = this.#readable;
    const base = this.#base;
    base.q.set(this.#baseQ);
    base.v.set(this.#baseV);
    readable.begin(base);
    if (this.#tableau.B === undefined) readable.accelerate(control, false);
    readable.run(h, control);
    this.end.copy(readable.end);
    this.work = readable.work;
    readable.rates.forEach((rate, s) => {
      this.rates[s].set(rate);
      this.accelerations[s].set(readable.accelerations[s]);
    });
    this.u.set(readable.u);
  }

  #refreshViews(): void {
    const { store, plan } = this.#parts;
    const { nq, nv } = plan;
    const at = this.#at;
    const stages = this.#tableau.A.length;
    const vectors = (from: number): Float64Array[] =>
      Array.from({ length: stages }, (_, s) => store.numbers(from + 8 * s * nv, nv));
    this.#q = store.numbers(at.q, nq);
    this.#v = store.numbers(at.v, nv);
    this.#tau = store.numbers(at.tau, nv);
    this.#qdd = store.numbers(at.qdd, nv);
    this.#baseQ = store.numbers(at.baseQ, nq);
    this.#baseV = store.numbers(at.baseV, nv);
    this.#step = store.numbers(at.step, 1);
    this.#turn = store.numbers(at.turn, stages);
    this.#power = store.numbers(at.power, stages);
    this.u = store.numbers(at.u, nv);
    this.rates = [this.#baseV, ...vectors(at.rate).slice(1)];
    this.accelerations = vectors(at.acceleration);
  }
}
