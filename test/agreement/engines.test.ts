// Every engine with every feature: the same answer as the plain engine's, and a report that says who computed it. The table
// stands in docs/promises.md.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batch } from '../../src/batch/index.js';
import type { BatchOptions } from '../../src/batch/options.js';
import { connect } from '../../src/dynamics/connect.js';
import { type DynamicsOptions, dynamics } from '../../src/dynamics/dynamics.js';
import { type Gpu, openGpu } from '../../src/engines/gpu/index.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { ParallelDynamics } from '../../src/engines/threads/parallel-dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { reroot } from '../../src/mechanism/reroot.js';
import { State } from '../../src/mechanism/state.js';
import { mechanismSpec } from '../../src/mechanism/variants.js';
import { builtinMechanism } from '../../src/models/index.js';
import { randomMechanism, randomVector, relativeError } from '../support/random-mechanism.js';
import { hasSoftwareGpu } from '../support/software-gpu.js';

const ENGINES = ['plain', 'wasm', 'compiled', 'threads', 'auto'] as const;

interface Feature {
  readonly mechanism: Mechanism;
  readonly state: State;
  readonly external?: boolean;
  readonly jointForces?: boolean;
  readonly options?: Partial<DynamicsOptions>;
  readonly armature?: boolean;
}

const human = builtinMechanism('human-34');
/** A small tree: what a feature adds is compiled sooner there than in a whole figure. */
const small = randomMechanism(6, { bodies: 5, base: 'floating', types: ['revolute', 'spherical'] });
const start = State.random(small, 3);
const mixed = randomMechanism(5, { bodies: 8, base: 'floating', armature: true });
const two = { a: [0.05, 0, 0, 0, 0.06, 0, 0, 0, 0.07] as const };

function redundant(): Feature {
  const mechanism = createMechanism({
    bodies: [
      { name: 'frame', mass: 5, com: [0.3, 0.1, 0.2], inertia: two.a },
      { name: 'door', mass: 1, com: [0.4, 0.05, 0.5], inertia: two.a },
    ],
    joints: [
      { name: 'base', type: 'spherical', parent: null, child: 'frame' },
      { name: 'hinge', type: 'revolute', parent: 'frame', child: 'door', axis: [0, 0, 1], t: [0.2, 0, 0] },
    ],
    loops: [
      {
        name: 'second',
        type: 'revolute',
        axis: [0, 0, 1],
        a: { body: 'frame', t: [0.2, 0, 1] },
        b: { body: 'door', t: [0, 0, 1] },
      },
    ],
  });
  return { mechanism, state: State.random(mechanism, 9) };
}

function massless(): Feature {
  const mechanism = createMechanism({
    bodies: [
      { name: 'cross', mass: 0 },
      { name: 'arm', mass: 1, com: [0.1, 0.2, 1], inertia: two.a },
    ],
    joints: [
      { name: 'x', type: 'revolute', parent: null, child: 'cross', axis: [1, 0, 0] },
      { name: 'y', type: 'revolute', parent: 'cross', child: 'arm', axis: [0, 1, 0] },
    ],
  });
  return { mechanism, state: State.random(mechanism, 2) };
}

function warned(): Feature {
  const mechanism = createMechanism(
    {
      bodies: [{ name: 'a', mass: 1, com: [0.1, 0, 0], inertia: [1, 0, 0, 0, 1, 0, 0, 0, 5] }],
      joints: [{ name: 'j', type: 'universal', parent: null, child: 'a', axis: [1, 0, 0], axis2: [0, 1, 0] }],
    },
    { inertia: 'warn' },
  );
  return { mechanism, state: State.random(mechanism, 2) };
}

function coupled(): Feature {
  const mechanism = createMechanism({
    ...mechanismSpec(builtinMechanism('chain-4-free')),
    couplings: [{ joint: 'joint_3', source: 'joint_2', multiplier: 0.5 }],
  });
  return { mechanism, state: State.random(mechanism, 2) };
}

function large(): Feature {
  const mechanism = builtinMechanism('chain-8');
  const state = State.random(mechanism, 4);
  state.q.forEach((x, k) => {
    state.q[k] = 1e9 * x;
  });
  return { mechanism, state };
}

const FEATURES: readonly (readonly [string, () => Feature])[] = [
  ['a figure', () => ({ mechanism: human, state: State.random(human, 3) })],
  ['all joint types', () => ({ mechanism: randomMechanism(12), state: State.random(randomMechanism(12), 1) })],
  ['re-rooted', () => reroot(small, start, { top: 'b4', at: [0.1, 0.2, 0.3], joint: 'floating' })],
  ['another root', () => ({ mechanism: mixed, state: State.random(mixed, 1), options: { root: 'b5' } })],
  ['armature', () => ({ mechanism: mixed, state: State.random(mixed, 1) })],
  ['armature as an option', () => ({ mechanism: mixed, state: State.random(mixed, 1), armature: true })],
  ['couplings', coupled],
  [
    'a loop',
    () =>
      connect(small, start, {
        name: 'hold',
        a: 'b4',
        b: null,
        joint: { type: 'revolute', axis: [0, 1, 0] },
        at: [0, 0, 1],
      }),
  ],
  ['a redundant loop', redundant],
  ['external forces', () => ({ mechanism: small, state: start, external: true })],
  ['joint forces', () => ({ mechanism: small, state: start, jointForces: true })],
  ['massless links', massless],
  ['large angles', large],
  ['warned inertia', warned],
  [
    'zero gravity',
    () => {
      const mechanism = createMechanism({ ...mechanismSpec(small), gravity: [0, 0, 0] });
      return { mechanism, state: State.random(mechanism, 1) };
    },
  ],
];

