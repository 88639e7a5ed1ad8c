// What the next steps of a World depend on: states, structure, and the impulses that warm starts begin with.

import type { Mechanism } from '../../mechanism/mechanism.js';
import { State } from '../../mechanism/state.js';
import type { JointRows } from './joint-rows.js';
import type { Member } from './member.js';

/** A mechanism of a world in a checkpoint. */
export interface MemberCheckpoint {
  readonly mechanism: Mechanism;
  readonly q: Float64Array;
  /** The author's, and those of the articulation: the bits of the one do not follow from the other. */
  readonly v: Float64Array;
  readonly own: Float64Array;
  readonly time: number;
  /** How long it has been at rest, where the world lets members sleep, and whether it sleeps; its last accelerations are then zero. */
  readonly sleep?: { readonly still: number; readonly asleep: boolean };
  /** Of rows of joints. */
  readonly impulses: readonly (readonly [number, number])[];
  /** Pushes that wait for the next step: link, moment and force. */
  readonly applied: readonly { readonly link: number; readonly wrench: Float64Array }[];
}

/** Contact points of a pair: features, and impulses in ground axes. */
export interface PairCheckpoint {
  readonly key: number;
  readonly features: Int32Array;
  readonly impulses: Float64Array;
  /** Moments against spinning and rolling, where the pair has such friction. */
  readonly moments?: Float64Array;
  /** What each point did: open, stick or slide. */
  readonly modes: Uint8Array;
}

/** A world at a time, to save and to restore: the steps after it have the same bits. */
export interface Checkpoint {
  readonly time: number;
  readonly members: readonly MemberCheckpoint[];
  readonly pairs: readonly PairCheckpoint[];
}

export function saveMember({ state, v, applied, still, asleep }: Member, rows: JointRows): MemberCheckpoint {
  return {
    mechanism: state.mechanism,
    q: state.q.slice(),
    v: state.v.slice(),
    own: v.slice(),
    time: state.time,
    ...((still > 0 || asleep) && { sleep: { still, asleep } }),
    impulses: [...rows.impulses],
    applied: [...applied],
  };
}

/** After everything else was restored, which wakes. */
export function restoreSleep(member: Member, { sleep = { still: 0, asleep: false } }: MemberCheckpoint): void {
  if (sleep.asleep) member.fallAsleep();
  Object.assign(member, sleep);
}

export function restoreMember(member: Member, { mechanism, q, v, own, time, applied }: MemberCheckpoint): void {
  const state = new State(mechanism, { q: q.slice(), v: v.slice() });
  if (member.state.mechanism === mechanism) member.state.copy(state);
  else member.restructure(mechanism, state);
  member.state.time = time;
  member.changed();
  // Loops are as they were: nothing is closed anew.
  member.given = false;
  member.v.set(own);
  member.applied = [...applied];
  member.articulation.move(member.v);
}
