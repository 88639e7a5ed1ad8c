// Forces of actuators on joints, for those that act on joints and on fixed tendons: force = gain u + bias, where u is the
// control or the activation, as in src/mechanism/actuation.ts.

import type { Actuator, Bounds, FixedTendon, Tendon } from './actuation.js';
import { MechanismError } from './errors.js';
import type { Mechanism } from './mechanism.js';
import type { State } from './state.js';

/** What an actuator pulls at: degrees of freedom and how far each moves it. */
interface Lever {
  readonly iq: number;
  readonly iv: number;
  readonly arm: number;
}

interface Drive {
  readonly actuator: Actuator;
  readonly levers: readonly Lever[];
}

/** What actuators are told: a control for each, and the activations of those that have dynamics. */
export interface ActuatorInput {
  readonly controls: ArrayLike<number>;
  /** Of the actuators that have dynamics, by the index of the actuator; their controls where left out. */
  readonly activations?: ArrayLike<number>;
}

/**
 * Computes joint forces from controls. Actuators on sites, bodies, cranks, spatial tendons and joints of several degrees of
 * freedom, muscles and user laws are not computed: `ignored` has their names.
 */
export class ActuatorForces {
  readonly ignored: readonly string[];
  readonly #drives: (Drive | undefined)[];
  readonly #nv: number;

  constructor(mechanism: Mechanism, actuators: readonly Actuator[], tendons: readonly Tendon[] = []) {
    this.#nv = mechanism.nv;
    this.#drives = actuators.map((actuator) => driveOf(mechanism, actuator, tendons));
    this.ignored = actuators.filter((_, k) => this.#drives[k] === undefined).map(({ name }) => name);
  }

  /** Adds the forces to tau, which has a number for each degree of freedom; a new one of zeros where left out. */
  add(
    { q, v }: State,
    { controls, activations }: ActuatorInput,
    tau: Float64Array = new Float64Array(this.#nv),
  ): Float64Array {
    if (controls.length !== this.#drives.length)
      throw MechanismError.of('controls', '', `Expected ${this.#drives.length} controls, got ${controls.length}.`);
    this.#drives.forEach((drive, k) => {
      if (drive === undefined) return;
      const { actuator, levers } = drive;
      let length = 0;
      let velocity = 0;
      for (const { iq, iv, arm } of levers) {
        length += arm * q[iq];
        velocity += arm * v[iv];
      }
      const control = clamped(controls[k], actuator.controlRange);
      const input = actuator.dynamics.kind === 'none' ? control : (activations?.[k] ?? control);
      const [g0, g1, g2] = actuator.gain.parameters;
      const gain = actuator.gain.kind === 'affine' ? g0 + g1 * length + g2 * velocity : g0;
      const [b0, b1, b2] = actuator.bias.parameters;
      const bias = actuator.bias.kind === 'affine' ? b0 + b1 * length + b2 * velocity : 0;
      const force = clamped(gain * input + bias, actuator.forceRange);
      for (const { iv, arm } of levers) tau[iv] += arm * force;
    });
    return tau;
  }
}

function clamped(value: number, bounds: Bounds | undefined): number {
  return bounds === undefined ? value : Math.min(Math.max(value, bounds[0]), bounds[1]);
}

function driveOf(mechanism: Mechanism, actuator: Actuator, tendons: readonly Tendon[]): Drive | undefined {
  const { transmission, gear, gain, bias } = actuator;
  if (gain.kind !== 'fixed' && gain.kind !== 'affine') return undefined;
  if (bias.kind !== 'none' && bias.kind !== 'affine') return undefined;
  const lever = (name: string, arm: number): Lever | undefined => {
    const { iq, iv, model } = mechanism.joint(name);
    return model.nv === 1 ? { iq, iv, arm } : undefined;
  };
  let levers: (Lever | undefined)[];
  if (transmission.kind === 'joint') levers = [lever(transmission.joint, gear[0])];
  else if (transmission.kind === 'tendon') {
    const tendon = tendons.find((one): one is FixedTendon => one.name === transmission.tendon && one.kind === 'fixed');
    if (tendon === undefined) return undefined;
    levers = tendon.joints.map(({ joint, coefficient }) => lever(joint, gear[0] * coefficient));
  } else return undefined;
  const found = levers.filter((one): one is Lever => one !== undefined);
  return found.length === levers.length ? { actuator, levers: found } : undefined;
}
