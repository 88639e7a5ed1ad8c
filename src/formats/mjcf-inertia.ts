// Mass and inertia of geoms: solid or shell.

import type { Vec3 } from '../spatial/matrix3.js';
import type { GeomType } from './mjcf-geom.js';

/** Volume of a geom, or the area of its surface as a shell; zero for what has neither. */
export function geomVolume(type: GeomType, [a, b, c]: Vec3, shell: boolean): number {
  switch (type) {
    case 'sphere':
      return shell ? 4 * Math.PI * a * a : (4 * Math.PI * a * a * a) / 3;
    case 'capsule':
      return shell ? 4 * Math.PI * a * a + 4 * Math.PI * a * b : Math.PI * (2 * a * a * b + (4 * a * a * a) / 3);
    case 'cylinder':
      return shell ? 2 * Math.PI * a * a + 4 * Math.PI * a * b : 2 * Math.PI * a * a * b;
    case 'ellipsoid': {
      if (!shell) return (4 * Math.PI * a * b * c) / 3;
      // Thomsen's approximation of the area, within 1.061 %; MuJoCo's masses have it too.
      const p = 1.6075;
      return 4 * Math.PI * (((a * b) ** p + (b * c) ** p + (c * a) ** p) / 3) ** (1 / p);
    }
    case 'box':
      return shell ? 8 * (a * b + b * c + c * a) : 8 * a * b * c;
    default:
      return 0;
  }
}

/** Moments of inertia about the centre, along the geom's own axes. */
export function geomInertia(type: GeomType, size: Vec3, mass: number, shell: boolean): Vec3 {
  return shell ? shellInertia(type, size, mass) : solidInertia(type, size, mass);
}

function solidInertia(type: GeomType, [a, b, c]: Vec3, mass: number): Vec3 {
  switch (type) {
    case 'sphere':
      return uniform((2 * mass * a * a) / 5);
    case 'capsule': {
      // A cylinder, and a sphere cut in halves that are moved apart.
      const height = 2 * b;
      const ball = (mass * 4 * a) / (4 * a + 3 * height);
      const rod = mass - ball;
      const own = (2 * ball * a * a) / 5;
      const across = (rod * (3 * a * a + height * height)) / 12 + own + (ball * height * (3 * a + 2 * height)) / 8;
      return [across, across, (rod * a * a) / 2 + own];
    }
    case 'cylinder': {
      const across = (mass * (3 * a * a + 4 * b * b)) / 12;
      return [across, across, (mass * a * a) / 2];
    }
    case 'ellipsoid':
      return crossed(mass / 5, a, b, c);
    case 'box':
      return crossed(mass / 3, a, b, c);
    default:
      return [0, 0, 0];
  }
}

function shellInertia(type: GeomType, [a, b, c]: Vec3, mass: number): Vec3 {
  switch (type) {
    case 'sphere':
      return uniform((2 * mass * a * a) / 3);
    case 'capsule': {
      const ball = (mass * a) / (a + b);
      const rod = mass - ball;
      const own = (2 * ball * a * a) / 3;
      // A half sphere's centre is half a radius from the rod's end.
      const apart = ball * ((b + a / 2) ** 2 - (a / 2) ** 2);
      const across = (rod * (6 * a * a + 4 * b * b)) / 12 + own + apart;
      return [across, across, rod * a * a + own];
    }
    case 'cylinder': {
      const disc = (mass * a) / (2 * a + 4 * b);
      const tube = mass - 2 * disc;
      const across = (tube * (6 * a * a + 4 * b * b)) / 12 + 2 * disc * ((a * a) / 4 + b * b);
      return [across, across, tube * a * a + disc * a * a];
    }
    case 'ellipsoid':
      return ellipsoidShell(a, b, c, mass);
    case 'box': {
      const total = a * b + b * c + c * a;
      // Masses of one side each, across z, x and y.
      const [z, x, y] = [(mass * a * b) / total / 2, (mass * b * c) / total / 2, (mass * c * a) / total / 2];
      const [xx, yy, zz] = [a * a, b * b, c * c];
      return [
        2 * (z * zz + y * yy + (z * yy + x * (yy + zz) + y * zz) / 3),
        2 * (z * zz + x * xx + (z * xx + x * zz + y * (xx + zz)) / 3),
        2 * (x * xx + y * yy + (z * (xx + yy) + x * yy + y * xx) / 3),
      ];
    }
    default:
      return [0, 0, 0];
  }
}

/** The difference of two ellipsoids whose half axes differ by a micrometre. */
function ellipsoidShell(a: number, b: number, c: number, mass: number): Vec3 {
  const more = 1e-6;
  const volume = (x: number, y: number, z: number): number => (4 * Math.PI * x * y * z) / 3;
  const [inner, outer] = [volume(a, b, c), volume(a + more, b + more, c + more)];
  const density = mass / (outer - inner);
  const small = crossed((inner * density) / 5, a, b, c);
  const large = crossed((outer * density) / 5, a + more, b + more, c + more);
  return [large[0] - small[0], large[1] - small[1], large[2] - small[2]];
}

const uniform = (moment: number): Vec3 => [moment, moment, moment];

const crossed = (m: number, a: number, b: number, c: number): Vec3 => [
  m * (b * b + c * c),
  m * (a * a + c * c),
  m * (a * a + b * b),
];
