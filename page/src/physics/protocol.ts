// What the page and the physics (a worker) say to each other. Only data that can be cloned.

import type { Body, Joint, JointKindSpec, LoopJoint, Shape, Vec3 } from 'manikin';
import type { Replay } from 'manikin/plot';

/** A mechanism as far as the page shows it. */
export interface MemberView {
  readonly name: string;
  readonly bodies: readonly Pick<Body, 'name' | 'mass' | 'com' | 'visuals' | 'collisions'>[];
  readonly joints: readonly JointView[];
  readonly loops: readonly LoopView[];
}

/** A connection: names of the bodies that it joins; null: the ground. */
export interface LoopView extends Pick<LoopJoint, 'name' | 'type'> {
  readonly a: string | null;
  readonly b: string | null;
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
  /** Against gravity; z where left out. */
  readonly up?: Vec3;
  readonly members: readonly MemberView[];
  readonly obstacles: readonly Shape[];
  readonly step: number;
  /** Names of bodies on the way from the old root to the new one, after a change of root. */
  readonly inverted: readonly string[];
  readonly warnings: readonly FileProblem[];
}

/** Something wrong in a file, or worth knowing, with the lines around it where its place is known. */
export interface FileProblem {
  /** Where: `robot.urdf:12:5`, `joint "knee"`. */
  readonly where: string;
  readonly message: string;
  readonly line?: number;
  /** Lines of the file, by their numbers. */
  readonly text?: readonly (readonly [number, string])[];
}

/** A picture of a moment. Twelve numbers for each body of each member; six for each contact: position, force. */
export interface Frame {
  readonly time: number;
  readonly kinetic: number;
  readonly potential: number;
  /** Joules that the mouse, pushes and motors put in, less those lost on connecting. */
  readonly work: number;
  readonly contacts: number;
  readonly depth: number;
  readonly residual: number;
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
  /** Force in the chosen joint, on the body it carries. */
  readonly jointForce?: JointForce;
  /** What plots show of the time since the frame before: protocol-sample.ts. */
  readonly since?: Float64Array;
}

/** The six components of the force through a joint. */
export interface JointForce {
  readonly member: number;
  /** The body that the joint carries. */
  readonly body: number;
  /** Of the joint's first degree of freedom; NaN where it has none. */
  readonly position: number;
  readonly velocity: number;
  /** Where the joint is. */
  readonly at: Vec3;
  /** Ground axes. */
  readonly force: Vec3;
  readonly moment: Vec3;
  /** Axes of the body in ground coordinates, and the components along them. */
  readonly axes: readonly [Vec3, Vec3, Vec3];
  readonly along: { readonly force: Vec3; readonly moment: Vec3 };
  /** Force or moment along the axis, of joints that have one: what motor, spring and damper make. */
  readonly effort?: number;
}

export interface Grip {
  readonly member: number;
  readonly body: number;
  /** In the coordinates of the body. */
  readonly point: Vec3;
}

/** Of motors that bring joints to positions, whatever inertia they move: how fast, 1/s, and the part of critical damping. */
export interface Gains {
  readonly stiff: number;
  readonly damped: number;
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
  | {
      readonly do: 'target';
      readonly member: number;
      readonly joint: string;
      readonly position: number;
      readonly gains?: Gains;
    }
  | { readonly do: 'controller'; readonly name: string; readonly gains?: Gains }
  | { readonly do: 'reroot'; readonly member: number; readonly body: number };

/** What the page asks for. Each is answered by one Reply with its number. */
export type Request =
  | Action
  | { readonly do: 'list' }
  | { readonly do: 'load'; readonly scene: string }
  | { readonly do: 'open'; readonly name: string; readonly files: readonly (readonly [string, Uint8Array])[] }
  /** A captured motion, followed by motors. */
  | { readonly do: 'follow'; readonly files: readonly (readonly [string, Uint8Array])[] }
  /** As it was when it was loaded or opened. */
  | { readonly do: 'restart' }
  /** From now on so many simulated seconds a second; 0: it stands still. */
  | { readonly do: 'play'; readonly speed: number }
  /** A picture of what is there. */
  | { readonly do: 'look' }
  | { readonly do: 'step' }
  | { readonly do: 'show'; readonly time: number }
  | { readonly do: 'watch'; readonly member: number; readonly joint: string | null }
  /** The mechanism of a member as it is now, without its looks. */
  | { readonly do: 'describe'; readonly member: number }
  | { readonly do: 'record' }
  /** This moment, as a file to go on from. */
  | { readonly do: 'checkpoint' }
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

/** What the page asks the worker of schedules. */
export interface ScheduleRequest {
  readonly id: number;
  /** A description, as text. */
  readonly mechanism: string;
  readonly processors: number;
  /** On threads, too. */
  readonly measure: boolean;
}

export interface ScheduleReply {
  readonly id: number;
  readonly schedule?: ScheduleView;
  readonly error?: string;
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
  /** Nanoseconds between the ticks of the clock it was measured with. */
  readonly tickNs?: number;
  /** Threads came late: others were at work on this machine. */
  readonly disturbed?: boolean;
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
  /** A description, as text. */
  readonly mechanism?: string;
  readonly bytes?: Uint8Array;
  readonly replay?: Replay;
  readonly kept?: Kept;
  /** What happened, for the person. */
  readonly said?: string;
  readonly error?: string;
  /** Of a file that could not be opened. */
  readonly problems?: readonly FileProblem[];
}

/** Who answers requests: the physics, or a replay of what was computed before. */
export interface Answers {
  ask(request: Request): Promise<Reply>;
}