const COLUMNS = [...ENGINES, 'two threads', 'batch on threads', ...(hasSoftwareGpu() ? ['batch on a GPU'] : [])];
const table: string[] = [];
let gpu: Gpu | undefined;
beforeAll(async () => {
  if (hasSoftwareGpu()) gpu = await openGpu();
});
afterAll(() => {
  gpu?.close();
  console.log(`| feature | ${COLUMNS.join(' | ')} |\n${table.join('\n')}`);
  // Rows of the document, one for each feature; several of one kind share a line.
  const text = readFileSync(new URL('../../docs/promises.md', import.meta.url), 'utf8');
  const written = [...text.matchAll(/^\| ([^|]+) (\| .*\|)$/gm)].flatMap(([, names, rest]) =>
    names.split(', ').map((name) => `| ${name} ${rest}`),
  );
  if (gpu !== undefined && table.length === FEATURES.length) expect(written).toEqual(expect.arrayContaining(table));
});

/** Rows of a batch, each the given state; what computes them. */
async function batched(
  { mechanism, state }: Feature,
  tau: Float64Array,
  options: Partial<BatchOptions>,
): Promise<{ readonly qdd: Float64Array[]; readonly engine: string }> {
  const states = 3;
  const many = await batch(mechanism, { states, ...options });
  await many.ready();
  const repeated = (numbers: Float64Array): number[] => Array.from({ length: states }, () => [...numbers]).flat();
  many.write('q', repeated(state.q));
  many.write('v', repeated(state.v));
  many.write('tau', repeated(tau));
  await many.forward();
  const rows = Float64Array.from(many.read('qdd'));
  const { engine } = many.report().functions.find(({ name }) => name === 'forward')!;
  many.dispose();
  const { nv } = mechanism;
  return { qdd: Array.from({ length: states }, (_, s) => rows.slice(s * nv, (s + 1) * nv)), engine };
}

describe.each(FEATURES)('%s', (name, make) => {
  it('is the same on every engine', async () => {
    const { mechanism, state, external, jointForces, options = {}, armature } = make();
    const tau = randomVector(7, mechanism.nv, 2);
    const bodies = mechanism.bodies.length;
    const chosen = (forces: Float64Array) => ({
      ...(external === true && { external: randomVector(8, 6 * bodies, 5) }),
      ...(jointForces === true && { jointForces: forces }),
      ...(armature === true && { armature: randomVector(9, mechanism.nv, 0.4).map(Math.abs) }),
    });
    const [expectedForces, forces] = [new Float64Array(6 * bodies), new Float64Array(6 * bodies)];
    const readable = new PlainDynamics(mechanism);
    const algorithm = mechanism.loops.length > 0 ? ('ada' as const) : ('dense' as const);
    const expected = readable.forward(state, tau, { ...chosen(expectedForces), algorithm });
    const energy = readable.energy(state);
    const row: string[] = [];
    for (const engine of ENGINES) {
      const each = dynamics(mechanism, { engine, ...options });
      await each.ready();
      const where = `${name}, ${engine}`;
      expect(relativeError(each.forward(state, tau, chosen(forces)), expected), where).toBeLessThan(1e-8);
      if (jointForces === true) expect(relativeError(forces, expectedForces), where).toBeLessThan(1e-8);
      expect(relativeError(each.poses(state), readable.poses(state)), where).toBeLessThan(1e-10);
      expect(Math.abs(each.energy(state).kinetic - energy.kinetic), where).toBeLessThan(1e-9 * (1 + energy.kinetic));
      const runs = each.report().functions.find((f) => f.name === 'forward')!;
      if (engine !== 'auto' && runs.engine !== engine) expect(runs.reason, where).toMatch(/\S/);
      row.push(runs.engine);
      each.dispose();
    }
    // As many threads as were asked for, whether they pay or not.
    const parallel = new ParallelDynamics(mechanism, { threads: 2, prefer: 'parallel', ...options });
    await parallel.ready();
    expect(relativeError(parallel.forward(state, tau, chosen(forces)), expected), `${name}, threads`).toBeLessThan(
      1e-8,
    );
    row.push(parallel.runs('forward').engine);
    parallel.dispose();
    const devices: Partial<BatchOptions>[] = [{ threads: 2 }];
    // Generic code, which takes a software device long to compile, is tried in test/engines/gpu.
    if (gpu !== undefined) devices.push({ device: 'gpu', gpu: { device: gpu, variant: 'registers' } });
    for (const device of devices) {
      // A batch has no such options.
      if (external === true || jointForces === true || armature === true) {
        row.push('-');
        continue;
      }
      const { qdd, engine } = await batched({ mechanism, state }, tau, device);
      for (const each of qdd)
        expect(relativeError(each, expected), `${name}, batch on the ${device.device ?? 'CPU'}`).toBeLessThan(
          device.device === 'gpu' ? 1e-3 : 1e-8,
        );
      row.push(engine);
    }
    table.push(`| ${name} | ${row.join(' | ')} |`);
  });
});
