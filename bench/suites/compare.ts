// npm run bench -- compare OLD_BUILD [--models a,b] [--rounds n]: another build of this package (its dist folder) against
// dist here, call by call in turns, in one process. A ratio below 1 says that the new build is faster. Both are used as
// users do, through their public entries; which those are is found out by looking.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { timings } from '../measure.js';

const NEW_BUILD = new URL('../../../../dist/', import.meta.url);
const MODELS = ['chain-32', 'chain-32-spherical', 'chain-200-free', 'human-34', 'human-161'];
const BATCHED = ['human-34', 'human-161'];
const STATES = 1024;
const ROUNDS = 150;

const ENGINES = ['plain', 'wasm', 'compiled', 'threads'] as const;
const FUNCTIONS = ['forward', 'inverse', 'massMatrix'] as const;
type EngineName = (typeof ENGINES)[number];

// biome-ignore lint/suspicious/noExplicitAny: two builds, whose types need not be the same
type Loose = any;

interface Calls {
  readonly forward: () => void;
  readonly inverse?: () => void;
  readonly massMatrix?: () => void;
  readonly dispose: () => void;
}

interface BatchCalls {
  readonly forward: () => Promise<void>;
  readonly dispose: () => void;
}

interface Build {
  readonly engine: (model: string, engine: EngineName) => Promise<Calls>;
  readonly batch: (model: string, device: 'cpu' | 'gpu') => Promise<BatchCalls | undefined>;
  readonly end: () => void;
}

interface Line {
  readonly what: string;
  readonly model: string;
  readonly engine: string;
  readonly oldNs: number;
  readonly newNs: number;
  /** New over old. */
  readonly ratio: number;
}

async function load(folder: URL): Promise<Build> {
  const entry = async (...paths: string[]): Promise<Loose> => {
    const found = paths.map((path) => new URL(path, folder)).find((url) => existsSync(url));
    return found === undefined ? {} : import(found.href);
  };
  const core = await entry('index.js');
  const compiled = await entry('compile/index.js', 'engines/wasm/compiled.js');
  const parallel = await entry('parallel/index.js', 'engines/threads/index.js');
  const batches = await entry('batch/index.js');
  const gpu = await entry('gpu/index.js', 'engines/gpu/index.js');
  const { builtinMechanism } = await entry('models/index.js');

  /** The engine behind the one door, or the class that was the engine before there was a door. */
  const make = async (mechanism: Loose, engine: EngineName): Promise<Loose> => {
    if (core.dynamics !== undefined) {
      const made = core.dynamics(mechanism, { engine, ...(engine === 'threads' && { threads: 2 }) });
      await made.ready();
      return made;
    }
    if (engine === 'plain') return new core.Dynamics(mechanism);
    if (engine === 'wasm') return new compiled.CompiledDynamics(mechanism, { specialise: 'never' });
    if (engine === 'threads') {
      const made = new parallel.ParallelDynamics(mechanism, { workers: 2 });
      await made.ready();
      return made;
    }
    const tasks = ['forward', 'inverse', 'massMatrix'];
    return new compiled.CompiledDynamics(mechanism, { specialise: 'now', tasks });
  };

  return {
    engine: async (model, engine) => {
      const mechanism = builtinMechanism(model);
      const made = await make(mechanism, engine);
      const state = core.State.random(mechanism, 1);
      const given = Float64Array.from({ length: mechanism.nv }, (_, k) => Math.sin(k + 1));
      const options = { out: new Float64Array(mechanism.nv) };
      const dispose = (): void => made.dispose?.();
      const forward = (): void => void made.forward(state, given, options);
      if (engine === 'threads') return { forward, dispose };
      return {
        forward,
        inverse: () => void made.inverse(state, given, options),
        massMatrix: () => void made.massMatrix(state),
        dispose,
      };
    },
    batch: async (model, device) => {
      const mechanism = builtinMechanism(model);
      const random = (s: number): Loose => core.State.random(mechanism, s);
      const door = batches.batch ?? core.batch;
      if (door !== undefined) {
        const many = await door(mechanism, { states: STATES, device });
        for (let s = 0; s < STATES; s++) many.setState(s, random(s));
        return { forward: () => many.forward(), dispose: () => many.dispose() };
      }
      if (device === 'gpu') {
        const device = await gpu.openGpu();
        const many = await gpu.gpuBatch(mechanism, { batch: STATES, gpu: device });
        for (let s = 0; s < STATES; s++) many.setState(s, random(s));
        return { forward: () => many.forward(), dispose: () => device.close() };
      }
      const many = new parallel.Batch(mechanism);
      const arrays = many.allocate(STATES);
      for (let s = 0; s < STATES; s++) {
        arrays.q.set(random(s).q, s * mechanism.nq);
        arrays.v.set(random(s).v, s * mechanism.nv);
      }
      return { forward: () => many.forward(arrays), dispose: () => {} };
    },
    end: () => parallel.endThreads?.(),
  };
}

