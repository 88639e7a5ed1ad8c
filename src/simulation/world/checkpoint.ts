// What the next steps of a World depend on: states, structure, and the impulses that warm starts begin with; and what sensors read of
// the last step, which controls may ask for in the next.

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
  readonly applied: readonly LinkForce[];
  readonly last: LastStep;
}

/** Moment and force on a link. */
export interface LinkForce {
  readonly link: number;
  readonly wrench: Float64Array;
}

/** What sensors read of the last step of a member. */
export interface LastStep {
  /** At its start. */
  readonly q0: Float64Array;
  readonly v0: Float64Array;
  readonly a: Float64Array;
  readonly middle: Float64Array;
  readonly halfWay: boolean;
  /** Its length. */
  readonly h: number;
  readonly scale: number;
  /** Of contacts, loop joints and pushes. */
  readonly forces: readonly LinkForce[];
  /** Joules put in until now. */
  readonly driven: number;
}

/** Contact points of a pair: features, and places, normals, gaps and impulses in ground axes. */
export interface PairCheckpoint {
  readonly key: number;
  readonly features: Int32Array;
  readonly positions: Float64Array;
  readonly normals: Float64Array;
  readonly gaps: Float64Array;
  /** Length of the step that the impulses acted in. */
  readonly h: number;
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

export function saveMember(member: Member, rows: JointRows): MemberCheckpoint {
  const { state, v, applied, still, asleep } = member;
  return {
    mechanism: state.mechanism,
    q: state.q.slice(),
    v: state.v.slice(),
    own: v.slice(),
    time: state.time,
    ...((still > 0 || asleep) && { sleep: { still, asleep } }),
    impulses: [...rows.impulses],
    applied: [...applied],
    last: saveLast(member),
  };
}

function saveLast(member: Member): LastStep {
  const { q0, v0, a, middle, halfWay, h, scale, driven, touched, external } = member;
  const forces: LinkForce[] = [];
  for (let link = 0; 6 * link < touched.length; link++) {
    const wrench = touched.slice(6 * link, 6 * link + 6).map((x, k) => x + external[6 * link + k]);
    if (wrench.some((x) => x !== 0)) forces.push({ link, wrench });
  }
  return { q0: q0.slice(), v0: v0.slice(), a: a.slice(), middle: middle.slice(), halfWay, h, scale, driven, forces };
}

/** After everything else was restored, which wakes. */
export function restoreSleep(member: Member, { sleep = { still: 0, asleep: false } }: MemberCheckpoint): void {
  if (sleep.asleep) member.fallAsleep();
  Object.assign(member, sleep);
}

export function restoreMember(member: Member, checkpoint: MemberCheckpoint): void {
  const { mechanism, q, v, own, time, applied, last } = checkpoint;
  const state = new State(mechanism, { q: q.slice(), v: v.slice() });
  if (member.state.mechanism === mechanism) member.state.copy(state);
  else member.restructure(mechanism, state);
  member.state.time = time;
  member.changed();
  // Loops are as they were: nothing is closed anew.
  member.given = false;
  member.v.set(own);
  member.applied = [...applied];
  restoreLast(member, last);
  member.articulation.move(member.v);
}

function restoreLast(member: Member, { q0, v0, a, middle, halfWay, h, scale, driven, forces }: LastStep): void {
  member.q0.set(q0);
  member.v0.set(v0);
  member.a.set(a);
  member.middle.set(middle);
  member.q.set(q0);
  if (halfWay) member.articulation.integrate(member.q, v0, h / 2);
  Object.assign(member, { halfWay, h, scale, driven });
  for (const { link, wrench } of forces) member.touched.set(wrench, 6 * link);
}
