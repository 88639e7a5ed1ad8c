// Watches the energy: what a mechanism has must be what it had and what work was done on it. Whatever grows beyond that
// grows because the steps are too long.
//
// A mechanism that hangs from nothing is watched about its centre of mass: kinetic energy without that of the whole,
// m u^2 / 2, and no weight. Else the fall of a figure would soon hide any gain of its limbs.

import { passiveJoints } from '../engines/plain/passive.js';
import { SimulationError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';
import type { Energy } from '../reference/energy.js';
import { floatingBase } from './ledger.js';

/** Gain of energy, relative to the most kinetic energy there was and the work exchanged, that ends a simulation. */
export const ENERGY_TOLERANCE = 1e-3;

/** Fixed steps are looked at each so many: an energy costs about half a forward dynamics. */
const EVERY = 16;

/** Rounding: gains below this part of all energies there are count for nothing. */
const ROUNDING = 1e-9;

export class EnergyGuard {
  readonly #energyOf: (state: State) => Energy;
  readonly #tolerance: number;
  readonly #free: boolean;
  readonly #gravity: readonly number[];
  /** Energy at the start and all work since. */
  #booked = Number.NaN;
  /** The same with signs left out: the scale of errors. */
  #exchanged = 0;
  #kinetic = 0;
  #largestKinetic = 0;
  #potential = 0;
  #steps = 0;
  /** Gain at the end of the last step that was looked at, and the largest so far. */
  #gainBefore = 0;
  #largestGain = 0;

  /** `controlled`: forces may act on the base, so that its motion is not known beforehand. */
  constructor(
    mechanism: Mechanism,
    energyOf: (state: State) => Energy,
    options: { readonly controlled: boolean; readonly tolerance: number },
  ) {
    this.#energyOf = energyOf;
    this.#tolerance = options.tolerance;
    this.#gravity = mechanism.gravity;
    this.#free = !options.controlled && fliesFreely(mechanism);
  }

  /** The largest gain so far, in joules. */
  get largestGain(): number {
    return this.#largestGain;
  }

  /** Before a step. `changed`: since the last one, from outside: whoever did it did work that nobody saw. The books begin afresh. */
  before(state: State, changed: boolean): void {
    if (!changed && !Number.isNaN(this.#booked)) return;
    this.#booked = this.#read(state);
    this.#exchanged = 0;
    this.#largestKinetic = this.#kinetic;
    this.#gainBefore = 0;
    this.#steps = 0;
  }

  /** After a step: keeps the work done in it, and looks at the energy now and then. */
  after(state: State, work: number, h: number, integrator: { readonly name: string; readonly order: number }): void {
    this.#booked += work;
    this.#exchanged += Math.abs(work);
    const seldom = integrator.name !== 'dopri5';
    if (seldom && ++this.#steps % EVERY !== 0 && this.#steps !== 1) return;
    const gain = this.#read(state) - this.#booked;
    const allowed = this.#allowed();
    this.#gainBefore = gain;
    this.#largestGain = Math.max(this.#largestGain, gain);
    if (gain > allowed || !Number.isFinite(gain)) throw energyError(state.time, gain, allowed, h, integrator);
  }

  /**
   * Whether the energy at the end of a step is what it should be, but for `part` of the motion there is: for integrators
   * that can take a step again in shorter ones. Where half of the tolerance is used up only little more is allowed.
   */
  audit(state: State, work: number, part: number): boolean {
    const before = this.#kinetic;
    const gain = this.#read(state) - this.#booked - work;
    const scale = Math.max(before, this.#kinetic, 1e-3 * this.#largestKinetic) + Math.abs(work);
    const strict = gain > 0.5 * this.#allowed() ? 0.01 : 1;
    const off = strict < 1 ? gain - this.#gainBefore : Math.abs(gain - this.#gainBefore);
    return off <= strict * part * scale + ROUNDING * (Math.abs(this.#potential) + 1e-3);
  }

  #allowed(): number {
    this.#largestKinetic = Math.max(this.#largestKinetic, this.#kinetic);
    return this.#tolerance * (this.#largestKinetic + this.#exchanged) + ROUNDING * (Math.abs(this.#potential) + 1e-3);
  }

  #read(state: State): number {
    const { kinetic, potential, mass, momentum, com } = this.#energyOf(state);
    this.#kinetic = kinetic;
    this.#potential = potential;
    if (!this.#free || !(mass > 0)) return kinetic + potential;
    const { linear } = momentum;
    const whole = (linear[0] ** 2 + linear[1] ** 2 + linear[2] ** 2) / (2 * mass);
    const [x, y, z] = this.#gravity;
    // Without the whole's own weight only springs are left.
    const springs = potential + mass * (x * com[0] + y * com[1] + z * com[2]);
    this.#kinetic = kinetic - whole;
    return kinetic - whole + springs;
  }
}

/** It floats, and its base has no forces of its own. */
function fliesFreely(mechanism: Mechanism): boolean {
  const base = floatingBase(mechanism);
  return base !== undefined && !passiveJoints(mechanism).has(base.iv);
}

function energyError(
  time: number,
  gain: number,
  allowed: number,
  h: number,
  { name, order }: { readonly name: string; readonly order: number },
): SimulationError {
  const factor = Number.isFinite(gain) ? Math.max(1 / 64, 0.5 * (allowed / gain) ** (1 / order)) : 1 / 64;
  const step = Number((h * factor).toPrecision(1));
  const instead = name === 'dopri5' ? 'Allow a smaller error (tolerances), or take' : `Take the integrator dopri5, or`;
  return new SimulationError(
    'energy',
    `The energy grew by ${gain.toPrecision(3)} J without a cause until time ${Number(time.toPrecision(9))}, more than ${allowed.toPrecision(3)} J. ${instead} a step of at most ${step} s.`,
    { time },
  );
}
