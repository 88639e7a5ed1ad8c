import type { Shape } from '../mechanism/mechanism.js';
import type { BodySpec } from '../mechanism/spec.js';
import { type Mat3, multiply, transpose } from '../spatial/matrix3.js';
import { readOrigin } from './urdf-origin.js';
import type { ShapeReader } from './urdf-shape.js';
import type { XmlElement } from './xml.js';

export interface UrdfLink {
  readonly name: string;
  readonly place: string;
  readonly body: BodySpec;
}

export function readLink(element: XmlElement, shapes: ShapeReader): UrdfLink | undefined {
  const name = element.requiredName('name');
  const inertial = element.child('inertial');
  const isShape = (shape: Shape | undefined): shape is Shape => shape !== undefined;
  const body = {
    ...(inertial !== undefined && readInertial(inertial)),
    visuals: element
      .children('visual')
      .map((visual) => shapes.visual(visual))
      .filter(isShape),
    collisions: element
      .children('collision')
      .map((collision) => shapes.collision(collision))
      .filter(isShape),
  };
  return name === undefined ? undefined : { name, place: element.place, body: { name, ...body } };
}

/** Mass, centre of mass, and inertia about it, turned from the axes of the <inertial> into those of the link. */
function readInertial(element: XmlElement): Omit<BodySpec, 'name'> {
  const { E, t } = readOrigin(element);
  const mass = element.requiredChild('mass')?.requiredNumber('value') ?? 0;
  if (mass < 0)
    element.child('mass')?.attributeError('value', 'negative-mass', `expected a mass not below zero, got ${mass}`);
  const inertia = element.child('inertia');
  if (inertia === undefined) {
    element.warn('no-inertia', 'This <inertial> has no <inertia>; the link is taken for a point mass.');
    return { mass, com: t };
  }
  const moment = (name: string): number => inertia.requiredNumber(name) ?? 0;
  const product = (name: string): number => inertia.number(name) ?? 0;
  const [xx, yy, zz] = [moment('ixx'), moment('iyy'), moment('izz')];
  const [xy, xz, yz] = [product('ixy'), product('ixz'), product('iyz')];
  const I: Mat3 = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
  return { mass, com: t, inertia: multiply(multiply(transpose(E), I), E) };
}
