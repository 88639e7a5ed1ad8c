// What model files say besides the mechanism itself.

import type { Actuator, ContactRules, Sensor, Tendon } from './actuation.js';
import { MechanismError } from './errors.js';
import type { Shape } from './mechanism.js';
import { nearNames } from './near-names.js';
import type { State } from './state.js';

/** A named state of a model. */
export interface Keyframe {
  readonly name: string;
  readonly time: number;
  readonly state: State;
  /** Of the actuators, where the file gives them. */
  readonly controls?: readonly number[];
  readonly activations?: readonly number[];
}

/** The keyframe of that name. */
export function keyframeOf({ keyframes = [] }: { readonly keyframes?: readonly Keyframe[] }, name: string): Keyframe {
  const found = keyframes.find((keyframe) => keyframe.name === name);
  if (found !== undefined) return found;
  const names = keyframes.map((keyframe) => keyframe.name);
  throw MechanismError.of('keyframe', '', `The model has no keyframe "${name}". ${nearNames(name, names)}`);
}

/** What a model file says beside the mechanism: keyframes, tendons, actuators, sensors, rules of contact. */
export interface ModelData {
  readonly keyframes: readonly Keyframe[];
  readonly tendons: readonly Tendon[];
  readonly actuators: readonly Actuator[];
  readonly sensors: readonly Sensor[];
  readonly contacts: ContactRules;
  /** Shapes that stand on the ground itself. */
  readonly ground: { readonly visuals: readonly Shape[]; readonly collisions: readonly Shape[] };
  /** Share of its weight that each body is relieved of, where it is. */
  readonly gravityCompensation: ReadonlyMap<string, number>;
}
