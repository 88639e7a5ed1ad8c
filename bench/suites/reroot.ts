// Re-rooting: what it costs with the chain of inversion, and with everything else. A tree of n bodies: a chain of k bodies, a
// hub that hangs on the first of them, and all others in chains of ten on the hub.

import { createMechanism } from '#src/mechanism/create.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';
import { reroot } from '#src/mechanism/reroot.js';
import { RerootableMechanism } from '#src/mechanism/rerootable.js';
import type { JointSpec } from '#src/mechanism/spec.js';
import { State } from '#src/mechanism/state.js';
import { measure, type NamedCall } from '../measure.js';

function tree(n: number, chain: number): Mechanism {
  const bodies = Array.from({ length: n }, (_, i) => ({
    name: `b${i}`,
    mass: 1,
    com: [0.1, 0.02, 0.03] as const,
    inertia: [0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.15] as const,
  }));
  const joints = bodies.map(({ name }, i): JointSpec => {
    const hub = chain;
    const parent = i === 0 ? null : i === hub ? 0 : i > hub && (i - hub) % 10 === 1 ? hub : i - 1;
    return {
      name: `j${i}`,
      type: i === 0 ? 'floating' : 'revolute',
      axis: [i % 2, 0, 1],
      parent: parent === null ? null : `b${parent}`,
      child: name,
      t: [0.2, 0, 0],
    };
  });
  return createMechanism({ name: `tree-${n}-${chain}`, bodies, joints });
}

export function run(): object {
  const task = (n: number, chain: number, joint: 'floating' | 'spherical'): NamedCall => {
    const mechanism = tree(n, chain);
    const state = State.random(mechanism, 1);
    if (joint === 'spherical') state.v.fill(0);
    const options = { top: `b${chain - 1}`, at: [0.1, 0.2, 0.3] as const, joint };
    return { name: `${n} bodies, chain ${chain}, ${joint}`, call: () => void reroot(mechanism, state, options) };
  };
  // Forth and back: two re-rootings a call.
  const inPlace = (n: number, chain: number): NamedCall => {
    const mechanism = tree(n, chain);
    const moving = new RerootableMechanism(mechanism, State.random(mechanism, 1));
    const there = { top: `b${chain - 1}`, at: [0.1, 0.2, 0.3] as const, joint: 'floating' as const };
    const back = { ...there, top: 'b0' };
    return {
      name: `${n} bodies, chain ${chain}, in place, two`,
      call: () => {
        moving.reroot(there);
        moving.reroot(back);
      },
    };
  };
  return {
    inPlaceBySize: measure([100, 1000, 10_000, 100_000].map((n) => inPlace(n, 10))),
    inPlaceByChain: measure([2, 10, 20, 40, 80].map((chain) => inPlace(10_000, chain))),
    bySize: measure([100, 1000, 10_000, 100_000].map((n) => task(n, 10, 'floating'))),
    byChain: measure([2, 10, 20, 40, 80].map((chain) => task(10_000, chain, 'floating'))),
    otherTop: measure([task(10_000, 10, 'spherical')]),
  };
}
