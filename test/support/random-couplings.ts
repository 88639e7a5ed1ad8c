// Random mechanisms with coupled joints, for property tests: groups across limbs, sources above, below and beside their
// followers, several groups open at once, groups that only meet at the ground.

import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import type { CouplingSpec, MechanismSpec } from '../../src/mechanism/spec.js';
import { type RandomOptions, randomSpec } from './random-mechanism.js';

const SINGLE = ['revolute', 'continuous', 'prismatic', 'helical'];

/** Joints of one degree of freedom, in any order, are dealt out to a few groups. */
export function randomCoupled(seed: number, options: RandomOptions = {}): Mechanism {
  return createMechanism(
    withCouplings(seed, randomSpec(seed, { bodies: 12, armature: true, forest: true, ...options })),
  );
}

/** The same for the joints of any mechanism. */
export function withCouplings(seed: number, spec: MechanismSpec): MechanismSpec {
  const random = new Random(seed + 77);
  const single = spec.joints.filter(({ type }) => SINGLE.includes(type)).map(({ name }) => name);
  for (let i = single.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [single[i], single[j]] = [single[j], single[i]];
  }
  const groups = 1 + random.below(3);
  const couplings: CouplingSpec[] = [];
  single.forEach((joint, i) => {
    if (i < groups || random.below(4) === 0) return;
    const multiplier = random.below(8) === 0 ? 0 : random.between(-2, 2);
    couplings.push({ joint, source: single[i % groups], multiplier, offset: random.between(-0.5, 0.5) });
  });
  return { ...spec, couplings };
}
