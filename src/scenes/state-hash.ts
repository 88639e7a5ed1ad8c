// A hash over the numbers of all states of a run: two runs with the same one had the same bits.

/** Sixteen hexadecimal digits. */
export const hashText = (halves: readonly [number, number]): string =>
  halves.map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');

/** FNV-1a over the words of the numbers, twice, with different multipliers. */
export class StateHash {
  /** Two halves of the hash. */
  halves: [number, number] = [0x811c9dc5 | 0, 0x2545f491];
  #numbers = new Float64Array(64);
  #words = new Int32Array(this.#numbers.buffer);

  add(values: ArrayLike<number>): void {
    if (values.length > this.#numbers.length) {
      this.#numbers = new Float64Array(2 * values.length);
      this.#words = new Int32Array(this.#numbers.buffer);
    }
    this.#numbers.set(values);
    let [a, b] = this.halves;
    for (let k = 0; k < 2 * values.length; k++) {
      a = Math.imul(a ^ this.#words[k], 0x01000193);
      a ^= a >>> 15;
      b = Math.imul(b ^ this.#words[k], 0x9e3779b1 | 0);
      b ^= b >>> 13;
    }
    this.halves = [a, b];
  }

  get text(): string {
    return hashText(this.halves);
  }
}
