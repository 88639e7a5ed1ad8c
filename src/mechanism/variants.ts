// The same mechanism, changed in one respect.

import { createMechanism } from './create.js';
import { GROUND, type LoopFrame, Mechanism } from './mechanism.js';
import type { LoopFrameSpec, MechanismSpec } from './spec.js';

/** The plain data of a mechanism: what createMechanism would make it from. */
export function mechanismSpec(mechanism: Mechanism): MechanismSpec {
  const { name, gravity, bodies, joints, loops, frames, couplings } = mechanism;
  const nameOf = (body: number): string | null => (body === GROUND ? null : bodies[body].name);
  const loopFrame = ({ body, E, t }: LoopFrame): LoopFrameSpec => ({ body: nameOf(body), E, t });
  return {
    name,
    gravity,
    bodies,
    joints: joints.map((joint, i) => ({ ...joint, parent: nameOf(joint.parent), child: bodies[i].name })),
    loops: loops.map((loop) => ({ ...loop, a: loopFrame(loop.a), b: loopFrame(loop.b) })),
    frames: frames.map((frame) => ({ ...frame, body: bodies[frame.body].name })),
    couplings: couplings.map(({ joint, source, multiplier, offset }) => ({
      joint: joints[joint].name,
      source: joints[source].name,
      multiplier,
      offset,
    })),
  };
}

/** What hangs from the ground is welded to it, or floats. Limits, springs and the like of the old joints go with them. */
export function withBase(mechanism: Mechanism, base: 'fixed' | 'floating'): Mechanism {
  const spec = mechanismSpec(mechanism);
  const joints = spec.joints.map((joint) => {
    if (joint.parent !== null || joint.type === base) return joint;
    const { name, parent, child, E, t } = joint;
    return { name, parent, child, type: base, ...(E && { E }), ...(t && { t }) };
  });
  const gone = new Set(joints.filter((joint, i) => joint !== spec.joints[i]).map(({ name }) => name));
  const couplings = spec.couplings?.filter(({ joint, source }) => !gone.has(joint) && !gone.has(source));
  return remade({ ...spec, joints, ...(couplings && { couplings }) }, mechanism);
}

/** Coupled (mimic) joints become independent. */
export function withoutCouplings(mechanism: Mechanism): Mechanism {
  if (mechanism.couplings.length === 0) return mechanism;
  return remade({ ...mechanismSpec(mechanism), couplings: [] }, mechanism);
}

/** Bodies have passed their checks before, in whatever mode the author chose; what was said of them stays said. */
function remade(spec: MechanismSpec, before: Mechanism): Mechanism {
  return new Mechanism({ ...createMechanism(spec, { inertia: 'warn' }), warnings: before.warnings });
}
