// Forward dynamics by every variant, side by side, with MuJoCo's WebAssembly timed in the same run: readable algorithm,
// generic kernels, code for one mechanism, batches; on request also inverse dynamics and the mass matrix. Minima of many
// short batches taken in turn (measure.ts), so that the ratios hold on a noisy machine.

import { PlainDynamics } from '#src/engines/plain/plain-dynamics.js';
import { CompiledDynamics, reasonForPlain } from '#src/engines/wasm/compiled.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';
import { State } from '#src/mechanism/state.js';
import { aba, createAba } from '#src/reference/aba.js';
import { crba, createCrba } from '#src/reference/crba.js';
import { createRnea, rnea } from '#src/reference/rnea.js';
import { type Machine, machine } from './machine.js';
import { measure } from './measure.js';
import { MujocoModel } from './mujoco.js';
import { rowsOnThisThread } from './rows.js';

export interface Line {
  readonly model: string;
  readonly engine: 'manikin' | 'mujoco-wasm';
  readonly variant: 'readable' | 'generic' | 'specialised' | 'batch';
  readonly algorithm: string;
  /** Nanoseconds for one state: the least of all batches, and the middle one. */
  readonly ns: number;
  readonly nsMedian: number;
  /** Largest difference from the readable algorithm, relative to the largest number of its result. */
  readonly error: number;
}

/** A line still to be timed: `states` computed by one call. */
type Candidate = Omit<Line, 'ns' | 'nsMedian'> & { readonly call: () => void; readonly states: number };

export interface BenchOptions {
  /** States of a batch; 66 where left out. */
  readonly batch?: number;
  readonly rounds?: number;
  /** Fused multiplications and additions in batches. */
  readonly fused?: boolean;
  /** Other ways to call, and the other algorithms too. */
  readonly all?: boolean;
  /** Told what cannot be timed, and why. */
  readonly note?: (text: string) => void;
  readonly progress?: (fraction: number) => void;
}

export interface BenchModel {
  readonly name: string;
  readonly mechanism: Mechanism;
}

export interface Report {
  readonly machine: Machine;
  readonly results: readonly Line[];
  /** Times of forward dynamics over MuJoCo's in the same run (the faster of its lines); empty without MuJoCo. */
  readonly ratios: readonly { readonly model: string; readonly [variant: string]: string | number }[];
}

const SEED = 1;
const DEFAULT_BATCH = 66;

export async function benchForward(models: readonly BenchModel[], options: BenchOptions = {}): Promise<Report> {
  const { note = () => {} } = options;
  const candidates: Candidate[] = [];
  for (const model of models) {
    candidates.push(...manikinLines(model, options));
    try {
      candidates.push(...(await mujocoLines(model, options)));
    } catch (error) {
      note(`${model.name} is not timed with MuJoCo: ${explainMissing(error)}`);
    }
  }
  const timed = measure(
    candidates.map(({ model, call }) => ({ name: model, call })),
    options.rounds ?? 100,
    options.progress,
  );
  const results = candidates.map(({ model, engine, variant, algorithm, error, states }, i): Line => {
    const [ns, nsMedian] = [timed[i].ns, timed[i].nsMedian].map((time) => Math.round(time / states));
    return { model, engine, variant, algorithm, ns, nsMedian, error };
  });
  return { machine: machine(), results, ratios: models.flatMap(({ name }) => ratiosOf(name, results)) };
}

function explainMissing(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'ERR_MODULE_NOT_FOUND') return 'its package, @mujoco/mujoco, is not installed.';
  return message ?? String(error);
}

function ratiosOf(name: string, results: readonly Line[]): Report['ratios'] {
  const own = results.filter(({ model }) => model === name);
  const theirs = Math.min(...own.filter(({ engine }) => engine === 'mujoco-wasm').map(({ ns }) => ns));
  if (theirs === Number.POSITIVE_INFINITY) return [];
  const forward = own.filter(({ engine, algorithm }) => engine === 'manikin' && /^aba(, fused)?$/.test(algorithm));
  const ratio = (ns: number): number => Number((ns / theirs).toFixed(4));
  return [{ model: name, ...Object.fromEntries(forward.map(({ variant, ns }) => [variant, ratio(ns)])) }];
}

/** Joint forces for the state that is timed. */
const someForces = ({ nv }: Mechanism): Float64Array => Float64Array.from({ length: nv }, (_, k) => Math.sin(k + 1));

function relativeError(got: Float64Array, reference: Float64Array): number {
  let [size, worst] = [1e-300, 0];
  reference.forEach((x, k) => {
    size = Math.max(size, Math.abs(x));
    worst = Math.max(worst, Math.abs(got[k] - x));
  });
  return Number((worst / size).toExponential(1));
}

function manikinLines(model: BenchModel, options: BenchOptions): Candidate[] {
  const { name, mechanism } = model;
  const plain = reasonForPlain(mechanism);
  if (plain === undefined)
    return [...readableLines(model, options), ...compiledLines(model, options), batchLine(model, options)];
  options.note?.(`${name} is timed in plain TypeScript only: ${plain}`);
  const dynamics = new PlainDynamics(mechanism);
  const state = State.random(mechanism, SEED);
  const given = someForces(mechanism);
  const out = { out: new Float64Array(mechanism.nv) };
  const call = (): void => void dynamics.forward(state, given, out);
  const algorithm = mechanism.couplings.length > 0 ? 'aba' : 'ada';
  return [{ model: name, engine: 'manikin', variant: 'readable', algorithm, error: 0, states: 1, call }];
}

