// Inverse dynamics of a captured motion, [001] section 7.1: every frame is computed with the foot that carries the figure
// as the root of the figure.
//
// A figure that hangs from nothing gets the whole force that its motion needs through its root's joint. That wrench,
// taken from the root and given to the supporting foot, is what the foot's joint to the ground would carry if the
// figure were re-rooted there, and the joints between then carry what they would: the equations of motion of the bodies
// are the same, and in a tree they have one solution. So a frame costs two runs of the recursive Newton-Euler algorithm
// and no change of the tree; test/motion/reroot.test.ts holds it against trees that are really re-rooted.

import { type Dynamics, dynamics as dynamicsOf } from '../dynamics/dynamics.js';
import { MechanismError, type Problem } from '../mechanism/errors.js';
import { GROUND, type Mechanism } from '../mechanism/mechanism.js';
import { State } from '../mechanism/state.js';
import { add, dot, norm, scale, subtract, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import { beyondAbility, pulledDown } from './ability.js';
import { BESIDE, BESIDE_FOR, carriersByName, distanceToPoints, otherCarriers } from './carriers.js';
import { loadShares } from './double-support.js';
import type { AppliedLoads } from './loads.js';
import { carrierWeights, weightedSplit } from './shared-load.js';
import { type Strides, stridesOf } from './strides.js';
import { CARRIED, type Foot, findSupport, kindOf, pointAt, type Support, type SupportKind, upOf } from './support.js';
import type { Trajectory } from './trajectory.js';
import {
  addToBody,
  centreOfPressure,
  fromBody,
  leastNormSplit,
  movedTo,
  NO_WRENCH,
  sumOf,
  type Wrench,
} from './wrench.js';

/** Who carries the figure on two feet: both, handing over smoothly; one of them; or both by the split of least norm. */
export type DoubleSupport = 'smooth' | 'one' | 'split';

/** Feet, supports and measured loads of a motion. */
export interface MotionInverseOptions {
  readonly feet: readonly Foot[];
  /** For each frame; found where left out. */
  readonly supports?: readonly Support[];
  /**
   * Both feet on the ground: who carries the figure cannot be known. 'smooth' (default) shares it by where the whole force
   * acts, without a jump where feet land and leave; 'one' gives all to the foot nearer to the centre of pressure, 'split'
   * shares it with the least norm.
   */
  readonly doubleSupport?: DoubleSupport;
  /** How what carries shares the load, whatever their number, instead (`criterionSplit` of the toolbox). */
  readonly split?: LoadSplit;
  /** Measured forces; with them nothing is left for feet to be found for. */
  readonly loads?: AppliedLoads;
  /** Of the figure, metres; by the height of its centre of mass where left out. */
  readonly height?: number;
  /** Frames at either end that a filter has touched: what they show is not warned of. */
  readonly edge?: number;
}

/** The force of the ground at a foot, ground coordinates, moment about the point. */
export interface FootForce extends Wrench {
  readonly body: string;
  readonly point: Vec3;
}

/** Joint forces and forces of the ground in one frame of a motion. */
export interface FrameForces {
  readonly time: number;
  readonly support: SupportKind | 'measured';
  /** Joint forces, in the order of v. */
  readonly tau: Float64Array;
  /** All that the ground gives, about `point`, and where it acts on the ground, if it presses on it. In flight nothing. */
  readonly total: Wrench;
  readonly point: Vec3;
  readonly centreOfPressure: Vec3 | undefined;
  readonly feet: readonly FootForce[];
  /** Both feet down: the joint forces if the first, and if the second foot carried all. What is possible lies between. */
  readonly extremes?: readonly [Float64Array, Float64Array];
  /** What the root's joint still carries, about the root: the motion's disagreement with the forces given, or flight. */
  readonly residual: Wrench;
}

/** What `inverseOfMotion` finds. */
export interface MotionForces {
  readonly mechanism: Mechanism;
  readonly frames: readonly FrameForces[];
  readonly poses: readonly Float64Array[];
  readonly supports: readonly Support[];
  /** Kilograms, and newtons. */
  readonly mass: number;
  readonly weight: number;
  /** The rhythm of the motion and the mean force over whole strides; undefined where it does not repeat itself. */
  readonly strides: Strides | undefined;
  /** What cannot be right: torques beyond what people can do, a load that nothing known carries. */
  readonly warnings: readonly Problem[];
}

/** A frame of a motion that something carries. */
export interface CarriedFrame {
  readonly state: State;
  readonly qdd: Float64Array;
  readonly pose: Float64Array;
  readonly gravity: Vec3;
  readonly places: readonly CarrierPlace[];
  /** Of each place: rising to one after it touches, falling before it leaves. */
  readonly weights: readonly number[];
}

/** What each place gives, about the ground's origin. */
export type LoadSplit = (frame: CarriedFrame) => readonly Wrench[];

/** A foot, or what else carries, and the point on the ground where it does. */
export interface CarrierPlace {
  readonly foot: Foot;
  readonly point: Vec3;
}

/** How a load is shared in a frame: of two feet the part of the second; the weights of all that carries. */
interface Sharing {
  readonly share: number;
  readonly weights: readonly number[];
}

/** Inverse dynamics of a whole motion: joint forces and the force of the ground in every frame. */
export function inverseOfMotion(trajectory: Trajectory, options: MotionInverseOptions): MotionForces {
  return new MotionInverse(trajectory, options).run();
}

class MotionInverse {
  readonly #trajectory: Trajectory;
  readonly #options: MotionInverseOptions;
  readonly #mechanism: Mechanism;
  readonly #dynamics: Dynamics;
  readonly #state: State;
  readonly #up: Vec3;
  readonly #mass: number;
  readonly #weight: number;
  /** The first body with mass. */
  readonly #root: number;
  readonly #external: Float64Array;
  readonly #forces: Float64Array;
  /** Feet, and what else may carry where nobody says who does. */
  readonly #carriers: readonly Foot[];

  constructor(trajectory: Trajectory, options: MotionInverseOptions) {
    const { mechanism } = trajectory;
    this.#trajectory = trajectory;
    this.#options = options;
    this.#mechanism = mechanism;
    this.#dynamics = dynamicsOf(mechanism, { engine: 'plain' });
    this.#state = new State(mechanism);
    this.#up = upOf(mechanism.gravity);
    this.#mass = mechanism.bodies.reduce((sum, { mass }) => sum + mass, 0);
    this.#weight = this.#mass * norm(mechanism.gravity);
    this.#root = Math.max(
      0,
      mechanism.bodies.findIndex(({ mass }) => mass > 0),
    );
    this.#external = new Float64Array(6 * mechanism.bodies.length);
    this.#forces = new Float64Array(6 * mechanism.bodies.length);
    const { feet, supports, loads } = options;
    this.#carriers = supports === undefined && loads === undefined ? [...feet, ...carriersByName(mechanism)] : feet;
  }

  run(): MotionForces {
    const { count } = this.#trajectory;
    const { loads } = this.#options;
    const poses = Array.from({ length: count }, (_, frame) => this.#pose(frame));
    const frames: FrameForces[] = [];
    let supports: readonly Support[];
    // What the motion needs as a whole, whatever is taken to give it.
    let needed: readonly Wrench[] | undefined;
    if (loads !== undefined) {
      for (let frame = 0; frame < count; frame++) frames.push(this.#measured(frame, poses[frame], loads));
      supports = frames.map((frame) => this.#pressed(frame));
    } else {
      const totals = poses.map((pose, frame) => this.#total(frame, pose));
      supports = this.#options.supports ?? this.#found(poses, totals);
      needed = totals;
      const { interval } = this.#trajectory;
      const onFeet = supports.map(({ feet }) => this.#kept(feet, (f) => this.#carriers[f].part === undefined));
      const lever = (frame: number): number => this.#lever(poses[frame], totals[frame], onFeet[frame]);
      const shares = loadShares(onFeet, lever, interval);
      const weights = carrierWeights(supports, this.#carriers.length, interval);
      totals.forEach((total, frame) => {
        const sharing = { share: shares[frame], weights: supports[frame].feet.map((f) => weights[f][frame]) };
        frames.push(this.#carried(frame, poses[frame], total, supports[frame], sharing));
      });
    }
    const strides = this.#strides(needed ?? frames.map(({ total }) => total), supports);
    const { edge = 0 } = this.#options;
    const isEdge = (frame: number): boolean => frame < edge || frame >= count - edge;
    const warnings = [
      ...(needed === undefined || this.#options.supports !== undefined
        ? []
        : [
            ...otherCarriers(supports, this.#carriers, this.#mechanism, (frame) => this.#time(frame)),
            ...this.#uncarried(needed, supports, isEdge),
            ...this.#beside(needed, supports, poses, isEdge),
          ]),
      ...(needed === undefined ? [] : this.#pulled(needed, supports, isEdge)),
      ...beyondAbility(this.#mechanism, this.#mass, frames, isEdge),
    ];
    const { mass, weight } = { mass: this.#mass, weight: this.#weight };
    return { mechanism: this.#mechanism, frames, poses, supports, mass, weight, strides, warnings };
  }

  /** Stretches in which the motion needs a force that no foot can give. */
  #uncarried(needed: readonly Wrench[], supports: readonly Support[], isEdge: (frame: number) => boolean): Problem[] {
    const loaded = needed.map(
      ({ force }, k) =>
        !isEdge(k) && supports[k].feet.length === 0 && dot(force, this.#up) > 2 * CARRIED * this.#weight,
    );
    const frames = loaded.flatMap((is, k) => (is ? [k] : []));
    if (frames.length * this.#trajectory.interval < 0.1) return [];
    const [from, to] = [frames[0], frames[frames.length - 1]].map((k) => Number(this.#time(k).toFixed(3)));
    return [
      {
        code: 'no-support',
        where: '',
        message: `Between ${from} and ${to} s no foot is near the ground, and yet the motion needs a force (${frames.length} frames): Name the body that carries with --support; until then it is left at the root.`,
      },
    ];
  }

  /** Stretches in which the whole force acts far from the feet that are taken to give it: somebody sits, or leans on something. */
  #beside(
    needed: readonly Wrench[],
    supports: readonly Support[],
    poses: readonly Float64Array[],
    isEdge: (frame: number) => boolean,
  ): Problem[] {
    const far = needed.map((total, k) => {
      const down = supports[k].feet;
      const seated = down.some((f) => this.#carriers[f].part === 'seat');
      const loaded = !isEdge(k) && down.length > 0 && !seated && dot(total.force, this.#up) > 0.5 * this.#weight;
      const centre = loaded ? this.#centre(poses[k], total, 0) : undefined;
      if (centre === undefined) return 0;
      const points = down.flatMap((f) =>
        this.#carriers[f].points.map((point) => this.#level(pointAt(poses[k], point))),
      );
      return distanceToPoints(this.#level(centre), points);
    });
    // The longest stretch: shorter ones come with every step.
    let [first, end] = [0, 0];
    for (let k = 0, start = 0; k < far.length; k++) {
      if (far[k] <= BESIDE) start = k + 1;
      else if (k + 1 - start > end - first) [first, end] = [start, k + 1];
    }
    if ((end - first) * this.#trajectory.interval < BESIDE_FOR) return [];
    const [from, to] = [first, end - 1].map((k) => Number(this.#time(k).toFixed(3)));
    const most = Math.max(...far.slice(first, end)).toFixed(2);
    return [
      {
        code: 'beside-feet',
        where: '',
        message: `Between ${from} and ${to} s the force of the ground would act up to ${most} m beside what is down (${end - first} frames): a rail, another person? Name the body with --support; until then the torques of the legs are not to be trusted.`,
      },
    ];
  }

  #pulled(needed: readonly Wrench[], supports: readonly Support[], isEdge: (frame: number) => boolean): Problem[] {
    const pull = needed.map(({ force }, k) =>
      isEdge(k) || supports[k].feet.length === 0 ? 0 : -dot(force, this.#up) / this.#weight,
    );
    return pulledDown(pull, this.#weight, (frame) => this.#time(frame));
  }

  /** The share of the second foot by leverage: where between the feet the whole force acts. */
  #lever(pose: Float64Array, total: Wrench, { feet: down }: Support): number {
    const [a, b] = down.map((f) => this.#level(this.#contact(pose, this.#carriers[f])));
    const centre = this.#centre(pose, total, 0.05);
    if (centre === undefined) return 0.5;
    const between = subtract(b, a);
    const length = dot(between, between);
    const share = length > 0 ? dot(subtract(this.#level(centre), a), between) / length : 0.5;
    return Math.min(1, Math.max(0, share));
  }

  /** Where the whole force acts on the ground, which is where the lowest of all that may carry is; `least` of the weight. */
  #centre(pose: Float64Array, total: Wrench, least: number): Vec3 | undefined {
    let lowest: Vec3 = ZERO3;
    let height = Infinity;
    for (const { points } of this.#carriers)
      for (const point of points) {
        const at = pointAt(pose, point);
        if (dot(at, this.#up) >= height) continue;
        lowest = at;
        height = dot(at, this.#up);
      }
    return centreOfPressure(movedTo(total, ZERO3, lowest), lowest, this.#up, least * this.#weight);
  }

  #level(point: Vec3): Vec3 {
    return subtract(point, scale(dot(point, this.#up), this.#up));
  }

  #time(frame: number): number {
    return this.#trajectory.start + frame * this.#trajectory.interval;
  }

  #setState(frame: number): void {
    const { q, v } = this.#trajectory;
    const { nq, nv } = this.#mechanism;
    this.#state.q.set(q.subarray(frame * nq, (frame + 1) * nq));
    this.#state.v.set(v.subarray(frame * nv, (frame + 1) * nv));
  }

  #pose(frame: number): Float64Array {
    this.#setState(frame);
    return this.#dynamics.poses(this.#state);
  }

  /** Joint forces under the forces in #external, and what goes through the joints to the ground. */
  #inverse(frame: number, pose: Float64Array): { tau: Float64Array; root: Wrench } {
    const { nv, joints } = this.#mechanism;
    this.#setState(frame);
    const qdd = this.#trajectory.qdd.subarray(frame * nv, (frame + 1) * nv);
    const forces = this.#forces;
    const tau = this.#dynamics.inverse(this.#state, qdd, { external: this.#external, jointForces: forces });
    let root = NO_WRENCH;
    joints.forEach(({ parent }, b) => {
      if (parent === GROUND) root = sumOf(root, fromBody(pose, b, forces, 6 * b));
    });
    return { tau, root };
  }

  /** All that the motion needs from outside, about the ground's origin. */
  #total(frame: number, pose: Float64Array): Wrench {
    this.#external.fill(0);
    return this.#inverse(frame, pose).root;
  }

  #found(poses: readonly Float64Array[], totals: readonly Wrench[]): Support[] {
    const { height = this.#height(poses) } = this.#options;
    const { count, interval } = this.#trajectory;
    const load = totals.map(({ force }) => dot(force, this.#up) / this.#weight);
    const centres = totals.map((total, k) => this.#centre(poses[k], total, CARRIED));
    const { gravity } = this.#mechanism;
    return findSupport({ feet: this.#carriers, count, interval, poses, load, centres, gravity, height });
  }

  /** A frame carried by the feet that are down. */
  #carried(frame: number, pose: Float64Array, total: Wrench, support: Support, sharing: Sharing): FrameForces {
    const { doubleSupport: chosen = 'smooth', split } = this.#options;
    // How two feet share a load may be asked for; of other carriers it is known even less.
    const doubleSupport = support.kind === 'other' ? 'smooth' : chosen;
    const places = support.feet.map((f): CarrierPlace => {
      const foot = this.#carriers[f];
      return { foot, point: this.#contact(pose, foot) };
    });
    if (split === undefined && places.length > 1 && doubleSupport !== 'smooth') {
      // The foot nearer to where the whole force acts carries the figure.
      const centre = this.#centre(pose, total, 0) ?? ZERO3;
      const distance = (point: Vec3): number => {
        const r = subtract(point, centre);
        return norm(subtract(r, scale(dot(r, this.#up), this.#up)));
      };
      places.sort((a, b) => distance(a.point) - distance(b.point));
    }
    const shares =
      split !== undefined
        ? this.#chosen(frame, pose, places, sharing.weights, split)
        : support.kind === 'other'
          ? this.#withOthers(places, total, sharing)
          : this.#shares(places, total, doubleSupport, sharing.share);
    const under = (given: readonly { readonly foot: Foot; readonly wrench: Wrench }[]) => {
      this.#external.fill(0);
      for (const { foot, wrench } of given) addToBody(this.#external, 6 * foot.body, pose, foot.body, wrench);
      return this.#inverse(frame, pose);
    };
    const { tau, root } = under(shares);
    const extremes =
      split === undefined && doubleSupport === 'smooth' && places.length === 2
        ? ([0, 1].map((k) => under([{ ...places[k], wrench: total }]).tau) as [Float64Array, Float64Array])
        : undefined;
    const point = places[0]?.point ?? ZERO3;
    const about = places.length === 0 ? NO_WRENCH : movedTo(total, ZERO3, point);
    return {
      time: this.#time(frame),
      support: support.kind,
      tau,
      total: about,
      point,
      centreOfPressure: centreOfPressure(about, point, this.#up, 0.05 * this.#weight),
      feet: shares.map(({ foot, point: at, wrench }) => ({
        body: this.#mechanism.bodies[foot.body].name,
        point: at,
        ...movedTo(wrench, ZERO3, at),
      })),
      ...(extremes !== undefined && { extremes }),
      residual: movedTo(root, ZERO3, originOf(pose, this.#root)),
    };
  }

  #chosen(
    frame: number,
    pose: Float64Array,
    places: readonly CarrierPlace[],
    weights: readonly number[],
    split: LoadSplit,
  ) {
    if (places.length === 0) return [];
    this.#setState(frame);
    const { nv, gravity } = this.#mechanism;
    const qdd = this.#trajectory.qdd.subarray(frame * nv, (frame + 1) * nv);
    const wrenches = split({ state: this.#state, qdd, pose, gravity, places, weights });
    return places.map((place, k) => ({ ...place, wrench: wrenches[k] }));
  }

  /**
   * Wrenches about the ground's origin. With the share s of the second foot, (1 - s) F acts at the first and s F at the second,
   * and the moment that is left, about the point (1 - s) a + s b, is shared alike: at 0 and 1 one foot has it all.
   */
  #shares(places: readonly CarrierPlace[], total: Wrench, how: DoubleSupport, share: number) {
    const [first, second] = places;
    if (first === undefined) return [];
    if (second === undefined || how === 'one') return [{ ...first, wrench: total }];
    if (how === 'smooth') {
      const between = add(scale(1 - share, first.point), scale(share, second.point));
      const { moment, force } = movedTo(total, ZERO3, between);
      const part = (size: number): Wrench => ({ moment: scale(size, moment), force: scale(size, force) });
      return [
        { ...first, wrench: movedTo(part(1 - share), first.point, ZERO3) },
        { ...second, wrench: movedTo(part(share), second.point, ZERO3) },
      ];
    }
    const [a, b] = leastNormSplit(total, ZERO3, first.point, second.point);
    return [
      { ...first, wrench: movedTo(a, first.point, ZERO3) },
      { ...second, wrench: movedTo(b, second.point, ZERO3) },
    ];
  }

  /**
   * Hands or a seat beside feet: the split of least norm, weighted by how long each has been down. It begins and ends with what
   * the feet alone would carry.
   */
  #withOthers(
    places: readonly CarrierPlace[],
    total: Wrench,
    { share, weights }: Sharing,
  ): (CarrierPlace & { wrench: Wrench })[] {
    const points = places.map(({ point }) => point);
    const split = weightedSplit(total, points, weights).map((wrench, k) => movedTo(wrench, points[k], ZERO3));
    const onFeet = this.#shares(
      places.filter(({ foot }) => foot.part === undefined),
      total,
      'smooth',
      share,
    );
    const most = (is: (place: CarrierPlace) => boolean): number =>
      Math.max(0, ...places.map((place, k) => (is(place) ? weights[k] : 0)));
    const others = most(({ foot }) => foot.part !== undefined);
    const feet = most(({ foot }) => foot.part === undefined) * (1 - others);
    const mixed = others / (others + feet);
    return places.map((place, k) => {
      const alone = onFeet.find(({ foot }) => foot === place.foot)?.wrench ?? NO_WRENCH;
      const part = ({ moment, force }: Wrench, size: number): Wrench => ({
        moment: scale(size, moment),
        force: scale(size, force),
      });
      return { ...place, wrench: sumOf(part(split[k], mixed), part(alone, 1 - mixed)) };
    });
  }

  #kept(feet: readonly number[], is: (foot: number) => boolean): Support {
    const kept = feet.filter(is);
    return { kind: kindOf(this.#carriers, kept), feet: kept };
  }

  /** The middle of the points of a foot that are lowest, within a tenth of its length. */
  #contact(pose: Float64Array, foot: Foot): Vec3 {
    const points = foot.points.map((point) => pointAt(pose, point));
    const heights = points.map((point) => dot(point, this.#up));
    const lowest = Math.min(...heights);
    const length = points.reduce((far, point) => Math.max(far, norm(subtract(point, points[0]))), 0);
    const down = points.filter((_, k) => heights[k] <= lowest + 0.1 * length);
    return scale(1 / down.length, down.reduce(add));
  }

  /** A frame under measured forces. */
  #measured(frame: number, pose: Float64Array, loads: AppliedLoads): FrameForces {
    const time = this.#time(frame);
    this.#external.fill(0);
    const wrenches = loads.at(time, pose);
    const { bodies } = loads;
    wrenches.forEach((wrench, k) => {
      addToBody(this.#external, 6 * bodies[k], pose, bodies[k], wrench);
    });
    const total = wrenches.reduce(sumOf, NO_WRENCH);
    const { tau, root } = this.#inverse(frame, pose);
    return {
      time,
      support: 'measured',
      tau,
      total,
      point: ZERO3,
      centreOfPressure: centreOfPressure(total, ZERO3, this.#up, 0.05 * this.#weight),
      feet: wrenches.map((wrench, k) => {
        const body = bodies[k];
        const at = centreOfPressure(wrench, ZERO3, this.#up, 0.01 * this.#weight) ?? originOf(pose, body);
        return { body: this.#mechanism.bodies[body].name, point: at, ...movedTo(wrench, ZERO3, at) };
      }),
      residual: movedTo(root, ZERO3, originOf(pose, this.#root)),
    };
  }

  /** Which feet press on the ground, by the measured forces. */
  #pressed(frame: FrameForces): Support {
    const down = this.#carriers.flatMap((foot, f) => {
      const name = this.#mechanism.bodies[foot.body].name;
      const vertical = frame.feet
        .filter(({ body }) => body === name)
        .reduce((sum, { force }) => sum + dot(force, this.#up), 0);
      return vertical > 0.05 * this.#weight ? [f] : [];
    });
    return { kind: kindOf(this.#carriers, down), feet: down };
  }

  #strides(totals: readonly Wrench[], supports: readonly Support[]): Strides | undefined {
    const { feet } = this.#options;
    const vertical = totals.map(({ force }) => dot(force, this.#up) / this.#weight);
    const names = feet.map(({ body }) => this.#mechanism.bodies[body].name);
    return stridesOf(this.#trajectory, vertical, supports, names);
  }

  /** People stand with their centre of mass at 55 % of their height; the mean over the motion. */
  #height(poses: readonly Float64Array[]): number {
    const { feet } = this.#options;
    const { bodies } = this.#mechanism;
    const above = poses.map((pose) => {
      const com = bodies.reduce(
        (sum, { mass, com: at }, body) => sum + mass * dot(pointAt(pose, { body, at }), this.#up),
        0,
      );
      const soles = feet.flatMap(({ points }) => points.map((point) => dot(pointAt(pose, point), this.#up)));
      return com / this.#mass - soles.reduce((low, height) => Math.min(low, height), Infinity);
    });
    const height = above.reduce((sum, value) => sum + value, 0) / (0.55 * above.length);
    // Without feet there is another complaint to come.
    if (feet.length === 0) return 1;
    if (height > 0 && Number.isFinite(height)) return height;
    throw MechanismError.of('no-size', '', 'The feet are above the centre of mass; say what carries the figure.');
  }
}

function originOf(pose: Float64Array, body: number): Vec3 {
  return pointAt(pose, { body, at: ZERO3 });
}
