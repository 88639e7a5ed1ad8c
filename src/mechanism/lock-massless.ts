// Joints that move nothing: files of real robots have fingers and sensors without mass at the ends of their branches.

import type { Problem } from './errors.js';
import { sumsOverSubtrees } from './parents.js';
import type { MechanismSpec } from './spec.js';

/**
 * The same with every joint fixed beyond which there is no mass and that has no armature, since nothing would determine its
 * acceleration; what follows such a joint, or is followed by it, moves by itself. With a warning for each.
 */
export function lockMasslessJoints(spec: MechanismSpec): { spec: MechanismSpec; warnings: Problem[] } {
  const index = new Map(spec.bodies.map(({ name }, k) => [name, k]));
  const parents = spec.bodies.map(() => -1);
  const own = spec.bodies.map(({ mass = 0, inertia }) => Math.abs(mass) + trace(inertia));
  for (const { parent, child } of spec.joints) {
    const k = index.get(child);
    if (k !== undefined) parents[k] = parent === null ? -1 : (index.get(parent) ?? -1);
  }
  const beyond = sumsOverSubtrees(parents, own);
  const locked = new Set<string>();
  const warnings: Problem[] = [];
  const joints = spec.joints.map((joint) => {
    const k = index.get(joint.child);
    const { type, armature = 0 } = joint;
    if (type === 'fixed' || armature !== 0 || k === undefined || beyond[k] !== 0) return joint;
    locked.add(joint.name);
    warnings.push({
      code: 'massless-leaf',
      where: `joint "${joint.name}"`,
      message: `The joint "${joint.name}" is locked: neither body "${joint.child}" nor what it carries has mass.`,
    });
    const { name, parent, child, E, t } = joint;
    return { name, parent, child, type: 'fixed' as const, ...(E && { E }), ...(t && { t }) };
  });
  if (locked.size === 0) return { spec, warnings };
  const couplings = spec.couplings?.filter(({ joint, source }) => !locked.has(joint) && !locked.has(source));
  return { spec: { ...spec, joints, ...(couplings && { couplings }) }, warnings };
}

function trace(I: MechanismSpec['bodies'][0]['inertia']): number {
  return I === undefined ? 0 : Math.abs(I[0] + I[4] + I[8]);
}