function readableLines({ name: model, mechanism }: BenchModel, { all }: BenchOptions): Candidate[] {
  const { tree } = new PlainDynamics(mechanism);
  const { q, v } = State.random(mechanism, SEED);
  const given = someForces(mechanism);
  const out = new Float64Array(mechanism.nv);
  const common = { model, engine: 'manikin', variant: 'readable', error: 0, states: 1 } as const;
  const abaScratch = createAba(tree);
  const forward: Candidate = { ...common, algorithm: 'aba', call: () => aba(tree, abaScratch, out, q, v, given, null) };
  if (all !== true) return [forward];
  const [rneaScratch, crbaScratch] = [createRnea(tree), createCrba(tree)];
  return [
    forward,
    { ...common, algorithm: 'rnea', call: () => rnea(tree, rneaScratch, out, q, v, given, null) },
    { ...common, algorithm: 'crba', call: () => crba(tree, crbaScratch, q) },
  ];
}

const ALGORITHMS = { forward: 'aba', inverse: 'rnea', massMatrix: 'crba' } as const;

function compiledLines({ name: model, mechanism }: BenchModel, { all }: BenchOptions): Candidate[] {
  const state = State.random(mechanism, SEED);
  const given = someForces(mechanism);
  const common = { model, engine: 'manikin', states: 1 } as const;
  const tasks = all === true ? (['forward', 'inverse', 'massMatrix'] as const) : (['forward'] as const);
  const readable = new PlainDynamics(mechanism);
  const expected = {
    forward: readable.forward(state, given),
    inverse: readable.inverse(state, given),
    massMatrix: readable.massMatrix(state).H,
  };
  const lines: Candidate[] = [];
  for (const variant of ['generic', 'specialised'] as const) {
    const compiled = new CompiledDynamics(mechanism, { specialise: variant === 'generic' ? 'never' : 'first-use' });
    for (const task of tasks) {
      // Generic kernels are made on first use.
      const got = {
        forward: () => compiled.forward(state, given),
        inverse: () => compiled.inverse(state, given),
        massMatrix: () => compiled.massMatrix(state).H,
      }[task]();
      const direct = compiled.direct(task);
      if (direct === undefined) continue;
      const { run: code } = direct;
      const error = relativeError(got, expected[task]);
      // The tasks share their arrays, which makes no difference to the time. A function around it: the engine then makes
      // the step into WebAssembly part of the loop, as in any program.
      lines.push({ ...common, variant, algorithm: ALGORITHMS[task], error, call: () => code() });
    }
    if (all !== true) continue;
    const options = { out: new Float64Array(mechanism.nv) };
    const error = relativeError(compiled.forward(state, given), expected.forward);
    const call = (): void => void compiled.forward(state, given, options);
    lines.push({ ...common, variant, algorithm: 'aba, arrays copied in and out', error, call });
  }
  return lines;
}

function batchLine({ name: model, mechanism }: BenchModel, options: BenchOptions): Candidate {
  const { batch = DEFAULT_BATCH, fused = false } = options;
  const given = someForces(mechanism);
  const many = rowsOnThisThread(mechanism, batch, fused);
  const { nq, nv } = mechanism;
  for (let s = 0; s < batch; s++) {
    const { q, v } = State.random(mechanism, s);
    many.q.set(q, s * nq);
    many.v.set(v, s * nv);
    many.tau.set(given, s * nv);
  }
  many.forward();
  const last = many.qdd.slice((batch - 1) * nv, batch * nv);
  const error = relativeError(last, new PlainDynamics(mechanism).forward(State.random(mechanism, batch - 1), given));
  const algorithm = fused ? 'aba, fused' : 'aba';
  return { model, engine: 'manikin', variant: 'batch', algorithm, error, states: batch, call: () => many.forward() };
}

/** Its WebAssembly (3.14) hangs while it reads a chain of 200 bodies; 160 are fine. */
const MAX_DEPTH = 160;

function depthOf({ joints }: Mechanism): number {
  const depth = joints.map(() => 0);
  let deepest = 0;
  // Parents may stand after their children: each walks up until a known depth.
  for (let i = 0; i < joints.length; i++) {
    const path: number[] = [];
    for (let k = i; k >= 0 && depth[k] === 0; k = joints[k].parent) path.push(k);
    for (let k = path.pop(); k !== undefined; k = path.pop())
      depth[k] = 1 + (joints[k].parent < 0 ? 0 : depth[joints[k].parent]);
    deepest = Math.max(deepest, depth[i]);
  }
  return deepest;
}

/** MuJoCo's forward dynamics, everything but the smooth dynamics switched off. */
async function mujocoLines({ name: model, mechanism }: BenchModel, { all }: BenchOptions): Promise<Candidate[]> {
  if (mechanism.couplings.length > 0) throw new Error('there, coupled joints are constraints.');
  if (depthOf(mechanism) > MAX_DEPTH)
    throw new Error(`it does not come back from loading chains of more than ${MAX_DEPTH} bodies.`);
  const wrapped = await MujocoModel.fromMechanism(mechanism);
  const state = State.random(mechanism, SEED);
  const given = someForces(mechanism);
  const error = relativeError(wrapped.forward(state, given), new PlainDynamics(mechanism).forward(state, given));
  const common = { model, engine: 'mujoco-wasm', variant: 'generic', states: 1, error } as const;
  const { whole, stages } = wrapped.calls();
  const line: Candidate = { ...common, algorithm: 'position, velocity, acceleration stages', call: stages };
  return all === true ? [{ ...common, algorithm: 'mj_forward', call: whole }, line] : [line];
}
