// Bodies and joints of MJCF as those of a mechanism.
//
// A body may have several joints, one after the other, each anywhere in the body's frame; in a mechanism a joint carries one
// body and goes through that body's origin. So the joints of a body become a chain of links without mass, and where the last
// joint is not at the body's origin a fixed joint leads from it to the body: bodies keep the frames that the file gives them.

import type { BodySpec, FrameSpec, JointSpec } from '../mechanism/spec.js';
import {
  add,
  apply,
  IDENTITY3,
  type Mat3,
  multiply,
  quaternionFromRotation,
  rotationAbout,
  scale,
  transpose,
  type Vec3,
  ZERO3,
} from '../spatial/matrix3.js';
import type { MjcfBody } from './mjcf-body.js';
import { placementOf } from './mjcf-frame.js';
import type { MjcfJoint } from './mjcf-joint.js';
import type { Inertial } from './mjcf-mass.js';
import { shapesOf } from './mjcf-shape.js';
import { NameGiver } from './names.js';

export interface MjcfParts {
  readonly bodies: BodySpec[];
  readonly joints: JointSpec[];
  readonly frames: FrameSpec[];
  /** Names of the bodies in MuJoCo's order; null is the world, which comes first. */
  readonly bodyNames: readonly (string | null)[];
  /** Joints that move, in MuJoCo's order, by the names they have here. */
  readonly moving: readonly { readonly name: string; readonly body: number; readonly joint: MjcfJoint }[];
  /** Where things are in the file: `body "arm"` -> `robot.xml:12:5`. */
  readonly places: ReadonlyMap<string, string>;
}

export function mechanismParts(
  bodies: readonly MjcfBody[],
  inertials: readonly Inertial[],
  paired: ReadonlySet<string>,
): MjcfParts {
  return new Assembly(bodies, paired).run(inertials);
}

class Assembly {
  readonly #source: readonly MjcfBody[];
  readonly #paired: ReadonlySet<string>;
  readonly #bodyNames: NameGiver;
  readonly #jointNames: NameGiver;
  readonly #bodies: BodySpec[] = [];
  readonly #joints: JointSpec[] = [];
  readonly #moving: { name: string; body: number; joint: MjcfJoint }[] = [];
  readonly #places = new Map<string, string>();

  constructor(source: readonly MjcfBody[], paired: ReadonlySet<string>) {
    this.#source = source;
    this.#paired = paired;
    this.#bodyNames = new NameGiver(source.map(({ name }) => name));
    this.#jointNames = new NameGiver(source.flatMap(({ joints }) => joints.map(({ name }) => name)));
  }

  run(inertials: readonly Inertial[]): MjcfParts {
    const names: (string | null)[] = [null];
    const frames: FrameSpec[] = [];
    for (let k = 1; k < this.#source.length; k++) {
      const body = this.#source[k];
      const name = body.name !== '' ? body.name : this.#bodyNames.give(`body_${k}`);
      names.push(name);
      this.#places.set(`body "${name}"`, body.element.place);
      const shapes = shapesOf(body.geoms, body.file, body.file.colors, this.#paired);
      this.#chain(k, body, { name, ...inertials[k], ...shapes }, names[body.parent]);
      for (const { name: site, pose, element } of body.sites) {
        if (site === '') continue;
        frames.push({ name: site, body: name, ...placementOf(pose) });
        this.#places.set(`frame "${site}"`, element.place);
      }
    }
    return {
      bodies: this.#bodies,
      joints: this.#joints,
      frames,
      bodyNames: names,
      moving: this.#moving,
      places: this.#places,
    };
  }

  #chain(index: number, { joints, pose }: MjcfBody, body: BodySpec, parent: string | null): void {
    let carrier = parent;
    let { E, t } = placementOf(pose);
    joints.forEach((joint, k) => {
      const name =
        joint.name !== '' ? joint.name : this.#jointNames.give(joints.length === 1 ? body.name : `${body.name}:${k}`);
      this.#moving.push({ name, body: index, joint });
      this.#places.set(`joint "${name}"`, joint.element.place);
      const last = k === joints.length - 1 && joint.anchor.every((value) => value === 0);
      const child = last ? body.name : this.#bodyNames.give(`${name}:link`);
      this.#bodies.push(last ? body : { name: child });
      this.#joints.push({ name, parent: carrier, child, ...motionOf(joint), ...placed(joint, E, t) });
      [carrier, E, t] = [child, IDENTITY3, scale(-1, joint.anchor)];
    });
    if (carrier === body.name) return;
    this.#bodies.push(body);
    const name = this.#jointNames.give(joints.length === 0 ? body.name : `${body.name}:fixed`);
    this.#joints.push({ name, type: 'fixed', parent: carrier, child: body.name, E, t });
  }
}

const TYPES = { free: 'floating', ball: 'spherical', slide: 'prismatic', hinge: 'revolute' } as const;

function motionOf({ type, axis, stiffness, rest, damping, friction, armature, limits }: MjcfJoint) {
  return { type: TYPES[type], axis, stiffness, rest, damping, friction, armature, limits };
}

/**
 * Where the joint's frame is in its carrier, whose placement for the body is (E, t): at the anchor, and at -ref so that the
 * joint's position in the pose of the file is ref. A free joint's position is the body's in the world.
 */
function placed({ type, anchor, axis, ref }: MjcfJoint, E: Mat3, t: Vec3): { E: Mat3; t: Vec3 } {
  if (type === 'free') return { E: IDENTITY3, t: ZERO3 };
  const at = add(t, apply(transpose(E), anchor));
  if (ref === 0 || type === 'ball') return { E, t: at };
  if (type === 'hinge') return { E: multiply(rotationAbout(axis, ref), E), t: at };
  return { E, t: add(at, apply(transpose(E), scale(-ref, axis))) };
}

/** Positions of the moving joints in the pose that the file draws, as the mechanism orders them. */
export function referencePositions(parts: MjcfParts, bodies: readonly MjcfBody[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  for (const { name, body, joint } of parts.moving) {
    const { R, p } = bodies[body].pose;
    if (joint.type === 'free') positions.set(name, [...quaternionFromRotation(R), ...p]);
    else positions.set(name, joint.type === 'ball' ? [1, 0, 0, 0] : [joint.ref]);
  }
  return positions;
}
