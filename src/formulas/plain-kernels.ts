// Which of the generic kernels (kernels.ts) exist as plain TypeScript. All of them would be too much to load, so only what
// pays has a kernel of its own: simple rotations of hinges, the first child of a link, leaves. The others take a kernel in
// which some terms are zero.

import type { FormulaType } from '../plan/plan.js';
import { isFreeAboutZ } from '../plan/turn-frames.js';
import { type KernelKey, kernelName, OWN, PARENT, Q, QDD, TAU, V } from './kernels.js';

/** The passes of forward dynamics. Forces from outside come off the bias forces between the first two. */
export const PLAIN_PASSES = ['move', 'assemble', 'accelerate'] as const;

/** What the kernels of each pass are told: own record, that of the parent, and q and v, or tau, or qdd. */
export const PLAIN_POINTERS: { readonly [pass in PlainPass]: readonly number[] } = {
  move: [OWN, PARENT, Q, V],
  assemble: [OWN, PARENT, TAU],
  accelerate: [OWN, PARENT, QDD],
};
export type PlainPass = (typeof PLAIN_PASSES)[number];

const TYPES: readonly FormulaType[] = [
  'revolute',
  'prismatic',
  'helical',
  'cylindrical',
  'universal',
  'planar',
  'spherical',
  'floating',
];
const BOTH = [false, true];
const ROTATIONS: readonly KernelKey['rotation'][] = ['none', 'yzx', 'zxy', 'any'];

/** What most links of most mechanisms are. */
const common = (type: FormulaType): boolean => type === 'revolute' || type === 'spherical';

/** Balls and free bodies are eliminated by a short cut, which armature forbids: mechanisms that have it take no kernels. */
export const takesArmature = (type: FormulaType): boolean => type !== 'spherical' && type !== 'floating';

/**
 * The kernel that a link takes. Frames that are free about z have a zero in `any` rotation that zxy has not. Coordinates come in the sense of the axis, so that none is negative; where a link is the
 * first to reach its parent but its kernel adds all the same, zeros must be there.
 */
export function plainKey({ type, rotation, leaf, first }: KernelKey): KernelKey {
  const writes = first && common(type);
  return {
    type,
    rotation: type === 'revolute' || (rotation === 'zxy' && isFreeAboutZ(type)) ? rotation : 'any',
    armature: takesArmature(type),
    negative: false,
    grounded: false,
    parentRests: false,
    leaf: leaf && writes,
    first: writes,
  };
}

/** All of them, by name. */
export function plainKernels(): ReadonlyMap<string, { readonly pass: PlainPass; readonly key: KernelKey }> {
  const kernels = new Map<string, { readonly pass: PlainPass; readonly key: KernelKey }>();
  for (const pass of PLAIN_PASSES)
    for (const type of TYPES)
      for (const rotation of ROTATIONS)
        for (const leaf of BOTH)
          for (const first of BOTH) {
            const none = { armature: false, negative: false, grounded: false, parentRests: false };
            const key = plainKey({ type, rotation, leaf, first, ...none });
            kernels.set(kernelName(pass, key), { pass, key });
          }
  return kernels;
}
