import { describe, expect, it } from 'vitest';
import { countOperations } from '../../../bench/count.js';
import { MechanismBuilder } from '../../../src/mechanism/builder.js';
import { createTree } from '../../../src/mechanism/tree.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { inShortestUnits } from '../../../src/plan/length-units.js';
import { createPlan, type Plan } from '../../../src/plan/plan.js';
import type { Mat3, Vec3 } from '../../../src/spatial/matrix3.js';

/** A chain of revolute joints, each placed alike in its parent. */
function chain(n: number, at: Vec3, rpy: Vec3): Plan {
  const builder = new MechanismBuilder();
  const inertia: Mat3 = [0.05, 0.002, 0.003, 0.002, 0.06, -0.004, 0.003, -0.004, 0.04];
  for (let i = 0; i < n; i++)
    builder.link(`b${i}`, {
      parent: i === 0 ? null : `b${i - 1}`,
      joint: { type: 'revolute', axis: i % 2 === 0 ? [0, 1, 0] : [1, 0, 0] },
      at,
      rpy,
      mass: 1 + 0.1 * i,
      com: [0.01, 0.02, 0.15],
      inertia,
    });
  return createPlan(createTree(builder.build()));
}

/** Operations that one more link adds, the mean of two: axes alternate. */
function growth(at: Vec3, rpy: Vec3): { multiplications: number; additions: number; trigonometric: number } {
  const [less, more] = [10, 12].map((n) => countOperations(chain(n, at, rpy), 'forward'));
  return {
    multiplications: (more.multiplications - less.multiplications) / 2,
    additions: (more.additions - less.additions) / 2,
    trigonometric: (more.trigonometric - less.trigonometric) / 2,
  };
}

describe('operation counts of forward dynamics', () => {
  it('a revolute joint with offset along an axis takes little more than half of the 199 and 174 of the literature', () => {
    const { multiplications, additions, trigonometric } = growth([0, 0, 0.3], [0, 0, 0]);
    expect(multiplications).toBeLessThanOrEqual(110);
    expect(additions).toBeLessThanOrEqual(125);
    expect(trigonometric).toBe(2);
  });

  it('a general placement costs one twist more, not a rotation matrix', () => {
    const { multiplications, additions } = growth([0.1, 0.2, 0.3], [0.3, 0.5, 0.7]);
    expect(multiplications).toBeLessThanOrEqual(215);
    expect(additions).toBeLessThanOrEqual(210);
  });

  it('is linear in the number of links for forward and inverse dynamics', () => {
    for (const task of ['forward', 'inverse'] as const) {
      const [a, b, c] = [10, 12, 14].map(
        (n) => countOperations(chain(n, [0, 0, 0.3], [0, 0, 0]), task).multiplications,
      );
      expect(c - b).toBe(b - a);
    }
  });
});

describe('units', () => {
  it('make the most common offset 1 and keep rotational inertias', () => {
    const plan = createPlan(createTree(builtinMechanism('chain-8')));
    const { length, links } = inShortestUnits(plan);
    expect(length).not.toBe(1);
    expect(links[3].t.map(Math.abs)).toContain(1);
    expect(links.map(({ sigma }) => sigma)).toEqual(plan.links.map(({ sigma }) => sigma));
  });
});
