// The links of one mechanism as formulas: constants in the code, coordinates read from memory, one link or two in the
// lanes of each value.

import { isLinear, type ScaledPlan } from '../plan/length-units.js';
import type { Plan, PlanLink } from '../plan/plan.js';
import { INPUT, NEG, type Node } from './graph.js';
import type { LinkFormulas } from './joints.js';
import type { Unit } from './lanes.js';
import { sincos } from './trig.js';
import type { NodeVec3, VectorGraph } from './vectors.js';

/** Arrays that the formulas read and write, by their number in the graph. */
export const Q = 0;
export const V = 1;
export const TAU = 2;
export const QDD = 3;
export const MASS_MATRIX = 4;
export const ARMATURE = 5;
export const EXTERNAL = 6;
/** What a task computes beside those. */
export const RESULT = 7;

export interface UnitFormulas extends LinkFormulas {
  readonly unit: Unit;
  /** For each degree of freedom what velocities and accelerations in memory are multiplied with: sense, and units ... */
  readonly rates: readonly Node[];
  /** ... and forces. */
  readonly forces: readonly Node[];
}

/** Where the numbers of a unit stand, in both lanes; `other` is the plan of the second lane where that is another block's. */
const at = (unit: Unit, offset: (link: PlanLink) => number, plan: Plan, other?: Plan): readonly [number, number] => {
  const [first, second] = unit.links;
  if (other !== undefined) return [offset(plan.links[first]), offset(other.links[first])];
  return [offset(plan.links[first]), second === undefined ? -1 : offset(plan.links[second])];
};

export interface UnitOptions {
  /** The lanes are already taken by two states, so nothing else may use them. */
  readonly twoStates: boolean;
  /** The lanes are taken by two blocks: the plan of the second one, link by link like the first. */
  readonly other?: ScaledPlan;
  /** Nothing moves: velocities are taken for zero, whatever stands in memory. */
  readonly atRest?: boolean;
  /** The whole force through every joint is written, too. Only in plans whose links keep all of their mass. */
  readonly jointForces?: boolean;
  /** Forces from outside and the armature of damped joints are read from memory. */
  readonly loaded?: boolean;
}

export function unitFormulas(
  g: VectorGraph,
  plan: ScaledPlan,
  units: readonly Unit[],
  { twoStates, other, loaded = false, atRest = false }: UnitOptions,
): UnitFormulas[] {
  const angles = new AnglePairs(g);
  const made = units.map((unit): UnitFormulas => {
    const [first, beside = first] = unit.links.map((i) => plan.links[i]);
    const second = other === undefined ? beside : other.links[unit.links[0]];
    const number = (of: (link: PlanLink) => number): Node => g.constant(of(first), of(second));
    const numbers = (of: (link: PlanLink) => readonly number[]): Node[] =>
      of(first).map((_, k) => number((link) => of(link)[k]));
    const vector = (of: (link: PlanLink) => readonly number[]): NodeVec3 => g.vec((k) => number((link) => of(link)[k]));
    const { type, nq, nv } = first;
    // Coordinates in memory are the author's: in metres, and along the axis in the author's sense.
    const unitOf = (k: number, power: number): Node => {
      const factor = isLinear(type, k) ? plan.length ** power : 1;
      return number((link) => link.sense * factor);
    };
    const degrees = Array.from({ length: nv }, (_, k) => k);
    const rates = degrees.map((k) => unitOf(k, -1));
    const positions = readUnit(g, plan, unit, Q, (link) => link.iq, nq, other);
    const velocities = atRest ? degrees.map(() => g.zero) : readUnit(g, plan, unit, V, (link) => link.iv, nv, other);
    return {
      unit,
      type,
      E: numbers((link) => link.E),
      t: vector((link) => link.t),
      mass: number((link) => link.mass),
      h: vector((link) => link.h),
      sigma: numbers((link) => link.sigma),
      parameters: vector((link) => link.parameters),
      armature:
        loaded && (first.damped || second.damped)
          ? readUnit(g, plan, unit, ARMATURE, (link) => link.iv, nv).map((x, k) =>
              g.mul(g.constant(isLinear(type, k) ? plan.length ** 2 : 1), x),
            )
          : numbers((link) => link.armature),
      rates,
      forces: degrees.map((k) => unitOf(k, 1)),
      // A quaternion has one number more than its velocity.
      q: positions.map((x, k) => g.mul(unitOf(k - (nq - nv), -1), x)),
      v: velocities.map((x, k) => g.mul(rates[k], x)),
      sincos: (x) => angles.sincos(x, first.angle, second.angle),
    };
  });
  // Single angles share a vector two by two, in the order in which they will be needed.
  if (twoStates) return made;
  for (const { type, q, unit } of made)
    for (const x of anglesOf(type, q)) angles.announce(x, plan.links[unit.links[0]].angle);
  return made;
}

