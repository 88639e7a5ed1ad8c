// What can be drawn over the figures: axes of joints, frames, centre of mass, momentum, contacts, force in a joint. Moments have two
// heads.

import {
  AxesHelper,
  BufferAttribute,
  BufferGeometry,
  Group,
  type Material,
  Mesh,
  MeshBasicMaterial,
  Points,
  PointsMaterial,
  SphereGeometry,
  Vector3,
} from 'three';
import type { Frame, SceneView } from '../physics/protocol.js';
import { Arrow } from './arrow.js';

export const OVERLAYS = [
  ['contacts', 'Contact forces'],
  ['points', 'Contact points'],
  ['joint-force', 'Force and moment in the chosen joint'],
  ['components', 'Their six components'],
  ['com', 'Centre of mass'],
  ['momentum', 'Momentum'],
  ['axes', 'Joint axes'],
  ['frames', 'Body frames'],
] as const;
export type OverlayName = (typeof OVERLAYS)[number][0];

/** Arrows as parts of the size of the greatest figure: of its weight, of its weight at that lever, of its mass falling that deep. */
const [WEIGHT, LEVER, FALL] = [0.25, 2.5, 0.8];
const GRAVITY = 9.81;
const [CONTACT, MOMENTUM, FORCE, MOMENT, AXIS] = [0xd33a2c, 0xe0a100, 0x1f77d0, 0x2ca02c, 0x7a3ff2];
/** Of the axes x, y, z, as body frames have them. */
const AXES = [0xe05a5a, 0x2ca02c, 0x4a7dff] as const;
const MOST_ARROWS = 200;
const MOST_POINTS = 2000;
const POSE = 12;

