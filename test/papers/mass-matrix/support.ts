import { createMechanism } from '../../../src/mechanism/create.js';
import type { Mechanism } from '../../../src/mechanism/mechanism.js';
import { State } from '../../../src/mechanism/state.js';
import { createTree, type Tree } from '../../../src/mechanism/tree.js';
import { crba, createCrba } from '../../../src/reference/crba.js';
import { type RandomOptions, randomSpec } from '../../support/random-mechanism.js';

/** A chain without branches, random geometry. */
export function randomChain(seed: number, n: number, options: RandomOptions = { types: ['revolute'] }): Mechanism {
  const spec = randomSpec(seed, { ...options, bodies: n });
  return createMechanism({
    ...spec,
    joints: spec.joints.map((joint, i) => ({ ...joint, parent: i === 0 ? null : `b${i - 1}` })),
  });
}

export interface Case {
  readonly tree: Tree;
  readonly q: Float64Array;
  /** By the composite-rigid-body algorithm of src/dynamics, link order. */
  readonly H: Float64Array;
}

export function caseOf(mechanism: Mechanism, seed: number): Case {
  const tree = createTree(mechanism);
  const { q } = State.random(mechanism, seed);
  const scratch = createCrba(tree);
  crba(tree, scratch, q);
  return { tree, q, H: scratch.H };
}
