// A scene: mechanisms, what they stand on, what drives them and what happens to them. Plain data, as it stands in a JSON file;
// schema.ts says the same to editors and to the reader.

import type { Description } from '../formats/description.js';
import type { ContactProperties, Geometry } from '../mechanism/mechanism.js';
import type { JointKindSpec } from '../mechanism/spec.js';
import type { SleepOptions } from '../simulation/world/sleep.js';
import type { Quat, Vec3 } from '../spatial/matrix3.js';

/** How a shape of a scene behaves in contact. */
export type SceneSurface = Pick<
  ContactProperties,
  'friction' | 'restitution' | 'rollingFriction' | 'torsionalFriction' | 'compliance' | 'relaxation'
>;

/** A body of one shape that moves freely: `kind` and sizes, mass or density. */
export type SceneBody = SceneSurface & {
  readonly mass?: number;
  /** kg/m^3; 1000 where neither it nor the mass is given. */
  readonly density?: number;
} & (
    | { readonly kind: 'box'; readonly size: Vec3 }
    | { readonly kind: 'sphere'; readonly radius: number }
    | { readonly kind: 'capsule' | 'cylinder'; readonly radius: number; readonly length: number }
  );

/** Gains of a position motor: N m/rad and N m s/rad (N/m, N s/m), and the largest force and speed. */
export interface SceneGains {
  readonly stiffness?: number;
  readonly damping?: number;
  readonly limit?: number;
  readonly speed?: number;
}

/** Positions by the names of joints: a number where a joint has one, else its list. */
export type ScenePose = Readonly<Record<string, number | readonly number[]>>;

/** What drives a mechanism of a scene. */
export type SceneControl =
  /** Springs and dampers to a pose: where it starts, the neutral one, a keyframe, or positions by joint. */
  | (SceneGains & {
      readonly kind: 'position';
      readonly target?: 'start' | 'neutral' | ScenePose;
      readonly keyframe?: string;
      /** Other gains for some joints. */
      readonly joints?: Readonly<Record<string, SceneGains>>;
    })
  /** The same, to positions over time: `joints` has a list as long as `times` for each joint. */
  | (SceneGains & {
      readonly kind: 'trajectory';
      readonly times: readonly number[];
      readonly joints: Readonly<Record<string, readonly number[]>>;
      readonly repeat?: boolean;
    })
  /** The same, to a captured motion: a file of the mechanism's own skeleton (.bvh, .mot, .sto), or "gait", which is built in. */
  | (SceneGains & {
      readonly kind: 'motion';
      readonly motion: string;
      /** Seconds into the motion at which the scene starts. */
      readonly from?: number;
      /** A force on the root towards its captured place; without it nobody keeps the balance. */
      readonly assist?: Omit<SceneGains, 'speed'>;
    })
  /** Constant forces by joint. */
  | { readonly kind: 'torque'; readonly torques: Readonly<Record<string, number>> }
  /** The actuators of the model (MJCF): by name, or those of a keyframe; zero where left out. */
  | { readonly kind: 'actuators'; readonly controls?: Readonly<Record<string, number>>; readonly keyframe?: string };

/** A mechanism of a scene: which model, where, in which state, how driven. */
export interface SceneMechanism {
  /** A built-in name, a file, one free body, or a description as `manikin describe` prints it. */
  readonly model: string | SceneBody | Description;
  /** The model's name where left out. */
  readonly name?: string;
  readonly base?: 'fixed' | 'floating';
  /** For a free base: place, orientation (w, x, y, z), velocity and angular velocity along the axes of the ground. */
  readonly at?: Vec3;
  readonly turned?: Quat;
  readonly velocity?: Vec3;
  readonly spin?: Vec3;
  /** A state file, or positions by joint. */
  readonly state?: string | ScenePose;
  readonly keyframe?: string;
  readonly control?: SceneControl | readonly SceneControl[];
  /** Whether its bodies touch each other; true where left out. */
  readonly selfCollision?: boolean;
  /** Of hinges and ball joints that have none of their own; built-in figures have people's where it is left out. */
  readonly damping?: number;
}

/** A plane [a, b, c, d] that carries everything: a x + b y + c z = d, solid below; [0, 0, 1, 0] where left out. */
export interface SceneGround extends SceneSurface {
  readonly plane?: readonly [number, number, number, number];
}

/** A shape that does not move. */
export interface SceneObstacle extends SceneSurface {
  readonly name?: string;
  readonly shape: SceneGeometry;
  /** Nine numbers, row by row: takes coordinates of the ground to those of the shape. */
  readonly E?: readonly number[];
  readonly t?: Vec3;
}

/** A geometry as plain data: lists for points and heights, no meshes. */
export type SceneGeometry =
  | Exclude<Geometry, { kind: 'hull' | 'heights' | 'mesh' }>
  | { readonly kind: 'hull'; readonly points: readonly number[] }
  | {
      readonly kind: 'heights';
      readonly rows: number;
      readonly columns: number;
      readonly size: readonly [number, number];
      readonly heights: readonly number[];
    };

/** A joint between two bodies of a mechanism, or one (b left out or null) and the ground. */
export interface SceneConnection {
  readonly name: string;
  /** May be left out where the scene has one mechanism. */
  readonly mechanism?: string;
  readonly a: string;
  readonly b?: string | null;
  readonly joint: JointKindSpec;
  /** Where, in ground coordinates; the origin of a where left out. */
  readonly at?: Vec3;
}

/** A force on a body for a while, ground axes. */
export interface ScenePush {
  readonly mechanism?: string;
  readonly body: string;
  readonly force: Vec3;
  readonly moment?: Vec3;
  /** Seconds. */
  readonly duration: number;
}

/** What happens at a time: at the start of the first step that is not before it. */
export type SceneEvent = { readonly at: number } & (
  | { readonly connect: SceneConnection }
  /** The name of a joint or of a connection. */
  | { readonly disconnect: string }
  | { readonly push: ScenePush }
  /** Another control from then on; null: none. */
  | { readonly control: SceneControl | readonly SceneControl[] | null; readonly mechanism?: string }
);

/** Two things that do not touch: "mechanism", "mechanism/body", "ground" or the name of an obstacle. */
export interface SceneFilter {
  readonly without: readonly [string, string];
}

/** A scene, as it stands in its file. */
export interface Scene {
  readonly $schema?: string;
  readonly name?: string;
  readonly description?: string;
  readonly mechanisms: readonly SceneMechanism[];
  readonly ground?: boolean | SceneGround;
  readonly obstacles?: readonly SceneObstacle[];
  /** [0, 0, -9.81] where left out. */
  readonly gravity?: Vec3;
  /** What is at rest is left out of the steps until something happens to it; false where left out. */
  readonly sleep?: boolean | SleepOptions;
  readonly connect?: readonly SceneConnection[];
  readonly events?: readonly SceneEvent[];
  readonly filters?: readonly SceneFilter[];
  /** Seconds; 2 ms where left out. */
  readonly step?: number;
  /** How a world steps; there is one way. */
  readonly integrator?: 'midpoint';
  /** Seconds; 5 where left out. */
  readonly duration?: number;
}
