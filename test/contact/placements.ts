// Shapes and placements for tests of collision: random ones, and awkward ones on purpose.

import { CONVEX_POINTS, type Collider, collide, collider, Manifold } from '../../src/contact/index.js';
import type { Geometry } from '../../src/mechanism/mechanism.js';
import type { Random } from '../../src/mechanism/random.js';
import {
  IDENTITY3,
  type Mat3,
  multiply,
  rotationAbout,
  rotationFromQuaternion,
  transpose,
  type Vec3,
} from '../../src/spatial/matrix3.js';
import { betterDirection, type Placed, polytopeGap, separation, solid } from '../support/collision-reference.js';

export const KINDS = ['sphere', 'capsule', 'box', 'cylinder', 'cone', 'ellipsoid', 'hull'] as const;
export type Kind = (typeof KINDS)[number];

export const PAIRS = KINDS.flatMap((a, i) => KINDS.slice(i).map((b) => [a, b] as const));

export interface Case {
  readonly a: Geometry;
  readonly b: Geometry;
  readonly XA: Placed;
  readonly XB: Placed;
}

/** A shape of about the given size. */
export function shape(kind: Kind, random: Random, size = 1): Geometry {
  return sized(kind, () => size * random.between(0.1, 0.6), random);
}

/** A shape of half edges and radii that `some` gives. */
function sized(kind: Kind, some: () => number, random: Random): Geometry {
  switch (kind) {
    case 'sphere':
      return { kind, radius: some() };
    case 'capsule':
    case 'cylinder':
    case 'cone':
      return { kind, radius: some(), length: 2 * some() };
    case 'box':
      return { kind, size: [2 * some(), 2 * some(), 2 * some()] };
    case 'ellipsoid':
      return { kind, radii: [some(), some(), some()] };
    case 'hull': {
      const sizes = [some(), some(), some()];
      const count = 3 * (4 + random.below(9));
      return { kind, points: Float64Array.from({ length: count }, (_, k) => sizes[k % 3] * random.between(-1, 1)) };
    }
  }
}

/** Polyhedra and round shapes whose sizes are few, so that faces and edges meet exactly. */
function roundSized(kind: Kind, random: Random): Geometry {
  const some = (): number => random.pick([0.125, 0.25, 0.5]);
  if (kind !== 'hull') return sized(kind, some, random);
  // A prism: a square or a hexagon, straight or with its top cut smaller.
  const [r, h, top] = [some(), some(), random.pick([1, 0.5, 0.75])];
  const corners = random.pick([4, 6]);
  const points = Array.from({ length: 2 * corners }, (_, k) => {
    const angle = (2 * Math.PI * (k >> 1)) / corners;
    const s = (k & 1) === 0 ? r : r * top;
    return [s * Math.cos(angle), s * Math.sin(angle), (k & 1) === 0 ? -h : h];
  });
  return { kind, points: Float64Array.from(points.flat()) };
}

export const pose = ({ R, t }: Placed): Float64Array => Float64Array.from([...transpose(R), ...t]);

export const colliderOf = (geometry: Geometry): Collider => collider(0, { geometry, E: IDENTITY3, t: [0, 0, 0] });

const reach = (geometry: Geometry): number => solid(geometry, { R: IDENTITY3, t: [0, 0, 0] }).reach;

export function randomCase(kindA: Kind, kindB: Kind, random: Random): Case {
  const [a, b] = [shape(kindA, random), shape(kindB, random)];
  const far = (reach(a) + reach(b)) * random.next();
  const d = random.direction();
  return {
    a,
    b,
    XA: { R: rotationFromQuaternion(random.quaternion()), t: [0, 0, 0] },
    XB: { R: rotationFromQuaternion(random.quaternion()), t: [far * d[0], far * d[1], far * d[2]] },
  };
}

