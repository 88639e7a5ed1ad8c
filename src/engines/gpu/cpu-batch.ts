// The batch on the CPU with the calls of the batch on the GPU, for machines without one.

import type { Mechanism } from '../../mechanism/mechanism.js';
import { State } from '../../mechanism/state.js';
import { LoopClosing } from '../plain/assembly/closing.js';
import { addPassiveForces, addPassiveSlope } from '../plain/passive.js';
import { PlainDynamics } from '../plain/plain-dynamics.js';
import { CompiledBatch } from '../wasm/batch.js';
import type { Tier } from '../wasm/compiled.js';
import { GpuError } from './errors.js';
import type { ArrayName, BatchTask, RolloutOptions, StateBatch } from './state-batch.js';
import { checkTorque, splineWeights, type Torque } from './torque.js';

export class CpuBatch implements StateBatch {
  readonly where = 'cpu';
  readonly adapter = '';
  readonly mechanism: Mechanism;
  readonly states: number;
  readonly #batch: CompiledBatch;
  readonly #reason: string;
  #flagged: number[] = [];

  constructor(mechanism: Mechanism, states: number, reason: string) {
    this.mechanism = mechanism;
    this.states = states;
    this.#batch = new CompiledBatch(mechanism, { batch: states });
    this.#reason = reason;
  }

  get q(): Float64Array {
    return this.#batch.q;
  }
  get v(): Float64Array {
    return this.#batch.v;
  }
  get tau(): Float64Array {
    return this.#batch.tau;
  }
  get qdd(): Float64Array {
    return this.#batch.qdd;
  }

  at(_name: ArrayName, k: number, s: number): number {
    return k * this.#batch.stride + s;
  }

  setState(s: number, state: State): void {
    this.#batch.setState(s, state);
  }

  getState(s: number, state: State): State {
    const { q, v } = this;
    for (let k = 0; k < state.q.length; k++) state.q[k] = q[this.at('q', k, s)];
    for (let k = 0; k < state.v.length; k++) state.v[k] = v[this.at('v', k, s)];
    return state;
  }

  async forward(count = this.states): Promise<void> {
    this.#batch.forward(count);
    this.#flag(['qdd'], count);
  }

  async inverse(count = this.states): Promise<void> {
    this.#batch.inverse(count);
    this.#flag(['tau'], count);
  }

  async rollout({ steps, step, torque = { kind: 'held' } }: RolloutOptions): Promise<void> {
    if (!Number.isInteger(steps) || steps < 1)
      throw new GpuError('mechanism', `Expected a positive number of steps, got ${steps}.`);
    if (!(step > 0 && Number.isFinite(step))) throw new GpuError('mechanism', `Expected a positive step, got ${step}.`);
    checkTorque(torque, this.mechanism, this.states, steps);
    const { mechanism } = this;
    const dynamics = new PlainDynamics(mechanism);
    const state = new State(mechanism);
    const { nv } = mechanism;
    const [tau, held, qdd] = [new Float64Array(nv), new Float64Array(nv), new Float64Array(nv)];
    const armature = new Float64Array(nv);
    // Loops and couplings as in src/simulation.
    const closing = mechanism.loops.length > 0 ? new LoopClosing(dynamics.tree) : undefined;
    const hold = (): void => {
      state.applyCouplings();
      closing?.close(state);
      closing?.hold(state);
    };
    for (let s = 0; s < this.states; s++) {
      this.getState(s, state);
      for (let k = 0; k < nv; k++) held[k] = this.tau[this.at('tau', k, s)];
      try {
        hold();
        for (let n = 0; n < steps; n++) {
          applyTorque(tau, held, torque, state, s, n, steps, step);
          addPassiveForces(mechanism, tau, state.q, state.v);
          armature.set(dynamics.tree.armature);
          addPassiveSlope(mechanism, armature, state.v, step);
          dynamics.forward(state, tau, { out: qdd, armature });
          for (let k = 0; k < nv; k++) state.v[k] += step * qdd[k];
          for (const { model, iq, iv } of mechanism.joints) model.integrate(state.q, iq, state.v, iv, step);
          hold();
        }
      } catch {
        // Readable algorithms throw on what is not finite, or cannot be held; the batch flags the state and goes on.
        state.v.fill(Number.NaN);
      }
      this.setState(s, state);
    }
    this.#flag(['q', 'v'], this.states);
  }

