// <mesh builtin="..."> of MJCF: surfaces that MuJoCo makes from a few numbers, with its corners and triangles.

import type { MeshData } from '../mechanism/mechanism.js';

type Point = readonly [x: number, y: number, z: number];
type Triangle = readonly [number, number, number];

interface Maker {
  /** Whether the numbers are ones that MuJoCo takes, within bounds of size. */
  readonly takes: (params: readonly number[]) => boolean;
  readonly make: (params: readonly number[], points: Point[], triangles: Triangle[]) => void;
}

const whole = (value: number, least: number, most: number): boolean =>
  Number.isInteger(value) && value >= least && value <= most;

/** Points around, or along a meridian. */
const FINEST = 300;

const MAKERS = new Map<string, Maker>([
  ['sphere', { takes: (p) => p.length === 1 && whole(p[0], 0, 4), make: sphere }],
  ['hemisphere', { takes: (p) => p.length === 1 && whole(p[0], 0, 10), make: hemisphere }],
  ['cone', { takes: ([n, r, ...more]) => more.length === 0 && whole(n, 3, FINEST) && r >= 0 && r <= 1, make: cone }],
  [
    'supersphere',
    { takes: ([n, e, f, ...more]) => more.length === 0 && whole(n, 3, FINEST) && e > 0 && f > 0, make: supersphere },
  ],
  [
    'supertorus',
    {
      takes: ([n, r, s, t, ...more]) => more.length === 0 && whole(n, 3, FINEST) && r > 0 && r <= 1 && s > 0 && t > 0,
      make: supertorus,
    },
  ],
]);

/** Undefined for what is not made here: sheets, and numbers that say nothing. In 32-bit floating point, as MuJoCo keeps them. */
export function builtinMesh(name: string, params: readonly number[]): MeshData | undefined {
  const maker = MAKERS.get(name);
  if (maker?.takes(params) !== true) return undefined;
  const points: Point[] = [];
  const triangles: Triangle[] = [];
  maker.make(params, points, triangles);
  return { points: Float64Array.from(points.flat(), Math.fround), triangles: Uint32Array.from(triangles.flat()) };
}

const unit = ([x, y, z]: Point): Point => {
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
};

/** An icosahedron, each of its triangles cut in four so many times. */
function sphere([times]: readonly number[], points: Point[], triangles: Triangle[]): void {
  const g = (1 + Math.sqrt(5)) / 2;
  for (const turn of [0, 1, 2])
    for (const [a, b] of [
      [-1, g],
      [1, g],
      [-1, -g],
      [1, -g],
    ]) {
      const p = [a, b, 0];
      points.push(unit([p[(3 - turn) % 3], p[(4 - turn) % 3], p[(5 - turn) % 3]]));
    }
  const near = (a: number, b: number): boolean => Math.hypot(...points[a].map((x, k) => x - points[b][k])) < 1.1;
  for (let a = 0; a < 12; a++)
    for (let b = a + 1; b < 12; b++)
      for (let c = b + 1; c < 12; c++)
        if (near(a, b) && near(b, c) && near(a, c)) triangles.push(outwards(points, [a, b, c]));
  for (let k = 0; k < times; k++) {
    const middles = new Map<string, number>();
    const middle = (a: number, b: number): number => {
      const key = a < b ? `${a} ${b}` : `${b} ${a}`;
      const known = middles.get(key);
      if (known !== undefined) return known;
      middles.set(key, points.length);
      const [p, q] = [points[a], points[b]];
      return points.push(unit([p[0] + q[0], p[1] + q[1], p[2] + q[2]])) - 1;
    };
    const coarse = triangles.splice(0);
    for (const [a, b, c] of coarse) {
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
      triangles.push([a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]);
    }
  }
}

/** Turned over where it looks to the origin. */
function outwards(points: readonly Point[], [a, b, c]: Triangle): Triangle {
  const [p, q, r] = [points[a], points[b], points[c]];
  const volume =
    p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
  return volume > 0 ? [a, b, c] : [a, c, b];
}

