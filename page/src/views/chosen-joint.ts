// The chosen body: its name, its joint, and where the numbers of the joint stand among those of all members.

import type { JointView, SceneView } from '../physics/protocol.js';
import type { PageState, Picked } from '../store.js';

/** What a person calls it: twelve stones may have a body "box" each. */
export function nameOf({ members }: SceneView, picked: Picked | undefined): string {
  const member = picked && members[picked.member];
  const body = member?.bodies[picked!.body]?.name ?? '';
  return body === '' || members.length === 1 || body === member!.name ? body : `${member!.name}: ${body}`;
}

export interface ChosenJoint {
  readonly joint: JointView;
  /** Of its first number in q and in v of a frame. */
  readonly q: number;
  readonly v: number;
}

export function chosenJoint({ scene, picked }: PageState): ChosenJoint | undefined {
  const joint = picked && scene?.members[picked.member]?.joints[picked.body];
  if (joint === undefined) return undefined;
  let [q, v] = [joint.iq, joint.iv];
  for (const { joints } of scene!.members.slice(0, picked!.member))
    for (const { nq, nv } of joints) {
      q += nq;
      v += nv;
    }
  return { joint, q, v };
}
