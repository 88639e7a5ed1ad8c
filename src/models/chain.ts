// A chain of equal links, hanging down from the origin.

import { MechanismBuilder } from '../mechanism/builder.js';
import { MechanismError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { type Mat3, multiply, rotationFromRollPitchYaw, transpose, type Vec3 } from '../spatial/matrix3.js';
import { capsule } from './shapes.js';

/** Options of `chain`. */
export interface ChainOptions {
  /** The joint between two links; revolute where left out. */
  readonly joint?: 'revolute' | 'spherical';
  /** How the first link hangs: by such a joint from the ground (fixed, the default), or free in space by a floating one. */
  readonly base?: 'fixed' | 'floating';
}

export const MAX_CHAIN = 1_000_000;

const LINK_LENGTH = 0.2;
const LINK_MASS = 1;
const LINK_END: Vec3 = [0, 0, -LINK_LENGTH];
/** Off the line of the joints and turned a little, so that no term of the dynamics happens to vanish. */
const LINK_COM: Vec3 = [0.005, -0.004, -LINK_LENGTH / 2];
const LINK_TURN: Vec3 = [0.1, 0.2, 0.3];
const LINK_CROSS_SECTION = [0.06, 0.04] as const;

/** n links and n joints: the first carries link_1. Revolute axes alternate x, y, x, y, ... */
export function chain(n: number, { joint = 'revolute', base = 'fixed' }: ChainOptions = {}): Mechanism {
  if (!Number.isInteger(n) || n < 1 || n > MAX_CHAIN)
    throw MechanismError.of('chain-length', 'chain', `It can have 1 to ${MAX_CHAIN} links, got ${n}.`);
  const builder = new MechanismBuilder(chainName(n, joint, base));
  const link = {
    mass: LINK_MASS,
    com: LINK_COM,
    inertia: linkInertia(),
    visuals: [capsule([0, 0, 0], LINK_END, 0.025, [0.35, 0.5, 0.7, 1])],
  };
  for (let i = 1; i <= n; i++) {
    const name = `joint_${i}`;
    const axis: Vec3 = i % 2 === 1 ? [1, 0, 0] : [0, 1, 0];
    builder.link(`link_${i}`, {
      parent: i === 1 ? null : `link_${i - 1}`,
      at: i === 1 ? [0, 0, 0] : LINK_END,
      joint:
        i === 1 && base === 'floating'
          ? { type: 'floating', name }
          : joint === 'spherical'
            ? { type: 'spherical', name }
            : { type: 'revolute', axis, name },
      ...link,
    });
  }
  return builder.build();
}

function chainName(n: number, joint: string, base: string): string {
  return `chain-${n}${joint === 'spherical' ? '-spherical' : ''}${base === 'floating' ? '-free' : ''}`;
}

/** A uniform bar of rectangular cross-section, its principal axes turned by LINK_TURN. */
function linkInertia(): Mat3 {
  const [a, b] = LINK_CROSS_SECTION;
  const k = LINK_MASS / 12;
  const principal: Mat3 = [
    k * (b ** 2 + LINK_LENGTH ** 2),
    0,
    0,
    0,
    k * (a ** 2 + LINK_LENGTH ** 2),
    0,
    0,
    0,
    k * (a ** 2 + b ** 2),
  ];
  const R = rotationFromRollPitchYaw(...LINK_TURN);
  return multiply(multiply(R, principal), transpose(R));
}
