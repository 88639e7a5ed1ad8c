// Frames of an SDF model. Links, joints, frames and nested models of a <model> are all frames with names in its scope; each
// has a pose relative to another one. Those of a nested model are reached from outside as model::name.

import { IDENTITY3, type Mat3, rotationFromRollPitchYaw, type Vec3, ZERO3 } from '../spatial/matrix3.js';
import { nearHint, quoted } from './import-log.js';
import { AT_ORIGIN, composed, inversePose, type RigidPose, rotationOfQuaternion } from './mjcf-frame.js';
import { parseNumber, type XmlElement } from './xml.js';
import { childText, textOf } from './xml-text.js';

/** Frames on frames on frames. */
const MAX_CHAIN = 1000;

export type FrameKind = 'link' | 'joint' | 'frame' | 'model';

/** One frame: where it is, and in which model. */
export interface SdfFrame {
  readonly kind: FrameKind;
  readonly element: XmlElement;
  /** The name in its model; __model__ for the model itself. */
  readonly name: string;
  readonly scope: SdfScope;
  /** Of a nested model: what is in it. */
  readonly inner?: SdfScope;
  /** Of an <include>: the element that has the pose, in place of the model's own. */
  readonly placedBy?: XmlElement;
}

/** Scopes are as deep as models are nested, which the depth of the files bounds. */
export class SdfScope {
  readonly element: XmlElement;
  readonly outer: SdfScope | undefined;
  /** What names of this model begin with in the mechanism: `arm::`, or nothing. */
  readonly prefix: string;
  readonly frames = new Map<string, SdfFrame>();
  /** Nested models, in the order of the file. */
  readonly nested: SdfScope[] = [];
  /** As numbers: 1.10 is not 1.1. */
  readonly version: readonly [number, number];
  readonly placement: string;
  readonly #poses = new Map<SdfFrame, RigidPose>();
  readonly #resolving = new Set<SdfFrame>();

  constructor(
    element: XmlElement,
    outer: SdfScope | undefined,
    prefix: string,
    version: readonly [number, number],
    placement: string,
  ) {
    this.element = element;
    this.outer = outer;
    this.prefix = prefix;
    this.version = version;
    this.placement = placement;
  }

  /** A frame by its name as seen from here; undefined for the model itself and where there is none. */
  find(name: string): SdfFrame | undefined {
    const own = this.frames.get(name);
    if (own !== undefined) return own;
    const at = name.indexOf('::');
    return at < 0 ? undefined : this.frames.get(name.slice(0, at))?.inner?.find(name.slice(at + 2));
  }

  /** The link that a frame moves with; undefined where there is none, with a problem. */
  linkOf(name: string, element: XmlElement): SdfFrame | undefined {
    let scope: SdfScope = this;
    let at = name;
    for (let steps = 0; ; steps++) {
      if (steps > MAX_CHAIN) {
        element.error(
          'cycle',
          `The frame ${quoted(name)} is attached to itself, or by way of more than ${MAX_CHAIN} others.`,
        );
        return undefined;
      }
      const inModel = /^(.*)::__model__$/.exec(at);
      const frame = at === '__model__' ? undefined : scope.find(inModel === null ? at : inModel[1]);
      if (frame?.kind === 'link') return frame;
      if (frame === undefined && at !== '__model__') break;
      if (frame === undefined || frame.kind === 'model') {
        if (frame?.inner !== undefined) scope = frame.inner;
        const first = scope.canonical();
        if (first === undefined) break;
        at = first;
        continue;
      }
      scope = frame.scope;
      at =
        frame.kind === 'joint'
          ? (childText(frame.element, 'child') ?? '')
          : (frame.element.text('attached_to') ?? '__model__');
    }
    element.error(
      'unknown-frame',
      `There is no link, frame or model ${quoted(name)} here.${nearHint(name, this.frames.keys())}`,
    );
    return undefined;
  }

  /** Name of the link that the model's own frame moves with: the first one where nothing is said. */
  canonical(): string | undefined {
    const said = this.element.text('canonical_link');
    if (said !== undefined && said !== '') return said;
    for (const [name, { kind, inner }] of this.frames) {
      if (kind === 'link') return name;
      if (kind !== 'model') continue;
      const within = inner?.canonical();
      if (within !== undefined) return `${name}::${within}`;
    }
    return undefined;
  }

