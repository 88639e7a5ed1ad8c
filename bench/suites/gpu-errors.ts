// Errors of the formulas for the GPU, section by section, without a device: what is named is computed in 32 bits as a
// device with fma does it, all else in double precision. The results themselves are always rounded.

import { existsSync, readFileSync } from 'node:fs';
import { multiplyAddSums } from '#src/emit/multiply-add-sums.js';
import { Links, writeAccelerations } from '#src/engines/gpu/formulas.js';
import { limbForward } from '#src/engines/gpu/split.js';
import { PlainDynamics } from '#src/engines/plain/plain-dynamics.js';
import { parseDescription } from '#src/formats/index.js';
import { ADD, CONSTANT, type Graph, INPUT, NEG, SUB } from '#src/formulas/graph.js';
import type { Rotation } from '#src/formulas/rotation.js';
import { VectorGraph } from '#src/formulas/vectors.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';
import { State } from '#src/mechanism/state.js';
import { builtinMechanism } from '#src/models/index.js';
import { type Errors, errorsOf, forwardIn, inPasses, planOf, whole } from '../../test/support/gpu-precision.js';
import type { Precision } from '../../test/support/graph-values.js';

const SHARED = '../shared/reference/bench';

const SECTIONS = [
  'constants of the mechanism',
  'poses',
  'velocity terms and bias forces',
  'sums of inertias and forces',
  'elimination of joints',
  'inertias turned to the parent',
  'accelerations on the way down',
] as const;
type Section = (typeof SECTIONS)[number];

/** The section of each node, by graph: that in which it was made first. */
const sections = new WeakMap<Graph, (Section | undefined)[]>();
const current = new WeakMap<Graph, Section | undefined>();

function within<T>(g: VectorGraph, section: Section, make: () => T): T {
  const close = (): void => {
    const list = sections.get(g) ?? [];
    sections.set(g, list);
    for (let n = list.length; n < g.size; n++) list.push(current.get(g));
  };
  close();
  const before = current.get(g);
  current.set(g, section);
  try {
    return make();
  } finally {
    close();
    current.set(g, before);
  }
}

/** From here on nodes are marked when they are made. */
function markSections(): void {
  const { place, move, moveAgain, receive, handOver, solve, accelerate } = Links.prototype;
  const { addAll } = VectorGraph.prototype;
  const turned = (g: VectorGraph, rotation: Rotation): Rotation => ({
    toLink: (x) => rotation.toLink(x),
    toParent: (x) => within(g, 'inertias turned to the parent', () => rotation.toParent(x)),
    symToParent: (A) => within(g, 'inertias turned to the parent', () => rotation.symToParent(A)),
    inertiaToParent: (J) => within(g, 'inertias turned to the parent', () => rotation.inertiaToParent(J)),
    matToParent: (A) => within(g, 'inertias turned to the parent', () => rotation.matToParent(A)),
  });
  Links.prototype.place = function (i, link) {
    within(this.g, 'poses', () => place.call(this, i, link));
    this.poses[i] = { ...this.poses[i], rotation: turned(this.g, this.poses[i].rotation) };
  };
  Links.prototype.move = function (i) {
    within(this.g, 'velocity terms and bias forces', () => move.call(this, i));
  };
  Links.prototype.moveAgain = function (i) {
    within(this.g, 'velocity terms and bias forces', () => moveAgain.call(this, i));
  };
  Links.prototype.receive = function (i, up) {
    within(this.g, 'sums of inertias and forces', () => receive.call(this, i, up));
  };
  VectorGraph.prototype.addAll = function (a, b) {
    return within(this, 'sums of inertias and forces', () => addAll.call(this, a, b));
  };
  Links.prototype.handOver = function (i) {
    return within(this.g, 'elimination of joints', () => handOver.call(this, i));
  };
  Links.prototype.solve = function (i) {
    within(this.g, 'elimination of joints', () => solve.call(this, i));
  };
  Links.prototype.accelerate = function (i, finish) {
    within(this.g, 'accelerations on the way down', () => accelerate.call(this, i, finish));
  };
}

const only =
  (section: Section | undefined): Precision =>
  (n, graph) =>
    section !== undefined &&
    (graph.op[n] === CONSTANT ? section === SECTIONS[0] : sections.get(graph)?.[n] === section);

/** Operations of a device with fma, and numbers that go from one kernel to the next. */
function operations(graphs: readonly Graph[]): number {
  let count = 0;
  for (const graph of graphs) {
    const { live, inlined, terms } = multiplyAddSums(graph);
    for (let n = 0; n < graph.size; n++) {
      const op = graph.op[n];
      if (live[n] === 0 || inlined[n] === 1 || op <= INPUT || op === NEG) continue;
      const list = op === ADD || op === SUB ? terms(n) : [];
      count += list.length === 0 ? 1 : list.length - (list[0].product ? 0 : 1);
    }
  }
  return count;
}

function ways(mechanism: Mechanism): Map<string, { graphs: readonly Graph[]; kept: number }> {
  const plan = planOf(mechanism);
  const limbs = limbForward(plan, writeAccelerations(plan));
  const list = new Map([['one kernel', { graphs: whole(mechanism), kept: 0 }]]);
  if (limbs !== undefined) list.set('one limb per thread', { graphs: inPasses(limbs), kept: limbs.kept });
  return list;
}

/** The results are numbers of 32 bits in any case. */
function errors(mechanism: Mechanism, graphs: readonly Graph[], precision: Precision, states?: number, first?: number) {
  const compute = forwardIn(precision, graphs);
  const rounded = errorsOf(mechanism, (state, tau) => compute(state, tau).map((x) => Math.fround(x)), states, first);
  return short(rounded);
}

const short = ({ worst, median }: Errors): object => ({
  worst: Number(worst.toPrecision(3)),
  median: Number(median.toPrecision(3)),
});

/** What the rounding of coordinates, velocities and joint forces to 32 bits does by itself. */
function inputErrors(mechanism: Mechanism): object {
  const readable = new PlainDynamics(mechanism);
  return short(
    errorsOf(mechanism, (_rounded, tau, s = 0) => {
      const given = State.random(mechanism, s + 1);
      return readable.forward(given, tau);
    }),
  );
}

export function run(): object {
  markSections();
  const models = new Map<string, Mechanism>([
    ['human-34', builtinMechanism('human-34')],
    ['human-161', builtinMechanism('human-161')],
  ]);
  for (const name of [...models.keys()]) {
    const file = `${SHARED}/${name}.json`;
    if (existsSync(file))
      models.set(`${name} of the shared benchmark`, parseDescription(readFileSync(file, 'utf8')).mechanism);
    else console.error(`skipped: ${file} is not there`);
  }
  const results: object[] = [];
  for (const [model, mechanism] of models)
    for (const [way, { graphs, kept }] of ways(mechanism))
      results.push({
        model,
        way,
        operations: operations(graphs),
        between: kept,
        'all in 32 bits': errors(mechanism, graphs, 32),
        'the same, 640 other states': errors(mechanism, graphs, 32, 640, 64),
        'in 32 bits only': Object.fromEntries([
          ['the result', errors(mechanism, graphs, only(undefined))],
          ['coordinates, velocities', inputErrors(mechanism)],
          ...SECTIONS.map((section) => [section, errors(mechanism, graphs, only(section))]),
        ]),
      });
  return results;
}
