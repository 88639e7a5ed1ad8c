// WGSL from a formula graph (src/formulas/graph.ts), in 32-bit floats. Every node that is needed becomes one `let`; products
// and sums that only go into another sum become part of it (sums.ts). Numbers are read where they are first needed and written as soon as they
// are known, so that as few as possible wait in registers.

import {
  ADD,
  CONSTANT,
  COS,
  DIV,
  type Graph,
  INPUT,
  MUL,
  NEAREST,
  NEG,
  type Node,
  type Output,
  PAIR,
  SIN,
  SQRT,
  SUB,
  UNIT_DEFECT,
} from '../formulas/graph.js';
import { multiplyAddSums } from './multiply-add-sums.js';

/** Where the arrays of a graph are: WGSL for number i of an array, and a statement that stores a value there. */
export interface Access {
  readonly read: (array: number, i: number) => string;
  readonly write: (array: number, i: number, value: string) => string;
}

export interface WgslOptions extends Access {
  /** Prefix of all names: bodies of one function must not share names. */
  readonly prefix?: string;
  /**
   * Reads everything before anything is written: where arrays are both read and written, a compiler must keep reads behind
   * writes, and each of them waits for memory.
   */
  readonly readFirst?: boolean;
}

const COMMON = `/* A quotient may be off by several units of the last place; one step of Newton mends it. */
fn reciprocal(x: f32) -> f32 { let y = 1.0 / x; return fma(y, fma(-x, y, 1.0), y); }
/* 1 - 1 / |q|^2. Sums begin with 1, so that for unit quaternions they stay between 1 and 2 and differences of them are exact: what
is rounded off on the way can be found. */
fn unitDefect(a: vec2f, b: vec2f) -> f32 {
  let s1 = fma(a.x, a.x, 1.0);
  let s2 = fma(a.y, a.y, s1);
  let s3 = fma(b.x, b.x, s2);
  let s4 = fma(b.y, b.y, s3);
  let rounded = fma(a.x, a.x, fma(a.y, a.y, 1.0 - s2)) + fma(b.x, b.x, fma(b.y, b.y, s2 - s4));
  let excess = (s4 - 2.0) + rounded;
  return excess / (1.0 + excess);
}
/* tanh to 4e-7: a rational minimax approximation up to where it is one (as in Eigen). */
fn tangent(y: f32) -> f32 {
  let x = clamp(y, -7.9053111, 7.9053111);
  let z = x * x;
  let a = fma(z, fma(z, fma(z, -2.76076847742355e-16, 2.00018790482477e-13), -8.60467152213735e-11), 5.12229709037114e-8);
  let p = x * fma(z, fma(z, fma(z, a, 1.48572235717979e-5), 6.37261928875436e-4), 4.89352455891786e-3);
  let q = fma(z, fma(z, fma(z, 1.19825839466702e-6, 1.18534705686654e-4), 2.268434632439e-3), 4.89352518554385e-3);
  return p * reciprocal(q);
}
`;

/** sin and cos of r + turns pi/2, |r| <= pi/4: minimax polynomials (Cephes). */
const QUARTER = `let z = r * r;
  let s = fma(r * z, fma(z, fma(z, -1.9515295891e-4, 8.3321608736e-3), -1.6666654611e-1), r);
  let c = fma(z * z, fma(z, fma(z, 2.443315711809948e-5, -1.388731625493765e-3), 4.166664568298827e-2), fma(z, -0.5, 1.0));
  let odd = (turns & 1u) != 0u;
  let sine = select(s, c, odd);
  let cosine = select(c, s, odd);
  return vec2f(select(sine, -sine, (turns & 2u) != 0u), select(cosine, -cosine, ((turns + 1u) & 2u) != 0u));
}
`;

/**
 * pi/2 is taken off in three parts (Cody and Waite), whose products with k are exact, in fma or rounded, up to 1e4 rad. k as an
 * integer in the last bits: a sum is cheaper than a conversion.
 */
