// Sine, cosine and angles of vectors that are the same in every JavaScript engine.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Graph } from '../../src/formulas/graph.js';
import { sincos } from '../../src/formulas/trig.js';
import { Random } from '../../src/mechanism/random.js';
import { angleOf, cosine, sine } from '../../src/spatial/trigonometry.js';
import { withoutWholeTurns } from '../../src/spatial/whole-turns.js';
import { runner } from '../formulas/run-graph.js';

const random = new Random(11);
const anyAngle = (k: number): number => random.between(-1, 1) * 10 ** ((k % 13) - 6);

describe('sine and cosine', () => {
  it('have the bits of the formulas in generated code', () => {
    const g = new Graph();
    const [s, c] = sincos(g, g.input(0, 0));
    g.output(1, 0, s);
    g.output(1, 1, c);
    const run = runner(g);
    for (let k = 0; k < 3000; k++) {
      const x = k < 200 ? (k - 100) * (Math.PI / 4) : anyAngle(k);
      const { out } = run([x]);
      expect(sine(x) === out[0] && cosine(x) === out[1], `angle ${x}`).toBe(true);
    }
  });

  it('are those of Math to a unit in the last place, and exact beyond 1e6 rad', () => {
    for (let k = 0; k < 20_000; k++) {
      const x = anyAngle(k);
      for (const [own, other] of [
        [sine(x), Math.sin(x)],
        [cosine(x), Math.cos(x)],
      ])
        expect(Math.abs(own - other), `angle ${x}`).toBeLessThanOrEqual(2 ** -52 * Math.abs(other));
    }
    for (const x of [1e6, -1.5e6, 1e8, -1e16, 1e300]) {
      expect(sine(x)).toBe(sine(withoutWholeTurns(x)));
      expect(sine(x)).toBeCloseTo(Math.sin(x), 14);
      expect(cosine(x)).toBeCloseTo(Math.cos(x), 14);
    }
    for (const x of [Number.NaN, Number.POSITIVE_INFINITY])
      expect([sine(x), cosine(x)]).toEqual([Number.NaN, Number.NaN]);
    expect([sine(0), cosine(0)]).toEqual([0, 1]);
  });
});

describe('the angle of a vector', () => {
  it('is that of Math to a unit in the last place, in every direction', () => {
    const special = [0, -0, 1, -1, 1e-300, -1e300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];
    for (const y of special) for (const x of special) expect(angleOf(y, x)).toBe(Math.atan2(y, x));
    for (let k = 0; k < 20_000; k++) {
      const [y, x] = [anyAngle(k), anyAngle(7 * k)];
      expect(Math.abs(angleOf(y, x) - Math.atan2(y, x)), `${y}, ${x}`).toBeLessThanOrEqual(4.5e-16);
    }
  });
});

it('the engines, joints and integrators use no others', () => {
  const used: string[] = [];
  for (const folder of [
    'spatial',
    'joints',
    'mechanism',
    'plan',
    'engines/plain',
    'dynamics',
    'reference',
    'simulation',
  ]) {
    const root = new URL(`../../src/${folder}/`, import.meta.url);
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name === 'trigonometry.ts') continue;
      const found = readFileSync(new URL(name, root), 'utf8').match(/Math\.(sin|cos|tan|atan2?|asin|acos)\(/g);
      if (found !== null) used.push(`${folder}/${name}: ${found.join(' ')}`);
    }
  }
  expect(used).toEqual([]);
});
