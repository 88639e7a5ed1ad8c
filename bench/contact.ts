// Steps of worlds in contact beside MuJoCo's WebAssembly, in turn in one process.

import type { MainModule, MjData, MjModel } from '@mujoco/mujoco';
import { CONTACT_SCENES, CONTACT_STEP, type ContactScene } from './contact-scenes.js';
import { mujoco } from './mujoco.js';

/** A scene stepped by one engine: least and middle nanoseconds of a step. */
export interface ContactLine {
  readonly scene: string;
  readonly engine: 'manikin' | 'mujoco-wasm';
  readonly stepNs: number;
  readonly stepNsMedian: number;
  /** Most at once. */
  readonly contacts: number;
  /** Largest relative residual of all steps; MuJoCo's contacts are soft and have none. */
  readonly residual: number | null;
  /** Deepest penetration, metres. */
  readonly depth: number;
  /** Share of solved islands with a residual of at most 1e-8, and how many ended with each solver. */
  readonly solved?: number;
  readonly solvers?: Readonly<Record<string, number>>;
}

export interface ContactBench {
  /** Seconds of simulated time; each scene has its own where left out. */
  readonly seconds?: number;
  /** Runs of each scene; of every step, which is the same in all of them, the least time counts. 1 where left out. */
  readonly repeat?: number;
  readonly progress?: (fraction: number) => void;
  /** Called for scenes whose files are missing. */
  readonly missing?: (scene: string) => void;
}

export async function benchContact(
  scenes: readonly string[],
  { seconds, repeat = 1, progress, missing }: ContactBench = {},
): Promise<ContactLine[]> {
  const module = await mujoco().catch(() => undefined);
  const lines: ContactLine[] = [];
  for (const [k, name] of scenes.entries()) {
    const scene = CONTACT_SCENES.get(name)!();
    if (scene === undefined) missing?.(name);
    else
      lines.push(
        ...measureScene(name, scene, module, seconds ?? scene.seconds, repeat, (part) =>
          progress?.((k + part) / scenes.length),
        ),
      );
  }
  return lines;
}

/** MuJoCo's side of a scene. */
class Other {
  readonly #module: MainModule;
  readonly #model: MjModel;
  readonly #data: MjData;
  readonly times: number[] = [];
  contacts = 0;
  depth = 0;

  constructor(module: MainModule, { xml, start }: ContactScene) {
    this.#module = module;
    this.#model = module.MjModel.from_xml_string(xml);
    this.#model.opt.timestep = CONTACT_STEP;
    this.#data = new module.MjData(this.#model);
    if (start === undefined) return;
    this.#data.qpos[2] = start.height;
    const JOINT = module.mjtObj.mjOBJ_JOINT.value;
    const MOTOR = module.mjtObj.mjOBJ_ACTUATOR.value;
    for (const [name, q] of start.joints) {
      this.#data.qpos[this.#model.jnt_qposadr[module.mj_name2id(this.#model, JOINT, name)]] = q;
      this.#data.ctrl[module.mj_name2id(this.#model, MOTOR, `${name} motor`)] = q;
    }
  }

  step(): void {
    this.times.push(timed(() => this.#module.mj_step(this.#model, this.#data)));
  }

  /** Reads its contacts, which takes long. */
  look(): void {
    const { ncon, contact } = this.#data;
    this.contacts = Math.max(this.contacts, ncon);
    for (let k = 0; k < ncon; k++) this.depth = Math.max(this.depth, -(contact.get(k)?.dist ?? 0));
    contact.delete();
  }

  line(scene: string): ContactLine {
    const { contacts, depth } = this;
    return { scene, engine: 'mujoco-wasm', ...summary(this.times), contacts, residual: null, depth };
  }

  delete(): void {
    this.#data.delete();
    this.#model.delete();
  }
}

/** Steps between two looks at MuJoCo's contacts. */
const LOOK = 20;

function measureScene(
  name: string,
  scene: ContactScene,
  module: MainModule | undefined,
  seconds: number,
  repeat: number,
  progress: (fraction: number) => void,
): ContactLine[] {
  warmUp(scene, seconds);
  let best: ContactLine[] = [];
  const least = new Map<string, number[]>();
  for (let run = 0; run < repeat; run++)
    best = runScene(name, scene, module, seconds, least, (part) => progress((run + part) / repeat));
  return best.map((line) => ({ ...line, ...summary(least.get(line.engine)!) }));
}

/** One run of both engines; `least`: the least time of each step so far, by engine. */
function runScene(
  name: string,
  scene: ContactScene,
  module: MainModule | undefined,
  seconds: number,
  least: Map<string, number[]>,
  progress: (fraction: number) => void,
): ContactLine[] {
  const world = scene.make();
  const other = module === undefined ? undefined : new Other(module, scene);
  const times: number[] = [];
  const solvers: Record<string, number> = {};
  let [solved, islands, depth, contacts, residual] = [0, 0, 0, 0, 0];
  while (world.time < seconds) {
    times.push(timed(() => world.step()));
    other?.step();
    for (const { solver, residual: r } of world.islands) {
      solvers[solver] = (solvers[solver] ?? 0) + 1;
      islands++;
      if (r <= 1e-8) solved++;
    }
    const { report } = world;
    depth = Math.max(depth, report.depth);
    contacts = Math.max(contacts, report.contacts);
    residual = Math.max(residual, report.residual);
    if (times.length % LOOK !== 0) continue;
    other?.look();
    progress(world.time / seconds);
  }
  keepLeast(least, 'manikin', times);
  const lines: ContactLine[] = [
    {
      scene: name,
      engine: 'manikin',
      ...summary(times),
      contacts,
      residual,
      depth,
      solved: islands > 0 ? solved / islands : 1,
      solvers,
    },
  ];
  if (other !== undefined) {
    keepLeast(least, 'mujoco-wasm', other.times);
    lines.push(other.line(name));
  }
  other?.delete();
  return lines;
}

/** Runs the scene before it is measured, for this long at most (ms): functions are compiled as well as they will be. */
const WARM_UP = 2000;

function warmUp(scene: ContactScene, seconds: number): void {
  const start = performance.now();
  while (performance.now() - start < WARM_UP) {
    const world = scene.make();
    while (world.time < seconds && performance.now() - start < WARM_UP) world.step();
  }
}

/** Milliseconds from which on a step may have waited for other programs. */
const LONG = 1;

/** Milliseconds that a step takes; of a long one only those of this process, where other programs had the core meanwhile. */
function timed(step: () => void): number {
  const before = process.cpuUsage();
  const start = performance.now();
  step();
  const passed = performance.now() - start;
  if (passed < LONG) return passed;
  const { user, system } = process.cpuUsage(before);
  return Math.min(passed, (user + system) / 1000);
}

function keepLeast(least: Map<string, number[]>, engine: string, times: readonly number[]): void {
  const before = least.get(engine);
  least.set(
    engine,
    times.map((time, k) => Math.min(time, before?.[k] ?? time)),
  );
}

/** Of milliseconds. */
function summary(times: readonly number[]): { stepNs: number; stepNsMedian: number } {
  const sorted = [...times].sort((a, b) => a - b);
  return { stepNs: 1e6 * sorted[0], stepNsMedian: 1e6 * sorted[sorted.length >> 1] };
}