const NEAR = `let k = floor(fma(x, 0.63661977236758134, 0.5));
  let a = fma(k, -1.5703125, x);
  let b = fma(k, -4.837512969970703125e-4, a);
  let near = fma(k, -7.54978995489188216e-8, b);`;

/**
 * What the statements call. sin and cos to 3e-7 for |x| up to 1e4 (the built-in functions were off by 6e-2 on one driver);
 * beyond, what is computed with them is no number, and the state is flagged. Reducing larger angles here, too, made the kernels
 * of human-34 take twice the time on an H200.
 */
export const FUNCTIONS = `${COMMON}fn sincos(x: f32) -> vec2f {
  ${NEAR}
  let r = select(near, bitcast<f32>(bitcast<u32>(near) | 0x7f800000u), abs(x) > 10000.0);
  let turns = bitcast<u32>(k + 12582912.0);
  ${QUARTER}`;

/** The same for kernels that work in loops: |x| up to 2^31, the turns of angles beyond 256 found in integers. */
export const FUNCTIONS_OF_ANY_ANGLE = `${COMMON}/* The upper 32 bits of m f, m below 2^24. */
fn upper(m: u32, f: u32) -> u32 {
  let low = m & 0xffffu; let high = m >> 16u;
  let first = high * (f & 0xffffu) + ((low * (f & 0xffffu)) >> 16u);
  let second = low * (f >> 16u) + (first & 0xffffu);
  return high * (f >> 16u) + (first >> 16u) + (second >> 16u);
}
/* x = quarters pi/2 + r, |r| <= pi/4: [r, quarters modulo 4]. x = m 2^e; m 2^e / (2 pi) in fixed point, with 64 bits of 1 / (2 pi),
of which 32 bits behind the point are kept. From 2^31 on there is no answer: r is infinite. */
fn farAngle(x: f32) -> vec2f {
  let bits = bitcast<u32>(x);
  let e = i32((bits >> 23u) & 255u) - 150;
  if (e > 7) { return vec2f((x * 3e38) * 3e38, 0.0); }
  let m = (bits & 0x7fffffu) | 0x800000u;
  let p0 = m * 0x9391054au;
  let add = m * 0x28be60dbu;
  let p1 = upper(m, 0x9391054au) + add;
  let p2 = upper(m, 0x28be60dbu) + select(0u, 1u, p1 < add);
  let right = u32(max(-e, 0)); let left = u32(max(e, 0));
  let turn = select((p1 << left) | ((p0 >> 1u) >> (31u - left)), (p1 >> right) | ((p2 << 1u) << (31u - right)), e <= 0);
  let quarters = (turn + 0x20000000u) >> 30u;
  let r = f32(bitcast<i32>(turn - (quarters << 30u))) * 1.4629180792671596e-9;
  return select(vec2f(r, f32(quarters)), vec2f(-r, f32((4u - quarters) & 3u)), x < 0.0);
}
fn sincos(x: f32) -> vec2f {
  ${NEAR}
  var r = near;
  var turns = bitcast<u32>(k + 12582912.0);
  if (abs(x) > 256.0) { let far = farAngle(x); r = far.x; turns = u32(far.y); }
  ${QUARTER}`;

const LARGEST = 3.4028234663852886e38;

/** A literal of WGSL; throws where 32 bits cannot hold the number. */
export function literal(value: number): string {
  const rounded = Math.fround(value);
  if (!(Math.abs(rounded) <= LARGEST))
    throw new RangeError(`The number ${value} of this mechanism does not fit into 32 bits.`);
  // Numbers below the smallest normal one may be flushed to zero anyway.
  const text = Math.abs(rounded) < 1.18e-38 ? '0' : String(rounded);
  const typed = `${/[.e]/.test(text) ? text : `${text}.0`}f`;
  return rounded < 0 ? `(${typed})` : typed;
}

