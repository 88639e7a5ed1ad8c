// What the page and the physics (a worker) say to each other. Only data that can be cloned.

import type { Body, Joint, JointKindSpec, LoopJoint, Shape, Vec3 } from 'manikin';
import type { Replay } from 'manikin/plot';

/** A mechanism as far as the page shows it. */
export interface MemberView {
  readonly name: string;
  readonly bodies: readonly Pick<Body, 'name' | 'mass' | 'com' | 'visuals' | 'collisions'>[];
  readonly joints: readonly JointView[];
  readonly loops: readonly Pick<LoopJoint, 'name' | 'type'>[];
}

export interface JointView extends Pick<Joint, 'name' | 'parent' | 't' | 'E' | 'axis' | 'type' | 'limits'> {
  /** Numbers in q and in v, and where they stand in those of the member. */
  readonly nq: number;
  readonly nv: number;
  readonly iq: number;
  readonly iv: number;
  /** Held where it is by a motor. */
  readonly locked: boolean;
  /** Brought to a place by its slider. */
  readonly driven: boolean;
}

/** Sent when a scene was loaded and whenever its structure has changed. */
export interface SceneView {
  readonly title: string;
  /** From which side it is seen first, where that is not from the front. */
  readonly seenFrom?: Vec3;
  readonly about: string;
  readonly members: readonly MemberView[];
  readonly obstacles: readonly Shape[];
  readonly step: number;
  /** Names of bodies on the way from the old root to the new one, after a change of root. */
  readonly inverted: readonly string[];
  readonly warnings: readonly string[];
}

/** Numbers of a moment that plots show. */
export interface Sample {
  readonly time: number;
  readonly kinetic: number;
  readonly potential: number;
  /** Joules that the mouse and pushes put in, less those lost on connecting. Motors are not counted. */
  readonly work: number;
  readonly contacts: number;
  readonly depth: number;
  readonly residual: number;
}

/** A picture of a moment. Twelve numbers for each body of each member; six for each contact: position, force. */
export interface Frame extends Sample {
  readonly poses: Float32Array;
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly contactForces: Float32Array;
  readonly com: Vec3;
  readonly momentum: Vec3;
  /** How much of the past can be looked at: seconds of its first and last moment. */
  readonly from: number;
  readonly to: number;
  /** Milliseconds of computing for each simulated second. */
  readonly cost: number;
  /** Said of this moment. */
  readonly caption?: string;
  /** Force in the chosen joint, ground axes, and where. */
  readonly jointForce?: { readonly at: Vec3; readonly force: Vec3; readonly moment: Vec3 };
}

export interface Grip {
  readonly member: number;
  readonly body: number;
  /** In the coordinates of the body. */
  readonly point: Vec3;
}

/** What a person does to a scene: it is done again from a link. */
export type Action =
  | { readonly do: 'drag'; readonly grip: Grip | null; readonly to?: Vec3 }
  | { readonly do: 'push'; readonly member: number; readonly body: number; readonly impulse: Vec3 }
  | {
      readonly do: 'connect';
      readonly grip: Grip;
      /** null: the ground. */
      readonly to: { readonly member: number; readonly body: number } | null;
      readonly joint: JointKindSpec;
    }
  | { readonly do: 'release'; readonly member: number; readonly joint: string }
  | { readonly do: 'lock'; readonly member: number; readonly joint: string; readonly locked: boolean }
  | { readonly do: 'target'; readonly member: number; readonly joint: string; readonly position: number }
  | { readonly do: 'controller'; readonly name: string }
  | { readonly do: 'reroot'; readonly member: number; readonly body: number };

/** What the page asks for. Each is answered by one Reply with its number. */
export type Request =
  | Action
  | { readonly do: 'list' }
  | { readonly do: 'load'; readonly scene: string }
  | { readonly do: 'open'; readonly name: string; readonly files: readonly (readonly [string, Uint8Array])[] }
  /** As it was when it was loaded or opened. */
  | { readonly do: 'restart' }
  /** From now on so many simulated seconds a second; 0: it stands still. */
  | { readonly do: 'play'; readonly speed: number }
  /** A picture of what is there. */
  | { readonly do: 'look' }
  | { readonly do: 'step' }
  | { readonly do: 'show'; readonly time: number }
  | { readonly do: 'watch'; readonly member: number; readonly joint: string | null }
  | { readonly do: 'schedule'; readonly member: number; readonly processors: number; readonly measure: boolean }
  | { readonly do: 'record' }
  /** The past, to be played without the physics. */
  | { readonly do: 'replay' }
  | { readonly do: 'keep' }
  | { readonly do: 'restore'; readonly kept: Kept };

/** Enough to come back to a moment, bit for bit, from the scene it began with. */
export interface Kept {
  readonly scene: string;
  readonly steps: number;
  /** What was done to it, and after which step. */
  readonly actions: readonly (readonly [number, Action])[];
}

/** One bar of a timeline, nanoseconds or units of the cost model. */
export interface Span {
  readonly processor: number;
  readonly label: string;
  readonly start: number;
  readonly end: number;
}

export interface ScheduleView {
  readonly processors: number;
  readonly makespan: number;
  readonly serial: number;
  readonly optimal: boolean;
  readonly depth: number;
  readonly svg: string;
  readonly predicted: readonly Span[];
  readonly measured: readonly Span[];
  readonly predictedNs?: number;
  readonly measuredNs?: number;
  /** The processor of each joint, by the joint's name. */
  readonly owners: readonly (readonly [string, number])[];
  /** Why nothing was measured. */
  readonly reason?: string;
}

/** A line of the list of scenes. */
export interface SceneTitle {
  readonly name: string;
  readonly title: string;
  readonly group: string;
}

export interface Reply {
  /** 0: nobody asked. */
  readonly id: number;
  readonly scenes?: readonly SceneTitle[];
  readonly frame?: Frame;
  readonly scene?: SceneView;
  readonly schedule?: ScheduleView;
  readonly bytes?: Uint8Array;
  readonly replay?: Replay;
  readonly kept?: Kept;
  /** What happened, for the person. */
  readonly said?: string;
  readonly error?: string;
}

/** Who answers requests: the physics, or a replay of what was computed before. */
export interface Answers {
  ask(request: Request): Promise<Reply>;
}