/** Quarter turns about the axes: what is parallel stays parallel, up to rounding or exactly. */
function quarterTurns(random: Random): Mat3 {
  const exact: Mat3[] = [
    IDENTITY3,
    [0, -1, 0, 1, 0, 0, 0, 0, 1],
    [1, 0, 0, 0, 0, -1, 0, 1, 0],
    [0, 0, 1, 0, 1, 0, -1, 0, 0],
  ];
  return multiply(random.pick(exact), random.pick(exact));
}

export const AWKWARD = [
  'faces flush',
  'edges parallel',
  'touching',
  'almost touching',
  'deep',
  'concentric',
  'tiny against huge',
  'thin',
  'turned by a hair',
  'far from the origin',
] as const;

export function awkwardCase(what: (typeof AWKWARD)[number], kindA: Kind, kindB: Kind, random: Random): Case {
  const origin: Vec3 = [0, 0, 0];
  const plain = randomCase(kindA, kindB, random);
  const [a, b] = [roundSized(kindA, random), roundSized(kindB, random)];
  const square = (offset: Vec3): Case => ({
    a,
    b,
    XA: { R: quarterTurns(random), t: origin },
    XB: { R: quarterTurns(random), t: offset },
  });
  const grid = (): number => random.pick([0, 0, 0.125, -0.125, 0.25, -0.25, 0.375, 0.5, -0.5, 0.75]);
  switch (what) {
    case 'faces flush':
      return movedTo(random.pick([0, 0, 1e-3, -1e-3, -1e-6]), square([grid(), grid(), grid()]));
    case 'edges parallel': {
      const axis = random.pick<Vec3>([
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ]);
      const { XA, XB, ...shapes } = square([grid(), grid(), grid()]);
      const turned = multiply(rotationAbout(axis, random.pick([Math.PI / 4, Math.PI / 3, 0.1])), XB.R);
      return movedTo(random.pick([0, 1e-3, -1e-3, -0.05]), { ...shapes, XA, XB: { R: turned, t: XB.t } });
    }
    case 'touching':
      return movedTo(0, plain);
    case 'almost touching':
      return movedTo(random.pick([1, -1]) * 10 ** -random.between(3, 14), plain);
    case 'deep':
      return { ...plain, XB: { R: plain.XB.R, t: plain.XB.t.map((x) => 0.03 * x) as unknown as Vec3 } };
    case 'concentric':
      return random.next() < 0.5 ? { ...plain, XB: { R: plain.XB.R, t: origin } } : square(origin);
    case 'tiny against huge':
      return movedTo(random.pick([0, 1e-4, -1e-4, -1e-3]), {
        ...plain,
        a: shape(kindA, random, 0.01),
        b: shape(kindB, random, 100),
        XB: { R: plain.XB.R, t: random.direction().map((x) => 50 * x) as unknown as Vec3 },
      });
    case 'thin': {
      const thin = (kind: Kind): Geometry =>
        sized(kind, () => (random.next() < 0.4 ? 1e-3 : random.between(0.1, 0.6)), random);
      return { ...plain, a: thin(kindA), b: thin(kindB) };
    }
    case 'turned by a hair': {
      const { XA, XB, ...shapes } = square([grid(), grid(), grid()]);
      const turned = multiply(rotationAbout(random.direction(), 10 ** -random.between(2, 12)), XB.R);
      return movedTo(random.pick([0, 1e-4, -1e-4, -0.02]), { ...shapes, XA, XB: { R: turned, t: XB.t } });
    }
    case 'far from the origin': {
      const away: Vec3 = [1000, -2000, 500];
      const shifted = ({ R, t }: Placed): Placed => ({ R, t: t.map((x, i) => x + away[i]) as unknown as Vec3 });
      return { ...plain, XA: shifted(plain.XA), XB: shifted(plain.XB) };
    }
  }
}

/** b moved along the normal until the gap is what is asked for. */
function movedTo(gap: number, { a, b, XA, XB }: Case): Case {
  let t = XB.t;
  for (let k = 0; k < 4; k++) {
    const found = closestOf({ a, b, XA, XB: { R: XB.R, t } });
    if (found === undefined) break;
    t = t.map((x, i) => x + (found.gap - gap) * found.n[i]) as unknown as Vec3;
  }
  return { a, b, XA, XB: { R: XB.R, t } };
}

