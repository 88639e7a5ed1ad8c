// Where the parts of a mechanism are in its neutral state, for mechanisms whose tree frames are not turned.

import type { Mechanism } from '../../src/mechanism/mechanism.js';
import type { MassProperties } from '../../src/models/mass-properties.js';
import { weld } from '../../src/models/mass-properties.js';
import { add, apply, IDENTITY3, transpose, type Vec3 } from '../../src/spatial/matrix3.js';

/** Origins of all bodies in the world. */
export function origins({ joints, name }: Mechanism): Vec3[] {
  const found: Vec3[] = [];
  for (const { E, t, parent } of joints) {
    if (E.some((value, k) => value !== IDENTITY3[k])) throw new Error(`${name} has a turned tree frame`);
    found.push(parent === -1 ? t : add(found[parent], t));
  }
  return found;
}

/** The whole mechanism as one rigid body in the world. */
export function asOneBody(mechanism: Mechanism): MassProperties {
  const at = origins(mechanism);
  return weld(mechanism.bodies.map(({ mass, com, inertia }, i) => ({ mass, com: add(at[i], com), inertia })));
}

/** Lowest and highest point of what is drawn of a body. */
export function drawnHeights(mechanism: Mechanism, bodyName: string): { lowest: number; highest: number } {
  const i = mechanism.bodyIndex(bodyName);
  const at = origins(mechanism)[i];
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { geometry, E, t } of mechanism.bodies[i].visuals) {
    const middle = at[2] + t[2];
    let reach: number;
    if (geometry.kind === 'sphere') reach = geometry.radius;
    else if (geometry.kind === 'capsule')
      reach = geometry.radius + Math.abs(apply(transpose(E), [0, 0, geometry.length / 2])[2]);
    else if (geometry.kind === 'box') reach = geometry.size[2] / 2;
    else throw new Error(`no height of a ${geometry.kind}`);
    lowest = Math.min(lowest, middle - reach);
    highest = Math.max(highest, middle + reach);
  }
  return { lowest, highest };
}
