// Inverse kinematics: poses that can be reached are reached, within the limits; what cannot is said by how much.

import { describe, expect, it } from 'vitest';
import { arms } from '../../bench/arms.js';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { MechanismBuilder } from '../../src/mechanism/builder.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { mechanismSpec } from '../../src/mechanism/variants.js';
import { rowsOf } from '../../src/toolbox/ik-tasks.js';
import { type IkTask, InverseKinematics, inverseKinematics, numericalDerivative } from '../../src/toolbox/index.js';
import { json, manikin, output } from '../cli/support.js';
import { randomCoupled } from '../support/random-couplings.js';
import { randomMechanism, relativeError } from '../support/random-mechanism.js';
import { hasShared, sharedPath } from '../support/shared.js';

const COUNT = process.env.MANIKIN_LONG === '1' ? 1000 : 100;

function withinLimits(mechanism: Mechanism, q: Float64Array): void {
  for (const { model, iq, limits } of mechanism.joints) {
    if (model.nv !== 1) continue;
    expect(q[iq]).toBeGreaterThanOrEqual(limits.lower ?? Number.NEGATIVE_INFINITY);
    expect(q[iq]).toBeLessThanOrEqual(limits.upper ?? Number.POSITIVE_INFINITY);
  }
}

describe('arms', () => {
  it.each(arms(sharedPath('data/urdf')))(
    `$name: ${COUNT} poses from random starts, and a path followed`,
    ({ mechanism, frame }) => {
      const door = dynamics(mechanism);
      const task = { kind: 'pose' as const, frame, pose: door.pose(new State(mechanism), frame) };
      const solver = new InverseKinematics(mechanism, [task]);
      const found = new State(mechanism);
      let reached = 0;
      for (let k = 0; k < COUNT; k++) {
        task.pose = door.pose(State.random(mechanism, 100 + k), frame);
        const { q, converged } = solver.solve(State.random(mechanism, 5000 + k).q);
        withinLimits(mechanism, q);
        if (!converged) continue;
        found.q.set(q);
        const { E, t } = door.pose(found, frame);
        if (
          Math.max(...E.map((x, i) => Math.abs(x - task.pose.E[i])), ...t.map((x, i) => Math.abs(x - task.pose.t[i]))) <
          1e-8
        )
          reached++;
      }
      expect(reached / COUNT).toBeGreaterThanOrEqual(0.995);
      // Followed without jumps.
      const path = new State(mechanism);
      path.q.set(solver.solve().q);
      let last: Float64Array = path.q.slice();
      let followed = 0;
      for (let k = 0; k < 50; k++) {
        for (let j = 0; j < mechanism.nv; j++) path.q[j] += 0.002 * Math.sin(j + k / 10);
        task.pose = door.pose(path, frame);
        const { q, converged, starts } = solver.solve();
        if (!converged || starts > 1) continue;
        expect(Math.max(...q.map((x, i) => Math.abs(x - last[i])))).toBeLessThan(0.3);
        last = q;
        followed++;
      }
      expect(followed).toBeGreaterThan(40);
    },
  );
});

describe('rows of the tasks', () => {
  it.each([1, 2, 3, 4, 5, 6])('seed %i: Jacobians against differences', (seed) => {
    const mechanism = randomMechanism(seed + 300, { bodies: 6 });
    const door = dynamics(mechanism, { engine: 'plain' });
    const state = State.random(mechanism, seed);
    const { nv, bodies } = mechanism;
    const from = {
      mechanism,
      state,
      poses: new Float64Array(12 * bodies.length),
      columns: new Float64Array(6 * nv),
    };
    const point = { frame: 'b5', at: [0.1, 0.2, -0.3] as const };
    const pose = door.pose(state, point);
    const axis = [0, 0.6, 0.8] as const;
    const along = [0, 1, 2].map((k) => pose.E[k] * axis[0] + pose.E[3 + k] * axis[1] + pose.E[6 + k] * axis[2]);
    const direction = [along[0], along[1], along[2]] as const;
    const ball = mechanism.joints.find(({ model }) => model.nv > 0)!;
    const tasks: IkTask[] = [
      { kind: 'pose', frame: point, pose },
      { kind: 'position', frame: point, position: [1, 2, 3] },
      { kind: 'direction', frame: point, axis, direction },
      { kind: 'gaze', frame: point, axis, target: [0, 1, 2].map((k) => pose.t[k] + 2 * along[k]) as never },
      { kind: 'centreOfMass', position: [1, 0, 0] },
      { kind: 'joint', joint: ball.name, position: state.q.slice(ball.iq, ball.iq + ball.model.nq) },
    ];
    for (const task of tasks) {
      const rows = rowsOf(task, from);
      const residual = (moved: State): Float64Array => {
        state.copy(moved);
        door.poses(state, { out: from.poses });
        const r = new Float64Array(rows.rows);
        rows.residual(r, 0);
        return r;
      };
      const here = state.clone();
      const expected = numericalDerivative(mechanism, here, 'q', residual);
      residual(here);
      door.jacobians(state, { out: from.columns });
      const J = new Float64Array(rows.rows * nv);
      rows.jacobian(J, 0);
      const size = Math.max(...expected.map(Math.abs), 1e-3);
      expect(Math.max(...J.map((x, k) => Math.abs(x - expected[k]))) / size, rows.name).toBeLessThan(1e-7);
    }
  });
});