/** The statements that compute a graph's outputs. */
export function emitStatements(graph: Graph, { read, write, prefix = 'n', readFirst = false }: WgslOptions): string {
  const { op, a, b, x, size } = graph;
  const { live, inlined, terms } = multiplyAddSums(graph);
  const lines: string[] = [];
  const known = new Uint8Array(size);
  const turned = new Set<Node>();
  const nameOf = (n: Node): string => {
    switch (op[n]) {
      case CONSTANT:
        return literal(x[n]);
      case NEG:
        return `(-${nameOf(a[n])})`;
      case INPUT:
        if (known[n] === 0) {
          known[n] = 1;
          lines.push(`let ${prefix}${n} = ${read(a[n], b[n])};`);
        }
        return `${prefix}${n}`;
      default:
        return `${prefix}${n}`;
    }
  };
  const sum = (n: Node): string =>
    terms(n).reduce((before, { node, minus, product }) => {
      const sign = minus ? '-' : '';
      if (product) {
        const [p, q] = [nameOf(a[node]), nameOf(b[node])];
        return before === '' ? `${sign}${p} * ${q}` : `fma(${sign}${p}, ${q}, ${before})`;
      }
      return before === '' ? `${sign}${nameOf(node)}` : `${before} ${minus ? '-' : '+'} ${nameOf(node)}`;
    }, '');
  const trig = (angle: Node): string => {
    const name = `${prefix}t${angle}`;
    if (!turned.has(angle)) {
      turned.add(angle);
      const operand = nameOf(angle);
      lines.push(`let ${name} = sincos(${operand});`);
    }
    return name;
  };
  const expression = (n: Node): string => {
    switch (op[n]) {
      case ADD:
      case SUB:
        return sum(n);
      case MUL:
        return `${nameOf(a[n])} * ${nameOf(b[n])}`;
      case DIV:
        return op[a[n]] === CONSTANT && x[a[n]] === 1
          ? `reciprocal(${nameOf(b[n])})`
          : `${nameOf(a[n])} * reciprocal(${nameOf(b[n])})`;
      case SQRT:
        return `sqrt(${nameOf(a[n])})`;
      case NEAREST:
        return `round(${nameOf(a[n])})`;
      case SIN:
        return `${trig(a[n])}.x`;
      case COS:
        return `${trig(a[n])}.y`;
      case PAIR:
        return `vec2f(${nameOf(a[n])}, ${nameOf(b[n])})`;
      case UNIT_DEFECT:
        return `unitDefect(${nameOf(a[n])}, ${nameOf(b[n])})`;
      default:
        throw new Error(`WGSL has no operation ${op[n]}`);
    }
  };
  const outputs = outputsBySource(graph);
  const store = (list: readonly Output[] | undefined): void => {
    for (const { array, i, node } of list ?? []) lines.push(write(array, i, nameOf(node)));
  };
  if (readFirst) for (let n = 0; n < size; n++) if (live[n] === 1 && op[n] === INPUT) nameOf(n);
  for (let n = 0; n < size; n++) {
    if (live[n] === 0 || inlined[n] === 1 || op[n] <= INPUT || op[n] === NEG) continue;
    // Operands first: reading them may add lines of its own.
    const text = expression(n);
    lines.push(`let ${prefix}${n} = ${text};`);
    store(outputs.get(n));
  }
  store(outputs.get(-1));
  return lines.join('\n');
}

/** Outputs by the node that holds their value; under -1 those that are inputs or constants, maybe with a sign. */
function outputsBySource({ op, a, outputs }: Graph): Map<Node, Output[]> {
  const bySource = new Map<Node, Output[]>();
  for (const output of outputs) {
    let source = output.node;
    while (op[source] === NEG) source = a[source];
    const key = op[source] <= INPUT ? -1 : source;
    const list = bySource.get(key);
    if (list === undefined) bySource.set(key, [output]);
    else list.push(output);
  }
  return bySource;
}