  notFinite(): number[] {
    return [...this.#flagged];
  }

  tierOf(task: BatchTask): Tier {
    return task === 'rollout' ? 'plain' : this.#batch.tierOf(task);
  }

  ready(task: BatchTask = 'forward'): Promise<void> {
    return task === 'rollout' ? Promise.resolve() : this.#batch.ready(task);
  }

  fork(): CpuBatch {
    return new CpuBatch(this.mechanism, this.states, this.#reason);
  }

  explain(): string {
    return `On the CPU: ${this.#reason}\n${this.#batch.explain()}`;
  }

  dispose(): void {}

  #flag(names: readonly ArrayName[], count: number): void {
    this.#flagged = [];
    for (let s = 0; s < count; s++) {
      let sum = 0;
      for (const name of names) {
        const array = this[name];
        const rows = name === 'q' ? this.mechanism.nq : this.mechanism.nv;
        for (let k = 0; k < rows; k++) sum += array[this.at(name, k, s)] * 0;
      }
      if (sum !== 0) this.#flagged.push(s);
    }
  }
}

/** The law of torque-kernel.ts, for one state in step n. */
export function applyTorque(
  tau: Float64Array,
  held: Float64Array,
  torque: Torque,
  { q, v, mechanism }: State,
  s: number,
  n: number,
  steps: number,
  step: number,
): void {
  const { nv } = mechanism;
  switch (torque.kind) {
    case 'held':
      tau.set(held);
      return;
    case 'sequence':
      for (let k = 0; k < nv; k++) tau[k] = torque.values[(s * steps + n) * nv + k];
      return;
    case 'spline': {
      const { values, knots, interval } = torque;
      const { knot, weights } = splineWeights(n * step, interval, knots);
      for (let k = 0; k < nv; k++) {
        tau[k] = 0;
        weights.forEach((weight, j) => {
          const at = Math.min(Math.max(knot + j - 1, 0), knots - 1);
          tau[k] += weight * values[(s * knots + at) * nv + k];
        });
      }
      return;
    }
    case 'pd': {
      const { stiffness, damping, target } = torque;
      const error = new Float64Array(6);
      for (const { model, iq, iv } of mechanism.joints) {
        positionError(error, model.name, q, iq, target);
        for (let k = 0; k < model.nv; k++)
          tau[iv + k] = held[iv + k] + stiffness[iv + k] * error[k] - damping[iv + k] * v[iv + k];
      }
    }
  }
}

function positionError(
  error: Float64Array,
  type: string,
  q: Float64Array,
  iq: number,
  target: ArrayLike<number>,
): void {
  if (type !== 'spherical' && type !== 'floating') {
    for (let k = 0; k < 3; k++) error[k] = (target[iq + k] ?? 0) - (q[iq + k] ?? 0);
    return;
  }
  const [wa, ax, ay, az] = [q[iq], q[iq + 1], q[iq + 2], q[iq + 3]];
  const [wb, bx, by, bz] = [target[iq], target[iq + 1], target[iq + 2], target[iq + 3]];
  const sign = wa * wb + ax * bx + ay * by + az * bz >= 0 ? 2 : -2;
  error[0] = sign * (wa * bx - wb * ax - (ay * bz - az * by));
  error[1] = sign * (wa * by - wb * ay - (az * bx - ax * bz));
  error[2] = sign * (wa * bz - wb * az - (ax * by - ay * bx));
  if (type !== 'floating') return;
  const [x, y, z] = [4, 5, 6].map((k) => target[iq + k] - q[iq + k]);
  const [tx, ty, tz] = [-2 * (ay * z - az * y), -2 * (az * x - ax * z), -2 * (ax * y - ay * x)];
  error[3] = x + wa * tx - (ay * tz - az * ty);
  error[4] = y + wa * ty - (az * tx - ax * tz);
  error[5] = z + wa * tz - (ax * ty - ay * tx);
}
