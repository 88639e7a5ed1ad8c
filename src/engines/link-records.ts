// What the kernels of every engine read of a link: which kernel it needs, its constants, its angles.

import { restarts } from '../formulas/aba.js';
import { type TypeFields, typeFields } from '../formulas/kernel-records.js';
import type { KernelKey } from '../formulas/kernels.js';
import type { Plan, PlanLink } from '../plan/plan.js';

/** Which kernel each link needs. `loaded`: damped joints have an armature that is read from memory. */
export function keysOf({ links }: Plan, loaded: boolean): KernelKey[] {
  const leaf = links.map(() => true);
  const reached = links.map(() => false);
  for (const { parent } of links) if (parent >= 0) leaf[parent] = false;
  const keys: KernelKey[] = [];
  // From the last link to the first, as the inward pass goes.
  for (let i = links.length - 1; i >= 0; i--) {
    const { type, E, armature, damped, sense, parent } = links[i];
    keys[i] = {
      type,
      rotation: rotationOf(E),
      armature: armature.some((x) => x !== 0) || (loaded && damped),
      negative: sense < 0,
      grounded: parent < 0,
      parentRests: parent >= 0 && restarts(links[parent].type),
      leaf: leaf[i],
      first: parent >= 0 && !reached[parent],
    };
    if (parent >= 0) reached[parent] = true;
  }
  return keys;
}

function rotationOf(E: readonly number[]): KernelKey['rotation'] {
  const ones = (i: number, j: number, k: number): boolean =>
    E[i] === 1 && E[j] === 1 && E[k] === 1 && E.every((x, at) => x === 0 || at === i || at === j || at === k);
  if (ones(0, 4, 8)) return 'none';
  if (ones(1, 5, 6)) return 'yzx';
  return ones(2, 3, 7) ? 'zxy' : 'any';
}

/** Writes the constants of a link into its record. */
export function fillRecord(
  to: Float64Array | Float32Array,
  own: number,
  link: PlanLink,
  at: TypeFields,
  { rotation }: KernelKey,
): void {
  if (rotation === 'any') to.set(link.E, own + at.E);
  to.set(link.t, own + at.t);
  to[own + at.mass] = link.mass;
  to.set(link.h, own + at.h);
  to.set(link.sigma, own + at.sigma);
  if (link.type === 'universal') to.set(link.parameters, own + at.parameters);
  if (link.type === 'helical') to[own + at.parameters] = link.parameters[0];
  to.set(link.armature, own + at.armature);
}

export interface Angle {
  /** Number of the angle in q; the link whose record takes its sine and cosine, and their place in it. */
  readonly q: number;
  readonly link: number;
  readonly turn: number;
  readonly sense: number;
  /** Added to sense times q. */
  readonly offset: number;
}

export function anglesOf(links: readonly PlanLink[], keys: readonly KernelKey[]): Angle[] {
  return links.flatMap(({ type, iq, sense, angle: offset }, link): Angle[] => {
    const at = typeFields(type, keys[link].rotation === 'any');
    const angle = (k: number, turn: number): Angle => ({ q: iq + k, link, turn, sense, offset });
    switch (type) {
      case 'revolute':
      case 'helical':
      case 'cylindrical':
        return [angle(0, at.turn)];
      case 'planar':
        return [angle(2, at.turn)];
      case 'universal':
        return [angle(0, at.turn), angle(1, at.secondTurn)];
      default:
        return [];
    }
  });
}
