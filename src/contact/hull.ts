// The convex hull of points: quickhull (Barber, Dobkin, Huhdanpaa 1996), then triangles of one plane merged to polygons.
//
// Exact enough: a point nearer to a plane than EPSILON times the extent of the points counts as lying in it, and a vertex
// that close to a face or an edge of others may be left out.

import { MechanismError } from '../mechanism/errors.js';

const EPSILON = 1e-11;

/** A convex polyhedron; in a plane two faces, back to back; on a line or at a point none. */
export interface Hull {
  /** 3, or less where all points lie in a plane, on a line, at a point. */
  readonly dimension: number;
  /** x, y, z of the vertices. */
  readonly points: Float64Array;
  /** Face f has the corners corners[starts[f]] to corners[starts[f + 1] - 1], counter-clockwise from outside. */
  readonly starts: Int32Array;
  readonly corners: Int32Array;
  /** Beside each corner: the number of the edge to the next corner. Both faces of an edge have the same number. */
  readonly edges: Int32Array;
  /** Beside each corner: the face on the other side of that edge. */
  readonly neighbours: Int32Array;
  /** Unit normal of each face, outward. */
  readonly normals: Float64Array;
  /** Vertices next to vertex v: around[aroundStarts[v]] to around[aroundStarts[v + 1] - 1]. */
  readonly aroundStarts: Int32Array;
  readonly around: Int32Array;
  /** Faces at vertex v, in the same way. */
  readonly fanStarts: Int32Array;
  readonly fan: Int32Array;
}

interface Triangle {
  readonly corners: readonly [number, number, number];
  /** Across the edge from corner k to the next. */
  readonly across: Triangle[];
  readonly normal: readonly [number, number, number];
  readonly offset: number;
  /** Points beyond its plane, the farthest one first. */
  outside: number[];
  farthest: number;
  gone: boolean;
}

/** Hull of points given as x, y, z of each. Duplicates, points in a plane, on a line or at one place are fine. */
export function convexHull(points: Float64Array): Hull {
  if (points.length === 0 || points.length % 3 !== 0 || !points.every(Number.isFinite))
    throw MechanismError.of('hull', '', 'A hull takes x, y and z of one or more points, all of them finite numbers.');
  return new Builder(points).build();
}

class Builder {
  readonly #p: Float64Array;
  readonly #count: number;
  #epsilon = 0;

  constructor(points: Float64Array) {
    this.#p = points;
    this.#count = points.length / 3;
  }