function arm(): Mechanism {
  const builder = new MechanismBuilder('arm');
  for (let k = 0; k < 4; k++)
    builder.link(`l${k}`, {
      parent: k === 0 ? null : `l${k - 1}`,
      joint: { type: 'revolute', name: `j${k}`, axis: k % 2 === 0 ? [0, 0, 1] : [0, 1, 0] },
      at: k === 0 ? [0, 0, 0] : [1, 0, 0],
      mass: 1,
      inertia: [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1],
    });
  return builder.build();
}

it('half a turn away is not met', () => {
  const mechanism = arm();
  const state = new State(mechanism);
  for (const [x, y, z] of [
    [-1, 0, 0],
    [-1, 1e-12, 0],
    [-1, 0, -1e-7],
  ] as const)
    for (const task of [
      { kind: 'direction', frame: 'l3', axis: [1, 0, 0], direction: [x, y, z] },
      { kind: 'gaze', frame: 'l3', axis: [1, 0, 0], target: [9 * x, 9 * y, 9 * z] },
    ] as const) {
      const { q, converged } = inverseKinematics(mechanism, [task]);
      expect(converged).toBe(true);
      state.q.set(q);
      const { E, t } = dynamics(mechanism).pose(state, 'l3');
      const goal = task.kind === 'gaze' ? task.target.map((value, k) => value - t[k]) : task.direction;
      expect((E[0] * goal[0] + E[1] * goal[1] + E[2] * goal[2]) / Math.hypot(...goal)).toBeCloseTo(1, 12);
      expect(inverseKinematics(mechanism, [task], { iterations: 0, starts: 1 }).error).toBeGreaterThan(3);
    }
});

it('a result is filled again where it is given', () => {
  const solver = new InverseKinematics(arm(), [{ kind: 'position', frame: 'l3', position: [1, 1, 0] }]);
  const first = solver.solve();
  const copy = structuredClone(first);
  expect(solver.solve(copy.q, first)).toBe(first);
  expect(first).toEqual({ ...copy, iterations: 0, starts: 1 });
  expect(() => solver.solve(undefined, { ...first, q: new Float64Array(1) })).toThrow(/out.q: Expected 4 numbers/);
});

it('every task has its own line, also two points of one frame', () => {
  const points = [1, 0.5].map((x) => ({ frame: 'l3', at: [x, 0, 0] as const }));
  const tasks = points.map((frame, k): IkTask => ({ kind: 'position', frame, position: [1, k, 0] }));
  expect(inverseKinematics(arm(), tasks, { starts: 1 }).tasks).toHaveLength(2);
});

it('followers go with a start that is brought into the limits', () => {
  const spec = mechanismSpec(arm());
  const joints = spec.joints.map((joint) => ({ ...joint, ...(joint.name === 'j0' && { limits: { upper: 0.5 } }) }));
  const mechanism = createMechanism({ ...spec, joints, couplings: [{ joint: 'j1', source: 'j0', multiplier: 2 }] });
  const { q } = inverseKinematics(mechanism, [{ kind: 'position', frame: 'l0', position: [0, 0, 0] }], {
    start: Float64Array.from([1, 2, 0, 0]),
  });
  expect([...q.subarray(0, 2)]).toEqual([0.5, 1]);
});