const manifold = new Manifold();

export function manifoldOf({ a, b, XA, XB }: Case, margin = 1e9): Manifold {
  collide(manifold, colliderOf(a), pose(XA), 0, colliderOf(b), pose(XB), 0, margin);
  return manifold;
}

export interface Closest {
  readonly n: Vec3;
  readonly gap: number;
  readonly p: Vec3;
}

/** The closest of the points that `collide` gives. */
export function closestOf(placed: Case): Closest | undefined {
  const { count, gap, normal, position } = manifoldOf(placed);
  if (count === 0) return undefined;
  let k = 0;
  for (let i = 1; i < count; i++) if (gap[i] < gap[k]) k = i;
  const three = (x: Float64Array): Vec3 => [x[3 * k], x[3 * k + 1], x[3 * k + 2]];
  return { n: three(normal), gap: gap[k], p: three(position) };
}

/** What is wrong with the manifold of a placement; undefined where nothing is. `prove` also seeks a better direction. */
export function faultOf(placed: Case, tolerance: number, prove: boolean): string | undefined {
  const found = closestOf(placed);
  if (found === undefined) return 'no point';
  const { n, gap, p } = found;
  const { count } = manifold;
  const numbers = [...manifold.position.subarray(0, 3 * count), ...manifold.gap.subarray(0, count)];
  if (!numbers.every(Number.isFinite)) return 'a number that is none';
  if (count > CONVEX_POINTS) return `${count} points`;
  if (new Set(manifold.feature.subarray(0, count)).size !== count) return 'two points of one feature';
  const [a, b] = [solid(placed.a, placed.XA), solid(placed.b, placed.XB)];
  for (let k = 0; k < count; k++) {
    const normal = manifold.normal.subarray(3 * k, 3 * k + 3);
    if (Math.abs(Math.hypot(...normal) - 1) > 1e-12) return 'normal is no unit vector';
    if (Math.hypot(...n.map((x, i) => x - normal[i])) > 1e-12) return 'normals differ';
    // All at one height.
    const rise = n.reduce((sum, x, i) => sum + x * (manifold.position[3 * k + i] - p[i]), 0);
    if (Math.abs(rise) > 1e-3 * tolerance) return `points at heights that differ by ${rise}`;
  }
  const s = separation(a, b, n);
  if (Math.abs(s - gap) > 0.01 * tolerance) return `gap ${gap}, but the normal separates by ${s}`;
  // Surface points behind the contact: the reference is a, or b, or half way.
  const misses = [0, 0.5, 1].map((f) => {
    const onA = p.map((x, i) => x + f * gap * n[i]) as unknown as Vec3;
    const onB = onA.map((x, i) => x - gap * n[i]) as unknown as Vec3;
    return Math.max(a.outside(onA), b.outside(onB));
  });
  if (!(Math.min(...misses) <= tolerance)) return `the point is ${Math.min(...misses)} off the shapes`;
  if (!prove) return undefined;
  if (gap < 0 && a.polytope && b.polytope && a.polytope.normals.length + b.polytope.normals.length > 0) {
    const cores = gap + a.polytope.radius + b.polytope.radius;
    const most = polytopeGap(a.polytope, b.polytope);
    if (cores < 0 && Math.abs(most - gap) > tolerance) return `gap ${gap}, by all axes ${most}`;
    if (cores < 0) return undefined;
  }
  // Apart: points of both shapes at the distance of the gap prove it.
  if (gap > 0) return undefined;
  const verdict = betterDirection(a, b, gap + tolerance, 20_000);
  if (verdict === 'none' || verdict === 'too many squares') return undefined;
  return `gap ${gap}, but [${verdict.better.join(', ')}] separates by ${verdict.s}`;
}
