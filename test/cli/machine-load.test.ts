// Measuring commands say when other programs use the cores.

import { expect, it } from 'vitest';
import { coresInUse } from '../../bench/machine.js';

const core = (idle: number, user: number, sys = 0) => ({ times: { idle, user, sys } });

it('cores in use are counted from what the system says before and after', () => {
  const before = [core(1000, 500), core(2000, 0)];
  expect(coresInUse(before, [core(1000, 600), core(2100, 0)])).toBeCloseTo(1, 12);
  expect(coresInUse(before, [core(1050, 550), core(2000, 50, 50)])).toBeCloseTo(1.5, 12);
  expect(coresInUse(before, before)).toBe(0);
});
