// Passive walking ([001] section 8): a mechanism that stands on one foot swings the other one until it strikes the slope; then
// the feet exchange their roles. Nothing here knows the compass biped: the walker is an ordinary mechanism with
//
// - a frame at each of its two feet,
// - a joint `support` by which one foot turns on the ground, a joint `hip` between the legs,
// - or knees: joints between thigh and shank, locked (fixed) or free (revolute).
//
// A heel strike is three general steps: the support is released (re-rooted to the striking foot with a joint that is free in the
// plane), the foot strikes (plastic, slipless impact), and is held (re-rooted with the hinge of the support).

import { type Dynamics, dynamics as dynamicsOf } from '../../dynamics/dynamics.js';
import { impact } from '../../dynamics/impact.js';
import { createMechanism } from '../../mechanism/create.js';
import { MechanismError } from '../../mechanism/errors.js';
import { GROUND, Mechanism } from '../../mechanism/mechanism.js';
import { reroot } from '../../mechanism/reroot.js';
import { State } from '../../mechanism/state.js';
import { carriedOver } from '../../mechanism/structure.js';
import { mechanismSpec } from '../../mechanism/variants.js';
import type { Tolerances } from '../../simulation/dormand-prince.js';
import type { SimulationEvent } from '../../simulation/events.js';
import { Simulation } from '../../simulation/simulation.js';
import { dot, norm, subtract, type Vec3, ZERO3 } from '../../spatial/matrix3.js';
import { TRANSFORM } from '../../spatial/spatial.js';

/** Slope, tolerances, and what becomes of a foot that scuffs. */
export interface WalkerOptions {
  /** Radians downwards along x. */
  readonly slope: number;
  readonly tolerances?: Tolerances;
  /**
   * 'ignore' (default): the swing foot may pass through the ground until it is ahead of the stance foot ([001] B2; without
   * knees it always does). 'stop': a foot that gets below the ground before ends the walk.
   */
  readonly scuffing?: 'ignore' | 'stop';
}

/** A walker at a moment, standing on one foot. */
export interface Standing {
  readonly mechanism: Mechanism;
  readonly state: State;
}

/** Why a step came to no heel strike. */
export type Fall = 'fell' | 'scuffed' | 'no-strike';

/** One step, from heel strike to heel strike. */
export interface WalkerStep {
  /** Seconds from heel strike to heel strike. */
  readonly period: number;
  /** Just before the heel strike: stance leg from the vertical, swing leg from the stance leg. */
  readonly q: readonly [number, number];
  readonly v: readonly [number, number];
  /** Metres from foothold to foothold. */
  readonly stepLength: number;
  /** Joules taken by the heel strike, and by the knee that stopped. */
  readonly energyLost: number;
  readonly kneeLoss: number;
}

/** Called now and then during a step. */
export type Watch = (standing: Standing, dynamics: Dynamics) => void;

/** A foot that keeps less than this part of its speed after the strike stands. */
const STANDS = 1e-6;
/** Longer than any step that leads on, in units of the square root of leg length over gravity. */
const LONGEST_STEP = 12;
/** A foot is ahead when it is by this part of the leg's length. */
const AHEAD = 1e-3;
/** How far below the ground, in leg lengths, is scuffing and not rounding. */
const SCUFF = 1e-9;
const AXIS: Vec3 = [0, -1, 0];

/** A passive walker on a slope (paper 001): it swings, strikes, and changes the root of its mechanism at each step. */
export class Walker {
  readonly slope: number;
  readonly gravity: number;
  readonly legLength: number;
  readonly #normal: Vec3;
  readonly #start: Mechanism;
  readonly #tolerances: Tolerances;
  readonly #scuffing: 'ignore' | 'stop';
  readonly #knees: readonly string[];

