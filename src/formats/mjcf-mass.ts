// Mass, centre of mass and inertia of a body: as written, or from its geoms.

import {
  add,
  apply,
  dot,
  IDENTITY3,
  type Mat3,
  multiply,
  scale,
  subtract,
  symmetricEigen,
  transpose,
  type Vec3,
  ZERO3,
} from '../spatial/matrix3.js';
import type { MjcfBody } from './mjcf-body.js';
import type { Compiler } from './mjcf-compiler.js';
import { type Fields, number, numbers, readFields } from './mjcf-fields.js';
import {
  checkOneOrientation,
  composed,
  PLACED_FIELDS,
  type PlaceData,
  type RigidPose,
  rotationOf,
} from './mjcf-frame.js';
import type { MjcfGeom } from './mjcf-geom.js';
import { geomInertia, geomVolume } from './mjcf-inertia.js';
import type { XmlElement } from './xml.js';

/** Of a body, about its centre of mass, in its own frame. */
export interface Inertial {
  readonly mass: number;
  readonly com: Vec3;
  readonly inertia: Mat3;
}

interface InertialData extends PlaceData {
  mass: number;
  diaginertia: readonly number[] | undefined;
  fullinertia: readonly number[] | undefined;
}

const INERTIAL_FIELDS: Fields<InertialData> = new Map([
  ...(PLACED_FIELDS as Fields<InertialData>),
  ['mass', number<InertialData>('mass')],
  ['diaginertia', numbers<InertialData>('diaginertia', 3)],
  ['fullinertia', numbers<InertialData>('fullinertia', 6)],
]);

export function readInertial(element: XmlElement, compiler: Compiler, frame: RigidPose): Inertial {
  element.requiredText('mass');
  element.requiredText('pos');
  checkOneOrientation(element);
  const start = { mass: 0, diaginertia: undefined, fullinertia: undefined, pos: [0, 0, 0], orientation: undefined };
  const data = readFields<InertialData>(element, INERTIAL_FIELDS, start);
  const { mass, pos, orientation, diaginertia, fullinertia } = data;
  if (mass < 0) element.attributeError('mass', 'negative-mass', `expected a mass not below zero, got ${mass}`);
  if (fullinertia !== undefined && (orientation !== undefined || diaginertia !== undefined))
    element.error('inertia', 'A fullinertia goes without diaginertia and without an orientation.');
  const pose = composed(frame, { R: rotationOf(element, orientation, compiler), p: pos as unknown as Vec3 });
  let I: Mat3;
  if (fullinertia !== undefined) {
    const [xx, yy, zz, xy, xz, yz] = fullinertia;
    I = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
  } else {
    const [xx, yy, zz] = diaginertia ?? [0, 0, 0];
    I = [xx, 0, 0, 0, yy, 0, 0, 0, zz];
  }
  return { mass, com: pose.p, inertia: inertiaAlong(I, pose.R) };
}

/** I, given along axes that are the columns of R. */
export function inertiaAlong(I: Mat3, R: Mat3): Mat3 {
  return R === IDENTITY3 ? I : multiply(multiply(R, I), transpose(R));
}

const NOTHING: Inertial = { mass: 0, com: ZERO3, inertia: [0, 0, 0, 0, 0, 0, 0, 0, 0] };

/** Geoms lighter than this are left out, as in MuJoCo. */
const LEAST_MASS = 1e-14;

/** What the body weighs, by the rules of its file's <compiler>. */
export function bodyInertial(body: MjcfBody): Inertial {
  const { compiler } = body.file;
  const fromGeoms =
    compiler.inertiafromgeom === 'true' || (compiler.inertiafromgeom === 'auto' && body.inertial === undefined);
  const inertial = (fromGeoms ? inertialOfGeoms(body, compiler) : undefined) ?? body.inertial;
  // What boundmass gives to a body of which nothing is said is put, in the body's frame, where the file writes the body to be
  // in its parent's: that is what MuJoCo does.
  return bounded(inertial ?? { ...NOTHING, com: body.written }, compiler);
}

function inertialOfGeoms(body: MjcfBody, { inertiagrouprange: [first, last] }: Compiler): Inertial | undefined {
  const parts: Inertial[] = [];
  for (const geom of body.geoms) {
    const { group } = geom.data;
    if (group < first || group > last) continue;
    const part = geomInertial(geom, body);
    if (part !== undefined && part.mass > LEAST_MASS) parts.push(part);
  }
  return parts.length === 0 ? undefined : combined(parts);
}

