// Derivatives by complex steps: the formulas of a task in complex numbers, with a step of 1e-30 i along one degree of freedom. Nothing is
// subtracted, so they have as many digits as the formulas themselves. For open trees without couplings.

import { addFormulas } from '../../src/engines/wasm/specialise.js';
import { ADD, CONSTANT, COS, DIV, INPUT, MUL, NEG, SIN, SQRT, SUB } from '../../src/formulas/graph.js';
import { Q, QDD, TAU, V } from '../../src/formulas/links.js';
import { VectorGraph } from '../../src/formulas/vectors.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import type { State } from '../../src/mechanism/state.js';
import { createTree } from '../../src/mechanism/tree.js';
import { createPlan } from '../../src/plan/plan.js';

const STEP = 1e-30;

/** Real parts in both; imaginary parts in `moved`, over the step. */
type Complex = readonly [re: Float64Array, im: Float64Array];

export class ComplexStep {
  readonly #mechanism: Mechanism;
  readonly #graph: VectorGraph;
  readonly #task: 'forward' | 'inverse';
  readonly #re: Float64Array;
  readonly #im: Float64Array;

  constructor(mechanism: Mechanism, task: 'forward' | 'inverse') {
    this.#mechanism = mechanism;
    this.#task = task;
    this.#graph = new VectorGraph({ opaqueTrig: true });
    addFormulas(this.#graph, createPlan(createTree(mechanism)), task, { pairLimbs: false, twoStates: true });
    this.#re = new Float64Array(this.#graph.size);
    this.#im = new Float64Array(this.#graph.size);
  }

  /** nv x nv, row major: of accelerations under the forces `given`, or of the forces for the accelerations. */
  derivative(state: State, given: Float64Array, by: 'q' | 'v'): Float64Array {
    const { nv } = this.#mechanism;
    const out = new Float64Array(nv * nv);
    for (let j = 0; j < nv; j++) {
      const unit = new Float64Array(nv).fill(STEP, j, j + 1);
      const still = (x: Float64Array): Complex => [x, new Float64Array(x.length)];
      const q: Complex = by === 'q' ? [state.q, this.#along(state.q, unit)] : still(state.q);
      const v: Complex = by === 'v' ? [state.v, unit] : still(state.v);
      const arrays = new Map([
        [Q, q],
        [V, v],
        [this.#task === 'forward' ? TAU : QDD, still(given)],
      ]);
      this.#compute(arrays);
      for (const { array, i, node } of this.#graph.outputs)
        if (array === (this.#task === 'forward' ? QDD : TAU)) out[nv * i + j] = this.#im[node] / STEP;
    }
    return out;
  }

  /** The rates of positions that belong to a velocity; quaternions by q (0, w) / 2. */
  #along(q: Float64Array, velocity: Float64Array): Float64Array {
    const rate = new Float64Array(q.length);
    for (const { model, iq, iv } of this.#mechanism.joints) {
      if (model.nq === model.nv) {
        for (let k = 0; k < model.nq; k++) rate[iq + k] = velocity[iv + k];
        continue;
      }
      const [w, x, y, z] = q.subarray(iq, iq + 4);
      const [a, b, c, d, e, f] = velocity.subarray(iv, iv + model.nv);
      rate.set([-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a], iq);
      for (let k = 0; k < 4; k++) rate[iq + k] /= 2;
      if (model.nv !== 6) continue;
      const R = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
      ];
      R.forEach((row, k) => {
        rate[iq + 4 + k] = row[0] * d + row[1] * e + row[2] * f;
      });
    }
    return rate;
  }

  #compute(arrays: ReadonlyMap<number, Complex>): void {
    const { op, a, b, x, size } = this.#graph;
    const [re, im] = [this.#re, this.#im];
    for (let n = 0; n < size; n++) {
      const [p, q] = [a[n], b[n]];
      switch (op[n]) {
        case CONSTANT:
          [re[n], im[n]] = [x[n], 0];
          break;
        case INPUT:
          [re[n], im[n]] = arrays.get(p)!.map((part) => part[q]);
          break;
        case ADD:
          [re[n], im[n]] = [re[p] + re[q], im[p] + im[q]];
          break;
        case SUB:
          [re[n], im[n]] = [re[p] - re[q], im[p] - im[q]];
          break;
        case MUL:
          [re[n], im[n]] = [re[p] * re[q], re[p] * im[q] + im[p] * re[q]];
          break;
        case DIV:
          re[n] = re[p] / re[q];
          im[n] = (im[p] - re[n] * im[q]) / re[q];
          break;
        case NEG:
          [re[n], im[n]] = [-re[p], -im[p]];
          break;
        case SQRT:
          re[n] = Math.sqrt(re[p]);
          im[n] = im[p] / (2 * re[n]);
          break;
        case SIN:
          [re[n], im[n]] = [Math.sin(re[p]), Math.cos(re[p]) * im[p]];
          break;
        case COS:
          [re[n], im[n]] = [Math.cos(re[p]), -Math.sin(re[p]) * im[p]];
          break;
        default:
          throw new Error(`operation ${op[n]} is not analytic`);
      }
    }
  }
}
