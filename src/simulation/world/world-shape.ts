// A collision shape in a World, and two of them that are near each other.

import { type Collider, collider, MESH } from '../../contact/collider.js';
import { CONVEX_POINTS, MANIFOLD_POINTS, type Manifold } from '../../contact/manifold.js';
import type { SweptShapes } from '../../contact/swept-shapes.js';
import { MechanismError } from '../../mechanism/errors.js';
import { type ContactProperties, GROUND, type Shape } from '../../mechanism/mechanism.js';
import { compose, invert, TRANSFORM } from '../../spatial/spatial.js';
import type { PairCheckpoint } from './checkpoint.js';
import type { Member } from './member.js';

export class WorldShape {
  readonly collider: Collider;
  /** undefined: part of the ground. */
  readonly member: Member | undefined;
  /** Number of the member in the world; -1 for the ground. */
  readonly memberIndex: number;
  /** Index of the body in its mechanism; GROUND. The collider has a number that is its own in the whole world. */
  readonly body: number;
  /** Its name, or that of the obstacle. */
  readonly bodyName: string;
  readonly link: number;
  /** Its number in the world. */
  readonly index: number;
  /** Node that moves it; -1: nothing does. */
  readonly node: number;

  constructor(index: number, collider: Collider, member: Member | undefined, memberIndex: number, body: number) {
    this.index = index;
    this.collider = collider;
    this.body = body;
    this.bodyName =
      member === undefined ? (collider.shape.name ?? 'ground') : member.articulation.mechanism.bodies[body].name;
    this.member = member;
    this.memberIndex = memberIndex;
    this.link = member === undefined ? -1 : member.articulation.tree.link[body];
    this.node = member === undefined ? -1 : member.articulation.nodeOf[this.link];
  }

  /** Its link carries it from now on. */
  attach(shapes: SweptShapes): void {
    const { member, link, collider } = this;
    if (member === undefined) return;
    const { articulation } = member;
    const [toBody, placement] = [new Float64Array(TRANSFORM), new Float64Array(TRANSFORM)];
    invert(toBody, 0, articulation.tree.offset, TRANSFORM * link);
    compose(placement, 0, collider.placement, 0, toBody, 0);
    shapes.attach(this.index, placement, articulation.placesOf(link));
  }
}

/** All shapes of a world: those of obstacles, then those of its members in their order. */
export function worldShapes(obstacles: readonly Shape[], members: readonly Member[]): WorldShape[] {
  const shapes = obstacles.map((shape, i) => new WorldShape(i, collider(GROUND, shape), undefined, -1, GROUND));
  let bodies = 0;
  members.forEach((member, m) => {
    for (const [b, { collisions }] of member.articulation.mechanism.bodies.entries()) {
      for (const shape of collisions)
        shapes.push(new WorldShape(shapes.length, colliderOf(bodies, shape, member, b), member, m, b));
      bodies++;
    }
  });
  return shapes;
}

/** What cannot collide is told with its body. */
function colliderOf(index: number, shape: Shape, { name, articulation }: Member, body: number): Collider {
  try {
    return collider(index, shape);
  } catch (error) {
    if (!(error instanceof MechanismError)) throw error;
    const on = ` of body "${articulation.mechanism.bodies[body].name}" of "${name}"`;
    const hint = 'addModel of manikin/scenes leaves out what cannot collide.';
    throw new MechanismError(
      error.problems.map(({ code, where, message }) => ({ code, where: where + on, message: `${message} ${hint}` })),
    );
  }
}

/** The number of a pair of shapes, of n in all. */
export function pairKey(n: number, i: number, j: number): number {
  return i < j ? i * n + j : j * n + i;
}

/**
 * Of the key of a pair of old shapes that of the same two among new ones: those with the same number on the same body, or among obstacles.
 * undefined where one of them is gone, or another shape, or where the two have changed places.
 */
export function newKeys(old: readonly WorldShape[], now: readonly WorldShape[]): (key: number) => number | undefined {
  const present = new Map<Member | undefined, Map<string, WorldShape[]>>();
  for (const shape of now) {
    const { member, bodyName } = shape;
    const bodies = present.get(member) ?? new Map<string, WorldShape[]>();
    present.set(member, bodies.set(bodyName, [...(bodies.get(bodyName) ?? []), shape]));
  }
  const places = old.map(({ member, bodyName, collider: { kind, reach } }, i) => {
    let k = 0;
    while (k < i && old[i - k - 1].member === member && old[i - k - 1].bodyName === bodyName) k++;
    const found = present.get(member)?.get(bodyName)?.[k];
    return found?.collider.kind === kind && found.collider.reach === reach ? found.index : -1;
  });
  return (key) => {
    const [i, j] = [places[Math.floor(key / old.length)], places[key % old.length]];
    return i >= 0 && i < j ? pairKey(now.length, i, j) : undefined;
  };
}

