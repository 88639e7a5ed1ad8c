import { describe, expect, it } from 'vitest';
import { serialChain } from '../../bench/suites/schedule.js';
import {
  ENGINE_CONSTANTS,
  engineCost,
  PAPER_CONSTANTS,
  paperCost,
  ScheduleError,
  type ScheduleOptions,
  schedule,
  type Topology,
} from '../../src/schedule/index.js';

function errorOf(topology: Topology, options: ScheduleOptions): ScheduleError {
  try {
    schedule(topology, options);
  } catch (error) {
    expect(error).toBeInstanceOf(ScheduleError);
    expect((error as Error).message).toMatch(/^[A-Z].*\.$/);
    return error as ScheduleError;
  }
  return expect.unreachable();
}

const good = serialChain(3);
const paperWith = (changes: Partial<typeof PAPER_CONSTANTS>) => paperCost({ ...PAPER_CONSTANTS, ...changes });

describe('bad requests', () => {
  it('processors', () => {
    for (const processors of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e6, '2' as unknown as number]) {
      expect(errorOf(good, { processors }).code).toBe('bad-processors');
    }
  });

  it('costs', () => {
    const bad = [
      paperWith({ alpha: Number.NaN }),
      paperWith({ beta: Number.POSITIVE_INFINITY }),
      paperWith({ alpha: -1 }),
      paperWith({ beta: -1 }),
      paperWith({ delta: 0.5 }),
      paperWith({ handOver: -1 }),
      paperWith({ delta: '14' as unknown as number }),
      paperWith({ alpha: 1e308 }),
      engineCost({ ...ENGINE_CONSTANTS, joints: [] }),
      engineCost({ ...ENGINE_CONSTANTS, joints: [{ dof: 1, one: 2, two: 1 }] }),
      engineCost({ ...ENGINE_CONSTANTS, more: { quadratic: 0, linear: 0, constant: -1 } }),
      engineCost({ ...ENGINE_CONSTANTS, latency: Number.NaN }),
    ];
    for (const cost of bad) expect(errorOf(good, { processors: 2, cost }).code).toBe('bad-cost');
    expect(errorOf(good, { processors: 2, cost: paperWith({ delta: 0.5 }) }).fields.joint).toBe(0);
  });

  it('an empty mechanism', () => {
    expect(errorOf({ joints: 0, parent: [], dof: [] }, { processors: 2 }).code).toBe('empty-mechanism');
    expect(errorOf({ joints: Number.NaN, parent: [], dof: [] }, { processors: 2 }).code).toBe('empty-mechanism');
  });

  it('a topology that is not a tree', () => {
    const bad: [Topology, RegExp][] = [
      [{ joints: 2, parent: [-1, 2], dof: [1, 1] }, /Joint 1 names link 2; expected -1 \(base\) to 1/],
      [{ joints: 2, parent: [-1, -2], dof: [1, 1] }, /Joint 1 names link -2/],
      [{ joints: 2, parent: [-1, 1], dof: [1, 1] }, /Joint 1 connects link 1 with itself/],
      [{ joints: 3, parent: [-1, 2, 1], dof: [1, 1, 1] }, /is its own ancestor/],
      [{ joints: 2, parent: [-1, Number.NaN], dof: [1, 1] }, /Joint 1 names link NaN/],
      [{ joints: 2, parent: [-1], dof: [1, 1] }, /list "parent" has 1 entries/],
      [{ joints: 2, parent: [-1, 0], dof: [1, 7] }, /Joint 1 has 7 degrees of freedom/],
      [{ joints: 2, parent: [-1, 0], dof: [1, 1], names: ['a'] }, /list "names"/],
      [{ joints: 2, parent: [-1, 0], dof: [1, 1], loops: [{ a: 0, b: 5, dof: 1 }] }, /Joint 2 names link 5/],
      [
        { joints: 2, parent: [-1, 0], dof: [1, 1], loops: [{ a: 1, b: 1, dof: 1 }] },
        /Joint 2 connects link 1 with itself/,
      ],
      [{ joints: 2, parent: [-1, 0], dof: [1, 1], freeRoot: true }, /free-flying/],
    ];
    for (const [topology, reason] of bad) {
      const error = errorOf(topology, { processors: 2 });
      expect(error.code).toBe('bad-topology');
      expect(error.message).toMatch(reason);
    }
  });

  it('options', () => {
    for (const options of [
      { timeBudgetMs: Number.NaN },
      { timeBudgetMs: -1 },
      { closing: 'none' as 'any' },
      { chooseRoot: true },
    ]) {
      expect(errorOf(good, { processors: 2, ...options }).code).toBe('bad-option');
    }
  });
});

describe('cost models', () => {
  it('are plain numbers that scale', () => {
    const options = { processors: 4 };
    const microseconds = schedule(serialChain(40), options);
    const { alpha, beta, gamma, delta } = PAPER_CONSTANTS;
    const seconds = paperCost({ alpha: alpha * 1e-6, beta: beta * 1e-6, gamma: gamma * 1e-6, delta: delta * 1e-6 });
    const scaled = schedule(serialChain(40), { ...options, cost: seconds });
    expect(scaled.tree).toEqual(microseconds.tree);
    expect(scaled.makespan).toBeCloseTo(microseconds.makespan * 1e-6, 15);
  });

  it('a mechanism that costs nothing', () => {
    const found = schedule(good, { processors: 2, cost: paperCost({ alpha: 0, beta: 0, gamma: 0, delta: 0 }) });
    expect([found.makespan, found.gap, found.optimal]).toEqual([0, 0, true]);
  });

  it('of the engine survive JSON, and tell joint types apart', () => {
    const constants = JSON.parse(JSON.stringify(ENGINE_CONSTANTS)) as typeof ENGINE_CONSTANTS;
    expect(constants).toEqual(ENGINE_CONSTANTS);
    const planar = schedule(
      { joints: 1, parent: [-1], dof: [3], kind: ['planar'] },
      { processors: 1, cost: engineCost(constants) },
    );
    const ball = schedule(
      { joints: 1, parent: [-1], dof: [3], kind: ['spherical'] },
      { processors: 1, cost: engineCost(constants) },
    );
    const unknown = schedule(
      { joints: 1, parent: [-1], dof: [3], kind: ['toString'] },
      { processors: 1, cost: engineCost(constants) },
    );
    expect([planar.makespan, ball.makespan, unknown.makespan]).toEqual([0.1053, 0.073125, 0.1053]);
  });

  it('a hand-over that costs more than it saves is not made', () => {
    const cost = paperWith({ handOver: 1e6 });
    const found = schedule(serialChain(30), { processors: 4, cost });
    expect(found.makespan).toBe(found.serial);
    expect(found.assignment.every(([from]) => from === 0)).toBe(true);
    expect(found.timeline.flat().some(({ phase }) => phase === 'hand-over')).toBe(false);
  });
});