  build(): Hull {
    const p = this.#p;
    const ends = [0, 0, 0, 0, 0, 0];
    for (let i = 1; i < this.#count; i++)
      for (let k = 0; k < 3; k++) {
        if (p[3 * i + k] < p[3 * ends[2 * k] + k]) ends[2 * k] = i;
        if (p[3 * i + k] > p[3 * ends[2 * k + 1] + k]) ends[2 * k + 1] = i;
      }
    const widths = [0, 1, 2].map((k) => p[3 * ends[2 * k + 1] + k] - p[3 * ends[2 * k] + k]);
    const widest = widths.indexOf(Math.max(...widths));
    this.#epsilon = EPSILON * Math.max(...widths);
    const [a, b] = [ends[2 * widest], ends[2 * widest + 1]];
    if (widths[widest] === 0) return made(p, [[a]], 0);
    const c = this.#most((i) => this.#fromLine(a, b, i));
    if (this.#fromLine(a, b, c) <= this.#epsilon) return made(p, [this.#lineEnds(a, b)], 1);
    const normal = unit(crossOf(difference(p, a, b), difference(p, a, c)));
    const fromPlane = (i: number): number => along(normal, difference(p, a, i));
    const d = this.#most((i) => Math.abs(fromPlane(i)));
    if (Math.abs(fromPlane(d)) <= this.#epsilon) {
      const loop = outline(
        p,
        Array.from({ length: this.#count }, (_, i) => i),
        normal,
        this.#epsilon,
      );
      return made(p, [loop, [...loop].reverse()], 2);
    }
    const faces = this.#grow(fromPlane(d) < 0 ? [a, b, c, d] : [a, c, b, d]);
    return made(p, this.#merge(faces), 3);
  }

  /** The point that has most of something. */
  #most(of: (point: number) => number): number {
    let best = 0;
    let most = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < this.#count; i++) {
      const value = of(i);
      if (value > most) {
        best = i;
        most = value;
      }
    }
    return best;
  }

  #fromLine(a: number, b: number, i: number): number {
    const ab = difference(this.#p, a, b);
    return length(crossOf(ab, difference(this.#p, a, i))) / length(ab);
  }

  #lineEnds(a: number, b: number): number[] {
    const ab = difference(this.#p, a, b);
    const at = (i: number): number => along(ab, difference(this.#p, a, i));
    return [this.#most((i) => -at(i)), this.#most(at)];
  }

  #triangle(a: number, b: number, c: number): Triangle {
    const p = this.#p;
    const normal = unit(crossOf(difference(p, a, b), difference(p, a, c)));
    const offset = normal[0] * p[3 * a] + normal[1] * p[3 * a + 1] + normal[2] * p[3 * a + 2];
    return { corners: [a, b, c], across: [], normal, offset, outside: [], farthest: 0, gone: false };
  }

  #height({ normal, offset }: Triangle, i: number): number {
    const p = this.#p;
    return normal[0] * p[3 * i] + normal[1] * p[3 * i + 1] + normal[2] * p[3 * i + 2] - offset;
  }

  /** Gives each point to the first face that it lies beyond. */
  #assign(points: Iterable<number>, faces: readonly Triangle[]): void {
    for (const i of points)
      for (const face of faces) {
        const height = this.#height(face, i);
        if (height <= this.#epsilon) continue;
        if (height > face.farthest) {
          face.farthest = height;
          face.outside.unshift(i);
        } else face.outside.push(i);
        break;
      }
  }

  #grow([a, b, c, d]: readonly number[]): Triangle[] {
    // a, b, c counter-clockwise seen from outside, d behind their plane.
    const first = [this.#triangle(a, b, c), this.#triangle(a, d, b), this.#triangle(b, d, c), this.#triangle(c, d, a)];
    const [top, ab, bc, ca] = first;
    top.across.push(ab, bc, ca);
    ab.across.push(ca, bc, top);
    bc.across.push(ab, ca, top);
    ca.across.push(bc, ab, top);
    this.#assign(Array(this.#count).keys(), first);
    const faces = [...first];
    for (let at = 0; at < faces.length; at++) {
      const face = faces[at];
      if (face.gone || face.outside.length === 0) continue;
      faces.push(...this.#add(face, face.outside[0]));
    }
    return faces.filter(({ gone }) => !gone);
  }

  /** Replaces the faces that the point sees, or whose plane it lies in, by those from it to the horizon. */
  #add(seen: Triangle, point: number): Triangle[] {
    const visible = [seen];
    seen.gone = true;
    // Depth first around each face, entering by the edge that was crossed, gives the horizon in order.
    const horizon: { from: number; to: number; beyond: Triangle }[] = [];
    const stack: { face: Triangle; edge: number; left: number }[] = [{ face: seen, edge: 0, left: 3 }];
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      if (top.left === 0) {
        stack.pop();
        continue;
      }
      const { face, edge } = top;
      top.edge = (edge + 1) % 3;
      top.left--;
      const next = face.across[edge];
      if (next.gone) continue;
      const back = next.across.indexOf(face);
      if (this.#height(next, point) > -this.#epsilon) {
        next.gone = true;
        visible.push(next);
        stack.push({ face: next, edge: (back + 1) % 3, left: 2 });
      } else horizon.push({ from: face.corners[edge], to: face.corners[(edge + 1) % 3], beyond: next });
    }
    const made = horizon.map(({ from, to, beyond }) => {
      const face = this.#triangle(from, to, point);
      const k = beyond.corners.indexOf(to);
      beyond.across[k] = face;
      face.across.push(beyond);
      return face;
    });
    made.forEach((face, k) => {
      face.across.push(made[(k + 1) % made.length], made[(k + made.length - 1) % made.length]);
    });
    for (const { outside } of visible)
      this.#assign(
        outside.filter((i) => i !== point),
        made,
      );
    return made;
  }

  /** Corners of polygons: neighbours that lie in the plane of a triangle belong to it. */
  #merge(faces: readonly Triangle[]): number[][] {
    const done = new Set<Triangle>();
    // The largest first: planes of slivers are the least exact.
    const area = new Map(faces.map((face) => [face, this.#area(face)]));
    const flat = 10 * this.#epsilon;
    return [...faces]
      .sort((f, g) => area.get(g)! - area.get(f)!)
      .flatMap((seed) => {
        if (done.has(seed)) return [];
        done.add(seed);
        const group = [seed];
        for (let at = 0; at < group.length; at++)
          for (const next of group[at].across)
            if (!done.has(next) && next.corners.every((i) => Math.abs(this.#height(seed, i)) <= flat)) {
              done.add(next);
              group.push(next);
            }
        const corners = [...new Set(group.flatMap((face) => face.corners))];
        const loop = group.length === 1 ? corners : outline(this.#p, corners, seed.normal, flat);
        return loop.length >= 3 ? [loop] : [];
      });
  }

  #area({ corners: [a, b, c] }: Triangle): number {
    return length(crossOf(difference(this.#p, a, b), difference(this.#p, a, c)));
  }
}

type Vector = readonly [number, number, number];

function difference(p: Float64Array, from: number, to: number): Vector {
  return [p[3 * to] - p[3 * from], p[3 * to + 1] - p[3 * from + 1], p[3 * to + 2] - p[3 * from + 2]];
}

function crossOf(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function along(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function length(a: Vector): number {
  return Math.sqrt(along(a, a));
}

function unit(a: Vector): Vector {
  const s = 1 / length(a);
  return [s * a[0], s * a[1], s * a[2]];
}

/** Corners of the polygon that holds points of one plane, counter-clockwise about its normal: Andrew's monotone chain. */
function outline(p: Float64Array, points: readonly number[], normal: Vector, epsilon: number): number[] {
  const k = [0, 1, 2].reduce((most, i) => (Math.abs(normal[i]) > Math.abs(normal[most]) ? i : most), 0);
  const u = unit(crossOf([k === 1 ? 1 : 0, k === 2 ? 1 : 0, k === 0 ? 1 : 0], normal));
  const v = crossOf(normal, u);
  const at = (i: number): Vector => [p[3 * i], p[3 * i + 1], p[3 * i + 2]];
  const flat = points.map((i) => ({ i, x: along(u, at(i)), y: along(v, at(i)) }));
  flat.sort((a, b) => a.x - b.x || a.y - b.y || a.i - b.i);
  type Point = (typeof flat)[number];
  // Twice the area over the base: how far b lies right of the line from a to c.
  const beyond = (a: Point, b: Point, c: Point): number => {
    const [x, y] = [c.x - a.x, c.y - a.y];
    const base = Math.sqrt(x * x + y * y);
    return base === 0 ? 0 : (x * (a.y - b.y) - y * (a.x - b.x)) / base;
  };
  const half = (list: readonly Point[]): Point[] => {
    const chain: Point[] = [];
    for (const point of list) {
      while (chain.length >= 2 && beyond(chain.at(-2)!, chain.at(-1)!, point) <= epsilon) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(flat), ...half([...flat].reverse())].map(({ i }) => i);
}

/** The hull with vertices numbered anew, in the order of the points given. */
function made(p: Float64Array, loops: readonly (readonly number[])[], dimension: number): Hull {
  const used = [...new Set(loops.flat())].sort((a, b) => a - b);
  const number = new Map(used.map((old, k) => [old, k]));
  const faces = dimension >= 2 ? loops.map((loop) => loop.map((i) => number.get(i)!)) : [];
  const points = Float64Array.from(used.flatMap((i) => [p[3 * i], p[3 * i + 1], p[3 * i + 2]]));
  const edgeOf = new Map<string, { edge: number; faces: number[] }>();
  const key = (a: number, b: number): string => (a < b ? `${a} ${b}` : `${b} ${a}`);
  const around: Set<number>[] = used.map(() => new Set());
  const fan: number[][] = used.map(() => []);
  const each = (visit: (f: number, a: number, b: number) => void): void =>
    faces.forEach((loop, f) => {
      loop.forEach((a, k) => {
        visit(f, a, loop[(k + 1) % loop.length]);
      });
    });
  each((f, a, b) => {
    const known = edgeOf.get(key(a, b));
    if (known === undefined) edgeOf.set(key(a, b), { edge: edgeOf.size, faces: [f] });
    else known.faces.push(f);
    around[a].add(b);
    around[b].add(a);
    fan[a].push(f);
  });
  if (dimension === 1) {
    around[0].add(1);
    around[1].add(0);
  }
  const edges: number[] = [];
  const neighbours: number[] = [];
  each((f, a, b) => {
    const { edge, faces: two } = edgeOf.get(key(a, b))!;
    edges.push(edge);
    neighbours.push(two.find((g) => g !== f) ?? f);
  });
  const lists = around.map((set) => [...set].sort((a, b) => a - b));
  return {
    dimension,
    points,
    starts: startsOf(faces),
    corners: Int32Array.from(faces.flat()),
    edges: Int32Array.from(edges),
    neighbours: Int32Array.from(neighbours),
    normals: Float64Array.from(faces.flatMap((loop) => normalOf(points, loop))),
    aroundStarts: startsOf(lists),
    around: Int32Array.from(lists.flat()),
    fanStarts: startsOf(fan),
    fan: Int32Array.from(fan.flat()),
  };
}

function startsOf(lists: readonly (readonly number[])[]): Int32Array {
  const starts = new Int32Array(lists.length + 1);
  lists.forEach((list, k) => {
    starts[k + 1] = starts[k] + list.length;
  });
  return starts;
}

/** Newell's: the sum of areas seen from the first corner. */
function normalOf(points: Float64Array, loop: readonly number[]): Vector {
  const sum: [number, number, number] = [0, 0, 0];
  for (let k = 1; k + 1 < loop.length; k++) {
    const area = crossOf(difference(points, loop[0], loop[k]), difference(points, loop[0], loop[k + 1]));
    for (let i = 0; i < 3; i++) sum[i] += area[i];
  }
  return unit(sum);
}
