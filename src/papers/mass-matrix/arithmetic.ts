// The numbers that the algorithms of this folder are written over. The same code computes with doubles and is counted
// operation by operation with a Trace (trace.ts).

export interface Arithmetic<T> {
  /** A number of the mechanism: known before any state. */
  constant(x: number): T;
  /** A number that depends on the state, or that a general routine must treat as if it did. */
  variable(x: number): T;
  add(a: T, b: T): T;
  sub(a: T, b: T): T;
  mul(a: T, b: T): T;
  div(a: T, b: T): T;
  neg(a: T): T;
  cos(a: T): T;
  sin(a: T): T;
  valueOf(a: T): number;
}

export const doubles: Arithmetic<number> = {
  constant: (x) => x,
  variable: (x) => x,
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  neg: (a) => -a,
  cos: Math.cos,
  sin: Math.sin,
  valueOf: (a) => a,
};