/** Several parts as one. */
export function combined(parts: readonly Inertial[]): Inertial {
  if (parts.length === 1) return parts[0];
  const mass = parts.reduce((sum, part) => sum + part.mass, 0);
  let com = ZERO3;
  for (const part of parts) com = add(com, scale(part.mass / mass, part.com));
  const inertia = new Array<number>(9).fill(0);
  for (const part of parts) {
    // Steiner: I + m (d.d 1 - d d^T) about the common centre of mass.
    const d = subtract(part.com, com);
    const dd = dot(d, d);
    for (let k = 0; k < 9; k++)
      inertia[k] += part.inertia[k] + part.mass * (dd * IDENTITY3[k] - d[Math.floor(k / 3)] * d[k % 3]);
  }
  return { mass, com, inertia: inertia as unknown as Mat3 };
}

function geomInertial({ element, data, pose, size }: MjcfGeom, { file }: MjcfBody): Inertial | undefined {
  const { type, density } = data;
  if (Number.isNaN(data.mass) ? density === 0 : data.mass === 0) return undefined;
  if (data.mass < 0 || density < 0) {
    element.error('negative-mass', 'Mass and density of a geom must not be negative.');
    return undefined;
  }
  if (type === 'hfield') element.warn('hfield', 'The mass of this height field is not counted; fix its body.');
  let local: { volume: number; com: Vec3; inertia: Mat3 };
  if (data.mesh !== '' || type === 'mesh') {
    const fitted =
      type === 'mesh' || type === 'sdf' ? undefined : file.meshes.fitted(element, data, file.compiler.fitaabb);
    const mesh = fitted === undefined ? file.meshes.massOf(element, data.mesh) : undefined;
    if (mesh !== undefined) local = mesh;
    else if (fitted !== undefined) {
      const volume = geomVolume(type, fitted.size, data.shellinertia);
      const [x, y, z] = geomInertia(type, fitted.size, volume, data.shellinertia);
      local = { volume, com: fitted.pose.p, inertia: inertiaAlong([x, 0, 0, 0, y, 0, 0, 0, z], fitted.pose.R) };
    } else return undefined;
  } else {
    const volume = geomVolume(type, size, data.shellinertia);
    const [x, y, z] = geomInertia(type, size, volume, data.shellinertia);
    local = { volume, com: ZERO3, inertia: [x, 0, 0, 0, y, 0, 0, 0, z] };
  }
  if (!(local.volume > LEAST_MASS)) return undefined;
  const mass = Number.isNaN(data.mass) ? density * local.volume : data.mass;
  const factor = mass / local.volume;
  return {
    mass,
    com: add(pose.p, apply(pose.R, local.com)),
    inertia: inertiaAlong(local.inertia.map((value) => value * factor) as unknown as Mat3, pose.R),
  };
}

/** With boundmass, boundinertia and balanceinertia applied. */
function bounded(inertial: Inertial, { boundmass, boundinertia, balanceinertia }: Compiler): Inertial {
  const mass = Math.max(inertial.mass, boundmass);
  if (boundinertia === 0 && !balanceinertia) return mass === inertial.mass ? inertial : { ...inertial, mass };
  const { values, vectors } = symmetricEigen(inertial.inertia);
  let moments = values.map((value) => Math.max(value, boundinertia)) as unknown as Vec3;
  if (balanceinertia && moments[0] + moments[1] < moments[2]) {
    const mean = (moments[0] + moments[1] + moments[2]) / 3;
    moments = [mean, mean, mean];
  }
  if (moments.every((moment, k) => moment === values[k])) return { ...inertial, mass };
  const [x, y, z] = moments;
  return { mass, com: inertial.com, inertia: inertiaAlong([x, 0, 0, 0, y, 0, 0, 0, z], vectors) };
}

/** Mass, centre of mass and inertia of every body; the world weighs nothing. */
export function allInertials(bodies: readonly MjcfBody[]): Inertial[] {
  return bodies.map((body, k) => (k === 0 ? NOTHING : bodyInertial(body)));
}

/** Scaled to the total mass that the file gives, if any. */
export function scaledToTotal(inertials: readonly Inertial[], { settotalmass }: Compiler): readonly Inertial[] {
  if (!(settotalmass > 0)) return inertials;
  const total = inertials.reduce((sum, { mass }) => sum + mass, 0);
  const factor = total > 0 ? settotalmass / total : 1;
  return inertials.map(({ mass, com, inertia }) => ({
    mass: mass * factor,
    com,
    inertia: inertia.map((value) => value * factor) as unknown as Mat3,
  }));
}
