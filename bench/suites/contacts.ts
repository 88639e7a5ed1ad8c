// Worlds in contact beside MuJoCo's WebAssembly, steps in turn in one process: npm run bench -- contacts. Needs
// ../shared/data for MuJoCo's humanoid, and leaves it out where it is missing.

import { existsSync, readFileSync } from 'node:fs';
import type { MjData, MjModel } from '@mujoco/mujoco';
import { parseMjcf } from '#src/formats/index.js';
import { Random } from '#src/mechanism/random.js';
import { ball, box, World } from '#src/simulation/world/index.js';
import { mujoco } from '../mujoco.js';

const HUMANOID = new URL('../../../../../shared/data/mjcf/humanoid.xml', import.meta.url);
const STEP = 0.005;

interface Scene {
  readonly name: string;
  readonly seconds: number;
  make(): World;
  /** The same for MuJoCo. */
  readonly xml: string;
}

const free = (name: string, geometry: string, at: readonly number[]): string =>
  `<body name="${name}" pos="${at.join(' ')}"><freejoint/><geom ${geometry}/></body>`;

const document = (bodies: string): string =>
  `<mujoco><option timestep="${STEP}"/><worldbody><geom type="plane" size="20 20 1"/>${bodies}</worldbody></mujoco>`;

function stack(): Scene {
  const places = Array.from({ length: 10 }, (_, k) => [0, 0, 0.2 + 0.4 * k + 0.0005 * (k + 1)] as const);
  return {
    name: 'stack of 10 boxes',
    seconds: 3,
    make: () => {
      const world = new World({ step: STEP });
      world.ground();
      for (const at of places) world.add(box([0.4, 0.4, 0.4], { mass: 1, friction: 0.5 }), { at });
      return world;
    },
    xml: document(places.map((at, k) => free(`b${k}`, 'type="box" size="0.2 0.2 0.2" mass="1"', at)).join('')),
  };
}

function pile(count: number): Scene {
  const random = new Random(1);
  const places = Array.from({ length: count }, (_, k) => {
    const [i, j] = [k % 5, Math.floor(k / 5) % 5];
    const level = Math.floor(k / 25);
    const shift = (): number => random.between(-0.02, 0.02);
    return [0.25 * i + shift(), 0.25 * j + shift(), 0.15 + 0.25 * level] as const;
  });
  return {
    name: `pile of ${count} boxes and balls`,
    seconds: 2,
    make: () => {
      const world = new World({ step: STEP });
      world.ground();
      places.forEach((at, k) => {
        const shape =
          k % 2 === 0 ? box([0.2, 0.2, 0.2], { mass: 1, friction: 0.5 }) : ball(0.1, { mass: 1, friction: 0.5 });
        world.add(shape, { at });
      });
      return world;
    },
    xml: document(
      places
        .map((at, k) =>
          free(`b${k}`, `${k % 2 === 0 ? 'type="box" size="0.1 0.1 0.1"' : 'type="sphere" size="0.1"'} mass="1"`, at),
        )
        .join(''),
    ),
  };
}

function humanoid(): Scene | undefined {
  if (!existsSync(HUMANOID)) return undefined;
  const xml = readFileSync(HUMANOID, 'utf8');
  const { mechanism, state, contacts } = parseMjcf(xml);
  const without = contacts.exclusions.flatMap(({ body1, body2 }) =>
    body1 === null || body2 === null ? [] : [[body1, body2] as const],
  );
  return {
    name: "MuJoCo's humanoid falling and lying",
    seconds: 4,
    make: () => {
      const world = new World({ step: STEP });
      world.ground();
      world.add(mechanism, { state, without });
      return world;
    },
    xml,
  };
}

export interface ContactLine {
  readonly scene: string;
  /** Microseconds a step: the least and the middle, here and in MuJoCo. */
  readonly least: number;
  readonly median: number;
  readonly mujocoLeast: number;
  readonly mujocoMedian: number;
  /** Steps that ended with each solver, the share of steps with a residual of at most 1e-8, and the deepest penetration (m). */
  readonly solvers: Record<string, number>;
  readonly solved: number;
  readonly depth: number;
  readonly contacts: number;
}

async function measureScene({ name, seconds, make, xml }: Scene): Promise<ContactLine> {
  const module = await mujoco();
  const model: MjModel = module.MjModel.from_xml_string(xml);
  model.opt.timestep = STEP;
  const data: MjData = new module.MjData(model);
  const world = make();
  const [own, other]: [number[], number[]] = [[], []];
  const solvers: Record<string, number> = {};
  let [solved, islands, depth, contacts] = [0, 0, 0, 0];
  const clock = (call: () => void, out: number[]): void => {
    const start = performance.now();
    call();
    out.push(1000 * (performance.now() - start));
  };
  while (world.time < seconds) {
    clock(() => world.step(), own);
    clock(() => module.mj_step(model, data), other);
    for (const { solver, residual } of world.islands) {
      solvers[solver] = (solvers[solver] ?? 0) + 1;
      islands++;
      if (residual <= 1e-8) solved++;
    }
    depth = Math.max(depth, world.report.depth);
    contacts = Math.max(contacts, world.report.contacts);
  }
  const sorted = (x: number[]): number[] => x.sort((a, b) => a - b);
  const [mine, theirs] = [sorted(own), sorted(other)];
  const middle = (x: number[]): number => x[x.length >> 1];
  return {
    scene: name,
    least: mine[0],
    median: middle(mine),
    mujocoLeast: theirs[0],
    mujocoMedian: middle(theirs),
    solvers,
    solved: solved / Math.max(1, islands),
    depth,
    contacts,
  };
}

export async function run(): Promise<{ readonly lines: readonly ContactLine[] }> {
  const lines: ContactLine[] = [];
  for (const scene of [humanoid(), stack(), pile(100)]) if (scene !== undefined) lines.push(await measureScene(scene));
  return { lines };
}
