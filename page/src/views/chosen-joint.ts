// The joint of the chosen body, and where its numbers stand among those of all members.

import type { JointView } from '../physics/protocol.js';
import type { PageState } from '../store.js';

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