/** out <- angular velocity and velocity of the shape's body at its reference point, and that point; ground axes. */
function setMotion({ member, link }: WorldShape, out: Float64Array): void {
  if (member === undefined) {
    for (let k = 0; k < 9; k++) out[k] = 0;
    return;
  }
  const { V, root, reference } = member.articulation;
  for (let k = 0; k < 6; k++) out[k] = V[6 * link + k];
  for (let k = 0; k < 3; k++) out[6 + k] = reference[3 * root[link] + k];
}

/** Friction of two shapes, whatever they say themselves: Coulomb's coefficient, and those against spinning and rolling (metres). */
export type PairFriction = Required<Pick<ContactProperties, 'friction' | 'torsionalFriction' | 'rollingFriction'>>;

/** What a pair has of each point: so many numbers; an integer; a byte. */
const NUMBERS = [
  ['position', 3],
  ['frame', 9],
  ['gap', 1],
  ['approach', 1],
  ['impulse', 3],
  ['moment', 3],
  ['oldImpulse', 3],
  ['oldMoment', 3],
  ['markedImpulse', 3],
  ['markedMoment', 3],
  ['markedPosition', 3],
  ['markedFrame', 9],
  ['markedGap', 1],
] as const;
const INTEGERS = ['feature', 'oldFeature', 'markedFeature'] as const;
const BYTES = ['mode', 'oldMode', 'markedMode'] as const;
const POINT_BYTES = 8 * NUMBERS.reduce((sum, [, each]) => sum + each, 0) + 4 * INTEGERS.length + BYTES.length;

/** Two shapes within each other's reach, with their contact points. Forces on a; b gets the opposite. */
export class ShapePair {
  readonly key: number;
  readonly a: WorldShape;
  readonly b: WorldShape;
  readonly friction: number;
  readonly restitution: number;
  /** Coefficients of the moments about the normal and across it, metres. */
  readonly torsional: number;
  readonly rolling: number;
  /** Metres that a point gives way for each newton, and the time in which it does, seconds; 0: rigid. */
  readonly compliance: number;
  readonly relaxation: number;
  count = 0;
  /** Of each point: place, and normal with two directions across it, ground coordinates. */
  position!: Float64Array;
  frame!: Float64Array;
  gap!: Float64Array;
  feature!: Int32Array;
  /** Normal velocity at the start of the step; negative: approaching. */
  approach!: Float64Array;
  /** Impulse of each point in the last step, ground axes, on a. */
  impulse!: Float64Array;
  /** Moment against spinning and rolling of each point in the last step, impulse, ground axes, on a. */
  moment!: Float64Array;
  /** OPEN, STICK or SLIDE in the last step. */
  mode!: Uint8Array;
  /** Length of the step that the impulses acted in. */
  h = 1;
  /** Whether the points are those of two shapes that sleep where they are. */
  settled = false;
  /** How far apart points were looked for; and whether nothing of the pair is another than in the last step. */
  margin = -1;
  kept = false;
  /** Of the step before: features, and impulses. */
  oldCount = 0;
  oldFeature!: Int32Array;
  oldImpulse!: Float64Array;
  oldMoment!: Float64Array;
  oldMode!: Uint8Array;
  /** Whether the points may be others than those that are remembered. */
  moved = true;
  /** What `mark` remembers. */
  markedCount = 0;
  markedFeature!: Int32Array;
  markedImpulse!: Float64Array;
  markedMoment!: Float64Array;
  markedPosition!: Float64Array;
  markedFrame!: Float64Array;
  markedGap!: Float64Array;
  markedMode!: Uint8Array;
  #markedLength = 1;

  /** `given`: for this pair, whatever the shapes say. */
  constructor(key: number, a: WorldShape, b: WorldShape, given?: PairFriction) {
    this.key = key;
    this.a = a;
    this.b = b;
    // Ice is slippery for everything, and a ball bounces on everything.
    const larger = a.collider.shape.combine === 'larger' || b.collider.shape.combine === 'larger';
    this.friction = given?.friction ?? (larger ? Math.max : Math.min)(a.collider.friction, b.collider.friction);
    this.restitution = Math.max(a.collider.restitution, b.collider.restitution);
    // Shapes say nothing of these where they are zero.
    this.torsional = given?.torsionalFriction ?? Math.max(a.collider.torsionalFriction, b.collider.torsionalFriction);
    this.rolling = given?.rollingFriction ?? Math.max(a.collider.rollingFriction, b.collider.rollingFriction);
    // Springs behind each other.
    this.compliance = a.collider.compliance + b.collider.compliance;
    this.relaxation = Math.max(a.collider.relaxation, b.collider.relaxation);
    this.#allot(CONVEX_POINTS);
  }

