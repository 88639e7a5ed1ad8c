// Mass, centre of mass and inertia of rigid pieces, put together and taken apart. All pieces of one sum share a frame.

import { add, IDENTITY3, type Mat3, norm, scale, subtract, type Vec3, ZERO3 } from '../spatial/matrix3.js';

export interface MassProperties {
  readonly mass: number;
  readonly com: Vec3;
  /** About the centre of mass. */
  readonly inertia: Mat3;
}

const NOTHING: Mat3 = [0, 0, 0, 0, 0, 0, 0, 0, 0];

/** The pieces as one rigid body. */
export function weld(pieces: readonly MassProperties[]): MassProperties {
  if (pieces.length === 1) return pieces[0];
  let mass = 0;
  let moment: Vec3 = ZERO3;
  for (const piece of pieces) {
    mass += piece.mass;
    moment = add(moment, scale(piece.mass, piece.com));
  }
  const com = scale(1 / mass, moment);
  let inertia = NOTHING;
  for (const piece of pieces)
    inertia = sum(inertia, sum(piece.inertia, pointInertia(piece.mass, subtract(piece.com, com))));
  return { mass, com, inertia };
}

/** What is left of a whole when the pieces are taken out: welding them back gives the whole again. */
export function carve(whole: MassProperties, pieces: readonly MassProperties[]): MassProperties {
  const holes = pieces.map(({ mass, com, inertia }) => ({ mass: -mass, com, inertia: times(-1, inertia) }));
  return weld([whole, ...holes]);
}

/**
 * A whole that reaches `height` along z, cut across z into n slices of equal height and mass, lowest first; welding them
 * gives the whole again. All have the same inertia, and their centres of mass the same place within the slice.
 */
export function slices(whole: MassProperties, height: number, n: number): MassProperties[] {
  const mass = whole.mass / n;
  const step = height / n;
  // The mean square of the n offsets from the middle; the slices get what of the whole's inertia it leaves.
  const spread = (step * step * (n * n - 1)) / 12;
  const inertia = times(1 / n, sum(whole.inertia, times(-1, pointInertia(whole.mass, [0, 0, Math.sqrt(spread)]))));
  return Array.from({ length: n }, (_, k) => {
    const com = add(whole.com, [0, 0, (k - (n - 1) / 2) * step]);
    return { mass, com, inertia };
  });
}

/** A solid cylinder between two points: m r^2 / 2 about its axis, m (r^2 / 4 + L^2 / 12) across. */
export function solidCylinder(mass: number, from: Vec3, to: Vec3, radius: number): MassProperties {
  const length = norm(subtract(to, from));
  const along = scale(1 / length, subtract(to, from));
  const round = times((mass * radius * radius) / 2, IDENTITY3);
  const across = mass * ((length * length) / 12 - (radius * radius) / 4);
  return { mass, com: scale(0.5, add(from, to)), inertia: sum(round, pointInertia(across, along)) };
}

export function solidSphere(mass: number, com: Vec3, radius: number): MassProperties {
  return { mass, com, inertia: times(0.4 * mass * radius * radius, IDENTITY3) };
}

/** Inertia about the origin of a point mass at d: m (|d|^2 1 - d d'). */
export function pointInertia(mass: number, d: Vec3): Mat3 {
  const [x, y, z] = d;
  const [xy, xz, yz] = [-mass * x * y, -mass * x * z, -mass * y * z];
  return [mass * (y * y + z * z), xy, xz, xy, mass * (x * x + z * z), yz, xz, yz, mass * (x * x + y * y)];
}

function sum(A: Mat3, B: Mat3): Mat3 {
  return A.map((a, k) => a + B[k]) as unknown as Mat3;
}

function times(s: number, A: Mat3): Mat3 {
  return A.map((a) => s * a) as unknown as Mat3;
}
