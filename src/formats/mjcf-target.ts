// What an actuator acts on, as far as its own parameters depend on that.

import type { Bounds, Tendon, Transmission } from '../mechanism/actuation.js';
import type { ActuatorTarget } from './mjcf-actuator.js';
import type { MjcfBody } from './mjcf-body.js';
import type { MjcfParts } from './mjcf-mechanism.js';
import type { ReferenceInertia } from './mjcf-reference.js';

export function resolveTarget(
  transmission: Transmission,
  parts: MjcfParts,
  tendons: readonly Tendon[],
  bodies: readonly MjcfBody[],
  reference: ReferenceInertia,
): ActuatorTarget {
  const find = (name: string) => parts.moving.find((moving) => moving.name === name);
  const diagonal = (name: string): number[] => {
    const found = find(name);
    if (found === undefined) return [];
    const index = bodies[found.body].joints.findIndex(({ element, name: written }) =>
      written === '' ? element === found.joint.element : written === name,
    );
    return reference.diagonal(found.body, index);
  };
  if (transmission.kind === 'joint') {
    const { lower, upper } = find(transmission.joint)?.joint.limits ?? {};
    return {
      range: lower !== undefined && upper !== undefined ? [lower, upper] : undefined,
      inertia: (gear) =>
        diagonal(transmission.joint).reduce((sum, moved, k) => sum + reflected(moved, gear[k] ?? 0), 0),
    };
  }
  if (transmission.kind === 'tendon') {
    const tendon = tendons.find(({ name }) => name === transmission.tendon);
    const range: Bounds | undefined = tendon?.limits;
    if (tendon?.kind !== 'fixed') return { range, inertia: () => undefined };
    return {
      range,
      inertia: (gear) =>
        tendon.joints.reduce(
          (sum, { joint, coefficient }) => sum + reflected(diagonal(joint)[0] ?? 0, coefficient * gear[0]),
          0,
        ),
    };
  }
  return { range: undefined, inertia: () => undefined };
}

function reflected(inertia: number, arm: number): number {
  return arm * arm > 1e-15 ? inertia / (arm * arm) : 0;
}