  constructor(mechanism: Mechanism, options: WalkerOptions) {
    const { slope, tolerances = { relative: 1e-12, absolute: 1e-13 }, scuffing = 'ignore' } = options;
    if (!(Math.abs(slope) < Math.PI / 4))
      throw MechanismError.of('walker', 'slope', `It must be between -pi/4 and pi/4, got ${slope}.`);
    this.slope = slope;
    this.#start = mechanism;
    this.#tolerances = tolerances;
    this.#scuffing = scuffing;
    this.#normal = [Math.sin(slope), 0, Math.cos(slope)];
    this.gravity = -mechanism.gravity[2];
    this.#knees = mechanism.joints.flatMap(({ name }) => (name === 'support' || name === 'hip' ? [] : [name]));
    const at = this.feet({ mechanism, state: new State(mechanism) });
    const hip = positionOf(mechanism, new State(mechanism), mechanism.jointIndex('hip'), ZERO3);
    this.legLength = Math.hypot(...subtract(hip, at.stance));
  }

  /** The walker just before a heel strike, both legs straight: q and v of the stance and of the swing leg. */
  beforeStrike(q: readonly number[], v: readonly number[]): Standing {
    const mechanism = this.#knees.reduce((now, knee) => withKnee(now, knee, 'fixed'), this.#start);
    const state = new State(mechanism).set('support', q[0], v[0]).set('hip', q[1], v[1]);
    return { mechanism, state };
  }

  /** The swing angle at which both feet are on the slope. */
  swingAngle(stance: number): number {
    return -2 * (stance + this.slope);
  }

  /** Feet and hip, ground coordinates. */
  feet({ mechanism, state }: Standing): { stance: Vec3; swing: Vec3; swingBody: number } {
    const standing = mechanism.bodies[mechanism.joints.findIndex(({ parent }) => parent === GROUND)].name;
    const [a, b] = mechanism.frames;
    const [stance, swing] = mechanism.bodies[a.body].name === standing ? [a, b] : [b, a];
    return {
      stance: positionOf(mechanism, state, stance.body, stance.t),
      swing: positionOf(mechanism, state, swing.body, swing.t),
      swingBody: swing.body,
    };
  }