it.each([
  [{ kind: 'position', frame: 'l3', position: [1, Number.NaN, 0] }, /position of l3.*finite/],
  [{ kind: 'position', frame: 'l3', position: [1] }, /position of l3.*finite/],
  [{ kind: 'direction', frame: 'l3', axis: [1, 0, 0], direction: [0, 0, 0] }, /direction of l3.*not zero/],
  [{ kind: 'position', frame: 'l3', position: [1, 0, 0], weight: 0 }, /weight must be a positive number, got 0/],
  [{ kind: 'joint', joint: 'j1', position: [1, 2] }, /joint j1.*Expected 1 numbers, got 2/],
  [{ kind: 'joint', joint: 'j1', position: [] }, /joint j1.*Expected 1 numbers, got 0/],
  [{ kind: 'gaze', frame: 'l3', axis: [1, 0, 0] }, /gaze of l3.*has its target as "target"/],
  [{ kind: 'point', frame: 'l3', position: [1, 0, 0] }, /no such task; there are pose, position/],
  [{ kind: 'position', position: [1, 0, 0] }, /position of nothing: Say whose it is/],
  [{ kind: 'position', frame: 'l3', position: [1, 0, 0], priority: Number.NaN }, /The priority is not a number/],
  [{ kind: 'direction', frame: 'l3', axis: [Number.NaN, 0, 0], direction: [0, 0, 1] }, /axis must be three finite/],
  ...[
    [2, 0, 0, 0, 2, 0, 0, 0, 2],
    [0, 0, 0, 0, 0, 0, 0, 0, 0],
    [1, 0, 0, 0, 1, 0, 0, 0, -1],
    [1, 0, 0, 0.1, 1, 0, 0, 0, 1],
  ].map((E) => [{ kind: 'pose', frame: 'l3', pose: { E, t: [1, 0, 0] } }, /pose of l3: .* is not a rotation/] as const),
] as const)('%j is refused', (task, message) => {
  expect(() => inverseKinematics(arm(), [task as never])).toThrow(message);
});

it('weights, priorities, and tasks that cannot be met', () => {
  const mechanism = arm();
  expect(() => inverseKinematics(mechanism, [])).toThrow(/no tasks/);
  const tip = { frame: 'l3', at: [1, 0, 0] } as const;
  const far: IkTask = { kind: 'position', frame: tip, position: [9, 0, 0], name: 'far' };
  for (const [options, message] of [
    [{ starts: 0 }, /starts: Expected 1 or more, got 0/],
    [{ iterations: Number.NaN }, /iterations: Expected 0 or more, got NaN/],
    [{ tolerance: -1 }, /tolerance: Expected a positive number, got -1/],
    [{ start: new Float64Array(mechanism.nq).fill(Number.NaN) }, /start: Expected finite numbers/],
  ] as const)
    expect(() => inverseKinematics(mechanism, [far], options)).toThrow(message);
  const alone = inverseKinematics(mechanism, [far]);
  expect(alone.converged).toBe(false);
  expect(alone.tasks).toEqual([{ name: 'far', error: expect.closeTo(5, 6), met: false }]);
  const elbow: IkTask = {
    kind: 'position',
    frame: { frame: 'l1', at: [1, 0, 0] },
    position: [1.2, 1.5, 0.3],
    name: 'elbow',
  };
  const reach: IkTask = { kind: 'position', frame: tip, position: [2, 0.5, 1], name: 'reach' };
  const conflict = [
    { ...reach, priority: 0 },
    { ...elbow, priority: 1 },
  ];
  const first = inverseKinematics(mechanism, conflict, { starts: 20 });
  expect(first.tasks.find(({ name }) => name === 'reach')!.error).toBeLessThan(1e-8);
  const second = inverseKinematics(
    mechanism,
    [
      { ...reach, priority: 1 },
      { ...elbow, priority: 0 },
    ],
    { starts: 20 },
  );
  expect(second.tasks.find(({ name }) => name === 'reach')!.error).toBeGreaterThan(1e-3);
  const even = inverseKinematics(mechanism, [reach, elbow], { starts: 20 });
  const mostly = inverseKinematics(mechanism, [{ ...reach, weight: 10 }, elbow], { starts: 20 });
  const error = (result: typeof even): number => result.tasks.find(({ name }) => name === 'reach')!.error;
  expect(error(mostly)).toBeLessThan(error(even));
});

