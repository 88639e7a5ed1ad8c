// What drives joints: motors, springs, damping. Stiff ones are implicit in the step: their answer to the velocity at its end is
// inertia added to the joint, h Kd + h^2 Kp, so that they are stable at any gain.

import type { Control } from '../../engines/plain/stages.js';
import { MechanismError } from '../../mechanism/errors.js';
import type { PlacedJoint } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import type { Articulation } from './articulation.js';

/** A number, or a function of time and state. */
export type Command = number | ((time: number, state: State) => number);

/** A position: a number for joints of one degree of freedom, else what stands in q. */
export type PositionCommand = number | ArrayLike<number> | ((time: number, state: State) => number | ArrayLike<number>);

/** What drives a joint of a world. */
export type Motor =
  /** A force or torque on a joint of one degree of freedom; `speed`: it pushes no faster than this, and coasts where others do. */
  | { readonly kind: 'torque'; readonly torque: Command; readonly speed?: number }
  /** Holds a velocity with whatever force that takes, `limit` at most. */
  | { readonly kind: 'velocity'; readonly velocity: Command; readonly limit?: number }
  /**
   * A spring (stiffness) and a damper (damping) towards a position, implicit in the step; `limit`: the largest force; `speed`, of joints
   * of one degree of freedom: it pushes no faster than this.
   */
  | {
      readonly kind: 'position';
      readonly position: PositionCommand;
      readonly stiffness: number;
      readonly damping: number;
      readonly limit?: number;
      readonly speed?: number;
    };

export interface PlacedMotor {
  readonly joint: PlacedJoint;
  readonly motor: Motor;
  /** First of its numbers in the order of the articulation. */
  readonly first: number;
  /** For position motors: which of its numbers are at the limit in this step, and where they push. */
  readonly saturated: Int8Array;
  /**
   * Of motors with a largest speed, in a step that may reach it: where they push, and how hard. Half of the force acts as it is; a row
   * adds the other half below the speed, takes all of it away above, and holds the speed in between.
   */
  readonly pace: { sign: number; force: number };
  /** What the motor was told for this step: a torque, a velocity, or where its joint is to be. */
  readonly command: Float64Array;
}

const KINDS: readonly Motor['kind'][] = ['torque', 'velocity', 'position'];

export function placeMotor(articulation: Articulation, name: string, motor: Motor): PlacedMotor {
  const { mechanism, tree } = articulation;
  const joint = mechanism.joint(name);
  const refuse = (message: string): MechanismError => MechanismError.of('motor', `joint "${name}"`, message);
  const { nv, nq } = joint.model;
  if (!KINDS.includes(motor?.kind))
    throw refuse(`There is no motor of kind "${motor?.kind}"; there are ${KINDS.join(', ')}.`);
  const link = tree.joint.indexOf(joint.index);
  if (nv === 0) throw refuse('A fixed joint has no motor.');
  if (articulation.free[link] === 1) throw refuse('A free base has no motor; apply forces to the body.');
  if (motor.kind !== 'position' && nv !== 1)
    throw refuse(`A motor of kind "${motor.kind}" drives joints of one degree of freedom, this one has ${nv}.`);
  if (mechanism.couplings.some(({ joint: follower }) => follower === joint.index))
    throw refuse('It follows another joint; drive that one.');
  if ('limit' in motor && motor.limit !== undefined && !(motor.limit >= 0))
    throw refuse(`The limit must not be negative, got ${motor.limit}.`);
  if ('speed' in motor && motor.speed !== undefined) {
    if (!(motor.speed >= 0)) throw refuse(`The speed must not be negative, got ${motor.speed}.`);
    if (nv !== 1) throw refuse(`A largest speed is for joints of one degree of freedom, this one has ${nv}.`);
  }
  if (
    motor.kind === 'position' &&
    ![motor.stiffness, motor.damping].every((gain) => gain >= 0 && Number.isFinite(gain))
  )
    throw refuse(`Stiffness and damping must be numbers not below zero, got ${motor.stiffness} and ${motor.damping}.`);
  const told = commandOf(motor);
  if (typeof told !== 'function' && !fits(told, nq)) throw refuse(`Expected ${needs(motor, nq)}, got ${shown(told)}.`);
  return {
    joint,
    motor,
    first: tree.dof[link],
    saturated: new Int8Array(nv),
    pace: { sign: 0, force: 0 },
    command: new Float64Array(joint.model.nq),
  };
}

/** Asks a motor what it is to do in the step that begins with the state. */
export function tell({ motor, command }: PlacedMotor, state: State): void {
  const told = commandOf(motor);
  const wanted = typeof told === 'function' ? told(state.time, state) : told;
  if (typeof wanted === 'number' && command.length === 1) command[0] = wanted;
  else if (typeof wanted !== 'number' && fits(wanted, command.length)) command.set(wanted);
  else throw new TypeError(`it gives ${shown(wanted)}; expected ${needs(motor, command.length)}`);
}

function commandOf(motor: Motor): PositionCommand {
  return motor.kind === 'torque' ? motor.torque : motor.kind === 'velocity' ? motor.velocity : motor.position;
}

/** Functions may give anything. Whether numbers are finite is asked later. */
function fits(wanted: number | ArrayLike<number> | undefined, count: number): wanted is number | ArrayLike<number> {
  return typeof wanted === 'number' ? count === 1 : wanted?.length === count && typeof wanted !== 'string';
}

const needs = ({ kind }: Motor, count: number): string =>
  count === 1 ? `a number as its ${kind}` : `${count} numbers as its ${kind}`;

function shown(wanted: unknown): string {
  if (typeof wanted !== 'object' || wanted === null) return JSON.stringify(wanted) ?? 'nothing';
  return `${(wanted as ArrayLike<number>).length ?? 'no'} numbers`;
}

export type { Control };
