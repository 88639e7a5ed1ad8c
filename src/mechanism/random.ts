import { cosine, sine } from '../spatial/trigonometry.js';

/** A small reproducible generator (splitmix32): the same seed gives the same numbers on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** Uniform in [0, 1), 32 bits. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let z = this.#state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) / 4294967296;
  }

  /** A number from `low` up to `high`. */
  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** An integer from 0 to n - 1. */
  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  /** One of the items. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)];
  }

  /** A unit vector, all directions alike. */
  direction(): [number, number, number] {
    const z = this.between(-1, 1);
    const angle = this.between(-Math.PI, Math.PI);
    const r = Math.sqrt(1 - z * z);
    return [r * cosine(angle), r * sine(angle), z];
  }

  /** A unit quaternion, all rotations alike (Shoemake). */
  quaternion(): [number, number, number, number] {
    const u = this.next();
    const [a, b] = [this.between(0, 2 * Math.PI), this.between(0, 2 * Math.PI)];
    const [r, s] = [Math.sqrt(1 - u), Math.sqrt(u)];
    return [s * cosine(b), r * sine(a), r * cosine(a), s * sine(b)];
  }
}