/** Half an octahedron whose faces are cut into a grid, blown up, and a flat bottom with a point in its middle. */
function hemisphere([resolution]: readonly number[], points: Point[], triangles: Triangle[]): void {
  const rings = resolution + 1;
  const starts = [0];
  points.push([0, 0, 1]);
  for (let k = 1; k <= rings; k++) {
    starts.push(points.length);
    for (let quarter = 0; quarter < 4; quarter++)
      for (let i = 0; i < k; i++) {
        const [x, y] = quarter % 2 === 0 ? [k - i, i] : [-i, k - i];
        const sign = quarter < 2 ? 1 : -1;
        points.push(unit([sign * x, sign * y, rings - k]));
      }
  }
  const at = (ring: number, k: number): number => (ring === 0 ? 0 : starts[ring] + (k % (4 * ring)));
  for (let k = 0; k < rings; k++)
    for (let quarter = 0; quarter < 4; quarter++)
      for (let i = 0; i <= k; i++) {
        const [inner, outer] = [quarter * k + i, quarter * (k + 1) + i];
        triangles.push([at(k, inner), at(k + 1, outer), at(k + 1, outer + 1)]);
        if (i < k) triangles.push([at(k, inner), at(k + 1, outer + 1), at(k, inner + 1)]);
      }
  const bottom = points.push([0, 0, 0]) - 1;
  for (let i = 0; i < 4 * rings; i++) triangles.push([at(rings, i), bottom, at(rings, i + 1)]);
}

/** Between two polygons, at -1 and 1; the upper one may be a point. */
function cone([n, radius]: readonly number[], points: Point[], triangles: Triangle[]): void {
  for (const [size, z] of [
    [1, -1],
    [radius, 1],
  ])
    for (let k = 0; k < (size === 0 ? 1 : n); k++) {
      const angle = (2 * Math.PI * k) / n;
      points.push([size * Math.cos(angle), size * Math.sin(angle), z]);
    }
  for (let k = 2; k < n; k++) {
    triangles.push([0, k, k - 1]);
    if (radius > 0) triangles.push([n, n + k - 1, n + k]);
  }
  for (let k = 0; k < n; k++) {
    const next = (k + 1) % n;
    triangles.push([k, next, radius > 0 ? n + next : n]);
    if (radius > 0) triangles.push([k, n + next, n + k]);
  }
}

const power = (x: number, exponent: number): number => Math.sign(x) * Math.abs(x) ** exponent;

function supersphere([n, around, along]: readonly number[], points: Point[], triangles: Triangle[]): void {
  const ring = (k: number, i: number): number => 1 + n * k + (i % n);
  points.push([0, 0, -1]);
  for (let k = 1; k < n; k++) {
    const phi = -Math.PI / 2 + (Math.PI * k) / n;
    for (let i = 0; i < n; i++) {
      const theta = -Math.PI + (2 * Math.PI * i) / n;
      const radius = power(Math.cos(phi), along);
      points.push([
        radius * power(Math.cos(theta), around),
        radius * power(Math.sin(theta), around),
        power(Math.sin(phi), along),
      ]);
    }
  }
  const top = points.push([0, 0, 1]) - 1;
  for (let i = 0; i < n; i++) {
    triangles.push([0, ring(0, i + 1), ring(0, i)], [ring(n - 2, i), ring(n - 2, i + 1), top]);
    for (let k = 0; k + 1 < n - 1; k++) {
      triangles.push([ring(k, i), ring(k, i + 1), ring(k + 1, i)]);
      triangles.push([ring(k, i + 1), ring(k + 1, i + 1), ring(k + 1, i)]);
    }
  }
}

function supertorus([n, radius, s, t]: readonly number[], points: Point[], triangles: Triangle[]): void {
  const at = (i: number, k: number): number => n * (i % n) + (k % n);
  for (let i = 0; i < n; i++)
    for (let k = 0; k < n; k++) {
      const [theta, phi] = [(2 * Math.PI * i) / n, (2 * Math.PI * k) / n];
      const from = 1 + radius * power(Math.cos(phi), s);
      points.push([
        from * power(Math.cos(theta), t),
        from * power(Math.sin(theta), t),
        radius * power(Math.sin(phi), s),
      ]);
      triangles.push([at(i, k), at(i + 1, k), at(i, k + 1)], [at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)]);
    }
}
