// The plan of a mechanism computed from any of its bodies. The author's coordinates stay as they are: joints that are
// read backwards change them inside the formulas, and the free root that was is found again at the end. No position of
// the new root is needed: a mechanism that is free in space falls as a whole, and its joints do not feel gravity.

import { JOINT_TYPES } from '../joints/index.js';
import { GROUND, type Mechanism } from '../mechanism/mechanism.js';
import { createTree } from '../mechanism/tree.js';
import { apply } from '../spatial/matrix3.js';
import { inShortestUnits, type ScaledPlan } from './length-units.js';
import { createPlan } from './plan.js';

/** The author's free root in another tree. */
export interface Source {
  readonly link: number;
  /** Link frame to body frame, 12 numbers. */
  readonly X: readonly number[];
  /** Gravity in the tree frame of the author's joint. */
  readonly gravity: readonly number[];
}

/** What is computed: a plan, with what another root of the computation brings with it. */
export interface RootedPlan {
  readonly plan: ScaledPlan;
  /** Links read backwards by a change of coordinates. */
  readonly reversed: ReadonlySet<number>;
  /** The author's free root, where link 0 is another one and free instead. */
  readonly source?: Source & { readonly iq: number; readonly iv: number };
}

/** Whether the computation can start from another body than the author's root. */
export function isFree({ joints }: Mechanism): boolean {
  const roots = joints.filter(({ parent }) => parent === GROUND);
  return roots.length === 1 && roots[0].type === 'floating' && roots[0].armature === 0;
}

/**
 * `root`: a body, or GROUND for the author's root. Undefined where that body cannot be the root. `whole`: links that keep
 * all of their mass (plan.ts).
 */
export function rootedPlan(
  mechanism: Mechanism,
  root: number = GROUND,
  whole?: ReadonlySet<number>,
): RootedPlan | undefined {
  if (root !== GROUND && !(isFree(mechanism) && canLead(mechanism, root))) return undefined;
  const tree = createTree(mechanism, root);
  const plan = inShortestUnits(createPlan(tree, whole));
  if (tree.root === GROUND) return { plan, reversed: new Set() };
  const top = mechanism.joints.findIndex(({ parent }) => parent === GROUND);
  const { link, X } = plan.bodies[top];
  // The same link as the author's root, if only fixed joints lie between them.
  if (link === 0) return undefined;
  const turned = new Set<number>();
  for (let i = 0; i < tree.n; i++)
    if (tree.reversed[i] === 1 && JOINT_TYPES[tree.type[i]].reverse !== undefined) turned.add(tree.iv[i]);
  const reversed = new Set(plan.links.flatMap(({ iv }, i) => (i > 0 && turned.has(iv) ? [i] : [])));
  const joint = mechanism.joints[top];
  return {
    plan,
    reversed,
    source: { link, X, gravity: apply(joint.E, mechanism.gravity), iq: joint.iq, iv: joint.iv },
  };
}

/** Whether all joints from a body to the root can be read backwards by block-formulas.ts. */
function canLead({ joints }: Mechanism, body: number): boolean {
  for (let b = body; joints[b].parent !== GROUND; b = joints[b].parent)
    if (joints[b].type === 'planar' || joints[b].type === 'floating') return false;
  return true;
}
