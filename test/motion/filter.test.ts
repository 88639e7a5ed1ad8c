import { describe, expect, it } from 'vitest';
import { MechanismError } from '../../src/mechanism/errors.js';
import { Random } from '../../src/mechanism/random.js';
import { applyLowPass, checkLength, lowPass } from '../../src/motion/filter.js';

const RATE = 120;

function filtered(x: ArrayLike<number>, cutoff: number): Float64Array {
  const filter = lowPass(cutoff, 1 / RATE);
  const y = Float64Array.from(x);
  applyLowPass(filter, y, 0, 1, y.length, new Float64Array(y.length + 2 * filter.padding));
  return y;
}

/** Size and delay of a sine that went through, from the middle of a long signal. */
function response(frequency: number, cutoff: number): { gain: number; phase: number } {
  const n = 4800;
  const w = (2 * Math.PI * frequency) / RATE;
  const y = filtered(
    Array.from({ length: n }, (_, k) => Math.sin(w * k)),
    cutoff,
  );
  let [s, c, ss] = [0, 0, 0];
  for (let k = 1200; k < 3600; k++) {
    s += y[k] * Math.sin(w * k);
    c += y[k] * Math.cos(w * k);
    ss += Math.sin(w * k) ** 2;
  }
  return { gain: Math.hypot(s, c) / ss, phase: Math.atan2(c, s) };
}

describe('low-pass filter', () => {
  it.each([1, 6, 12, 30])('keeps 1/sqrt(2) of a sine at its cut-off of %d Hz, without delay', (cutoff) => {
    const { gain, phase } = response(cutoff, cutoff);
    expect(gain).toBeCloseTo(Math.SQRT1_2, 6);
    expect(Math.abs(phase)).toBeLessThan(1e-6);
  });

  it('is of fourth order: one over one plus the fourth power of the frequency, as the bilinear transform bends it', () => {
    // |H|^2 of one run of second order is 1 / (1 + r^4); two runs give that as their gain, with r^4 = sqrt(2) - 1 at 6 Hz.
    for (const frequency of [0.5, 3, 6, 10, 20, 40]) {
      const r = Math.tan((Math.PI * frequency) / RATE) / Math.tan((Math.PI * 6) / RATE);
      expect(response(frequency, 6).gain).toBeCloseTo(1 / (1 + (Math.SQRT2 - 1) * r ** 4), 6);
    }
  });

  it('leaves constants and straight lines as they are, to their ends', () => {
    const line = Array.from({ length: 60 }, (_, k) => 3 - 0.7 * k);
    filtered(line, 6).forEach((y, k) => {
      expect(y).toBeCloseTo(line[k], 12);
    });
    for (const y of filtered(new Array(60).fill(2.5), 6)) expect(y).toBeCloseTo(2.5, 12);
  });

  it('does not know which way time goes', () => {
    const random = new Random(5);
    const noise = Array.from({ length: 200 }, () => random.between(-1, 1));
    const there = filtered(noise, 6);
    const back = filtered([...noise].reverse(), 6).reverse();
    // The ends differ by what is left of the first run when the second begins.
    for (let k = 40; k < 160; k++) expect(there[k]).toBeCloseTo(back[k], 4);
  });

  it('filters every column of a table by itself', () => {
    const table = Float64Array.from({ length: 300 }, (_, k) => Math.sin(k * k));
    const filter = lowPass(6, 1 / RATE);
    const copy = table.slice();
    applyLowPass(filter, copy, 1, 3, 100, new Float64Array(100 + 2 * filter.padding));
    const column = filtered(
      Array.from({ length: 100 }, (_, k) => table[3 * k + 1]),
      6,
    );
    for (let k = 0; k < 100; k++) {
      expect(copy[3 * k + 1]).toBe(column[k]);
      expect(copy[3 * k]).toBe(table[3 * k]);
    }
  });

  it('refuses a cut-off above half the rate, and a motion that is too short', () => {
    expect(() => lowPass(60, 1 / RATE)).toThrow(/between 0 and 60 Hz/);
    expect(() => lowPass(Number.NaN, 1 / RATE)).toThrow(MechanismError);
    const filter = lowPass(6, 1 / RATE);
    expect(filter.padding).toBe(20);
    expect(() => checkLength(filter, 20, 6, 1 / RATE)).toThrow(/has 20 frames .* needs at least 21/);
    expect(() => checkLength(filter, 21, 6, 1 / RATE)).not.toThrow();
  });
});
