// Steps a second of 64 copies of MuJoCo's humanoid that an agent moves at random, beside MuJoCo's WebAssembly: npm run bench -- environments.
// Both in this thread, in turn; every copy begins anew after a second. On two threads the copies are those of `parallelEnvironment`.

import type { MjData } from '@mujoco/mujoco';
import { Random } from '#src/mechanism/random.js';
import { environment, type Scene } from '#src/scenes/index.js';
import { dataFile } from '../contact-scenes.js';
import { mujoco } from '../mujoco.js';

const COPIES = 64;
const STEPS = 200;
const ROUNDS = 3;

export async function run(): Promise<object> {
  const xml = dataFile('mjcf/humanoid.xml');
  if (xml === undefined) return { missing: 'mjcf/humanoid.xml' };
  const motors = [...xml.matchAll(/<motor name="(\w+)"\s+gear="(\d+)"/g)].map(([, name, gear]) => ({
    name,
    gear: Number(gear),
  }));
  const scene: Scene = { mechanisms: [{ model: 'humanoid.xml' }], ground: true, step: 0.005, duration: 0.005 * STEPS };
  const env = environment(scene, {
    files: { read: () => new TextEncoder().encode(xml) },
    copies: COPIES,
    observations: 27,
    actions: motors.length,
    act: motors.map(({ name }) => name),
    observe: ({ world }, observation) => observation.set(world.members[0].state.v.subarray(0, 27)),
    reward: ({ world }) => world.members[0].state.q[6],
  });
  const module = await mujoco();
  const model = module.MjModel.from_xml_string(xml);
  model.opt.timestep = scene.step!;
  const theirs: MjData[] = Array.from({ length: COPIES }, () => new module.MjData(model));
  const actions = new Float64Array(COPIES * motors.length);
  const [ours, others] = [[] as number[], [] as number[]];
  for (let round = 0; round < ROUNDS; round++) {
    const random = new Random(round + 1);
    for (const data of theirs) module.mj_resetData(model, data);
    env.reset(round + 1);
    let [own, other] = [0, 0];
    for (let step = 0; step < STEPS; step++) {
      for (let k = 0; k < actions.length; k++) actions[k] = random.between(-0.4, 0.4);
      for (let copy = 0; copy < COPIES; copy++) {
        const { ctrl } = theirs[copy];
        ctrl.set(actions.subarray(copy * motors.length, (copy + 1) * motors.length));
      }
      let start = performance.now();
      for (const data of theirs) module.mj_step(model, data);
      other += performance.now() - start;
      for (let k = 0; k < actions.length; k++) actions[k] *= motors[k % motors.length].gear;
      start = performance.now();
      env.step(actions);
      own += performance.now() - start;
    }
    ours.push((1000 * COPIES * STEPS) / own);
    others.push((1000 * COPIES * STEPS) / other);
  }
  for (const data of theirs) data.delete();
  model.delete();
  return { copies: COPIES, steps: STEPS, perSecond: Math.max(...ours), mujocoPerSecond: Math.max(...others) };
}
