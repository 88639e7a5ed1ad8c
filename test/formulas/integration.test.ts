// Moves along velocities and passive forces as formulas, against the joint types and Math.

import { describe, expect, it } from 'vitest';
import { hasQuaternion, LARGEST_TURN, localRate, movePosition } from '../../src/formulas/integration.js';
import { tanh } from '../../src/formulas/passive.js';
import { VectorGraph } from '../../src/formulas/vectors.js';
import { JOINT_TYPES } from '../../src/joints/index.js';
import { Random } from '../../src/mechanism/random.js';
import type { FormulaType } from '../../src/plan/plan.js';
import { runner } from './run-graph.js';

const TYPES = JOINT_TYPES.filter(({ name }) => name !== 'fixed' && name !== 'continuous');

describe('moves along velocities', () => {
  for (const model of TYPES) {
    const { name, nq, nv } = model;
    const type = name as FormulaType;
    it(`${name}: as the joint type does it`, () => {
      const g = new VectorGraph();
      const q = g.inputs(0, 0, nq);
      const u = g.inputs(0, nq, nv);
      const v = g.inputs(0, nq + nv, nv);
      const moved = movePosition(g, type, q, u, { precision: 'double', normalise: true });
      const rate = localRate(g, type, u, v);
      [...moved, ...rate].forEach((node, k) => {
        g.output(1, k, node);
      });
      const run = runner(g);
      const random = new Random(5);
      for (let trial = 0; trial < 300; trial++) {
        const given = Float64Array.from({ length: nq + 2 * nv }, () => random.between(-1, 1));
        if (hasQuaternion(type)) {
          given.set(random.quaternion());
          const size = trial === 0 ? 0 : 10 ** random.between(-9, 0) * LARGEST_TURN;
          const turn = random.direction();
          for (let k = 0; k < 3; k++) given[nq + k] = size * turn[k];
        }
        const result = run(Array.from(given)).out;
        const expected = given.slice(0, nq);
        model.integrate(expected, 0, given, nq, 1);
        const expectedRate = new Float64Array(nv);
        model.localRate(expectedRate, 0, given, nq, given, nq + nv);
        for (const [k, x] of [...expected, ...expectedRate].entries())
          expect(Math.abs(result[k] - x), `${name}, trial ${trial}, number ${k}`).toBeLessThan(4e-15);
      }
    });
  }
});

describe('tanh', () => {
  it('is good to rounding of numbers near one', () => {
    const g = new VectorGraph();
    g.output(1, 0, tanh(g, g.input(0, 0)));
    const run = runner(g);
    const random = new Random(6);
    for (let trial = 0; trial < 2000; trial++) {
      const x = trial === 0 ? 0 : random.between(-1, 1) * 10 ** random.between(-6, 6);
      expect(Math.abs(run([x]).out[0] - Math.tanh(x)), `x = ${x}`).toBeLessThan(5e-15);
    }
  });
});