  /**
   * Room for so many points, all zero, in one piece of memory: pairs come and go, and fifteen pieces take 10 us to make, one takes 0.6.
   */
  #allot(points: number): void {
    const memory = new ArrayBuffer(POINT_BYTES * points);
    let at = 0;
    for (const [name, each] of NUMBERS) {
      this[name] = new Float64Array(memory, at, each * points);
      at += 8 * each * points;
    }
    for (const name of INTEGERS) {
      this[name] = new Int32Array(memory, at, points);
      at += 4 * points;
    }
    for (const name of BYTES) {
      this[name] = new Uint8Array(memory, at, points);
      at += points;
    }
  }

  /** A new step: what there was becomes the warm start. */
  age(): void {
    [this.oldFeature, this.feature] = [this.feature, this.oldFeature];
    [this.oldImpulse, this.impulse] = [this.impulse, this.oldImpulse];
    [this.oldMoment, this.moment] = [this.moment, this.oldMoment];
    [this.oldMode, this.mode] = [this.mode, this.oldMode];
    this.oldCount = this.count;
    this.count = 0;
  }

  /** Takes the points of a manifold, with frames, approach speeds and the warm start. */
  take({ count, position, normal, gap, feature }: Manifold): void {
    this.makeRoom(count);
    this.count = count;
    this.moved = true;
    setMotion(this.a, motionA);
    setMotion(this.b, motionB);
    for (let k = 0; k < count; k++) {
      for (let j = 0; j < 3; j++) {
        this.position[3 * k + j] = position[3 * k + j];
        this.frame[9 * k + j] = normal[3 * k + j];
      }
      this.gap[k] = gap[k];
      this.feature[k] = feature[k];
      setTangents(this.frame, 9 * k);
      this.#approach(k);
      for (let j = 3 * k; j < 3 * k + 3; j++) this.impulse[j] = this.moment[j] = 0;
      this.mode[k] = 0;
      for (let old = 0; old < this.oldCount; old++) if (this.oldFeature[old] === feature[k]) this.#inherit(k, old);
    }
    this.#inheritRest();
  }

  /** Point k starts with the impulse, and for those that sleep the mode, of a point of the step before. */
  #inherit(k: number, old: number): void {
    for (let j = 0; j < 3; j++) {
      this.impulse[3 * k + j] = this.oldImpulse[3 * old + j];
      this.moment[3 * k + j] = this.oldMoment[3 * old + j];
    }
    this.mode[k] = this.oldMode[old];
  }

  /**
   * Points that are new take the impulses of those that are gone, in their order: where corners lie on each other it is a matter of
   * rounding what a point is called.
   */
  #inheritRest(): void {
    let old = 0;
    for (let k = 0; k < this.count; k++) {
      if (has(this.oldFeature, this.oldCount, this.feature[k])) continue;
      while (old < this.oldCount && has(this.feature, this.count, this.oldFeature[old])) old++;
      if (old === this.oldCount) return;
      this.#inherit(k, old++);
    }
  }

  /** Points of a checkpoint: features and impulses, which the next step starts with, and what is reported of them until then. */
  recall({ features, positions, normals, gaps, impulses, moments, modes, h }: Omit<PairCheckpoint, 'key'>): void {
    this.makeRoom(features.length);
    this.count = features.length;
    this.moved = true;
    this.feature.set(features);
    this.position.set(positions);
    this.gap.set(gaps);
    for (let k = 0; k < this.count; k++) {
      for (let j = 0; j < 3; j++) this.frame[9 * k + j] = normals[3 * k + j];
      setTangents(this.frame, 9 * k);
    }
    this.impulse.set(impulses);
    this.moment.fill(0);
    if (moments !== undefined) this.moment.set(moments);
    this.mode.set(modes);
    this.h = h;
    this.settled = false;
  }

  /** Remembers the warm start, and what is reported of the points. */
  mark(): void {
    const { count, impulse, moment, mode } = this;
    this.#markedLength = this.h;
    for (let k = 0; k < count; k++) this.markedMode[k] = mode[k];
    for (let k = 0; k < 3 * count; k++) {
      this.markedImpulse[k] = impulse[k];
      this.markedMoment[k] = moment[k];
    }
    // Points of what rests stay for long.
    if (this.moved) this.#markPlaces();
  }

  #markPlaces(): void {
    const { count, feature, position, frame, gap } = this;
    this.moved = false;
    this.markedCount = count;
    for (let k = 0; k < count; k++) {
      this.markedFeature[k] = feature[k];
      this.markedGap[k] = gap[k];
    }
    for (let k = 0; k < 3 * count; k++) this.markedPosition[k] = position[k];
    for (let k = 0; k < 9 * count; k++) this.markedFrame[k] = frame[k];
  }

  /** Whether the points have the impulses that were remembered. */
  get unchanged(): boolean {
    const { count, feature, impulse, moment } = this;
    if (count !== this.markedCount) return false;
    for (let k = 0; k < count; k++) if (feature[k] !== this.markedFeature[k]) return false;
    for (let k = 0; k < 3 * count; k++)
      if (impulse[k] !== this.markedImpulse[k] || moment[k] !== this.markedMoment[k]) return false;
    return true;
  }

  /** Back to what was remembered. */
  undo(): void {
    this.count = this.markedCount;
    for (let k = 0; k < this.count; k++) {
      this.feature[k] = this.markedFeature[k];
      this.gap[k] = this.markedGap[k];
      this.mode[k] = this.markedMode[k];
    }
    for (let k = 0; k < 3 * this.count; k++) {
      this.impulse[k] = this.markedImpulse[k];
      this.moment[k] = this.markedMoment[k];
      this.position[k] = this.markedPosition[k];
    }
    for (let k = 0; k < 9 * this.count; k++) this.frame[k] = this.markedFrame[k];
    this.h = this.#markedLength;
    this.moved = false;
  }

  /** How fast a moves away from b at point k. */
  #approach(k: number): void {
    const { position, frame } = this;
    const x = position[3 * k];
    const y = position[3 * k + 1];
    const z = position[3 * k + 2];
    const ax = x - motionA[6];
    const ay = y - motionA[7];
    const az = z - motionA[8];
    const bx = x - motionB[6];
    const by = y - motionB[7];
    const bz = z - motionB[8];
    const ux = motionA[3] + motionA[1] * az - motionA[2] * ay - (motionB[3] + motionB[1] * bz - motionB[2] * by);
    const uy = motionA[4] + motionA[2] * ax - motionA[0] * az - (motionB[4] + motionB[2] * bx - motionB[0] * bz);
    const uz = motionA[5] + motionA[0] * ay - motionA[1] * ax - (motionB[5] + motionB[0] * by - motionB[1] * bx);
    this.approach[k] = frame[9 * k] * ux + frame[9 * k + 1] * uy + frame[9 * k + 2] * uz;
  }

  /** The most points that there can be. */
  get most(): number {
    return this.a.collider.kind >= MESH || this.b.collider.kind >= MESH ? MANIFOLD_POINTS : CONVEX_POINTS;
  }

  /** Room for so many points. */
  makeRoom(count: number): void {
    if (count <= this.gap.length) return;
    const lists = [...NUMBERS.map(([name]) => name), ...INTEGERS, ...BYTES];
    const before = lists.map((name) => this[name]);
    this.#allot(MANIFOLD_POINTS);
    lists.forEach((name, k) => {
      this[name].set(before[k]);
    });
  }
}

/** Whether a feature is among the first `count`. */
function has(features: Int32Array, count: number, feature: number): boolean {
  for (let k = 0; k < count; k++) if (features[k] === feature) return true;
  return false;
}

/** Motion of the two bodies of a pair; see setMotion. */
const motionA = new Float64Array(9);
const motionB = new Float64Array(9);

/** Two directions across the normal at frame[o]: of the axis that it is least along, always the same for the same normal. */
export function setTangents(frame: Float64Array, o: number): void {
  const x = frame[o];
  const y = frame[o + 1];
  const z = frame[o + 2];
  let a: number;
  let b: number;
  let c: number;
  if (Math.abs(x) < 0.7) {
    a = 1 - x * x;
    b = -x * y;
    c = -x * z;
  } else {
    a = -y * x;
    b = 1 - y * y;
    c = -y * z;
  }
  const s = 1 / Math.sqrt(a * a + b * b + c * c);
  a *= s;
  b *= s;
  c *= s;
  frame[o + 3] = a;
  frame[o + 4] = b;
  frame[o + 5] = c;
  frame[o + 6] = y * c - z * b;
  frame[o + 7] = z * a - x * c;
  frame[o + 8] = x * b - y * a;
}
