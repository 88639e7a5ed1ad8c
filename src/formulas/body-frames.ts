// Results for bodies: their frames stand still in the links that they are part of.

import type { BodyPlace, Plan } from '../plan/plan.js';
import type { Node } from './graph.js';
import type { Unit } from './lanes.js';
import { RESULT } from './links.js';
import type { NodeMat3, NodeVec3, VectorGraph } from './vectors.js';

export const vec = (x: readonly Node[]): NodeVec3 => [x[0], x[1], x[2]];

/**
 * The bodies that are part of a unit (of the ground where there is none): in pairs where two links share the lanes, each
 * with its frame in the link; `lane` gives the lanes of a value of the unit that are theirs.
 */
export function forBodies(
  g: VectorGraph,
  { bodies }: Pick<Plan, 'bodies'>,
  unit: Unit | undefined,
  visit: (bodies: readonly number[], E: NodeMat3, r: NodeVec3, lane: (x: Node) => Node) => void,
): void {
  const on = (link: number): number[] => [...bodies.keys()].filter((body) => bodies[body].link === link);
  const [first, second = []] = unit === undefined ? [on(-1)] : unit.links.map(on);
  const numbers = (from: number, to: number, a: BodyPlace, b: BodyPlace): Node[] =>
    a.X.slice(from, to).map((x, k) => g.constant(x, b.X[from + k]));
  const visitBoth = (a: number, b: number, lane: (x: Node) => Node): void => {
    const [A, B] = [bodies[a], bodies[b]];
    visit(a === b ? [a] : [a, b], numbers(0, 9, A, B), vec(numbers(9, 12, A, B)), lane);
  };
  const pairs = Math.min(first.length, second.length);
  for (let k = 0; k < pairs; k++) visitBoth(first[k], second[k], (x) => x);
  const single = unit === undefined || unit.links.length === 1;
  for (const body of first.slice(pairs)) visitBoth(body, body, (x) => (single ? x : g.lane(x, 0)));
  for (const body of second.slice(pairs)) visitBoth(body, body, (x) => g.lane(x, 1));
}

/** Number k of each of the bodies, in a part of the result that begins at `start`. Memory begins as zeros. */
export function writeNumbers(
  g: VectorGraph,
  start: number,
  [a, b]: readonly number[],
  stride: number,
  k: number,
  node: Node,
): void {
  if (g.is(node, 0)) return;
  const at = (body: number): number => start + stride * body + k;
  writeAt(g, b === undefined ? [at(a)] : [at(a), at(b)], node);
}

/** A number of the result, at one place or at two. */
export function writeAt(g: VectorGraph, places: readonly number[], node: Node): void {
  const [a, b] = places;
  if (b === undefined) g.output(RESULT, a, node);
  else if (g.lanes[node] === 2) g.output(RESULT, a, node, b);
  else for (const at of places) g.output(RESULT, at, node);
}