export class Overlays extends Group {
  /** Metres of arrow for a newton, a newton metre, a newton second. */
  readonly lengths = { force: 0, moment: 0, momentum: 0 };
  /** Kilograms of the heaviest figure, metres of the greatest one, metres of an axis. */
  #mass = 1;
  #size = 1;
  #reach = 0.08;
  readonly shown = new Set<OverlayName>(['contacts', 'points', 'joint-force']);
  readonly #arrows: Arrow[] = [];
  #used = 0;
  readonly #axes: { readonly arrow: Arrow; readonly body: number; readonly axis: readonly number[] }[] = [];
  readonly #frames: AxesHelper[] = [];
  readonly #com = new Mesh(new SphereGeometry(0.015, 16, 12), new MeshBasicMaterial({ color: 0xe0a100 }));
  readonly #points = new Points(
    new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(3 * MOST_POINTS), 3)),
    new PointsMaterial({ color: 0xd33a2c, size: 4, sizeAttenuation: false }),
  );
  readonly #from = new Vector3();
  readonly #way = new Vector3();

  constructor() {
    super();
    onTop(this.#com, this.#points);
    this.#points.frustumCulled = false;
    this.add(this.#com, this.#points);
  }

  /** New structure: axes and frames anew. */
  arrange({ members }: SceneView): void {
    for (const { arrow } of this.#axes.splice(0)) {
      this.remove(arrow);
      arrow.discard();
    }
    for (const frame of this.#frames.splice(0)) {
      this.remove(frame);
      frame.dispose();
    }
    const masses = members.map(({ bodies }) => bodies.reduce((sum, { mass }) => sum + mass, 0));
    this.#mass = Math.max(...masses) || 1;
    let first = 0;
    for (const { bodies, joints } of members) {
      joints.forEach(({ type, axis }, b) => {
        const frame = new AxesHelper(1);
        onTop(frame);
        frame.matrixAutoUpdate = false;
        this.#frames.push(frame);
        this.add(frame);
        if (!['revolute', 'continuous', 'prismatic', 'helical', 'cylindrical'].includes(type)) return;
        const arrow = new Arrow();
        // The axis of such a joint is the same in the frame before it and in its body.
        this.#axes.push({ arrow, body: first + b, axis });
        this.add(arrow);
      });
      first += bodies.length;
    }
  }

  /** For figures of so many metres, whose bodies have so many. */
  fit(size: number, body: number): void {
    this.#size = size;
    const weight = this.#mass * GRAVITY;
    this.lengths.force = (WEIGHT * size) / weight;
    this.lengths.moment = LEVER / weight;
    this.lengths.momentum = (FALL * size) / (this.#mass * Math.sqrt(GRAVITY * size));
    this.#reach = Math.min(0.08 * size, 0.5 * body);
    this.#com.scale.setScalar(size);
  }

  update(frame: Frame): void {
    const { poses, contactForces, com, momentum, jointForce } = frame;
    this.#used = 0;
    if (this.shown.has('contacts'))
      for (let o = 0; o < contactForces.length && this.#used < MOST_ARROWS; o += 6)
        this.#arrow(contactForces, o, contactForces.subarray(o + 3, o + 6), this.lengths.force, CONTACT);
    if (this.shown.has('momentum')) this.#arrow(com, 0, momentum, this.lengths.momentum, MOMENTUM);
    if (this.shown.has('joint-force') && jointForce !== undefined) {
      this.#arrow(jointForce.at, 0, jointForce.force, this.lengths.force, FORCE);
      this.#moment(jointForce.at, jointForce.moment, MOMENT);
    }
    if (this.shown.has('components') && jointForce !== undefined)
      jointForce.axes.forEach((axis, k) => {
        const part = (size: number): number[] => axis.map((x) => size * x);
        this.#arrow(jointForce.at, 0, part(jointForce.along.force[k]), this.lengths.force, AXES[k]);
        this.#moment(jointForce.at, part(jointForce.along.moment[k]), AXES[k]);
      });
    this.#placePoints(contactForces);
    for (let k = this.#used; k < this.#arrows.length; k++) this.#arrows[k].visible = false;
    this.#com.visible = this.shown.has('com') || this.shown.has('momentum');
    this.#com.position.set(...com);
    this.#axes.forEach(({ arrow, body, axis }) => {
      arrow.visible = this.shown.has('axes');
      if (!arrow.visible) return;
      const o = POSE * body;
      this.#from.set(poses[o + 9], poses[o + 10], poses[o + 11]);
      for (const k of [0, 1, 2])
        this.#way.setComponent(k, poses[o + k] * axis[0] + poses[o + 3 + k] * axis[1] + poses[o + 6 + k] * axis[2]);
      const reach = this.#reach;
      arrow.position.copy(this.#from).addScaledVector(this.#way, -0.5 * reach);
      arrow.point(this.#way.normalize(), reach, 0.25 * reach, 0.16 * reach, AXIS);
    });
    this.#frames.forEach((axes, b) => {
      axes.visible = this.shown.has('frames');
      const o = POSE * b;
      if (axes.visible)
        axes.matrix.fromArray(
          [0, 3, 6, 9].flatMap((k) => {
            const size = k < 9 ? 0.6 * this.#reach : 1;
            return [size * poses[o + k], size * poses[o + k + 1], size * poses[o + k + 2], k === 9 ? 1 : 0];
          }),
        );
    });
  }

  #placePoints(contacts: Float32Array): void {
    const count = this.shown.has('points') ? Math.min(MOST_POINTS, contacts.length / 6) : 0;
    const { geometry } = this.#points;
    const places = geometry.getAttribute('position') as BufferAttribute;
    for (let k = 0; k < count; k++) places.setXYZ(k, contacts[6 * k], contacts[6 * k + 1], contacts[6 * k + 2]);
    places.needsUpdate = true;
    geometry.setDrawRange(0, count);
  }

  #moment(at: ArrayLike<number>, vector: ArrayLike<number>, color: number): void {
    this.#arrow(at, 0, vector, this.lengths.moment, color);
    this.#arrow(at, 0, vector, 0.85 * this.lengths.moment, color);
  }

  #arrow(at: ArrayLike<number>, o: number, vector: ArrayLike<number>, scale: number, color: number): void {
    this.#way.set(vector[0], vector[1], vector[2]).multiplyScalar(scale);
    const length = this.#way.length();
    if (!(length > 1e-4 * this.#size)) return;
    let arrow = this.#arrows[this.#used];
    if (arrow === undefined) {
      arrow = new Arrow();
      this.#arrows.push(arrow);
      this.add(arrow);
    }
    this.#used++;
    arrow.visible = true;
    arrow.position.set(at[o], at[o + 1], at[o + 2]);
    const size = this.#size;
    const [tip, width] = [Math.min(0.04 * size, 0.4 * length), Math.min(0.025 * size, 0.25 * length)];
    arrow.point(this.#way.divideScalar(length), length, tip, width, color);
  }
}

/** Bodies do not hide it. */
function onTop(...objects: readonly (AxesHelper | Mesh | Points)[]): void {
  for (const object of objects) {
    (object.material as Material).depthTest = false;
    object.renderOrder = 1;
  }
}
