// What drives a mechanism, as files of other simulators say it: tendons and actuators by the names of joints and frames.
// Plain data; src/dynamics/actuators.ts computes forces from it.

/** Two numbers, the lower first. */
export type Bounds = readonly [lower: number, upper: number];

interface TendonProperties {
  readonly name: string;
  readonly limits?: Bounds;
  readonly stiffness: number;
  readonly damping: number;
  readonly friction: number;
  readonly armature: number;
  /** The spring is slack between these lengths; undefined for the length in the model's own pose. */
  readonly springLength?: Bounds;
  /** Bounds on the sum of forces that actuators put into the tendon. */
  readonly forceRange?: Bounds;
}

/** A length that is a sum of joint positions. */
export interface FixedTendon extends TendonProperties {
  readonly kind: 'fixed';
  readonly joints: readonly { readonly joint: string; readonly coefficient: number }[];
}

/** One thing on the way of a string: a place, a round shape it wraps around, or a pulley that divides what follows. */
export type TendonPoint =
  | { readonly kind: 'site'; readonly site: string }
  | { readonly kind: 'geom'; readonly geom: string; readonly side?: string }
  | { readonly kind: 'pulley'; readonly divisor: number };

/** The length of a string through places on bodies. */
export interface SpatialTendon extends TendonProperties {
  readonly kind: 'spatial';
  readonly path: readonly TendonPoint[];
}

/** A tendon: a weighted sum of joint coordinates, or a string through places on bodies. */
export type Tendon = FixedTendon | SpatialTendon;

/** What an actuator pulls at. */
export type Transmission =
  | { readonly kind: 'joint'; readonly joint: string; readonly inParent: boolean }
  | { readonly kind: 'tendon'; readonly tendon: string }
  | { readonly kind: 'site'; readonly site: string; readonly reference?: string }
  | { readonly kind: 'body'; readonly body: string }
  | { readonly kind: 'slider-crank'; readonly crank: string; readonly slider: string; readonly length: number };

/** A law of gain, bias or dynamics of an actuator, with its parameters as the file lists them. */
export interface ActuatorLaw<K extends string> {
  readonly kind: K;
  readonly parameters: readonly number[];
}

/**
 * force = gain(length, velocity) * (activation or control) + bias(length, velocity), clamped to forceRange; the joint gets
 * that times gear. Without dynamics the control stands in place of the activation.
 */
export interface Actuator {
  readonly name: string;
  readonly transmission: Transmission;
  readonly gear: readonly number[];
  readonly dynamics: ActuatorLaw<'none' | 'integrator' | 'filter' | 'filterexact' | 'muscle' | 'other'>;
  readonly gain: ActuatorLaw<'fixed' | 'affine' | 'muscle' | 'other'>;
  readonly bias: ActuatorLaw<'none' | 'affine' | 'muscle' | 'other'>;
  readonly controlRange?: Bounds;
  readonly forceRange?: Bounds;
  readonly activationRange?: Bounds;
  readonly lengthRange?: Bounds;
  /** Inertia and damping of the rotor, before the gear; those of the joint have them already. */
  readonly armature?: number;
  readonly damping?: number;
  readonly group: number;
}

/** Bodies that never touch, by name; the ground is null. */
export interface ContactExclusion {
  readonly body1: string | null;
  readonly body2: string | null;
}

/** Shapes that touch whatever their groups and masks say, by name. */
export interface ContactPair {
  readonly shape1: string;
  readonly shape2: string;
  readonly friction: readonly number[];
  readonly condim: number;
  readonly margin: number;
  readonly gap: number;
}

/** Which pairs of shapes touch by rules of their own, and which bodies never do. */
export interface ContactRules {
  readonly pairs: readonly ContactPair[];
  readonly exclusions: readonly ContactExclusion[];
}

/** Something that is measured: what, and of which parts. Parameters by the names of the file. */
export interface Sensor {
  readonly name: string;
  readonly kind: string;
  readonly parameters: ReadonlyMap<string, string>;
}