it('coupled joints follow, limits of followers hold', () => {
  for (const seed of [1, 2, 3]) {
    const mechanism = randomCoupled(seed, { base: 'fixed', forest: false });
    const door = dynamics(mechanism);
    const last = mechanism.bodies.at(-1)!.name;
    const goal = State.random(mechanism, seed);
    const { q, error } = inverseKinematics(mechanism, [
      { kind: 'position', frame: last, position: door.pose(goal, last).t },
    ]);
    expect(error).toBeLessThan(1e-8);
    for (const { joint, source, multiplier, offset } of mechanism.couplings) {
      const { joints } = mechanism;
      expect(q[joints[joint].iq]).toBeCloseTo(multiplier * q[joints[source].iq] + offset, 12);
    }
  }
});

it('loops stay closed', () => {
  const rod = (name: string, parent: string | null, at: readonly [number, number, number]) => ({
    name,
    parent,
    at,
  });
  const bodies = [
    rod('a', null, [0, 0, 0]),
    rod('b', 'a', [1, 0, 0]),
    rod('c', null, [1.5, 0, 0]),
    rod('d', 'c', [1, 0, 0]),
  ];
  const mechanism = createMechanism({
    name: 'five-bar',
    bodies: bodies.map(({ name }) => ({
      name,
      mass: 1,
      com: [0.5, 0, 0],
      inertia: [0.01, 0, 0, 0, 0.1, 0, 0, 0, 0.1],
    })),
    joints: bodies.map(({ name, parent, at }) => ({
      name,
      parent,
      child: name,
      type: 'revolute',
      axis: [0, 0, 1],
      t: at,
    })),
    loops: [
      {
        name: 'pin',
        type: 'revolute',
        axis: [0, 0, 1],
        a: { body: 'b', t: [1, 0, 0] },
        b: { body: 'd', t: [1, 0, 0] },
      },
    ],
  });
  const target = [0.9, 1.3, 0] as const;
  const { q, error, tasks } = inverseKinematics(mechanism, [
    { kind: 'position', frame: { frame: 'b', at: [1, 0, 0] }, position: target },
  ]);
  expect(error).toBeLessThan(1e-8);
  expect(tasks.map(({ name }) => name)).toContain('loops');
  const state = new State(mechanism);
  state.q.set(q);
  const door = dynamics(mechanism, { engine: 'plain' });
  for (const frame of ['b', 'd'])
    expect(relativeError(door.pose(state, { frame, at: [1, 0, 0] }).t, target)).toBeLessThan(1e-8);
});

describe('manikin ik', () => {
  it('reaches, says how near where it cannot, and refuses what it does not understand', async () => {
    const model = sharedPath('data/urdf/panda.urdf');
    if (!hasShared('data/urdf/panda.urdf')) return;
    const words = ['ik', model, '--quiet', '--frame', 'panda_hand_tcp'];
    const found = await json(...words, '--pose', '0.4,0.1,0.5,0,1,0,0');
    expect(Object.keys(found)).toEqual(expect.arrayContaining(['converged', 'iterations', 'error', 'joints', 'tasks']));
    expect(found.converged).toBe(true);
    expect(found.tasks).toEqual([{ name: 'pose of panda_hand_tcp', error: found.error, met: true }]);
    expect(found.joints.map(({ name }: { name: string }) => name)).toContain('panda_joint4');
    expect(await output(...words, '--position', '4,0,0', '--starts', '3')).toMatch(
      /position of panda_hand_tcp is off by [23]\./,
    );
    for (const bad of [['--pose', '1,2'], ['--pose', '0,0,0,0,0,0,0'], ['--position', '1,2,x'], []])
      expect((await manikin(...words, ...bad)).code).toBe(2);
    expect((await manikin(...words, '--position', '0,0,0', '--out', 'q.mot')).err).toMatch(/--out is for markers/);
    expect((await manikin('ik', model, '--frame', 'panda_hand_tc', '--position', '0,0,0')).err).toMatch(
      /panda_hand_tcp/,
    );
  });
});
