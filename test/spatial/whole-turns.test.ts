import { expect, it } from 'vitest';
import { Random } from '../../src/mechanism/random.js';
import { withoutWholeTurns } from '../../src/spatial/whole-turns.js';

it('looks the same as the angle, whatever its size', () => {
  const random = new Random(1);
  const angles = [1e6, -1e9, 1e16, 1e22, 1e100, 1e300, Number.MAX_VALUE, 3.3, 2 * Math.PI];
  for (let k = 0; k < 5000; k++) angles.push((k % 2 === 0 ? 1 : -1) * 10 ** random.between(1, 308));
  for (const x of angles) {
    const near = withoutWholeTurns(x);
    expect(Math.abs(near)).toBeLessThanOrEqual(Math.PI);
    expect(Math.abs(Math.sin(near) - Math.sin(x)), `${x}`).toBeLessThan(3e-16);
    expect(Math.abs(Math.cos(near) - Math.cos(x)), `${x}`).toBeLessThan(3e-16);
  }
});

it('knows the double that comes nearest to a multiple of pi / 2, to all digits', () => {
  // Kahan: 6381956970095103 * 2^797 is 4.687165924254628e-19 from an odd multiple of pi / 2.
  const x = 6381956970095103 * 2 ** 797;
  const near = Math.abs(withoutWholeTurns(x));
  // pi / 2 and its rounding error.
  expect(Math.abs(Math.abs(near - Math.PI / 2 - 6.123233995736766e-17))).toBeLessThan(2.3e-16);
  expect(Math.cos(x)).toBeCloseTo(0, 15);
  // Four times that is near a whole number of turns: nothing but the small rest is left.
  expect(Math.abs(withoutWholeTurns(4 * x)) / (4 * 4.687165924254628e-19)).toBeCloseTo(1, 14);
});
