// Arithmetic that writes down every operation, so that running an algorithm counts it. Counted is what a program made
// for the mechanism has to execute for each state (the paper's "customised" operations):
//
// - numbers of the mechanism are known beforehand: operations among them alone are done once and not counted,
// - x * 0, x * 1, x * -1, x + 0 and 0 / x need no operation,
// - a change of sign is free, since a + (-b) is a - b,
// - an operation whose result nobody uses is left out.
//
// Nothing else is simplified: what an algorithm computes twice is counted twice.

import type { Arithmetic } from './arithmetic.js';

/** Operations of one run of an algorithm. */
export interface Operations {
  readonly multiplications: number;
  /** Additions and subtractions. */
  readonly additions: number;
  readonly divisions: number;
  /** Sines and cosines. */
  readonly trigonometric: number;
}

/** An operation of a Trace, by its place in it. */
export type TraceStep = number & { readonly brand?: 'Step' };

const CONSTANT = 0;
const VARIABLE = 1;
const ADD = 2;
const MULTIPLY = 3;
const DIVIDE = 4;
const TRIGONOMETRIC = 5;
const NEGATE = 6;

const NONE = -1;

export class Trace implements Arithmetic<TraceStep> {
  #kind = new Uint8Array(4096);
  #a = new Int32Array(4096);
  #b = new Int32Array(4096);
  #value = new Float64Array(4096);
  #size = 0;

  /** Number of steps so far. */
  get size(): number {
    return this.#size;
  }

  constant(x: number): TraceStep {
    return this.#step(CONSTANT, NONE, NONE, x);
  }

  variable(x: number): TraceStep {
    return this.#step(VARIABLE, NONE, NONE, x);
  }

  add(a: TraceStep, b: TraceStep): TraceStep {
    if (this.#is(a, 0)) return b;
    if (this.#is(b, 0)) return a;
    return this.#operation(ADD, a, b, this.#value[a] + this.#value[b]);
  }

  sub(a: TraceStep, b: TraceStep): TraceStep {
    if (this.#is(b, 0)) return a;
    if (this.#is(a, 0)) return this.neg(b);
    return this.#operation(ADD, a, b, this.#value[a] - this.#value[b]);
  }

  mul(a: TraceStep, b: TraceStep): TraceStep {
    if (this.#is(a, 0)) return a;
    if (this.#is(b, 0)) return b;
    if (this.#is(a, 1)) return b;
    if (this.#is(b, 1)) return a;
    if (this.#is(a, -1)) return this.neg(b);
    if (this.#is(b, -1)) return this.neg(a);
    return this.#operation(MULTIPLY, a, b, this.#value[a] * this.#value[b]);
  }

  div(a: TraceStep, b: TraceStep): TraceStep {
    if (this.#is(a, 0) || this.#is(b, 1)) return a;
    return this.#operation(DIVIDE, a, b, this.#value[a] / this.#value[b]);
  }

  neg(a: TraceStep): TraceStep {
    return this.#operation(NEGATE, a, NONE, -this.#value[a]);
  }

  cos(a: TraceStep): TraceStep {
    return this.#operation(TRIGONOMETRIC, a, NONE, Math.cos(this.#value[a]));
  }

  sin(a: TraceStep): TraceStep {
    return this.#operation(TRIGONOMETRIC, a, NONE, Math.sin(this.#value[a]));
  }

  valueOf(a: TraceStep): number {
    return this.#value[a];
  }

  /** Which steps the results need: 1 for each of them. */
  needed(results: Iterable<TraceStep>): Uint8Array {
    const needed = new Uint8Array(this.#size);
    for (const result of results) needed[result] = 1;
    for (let k = this.#size - 1; k >= 0; k--) {
      if (needed[k] === 0) continue;
      if (this.#a[k] >= 0) needed[this.#a[k]] = 1;
      if (this.#b[k] >= 0) needed[this.#b[k]] = 1;
    }
    return needed;
  }

  /** Operations among the needed steps from `from` up to, not including, `to`. */
  count(needed: Uint8Array, from = 0, to = this.#size): Operations {
    const counts = new Uint32Array(NEGATE + 1);
    for (let k = from; k < to; k++) if (needed[k] === 1) counts[this.#kind[k]]++;
    return {
      multiplications: counts[MULTIPLY],
      additions: counts[ADD],
      divisions: counts[DIVIDE],
      trigonometric: counts[TRIGONOMETRIC],
    };
  }

  #is(a: TraceStep, x: number): boolean {
    return this.#kind[a] === CONSTANT && this.#value[a] === x;
  }

  #operation(kind: number, a: TraceStep, b: TraceStep, value: number): TraceStep {
    const known = this.#kind[a] === CONSTANT && (b === NONE || this.#kind[b] === CONSTANT);
    return known ? this.constant(value) : this.#step(kind, a, b, value);
  }

  #step(kind: number, a: number, b: number, value: number): TraceStep {
    if (this.#size === this.#kind.length) this.#grow();
    const k = this.#size++;
    this.#kind[k] = kind;
    this.#a[k] = a;
    this.#b[k] = b;
    this.#value[k] = value;
    return k;
  }

  #grow(): void {
    const length = 2 * this.#kind.length;
    const longer = <A extends Uint8Array | Int32Array | Float64Array>(next: A, old: A): A => {
      next.set(old);
      return next;
    };
    this.#kind = longer(new Uint8Array(length), this.#kind);
    this.#a = longer(new Int32Array(length), this.#a);
    this.#b = longer(new Int32Array(length), this.#b);
    this.#value = longer(new Float64Array(length), this.#value);
  }
}
