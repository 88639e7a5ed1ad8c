import { describe, expect, it } from 'vitest';
import { pairedUnits, singleUnits } from '../../src/formulas/lanes.js';
import { createTree } from '../../src/mechanism/tree.js';
import { builtinMechanism } from '../../src/models/index.js';
import { createPlan } from '../../src/plan/plan.js';
import { randomMechanism } from '../support/random-mechanism.js';

const planOf = (name: string) => createPlan(createTree(builtinMechanism(name)));

describe('plan', () => {
  it('is plain data', () => {
    const plan = planOf('human-34');
    expect(structuredClone(plan)).toEqual(plan);
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });

  it('has no fixed joints, and loses no mass but that which only the ground feels', () => {
    const mechanism = randomMechanism(5, { bodies: 12, types: ['fixed', 'spherical', 'prismatic'], base: 'floating' });
    expect(mechanism.joints.some(({ type }) => type === 'fixed')).toBe(true);
    const plan = createPlan(createTree(mechanism));
    expect(plan.links.length).toBe(mechanism.joints.filter(({ type }) => type !== 'fixed').length);
    const total = (masses: readonly { mass: number }[]): number => masses.reduce((sum, { mass }) => sum + mass, 0);
    expect(total(plan.links)).toBeCloseTo(total(mechanism.bodies), 12);
  });

  it('moves what a joint cannot feel to the parent', () => {
    for (const { type, mass, h, sigma } of planOf('human-34').links) {
      if (type !== 'revolute') continue;
      expect([mass, h[2], sigma[5]]).toEqual([0, 0, 0]);
    }
  });
});

describe('lanes', () => {
  it('pairs left and right limbs of a human figure', () => {
    const plan = planOf('human-34');
    const units = pairedUnits(plan);
    expect(units.flatMap(({ links }) => links).sort((a, b) => a - b)).toEqual(plan.links.map((_, i) => i));
    const pairs = units.filter(({ links }) => links.length === 2);
    expect(pairs.length).toBeGreaterThan(8);
    for (const { links } of pairs) expect(plan.links[links[0]].type).toBe(plan.links[links[1]].type);
  });

  it('the parent of a unit holds the parents of its links, and comes first', () => {
    const plan = planOf('human-161');
    const units = pairedUnits(plan);
    units.forEach(({ links, parent }, i) => {
      expect(parent).toBeLessThan(i);
      links.forEach((link, lane) => {
        const above = parent < 0 ? [-1] : units[parent].links;
        expect(plan.links[link].parent).toBe(above[above.length === 1 ? 0 : lane]);
      });
    });
  });

  it('leaves a chain as it is', () => {
    const plan = planOf('chain-32');
    expect(pairedUnits(plan)).toEqual(singleUnits(plan));
  });
});
