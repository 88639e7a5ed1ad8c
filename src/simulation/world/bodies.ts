// Free bodies of one shape: a mechanism of one body on a floating joint.

import { createMechanism } from '../../mechanism/create.js';
import { MechanismError } from '../../mechanism/errors.js';
import type { ContactProperties, Geometry, Mechanism } from '../../mechanism/mechanism.js';
import { IDENTITY3, type Mat3, type Vec3, ZERO3 } from '../../spatial/matrix3.js';

/** Mass, or density in kg/m^3 (1000 where both are left out), and how it behaves in contact. */
export interface FreeBodyOptions extends ContactProperties {
  readonly name?: string;
  readonly mass?: number;
  readonly density?: number;
}

/** A solid box with edges of these lengths. */
export function box(size: Vec3, options: FreeBodyOptions = {}): Mechanism {
  const [a, b, c] = size;
  const mass = massOf('box', a * b * c, options);
  const k = mass / 12;
  return freeBody(
    'box',
    { kind: 'box', size },
    mass,
    [k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b)],
    options,
  );
}

/** A solid ball. */
export function ball(radius: number, options: FreeBodyOptions = {}): Mechanism {
  const mass = massOf('ball', (4 / 3) * Math.PI * radius ** 3, options);
  const k = 0.4 * mass * radius * radius;
  return freeBody('ball', { kind: 'sphere', radius }, mass, [k, k, k], options);
}

/** A solid cylinder along z. */
export function cylinder(radius: number, length: number, options: FreeBodyOptions = {}): Mechanism {
  const mass = massOf('cylinder', Math.PI * radius * radius * length, options);
  const k = (mass * (3 * radius * radius + length * length)) / 12;
  const geometry: Geometry = { kind: 'cylinder', radius, length };
  return freeBody('cylinder', geometry, mass, [k, k, 0.5 * mass * radius * radius], options);
}

/** A solid capsule along z; its length is that of the straight part. */
export function capsule(radius: number, length: number, options: FreeBodyOptions = {}): Mechanism {
  const [straight, caps] = [Math.PI * radius * radius * length, (4 / 3) * Math.PI * radius ** 3];
  const mass = massOf('capsule', straight + caps, options);
  const [m, n] = [(mass * straight) / (straight + caps), (mass * caps) / (straight + caps)];
  const square = radius * radius;
  // The centre of a half ball lies 3/8 of its radius behind the flat side.
  const across =
    m * (square / 4 + (length * length) / 12) + n * (0.4 * square + (length * length) / 4 + 0.375 * radius * length);
  const geometry: Geometry = { kind: 'capsule', radius, length };
  return freeBody('capsule', geometry, mass, [across, across, m * 0.5 * square + n * 0.4 * square], options);
}

function massOf(kind: string, volume: number, { mass, density = 1000 }: FreeBodyOptions): number {
  const kilograms = mass ?? density * volume;
  if (!(kilograms > 0 && kilograms < Number.POSITIVE_INFINITY))
    throw MechanismError.of('mass', kind, `The mass of a free body must be positive, got ${kilograms} kg.`);
  return kilograms;
}

function freeBody(
  kind: string,
  geometry: Geometry,
  mass: number,
  inertia: Vec3,
  { name = kind, mass: _mass, density: _density, ...contact }: FreeBodyOptions,
): Mechanism {
  const matrix: Mat3 = [inertia[0], 0, 0, 0, inertia[1], 0, 0, 0, inertia[2]];
  const shape = { E: IDENTITY3, t: ZERO3, geometry, ...contact };
  return createMechanism({
    name,
    bodies: [{ name, mass, com: ZERO3, inertia: matrix, collisions: [shape], visuals: [shape] }],
    joints: [{ name, type: 'floating', parent: null, child: name }],
  });
}