  /** Pose of a frame in the frame of this model. */
  poseOf(name: string, element: XmlElement): RigidPose {
    if (name === '__model__') return AT_ORIGIN;
    const own = this.frames.get(name);
    if (own !== undefined) return this.#ownPose(own);
    const at = name.indexOf('::');
    const model = at < 0 ? undefined : this.frames.get(name.slice(0, at));
    if (model?.inner !== undefined)
      return composed(this.#ownPose(model), model.inner.poseOf(name.slice(at + 2), element));
    element.error(
      'unknown-frame',
      `There is no frame ${quoted(name)} in the model.${nearHint(name, this.frames.keys())}`,
    );
    return AT_ORIGIN;
  }

  #ownPose(frame: SdfFrame): RigidPose {
    const known = this.#poses.get(frame);
    if (known !== undefined) return known;
    if (this.#resolving.has(frame)) {
      frame.element.error('cycle', `The pose of ${quoted(frame.name)} is relative to itself, by way of others.`);
      return AT_ORIGIN;
    }
    if (this.#resolving.size >= MAX_CHAIN) {
      frame.element.error('too-deep', `The pose of ${quoted(frame.name)} stands on more than ${MAX_CHAIN} others.`);
      return AT_ORIGIN;
    }
    this.#resolving.add(frame);
    const { kind, element, inner, placedBy } = frame;
    const carrier = (placedBy?.has('pose') ? placedBy : element).child('pose');
    const relativeTo = carrier?.text('relative_to') || carrier?.text('frame') || this.#carrierOf(kind, element);
    const given = carrier === undefined ? AT_ORIGIN : readPose(carrier);
    let pose = composed(this.poseOf(relativeTo, carrier ?? element), given);
    // What is placed is the placement frame, and the model with it.
    if (inner !== undefined && inner.placement !== '')
      pose = composed(pose, inversePose(inner.poseOf(inner.placement, element)));
    this.#resolving.delete(frame);
    this.#poses.set(frame, pose);
    return pose;
  }

  #carrierOf(kind: FrameKind, element: XmlElement): string {
    if (kind === 'joint') return childText(element, 'child') ?? '__model__';
    if (kind === 'frame') return element.text('attached_to') || '__model__';
    return '__model__';
  }

  /** Pose of the frame of this model in the world. */
  pose(): RigidPose {
    const { outer } = this;
    if (outer !== undefined) {
      const own = [...outer.frames.values()].find(({ inner }) => inner === this);
      return own === undefined ? outer.pose() : composed(outer.pose(), outer.poseOf(own.name, this.element));
    }
    const carrier = this.element.child('pose');
    const relativeTo = carrier?.text('relative_to') ?? '';
    if (relativeTo !== '' && relativeTo !== 'world')
      carrier!.attributeError('relative_to', 'unknown-frame', 'a model by itself is placed in the world');
    const given = carrier === undefined ? AT_ORIGIN : readPose(carrier);
    return this.placement === '' ? given : composed(given, inversePose(this.poseOf(this.placement, this.element)));
  }
}

/** x y z and roll pitch yaw, or a quaternion; angles in degrees where it says so. */
export function readPose(element: XmlElement): RigidPose {
  const format = element.text('rotation_format') ?? 'euler_rpy';
  const degrees = /^(true|1)$/.test(element.text('degrees') ?? '');
  const text = textOf(element);
  if (text === '') return AT_ORIGIN;
  const count = format === 'quat_xyzw' ? 7 : 6;
  const values = text.split(/\s+/, count + 1).map(parseNumber);
  if (values.length !== count || values.includes(undefined)) {
    element.error('number', `<pose>: expected ${count} finite numbers, got ${quoted(text)}.`);
    return AT_ORIGIN;
  }
  const [x, y, z, ...turn] = values as number[];
  return { R: rotation(turn, degrees, element), p: [x, y, z] };
}

function rotation(turn: readonly number[], degrees: boolean, element: XmlElement): Mat3 {
  if (turn.length === 3) {
    const [roll, pitch, yaw] = turn.map((angle) => (degrees ? (angle * Math.PI) / 180 : angle));
    return rotationFromRollPitchYaw(roll, pitch, yaw);
  }
  const [qx, qy, qz, qw] = turn;
  const R = rotationOfQuaternion([qw, qx, qy, qz]);
  if (R === undefined) element.error('quaternion', '<pose>: the quaternion is zero.');
  return R ?? IDENTITY3;
}

/** Three numbers in a child, or what stands for them. */
export const vectorOr = (values: readonly number[] | undefined, otherwise: Vec3 = ZERO3): Vec3 =>
  (values ?? otherwise) as unknown as Vec3;