  /**
   * The heel strike: feet exchange their roles, the knee of the leg that will swing comes free. Undefined where the foot is on
   * its way up and strikes nothing, or would have to be pulled down to stand.
   */
  strike(before: Standing): { after: Standing; energyLost: number } | undefined {
    const { swing: at, swingBody } = this.feet(before);
    const top = before.mechanism.bodies[swingBody].name;
    const released = reroot(before.mechanism, before.state, { top, at, joint: { type: 'planar', axis: AXIS } });
    const struck = impact(released.mechanism, released.state, { body: top, at, normal: this.#normal });
    if (struck.contact === 'none' || norm(struck.after) > STANDS * norm(struck.before)) return undefined;
    const held = reroot(released.mechanism, struck.state, { top, at, joint: { type: 'revolute', axis: AXIS } });
    return { after: this.#freeSwingKnee(held), energyLost: struck.energyLost };
  }

  /** One step: from just before a heel strike to just before the next one, or to where it ended. */
  step(before: Standing, watch?: Watch): { step: WalkerStep; before: Standing } | { fall: Fall; at: Standing } {
    const struck = this.strike(before);
    if (struck === undefined) return { fall: 'no-strike', at: before };
    const { after, energyLost } = struck;
    const began = after.state.time;
    const unit = Math.sqrt(this.legLength / this.gravity);
    let now: Standing = after;
    let kneeLoss = 0;
    for (;;) {
      const swing = this.#swing(now, began + LONGEST_STEP * unit, unit, watch);
      if ('fall' in swing) return swing;
      now = swing.at;
      if (swing.kind === 'strike') break;
      const locked = lockKnee(now, this.#freeKnee(now.mechanism)!);
      kneeLoss += locked.energyLost;
      now = locked.after;
    }
    const q = coordinates(now, 'q');
    const { stance, swing } = this.feet(now);
    const stepLength = Math.hypot(...subtract(swing, stance));
    const period = now.state.time - began;
    return { step: { period, q, v: coordinates(now, 'v'), stepLength, energyLost, kneeLoss }, before: now };
  }

  #freeKnee({ joints }: Mechanism): string | undefined {
    return this.#knees.find((name) => joints.some((joint) => joint.name === name && joint.type === 'revolute'));
  }

  /** The knee of the swing leg is free from now on, unless it would bend the wrong way. */
  #freeSwingKnee(held: Standing): Standing {
    const knee = this.#knees.find((name) => isSwing(held.mechanism, name));
    if (knee === undefined) return held;
    const mechanism = withKnee(held.mechanism, knee, 'revolute');
    const state = carriedOver(held.state, mechanism);
    const { iv } = mechanism.joints[mechanism.jointIndex(knee)];
    return dynamicsOf(mechanism, { engine: 'plain' }).forward(state)[iv] * bendSign(mechanism, knee) > 0
      ? { mechanism, state }
      : held;
  }

  /** Motion on one foot, until the knee stops, the swing foot strikes ahead, or something goes wrong. */
  #swing(
    from: Standing,
    end: number,
    unit: number,
    watch: Watch | undefined,
  ): { kind: 'strike' | 'knee'; at: Standing } | { fall: Fall; at: Standing } {
    const { mechanism } = from;
    const dynamics = dynamicsOf(mechanism, { engine: 'plain' });
    const knee = this.#freeKnee(mechanism);
    const { stance } = this.feet(from);
    const l = this.legLength;
    const poses = new Float64Array(TRANSFORM * mechanism.bodies.length);
    const swingFrame = mechanism.frames.find(({ body }) => body !== standingBody(mechanism))!;
    const hipJoint = mechanism.jointIndex('hip');
    /** The swing foot from the stance foot: above the slope, and ahead along it. */
    const foot = (state: State): { above: number; ahead: number } => {
      const d = subtract(placeOf(dynamics.poses(state, { out: poses }), swingFrame.body, swingFrame.t), stance);
      return { above: dot(d, this.#normal), ahead: dot(d, [this.#normal[2], 0, -this.#normal[0]]) };
    };
    const events: SimulationEvent[] = [
      { name: 'foot', value: (state) => foot(state).above, direction: 'falling' },
      {
        name: 'hip',
        value: (state) => placeOf(dynamics.poses(state, { out: poses }), hipJoint, ZERO3)[2] - stance[2] - l / 2,
        direction: 'falling',
      },
    ];
    if (knee !== undefined) {
      const { iq } = mechanism.joints[mechanism.jointIndex(knee)];
      const sign = bendSign(mechanism, knee);
      events.push({ name: 'knee', value: ({ q }) => sign * q[iq], direction: 'falling' });
    }
    if (this.#scuffing === 'stop')
      events.push({
        name: 'scuff',
        value: (state) => foot(state).above + SCUFF * l,
        direction: 'falling',
      });
    let result: { kind: 'strike' | 'knee'; at: Standing } | { fall: Fall; at: Standing } | undefined;
    const simulation: Simulation = new Simulation(mechanism, {
      // Each step has a mechanism of its own: making code for it takes longer than the step.
      engine: 'plain',
      integrator: 'dopri5',
      step: watch === undefined ? LONGEST_STEP * unit : unit / 30,
      state: from.state,
      tolerances: this.#tolerances,
      events,
      onEvent: ({ state }, occurrences) => {
        const at = { mechanism, state };
        const names = occurrences.map(({ name }) => name);
        const { ahead } = foot(state);
        if (names.includes('hip')) result = { fall: 'fell', at };
        else if (names.includes('foot') && ahead > AHEAD * l && knee === undefined) result = { kind: 'strike', at };
        else if (names.includes('knee')) result = { kind: 'knee', at };
        else if (names.includes('scuff') && ahead <= AHEAD * l) result = { fall: 'scuffed', at };
        return result === undefined;
      },
    });
    watch?.(from, dynamics);
    simulation.runUntil(end, () => {
      watch?.({ mechanism, state: simulation.state }, dynamics);
      return undefined;
    });
    return result ?? { fall: 'no-strike', at: { mechanism, state: simulation.state } };
  }
}

function standingBody({ joints }: Mechanism): number {
  return joints.findIndex(({ parent }) => parent === GROUND);
}

function placeOf(poses: Float64Array, body: number, [x, y, z]: Vec3): Vec3 {
  const o = TRANSFORM * body;
  return [
    poses[o + 9] + poses[o] * x + poses[o + 3] * y + poses[o + 6] * z,
    poses[o + 10] + poses[o + 1] * x + poses[o + 4] * y + poses[o + 7] * z,
    poses[o + 11] + poses[o + 2] * x + poses[o + 5] * y + poses[o + 8] * z,
  ];
}

function positionOf(mechanism: Mechanism, state: State, body: number, point: Vec3): Vec3 {
  return placeOf(dynamicsOf(mechanism, { engine: 'plain' }).poses(state), body, point);
}

/** q or v of the stance and the swing leg. */
export function coordinates({ mechanism, state }: Standing, which: 'q' | 'v'): readonly [number, number] {
  const of = (name: string): number => {
    const { iq, iv } = mechanism.joints[mechanism.jointIndex(name)];
    return which === 'q' ? state.q[iq] : state.v[iv];
  };
  return [of('support'), of('hip')];
}

/** Whether a knee belongs to the leg that swings: it is beyond the hip. */
function isSwing({ joints }: Mechanism, knee: string): boolean {
  let b = joints.findIndex(({ name }) => name === knee);
  while (b !== GROUND && joints[b].name !== 'hip') b = joints[b].parent;
  return b !== GROUND;
}

/** Sign with which the angle of a knee grows when it bends: the shank behind the thigh. The joint may be inverted. */
function bendSign(mechanism: Mechanism, knee: string): 1 | -1 {
  // Read from thigh to shank bending is negative; a shank that carries its thigh reads the other way round.
  const index = mechanism.jointIndex(knee);
  return mechanism.bodies[index].name.endsWith('shank') ? -1 : 1;
}

function withKnee(mechanism: Mechanism, knee: string, type: 'fixed' | 'revolute'): Mechanism {
  if (mechanism.joints[mechanism.jointIndex(knee)].type === type) return mechanism;
  const spec = mechanismSpec(mechanism);
  const joints = spec.joints.map((joint) =>
    joint.name === knee ? { ...joint, type, axis: joint.axis ?? AXIS } : joint,
  );
  return createMechanism({ ...spec, joints });
}

/** A free knee stops, plastically: v+ = v - r v_k / r_k with r = H^-1 e_k the answer of the joints to an impulse in the knee. */
function lockKnee({ mechanism, state }: Standing, knee: string): { after: Standing; energyLost: number } {
  const { iq, iv } = mechanism.joints[mechanism.jointIndex(knee)];
  const weightless = new Mechanism({ ...mechanism, gravity: ZERO3 });
  const still = new State(weightless, { q: state.q, v: new Float64Array(mechanism.nv) });
  const tau = new Float64Array(mechanism.nv);
  tau[iv] = 1;
  const answer = dynamicsOf(weightless, { engine: 'plain' }).forward(still, tau);
  const stopped = state.clone();
  const rate = state.v[iv] / answer[iv];
  for (let k = 0; k < stopped.v.length; k++) stopped.v[k] -= rate * answer[k];
  stopped.q[iq] = 0;
  stopped.v[iv] = 0;
  const locked = withKnee(mechanism, knee, 'fixed');
  const after = { mechanism: locked, state: carriedOver(stopped, locked) };
  const kinetic = (s: Standing): number => dynamicsOf(s.mechanism, { engine: 'plain' }).energy(s.state).kinetic;
  return { after, energyLost: kinetic({ mechanism, state }) - kinetic(after) };
}