/** Least nanoseconds of a call of each. A few calls before each batch do not count: caches, and threads that sleep. */
function leastOf(calls: readonly (() => void)[], rounds: number): number[] {
  const again = (call: () => void, times: number): void => {
    for (let k = 0; k < times; k++) call();
  };
  for (const call of calls) again(call, 3000);
  const tasks = calls.map((call) => ({ call, before: () => again(call, 20) }));
  return timings(tasks, { rounds }).map(({ ns }) => ns);
}

async function leastOfAsync(calls: readonly (() => Promise<void>)[], rounds: number): Promise<number[]> {
  const least = calls.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++)
    for (const [i, call] of calls.entries()) {
      await call();
      const start = process.hrtime.bigint();
      await call();
      least[i] = Math.min(least[i], Number(process.hrtime.bigint() - start));
    }
  return least;
}

function line(what: string, model: string, engine: string, [oldNs, newNs]: readonly number[]): Line {
  const result = { what, model, engine, oldNs: Math.round(oldNs), newNs: Math.round(newNs), ratio: newNs / oldNs };
  console.error(`${what}, ${model}, ${engine}: ${result.oldNs} -> ${result.newNs} ns, ${result.ratio.toFixed(3)}`);
  return result;
}

export async function compare(words: readonly string[]): Promise<object> {
  const option = (name: string): string | undefined => words[words.indexOf(name) + 1 || words.length];
  const [folder] = words;
  if (folder === undefined || folder.startsWith('-') || !existsSync(resolve(folder, 'index.js')))
    throw new Error('Name the dist folder of another build: npm run bench -- compare ../old/dist');
  if (!existsSync(NEW_BUILD)) throw new Error('dist is missing: run "npm run build" first');
  const models = option('--models')?.split(',') ?? MODELS;
  const rounds = Number(option('--rounds') ?? ROUNDS);
  const builds = [await load(pathToFileURL(`${resolve(folder)}/`)), await load(NEW_BUILD)];
  const results: Line[] = [];
  const notes: string[] = [];
  const both = async <T>(what: string, make: (build: Build) => Promise<T>): Promise<T[] | undefined> => {
    try {
      return [await make(builds[0]), await make(builds[1])];
    } catch (error) {
      notes.push(`${what}: ${(error as Error).message}`);
      return undefined;
    }
  };
  for (const model of models)
    for (const engine of ENGINES) {
      const engines = await both(`${model}, ${engine}`, (build) => build.engine(model, engine));
      if (engines === undefined) continue;
      for (const name of FUNCTIONS) {
        const calls = engines.flatMap((made) => made[name] ?? []);
        if (calls.length === 2) results.push(line(name, model, engine, leastOf(calls, rounds)));
      }
      for (const made of engines) made.dispose();
    }
  for (const model of BATCHED.filter((name) => models.includes(name)))
    for (const device of ['cpu', 'gpu'] as const) {
      const many = await both(`batch, ${model}, ${device}`, (build) => build.batch(model, device));
      if (many === undefined || many.some((made) => made === undefined)) continue;
      const calls = many.map((made) => made!.forward);
      results.push(line(`batch of ${STATES}`, model, device, await leastOfAsync(calls, rounds)));
      for (const made of many) made!.dispose();
    }
  for (const build of builds) build.end();
  const worst = results.reduce((most, { ratio }) => Math.max(most, ratio), 0);
  return { old: resolve(folder), rounds, results, worst, notes };
}
