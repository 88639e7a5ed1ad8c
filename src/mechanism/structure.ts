// Mechanisms that change: a joint more, a joint less. The result shares what did not change.

import { createMechanism } from './create.js';
import { MechanismError } from './errors.js';
import { GROUND, type Joint, Mechanism } from './mechanism.js';
import type { LoopSpec } from './spec.js';
import { State } from './state.js';
import { mechanismSpec } from './variants.js';

/** The mechanism with one more loop joint. */
export function withLoop(mechanism: Mechanism, loop: LoopSpec): Mechanism {
  // A mechanism of the loop alone, with bodies that weigh something, checks it at the price of its two ends.
  const ends = [loop.a.body, loop.b.body].filter((name): name is string => name !== null);
  for (const name of ends) mechanism.bodyIndex(name);
  if (mechanism.hasJoint(loop.name) || mechanism.loops.some(({ name }) => name === loop.name))
    throw MechanismError.of(
      'duplicate-name',
      `joint "${loop.name}"`,
      'Another joint has this name; give each its own.',
    );
  const names = [...new Set(ends)];
  const probe = createMechanism({
    bodies: names.map((name) => ({ name, mass: 1 })),
    joints: names.map((name) => ({ name: `carrier of ${name}`, type: 'floating', parent: null, child: name })),
    loops: [loop],
  });
  const real = (frame: (typeof probe.loops)[0]['a']) => ({
    ...frame,
    body: frame.body === GROUND ? GROUND : mechanism.bodyIndex(names[frame.body]),
  });
  const [checked] = probe.loops;
  return new Mechanism({
    ...mechanism,
    loops: [...mechanism.loops, { ...checked, a: real(checked.a), b: real(checked.b) }],
  });
}

/** The mechanism without that loop joint. */
export function withoutLoop(mechanism: Mechanism, name: string): Mechanism {
  const loops = mechanism.loops.filter((loop) => loop.name !== name);
  if (loops.length === mechanism.loops.length) {
    const known = mechanism.loops.map((loop) => loop.name).join(', ') || 'none';
    throw MechanismError.of('unknown-loop', '', `There is no loop joint "${name}". The mechanism has: ${known}.`);
  }
  return new Mechanism({ ...mechanism, loops });
}

/**
 * The mechanism with a joint of the tree cut: the body it carried floats from then on, with all that hangs on it, by a
 * joint of the same name whose position and velocity are given.
 */
export function withFreedBody(mechanism: Mechanism, joint: string): Mechanism {
  const spec = mechanismSpec(mechanism);
  const joints = spec.joints.map((old) =>
    old.name === joint ? ({ name: joint, type: 'floating', parent: null, child: old.child } as const) : old,
  );
  const couplings = (spec.couplings ?? []).filter((coupling) => coupling.joint !== joint && coupling.source !== joint);
  return new Mechanism({
    ...createMechanism({ ...spec, joints, couplings }, { inertia: 'warn' }),
    warnings: mechanism.warnings,
  });
}

/** A state of another mechanism, with the coordinates of all joints that both have, of the same name and type. */
export function carriedOver(state: State, mechanism: Mechanism): State {
  const next = new State(mechanism);
  next.time = state.time;
  for (const joint of mechanism.joints) {
    const old = counterpart(state.mechanism, joint);
    if (old === undefined) continue;
    next.q.set(state.q.subarray(old.iq, old.iq + joint.model.nq), joint.iq);
    next.v.set(state.v.subarray(old.iv, old.iv + joint.model.nv), joint.iv);
  }
  return next.applyCouplings();
}

function counterpart(mechanism: Mechanism, { name, model }: Joint): Joint | undefined {
  if (!mechanism.hasJoint(name)) return undefined;
  const old = mechanism.joints[mechanism.jointIndex(name)];
  return old.model === model ? old : undefined;
}