function anglesOf(type: LinkFormulas['type'], q: readonly Node[]): readonly Node[] {
  switch (type) {
    case 'revolute':
    case 'helical':
    case 'cylindrical':
      return [q[0]];
    case 'universal':
      return q;
    case 'planar':
      return [q[2]];
    default:
      return [];
  }
}

/** The coordinates of a unit in an array. */
export function readUnit(
  g: VectorGraph,
  plan: Plan,
  unit: Unit,
  array: number,
  offset: (link: PlanLink) => number,
  count: number,
  other?: Plan,
): Node[] {
  const [i, j] = at(unit, offset, plan, other);
  return Array.from({ length: count }, (_, k) => g.input(array, i + k, j < 0 ? -1 : j + k));
}

/** The force from outside on the links of a unit. */
export function readExternal(g: VectorGraph, { length }: ScaledPlan, { links: [i, j] }: Unit): Node[] {
  const force = g.constant(length);
  return Array.from({ length: 6 }, (_, k) => {
    const component = g.input(EXTERNAL, 6 * i + k, j === undefined ? -1 : 6 * j + k);
    return k < 3 ? component : g.mul(force, component);
  });
}

/** Writes a value of degree of freedom k of a unit. */
export function writeUnit(
  g: VectorGraph,
  plan: Plan,
  unit: Unit,
  array: number,
  k: number,
  value: Node,
  other?: Plan,
): void {
  const [i, j] = at(unit, (link) => link.iv, plan, other);
  if (j < 0) g.output(array, i + k, value);
  else if (g.wide || g.lanes[value] === 2) g.output(array, i + k, value, j + k);
  else {
    g.output(array, i + k, value);
    g.output(array, j + k, value);
  }
}

/** Sines and cosines of single angles, computed two at a time in the lanes of one vector. */
class AnglePairs {
  readonly #g: VectorGraph;
  readonly #known = new Map<Node, readonly [Node, Node]>();
  /** For an angle the one that shares its vector, and what is added to that. */
  readonly #partner = new Map<Node, { readonly angle: Node; readonly offset: number }>();
  #waiting: { readonly angle: Node; readonly offset: number } | undefined;

  constructor(g: VectorGraph) {
    this.#g = g;
  }

  announce(x: Node, offset: number): void {
    const { op, a, lanes } = this.#g;
    const own = op[x] === NEG ? { angle: a[x], offset: -offset } : { angle: x, offset };
    if (op[own.angle] !== INPUT || lanes[own.angle] !== 1 || this.#partner.has(own.angle)) return;
    const other = this.#waiting;
    this.#waiting = other === undefined ? own : undefined;
    if (other === undefined) return;
    this.#partner.set(other.angle, own);
    this.#partner.set(own.angle, other);
  }

  /** [sin, cos] of x + offset; in the second lane x + secondOffset. */
  sincos(x: Node, offset: number, secondOffset: number): readonly [Node, Node] {
    const g = this.#g;
    if (g.op[x] === NEG) {
      const [s, c] = this.sincos(g.a[x], -offset, -secondOffset);
      return [g.neg(s), c];
    }
    const known = this.#known.get(x);
    if (known !== undefined) return known;
    const other = this.#partner.get(x);
    if (other === undefined || g.opaqueTrig) return sincos(g, g.add(x, g.constant(offset, secondOffset)));
    const two = g.input(g.a[x], g.b[x], g.b[other.angle]);
    const [s, c] = sincos(g, g.add(two, g.constant(offset, other.offset)));
    this.#known.set(x, [g.lane(s, 0), g.lane(c, 0)]);
    this.#known.set(other.angle, [g.lane(s, 1), g.lane(c, 1)]);
    return this.#known.get(x)!;
  }
}
