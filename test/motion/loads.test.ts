import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import type { ExternalForce } from '../../src/formats/external-loads.js';
import { parseStorage } from '../../src/formats/storage.js';
import { MechanismBuilder } from '../../src/mechanism/builder.js';
import { State } from '../../src/mechanism/state.js';
import { inverseOfMotion } from '../../src/motion/inverse.js';
import { AppliedLoads } from '../../src/motion/loads.js';
import { add, cross, type Vec3 } from '../../src/spatial/matrix3.js';

const mechanism = new MechanismBuilder()
  .link('box', { parent: null, joint: { type: 'floating' }, mass: 2, inertia: [1, 0, 0, 0, 1, 0, 0, 0, 1] })
  .build();

const FORCE: ExternalForce = {
  name: 'right',
  body: 'box',
  forceFrame: 'ground',
  pointFrame: 'ground',
  force: 'f',
  point: 'p',
  torque: 'm',
};
const LABELS = ['f', 'p', 'm'].flatMap((name) => ['x', 'y', 'z'].map((axis) => name + axis));
const table = (rows: readonly string[], labels = LABELS) =>
  parseStorage(`t\nendheader\ntime ${labels.join(' ')}\n${rows.join('\n')}\n`);
const loadsOf = (rows: readonly string[], force: Partial<ExternalForce> = {}, labels = LABELS) =>
  new AppliedLoads({ forces: [{ ...FORCE, ...force }], dataFile: '' }, table(rows, labels), mechanism, 'grf.mot');

/** Turned a quarter about z and moved. */
const state = new State(mechanism).set('box', [Math.SQRT1_2, 0, 0, Math.SQRT1_2, 1, 2, 3]);
const pose = new PlainDynamics(mechanism).poses(state);
const ROWS = ['0 0 0 10 1 0 0 0 0 2', '1 0 0 20 2 0 0 0 0 4'];

describe('measured forces', () => {
  it('act at their point, linear between rows', () => {
    const [{ force, moment }] = loadsOf(ROWS).at(0.25, pose);
    expect(force).toEqual([0, 0, 12.5]);
    const expected = add(cross([1.25, 0, 0], [0, 0, 12.5]), [0, 0, 2.5]);
    moment.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k], 12);
    });
    // Before the beginning and after the end the first and the last row.
    expect(loadsOf(ROWS).at(-5, pose)[0].force).toEqual([0, 0, 10]);
    expect(loadsOf(ROWS).at(9, pose)[0].force).toEqual([0, 0, 20]);
  });

  it('may be given in the coordinates of a body, and without a point at its origin', () => {
    const rows = ['0 7 0 0 1 0 0 0 0 0', '1 7 0 0 1 0 0 0 0 0'];
    // x of the body is y of the ground.
    const [turned] = loadsOf(rows, { forceFrame: 'box', pointFrame: 'box' }).at(0, pose);
    turned.force.forEach((value, k) => {
      expect(value).toBeCloseTo([0, 7, 0][k], 12);
    });
    const point: Vec3 = [1, 3, 3];
    turned.moment.forEach((value, k) => {
      expect(value).toBeCloseTo(cross(point, [0, 7, 0])[k], 12);
    });
    const [atOrigin] = loadsOf(rows, { point: undefined }).at(0, pose);
    atOrigin.moment.forEach((value, k) => {
      expect(value).toBeCloseTo(cross([1, 2, 3], [7, 0, 0])[k], 12);
    });
  });

  it('need no point while there is no force', () => {
    const rows = ['0 0 0 0 nan nan nan 0 0 0', '1 0 0 9 nan nan nan 0 0 0'];
    expect(loadsOf(rows).at(0, pose)[0].force).toEqual([0, 0, 0]);
    expect(() => loadsOf(rows).at(0.5, pose)).toThrow(/force "right": It is not defined at 0.5 s/);
  });

  it('hold up a box that stands still', () => {
    const still = {
      mechanism,
      start: 0,
      interval: 0.1,
      count: 3,
      q: Float64Array.from([state.q, state.q, state.q].flatMap((q) => [...q])),
      v: new Float64Array(18),
      qdd: new Float64Array(18),
    };
    const loads = loadsOf(['0 0 0 19.62 1 2 0 0 0 0', '1 0 0 19.62 1 2 0 0 0 0']);
    for (const { tau, support } of inverseOfMotion(still, { feet: [], loads }).frames) {
      expect(support).toBe('measured');
      for (const value of tau) expect(Math.abs(value)).toBeLessThan(1e-12);
    }
  });

  it('are refused where body or column are not there', () => {
    expect(() => loadsOf(ROWS, { body: 'foot' })).toThrow(/There is no body "foot"/);
    expect(() => loadsOf(ROWS, { force: 'g' })).toThrow(/grf\.mot: There is no column "gx", which the loads name/);
    const mixed = ['fx', 'px', 'fy', 'fz', 'py', 'pz', 'mx', 'my', 'mz'];
    expect(() => loadsOf(ROWS, {}, mixed)).toThrow(/must stand side by side/);
  });
});
