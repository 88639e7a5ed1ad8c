// <link> of SDF: mass, inertia and shapes.

import type { Geometry, Shape } from '../mechanism/mechanism.js';
import type { BodySpec } from '../mechanism/spec.js';
import { type Mat3, multiply, transpose, type Vec3 } from '../spatial/matrix3.js';
import { quoted } from './import-log.js';
import { resolveMeshPath } from './mesh-path.js';
import { AT_ORIGIN, composed, inversePose, placementOf, type RigidPose, zRotation } from './mjcf-frame.js';
import { isTrue } from './sdf-file.js';
import { readPose, type SdfScope, vectorOr } from './sdf-scope.js';
import type { XmlElement } from './xml.js';
import { childNumbers, childText } from './xml-text.js';

export function readSdfLink(
  element: XmlElement,
  scope: SdfScope,
  name: string,
  packages: ReadonlyMap<string, string>,
): BodySpec {
  const shape = (child: XmlElement): Shape[] => readShape(child, scope, element, packages) ?? [];
  if (childText(element, 'gravity') !== undefined && !isTrue(childText(element, 'gravity')))
    element.warn('gravity', 'This link is not pulled by gravity there; here it is.');
  return {
    name: scope.prefix + name,
    ...readInertial(element),
    visuals: element.children('visual').flatMap(shape),
    collisions: element.children('collision').flatMap(shape),
  };
}

/** One kilogram and one kilogram square metre where nothing is said, as the format has it. */
function readInertial(element: XmlElement): { mass: number; com: Vec3; inertia: Mat3 } {
  const inertial = element.child('inertial');
  if (inertial === undefined)
    element.warn('no-inertial', 'A <link> without <inertial> has a mass of 1 kg and moments of inertia of 1 kg m^2.');
  if (isTrue(inertial?.text('auto')))
    inertial!.warn('auto-inertia', 'The inertia from collision shapes is not computed; what is written is used.');
  const carrier = inertial?.child('pose');
  const { R, p } = carrier === undefined ? AT_ORIGIN : readPose(carrier);
  const mass = (inertial && childNumbers(inertial, 'mass', 1)?.[0]) ?? 1;
  if (mass < 0) inertial?.error('negative-mass', `<mass>: expected a mass not below zero, got ${mass}.`);
  const inertia = inertial?.child('inertia');
  const value = (key: string, otherwise: number): number =>
    (inertia && childNumbers(inertia, key, 1)?.[0]) ?? otherwise;
  const [xx, yy, zz] = [value('ixx', 1), value('iyy', 1), value('izz', 1)];
  const [xy, xz, yz] = [value('ixy', 0), value('ixz', 0), value('iyz', 0)];
  const I: Mat3 = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
  return { mass, com: p, inertia: multiply(multiply(R, I), transpose(R)) };
}

/** Poses of shapes are relative to their link, unless they say otherwise. */
function placeOf(element: XmlElement, scope: SdfScope, link: XmlElement): RigidPose {
  const carrier = element.child('pose');
  if (carrier === undefined) return AT_ORIGIN;
  const relativeTo = carrier.text('relative_to') ?? '';
  const given = readPose(carrier);
  if (relativeTo === '') return given;
  const linkPose = scope.poseOf(link.attributes.name, link);
  return composed(composed(inversePose(linkPose), scope.poseOf(relativeTo, carrier)), given);
}

function readShape(
  element: XmlElement,
  scope: SdfScope,
  link: XmlElement,
  packages: ReadonlyMap<string, string>,
): Shape[] | undefined {
  const name = element.text('name');
  const pose = placeOf(element, scope, link);
  const found = readGeometry(element, packages);
  if (found === undefined) return undefined;
  const diffuse = element.child('material');
  const color = diffuse && childNumbers(diffuse, 'diffuse');
  const friction = element.child('surface')?.child('friction')?.child('ode');
  const mu = friction && childNumbers(friction, 'mu', 1)?.[0];
  const [geometry, turn] = found;
  return [
    {
      ...placementOf(turn === undefined ? pose : composed(pose, { R: turn, p: [0, 0, 0] })),
      geometry,
      ...(name !== undefined && { name }),
      ...(color?.length === 4 && { color: color as unknown as NonNullable<Shape['color']> }),
      ...(mu !== undefined && mu >= 0 && { friction: mu }),
    },
  ];
}

/** The shape, and how it is turned in its own frame. */
function readGeometry(
  element: XmlElement,
  packages: ReadonlyMap<string, string>,
): readonly [Geometry, Mat3?] | undefined {
  const shape = element.child('geometry')?.anyChild();
  const size = (name: string, count: number): number[] => {
    const values = shape && childNumbers(shape, name, count);
    if (values?.some((value) => value < 0))
      shape!.error('negative', `<${name}>: expected numbers not below zero, got ${values.join(' ')}.`);
    return values ?? new Array(count).fill(1);
  };
  switch (shape?.name) {
    case 'box':
      return [{ kind: 'box', size: size('size', 3) as unknown as Vec3 }];
    case 'sphere':
      return [{ kind: 'sphere', radius: size('radius', 1)[0] }];
    case 'cylinder':
    case 'capsule':
      return [{ kind: shape.name, radius: size('radius', 1)[0], length: size('length', 1)[0] }];
    case 'ellipsoid':
      return [{ kind: 'ellipsoid', radii: size('radii', 3) as unknown as Vec3 }];
    case 'plane': {
      childNumbers(shape, 'size', 2);
      const R = zRotation(vectorOr(childNumbers(shape, 'normal', 3), [0, 0, 1]));
      return R === undefined ? undefined : [{ kind: 'plane' }, R];
    }
    case 'mesh': {
      const scale = vectorOr(childNumbers(shape, 'scale', 3), [1, 1, 1]);
      const written = childText(shape, 'uri') ?? '';
      // Models lie in folders as packages do.
      const found = resolveMeshPath(written.replace(/^model:\/\//, 'package://'), packages);
      if (found.kind !== 'refused') return [{ kind: 'mesh', path: found.path, scale }];
      shape.error('mesh-path', `<uri>: expected ${found.expected}, got ${quoted(written)}.`);
      return undefined;
    }
    default: {
      shape?.dismiss();
      if (shape !== undefined && shape.name !== 'empty')
        shape.warn('geometry', `The geometry <${shape.name}> is not used; this <${element.name}> is left out.`);
      return undefined;
    }
  }
}
