// What one can choose from: scenes of the page, and every built-in mechanism.

import { createMechanism, MechanismBuilder, mechanismSpec, Random, State } from 'manikin';
import { BUILTIN_MODELS, builtinMechanism } from 'manikin/models';
import { BUNDLED_SCENES, bundledScene, type Scene, type SceneCheckpoint } from 'manikin/scenes';
import { box, type Checkpoint, World } from 'manikin/world';
import { controllerNamed } from './controllers.js';
import { dynamicsOf } from './dynamics-of.js';
import type { FileProblem } from './protocol.js';

export interface SceneChoice {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly group: 'Scenes' | 'Figures and chains';
  readonly build: () => Promise<Run>;
}

const STEP = 2e-3;

/** N m s/rad: what keeps joints of people from swinging for ever. */
const DAMPING = 1;

/** The figure of [000] figure 7, which holds the bar until somebody lets a hand go. Made by hand: it is what a person sees first. */
function bar(): World {
  const { joints, ...rest } = mechanismSpec(builtinMechanism('human-34'));
  const damped = joints.map((joint) => (joint.type === 'floating' ? joint : { ...joint, damping: DAMPING }));
  const mechanism = createMechanism({ ...rest, joints: damped });
  const state = new State(mechanism);
  for (const [joint, q] of [
    ['left_shoulder_y', -2.9],
    ['right_shoulder_y', -2.9],
    ['left_hip_y', -0.7],
    ['right_hip_y', -0.6],
    ['left_knee', 0.6],
    ['right_knee', 0.5],
  ] as const)
    state.set(joint, q);
  const world = new World({ step: STEP, ground: { friction: 0.8 } });
  const figure = world.add(mechanism, { state, at: [0, 0, 1.6] });
  const hands = ['left', 'right'].map((side) => {
    const at = world.pose(figure, `${side}_hand`).t;
    const joint = { type: 'revolute', axis: [0, 1, 0] } as const;
    world.connect(figure, { name: `${side}_grip`, a: `${side}_hand`, b: null, joint, at });
    return at;
  });
  // To look at: the hands hold it by joints.
  world.obstacle({
    name: 'bar',
    geometry: { kind: 'cylinder', radius: 0.016, length: 1.4 },
    E: [1, 0, 0, 0, 0, 1, 0, -1, 0],
    t: [hands[0][0], 0, hands[0][2]],
    group: 0,
    mask: 0,
  });
  return world;
}

/** It stands and keeps its balance: push it. */
async function balancing(): Promise<Run> {
  const { mechanisms, ...rest } = bundledScene('push')!;
  const own = await run({ ...rest, mechanisms: mechanisms.map(({ control: _, ...one }) => one), events: [] });
  return controlled(own, 'balance');
}

/** Two links, the motor between them. */
function acrobot(): World {
  const rod = { mass: 1, com: [0, 0, -0.5], inertia: [0.083, 0, 0, 0, 0.083, 0, 0, 0, 0.002] } as const;
  const shape = {
    geometry: { kind: 'capsule', radius: 0.04, length: 1 },
    E: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    t: [0, 0, -0.5],
  } as const;
  const axis = [0, 1, 0] as const;
  const mechanism = new MechanismBuilder('two links')
    .link('upper', { parent: null, joint: { type: 'revolute', axis, name: 'hang' }, ...rod, visuals: [shape] })
    .link('lower', {
      parent: 'upper',
      joint: { type: 'revolute', axis, name: 'bend', damping: 0.02 },
      at: [0, 0, -1],
      ...rod,
      visuals: [shape],
    })
    .build();
  const state = new State(mechanism);
  state.set('hang', 0.6);
  const world = new World({ step: STEP });
  world.add(mechanism, { state, selfCollision: false });
  return world;
}

/** A walk as a capture would give it, followed by motors; nobody walked it. */
async function following(): Promise<Run> {
  const [{ gaitBvh }, { followed }] = await Promise.all([import('../gallery/gait-bvh.js'), import('./follow.js')]);
  const bytes = new TextEncoder().encode(gaitBvh({ seconds: 12, stride: 1.2, speed: 100 }));
  return followed(new Map([['walk.bvh', bytes]]));
}

/** A run whose mechanisms are driven by a controller from the beginning. */
function controlled(own: Run, controller: string): Run {
  for (const member of own.world.members)
    controllerNamed(controller).apply(member, dynamicsOf(member.state.mechanism), { stiff: 15, damped: 1 });
  return own;
}

/** Boxes on each other, and one that is thrown at them. */
function boxes(): World {
  const world = new World({ step: STEP, ground: { friction: 0.8 } });
  for (let k = 0; k < 8; k++)
    world.add(box([0.3, 0.3, 0.2], { name: `box ${k + 1}`, density: 300 }), { at: [0, 0, 0.1 + 0.2 * k] });
  world.add(box([0.2, 0.2, 0.2], { name: 'stone', density: 2000 }), { at: [-2.5, 0.02, 1], velocity: [5, 0, 2] });
  return world;
}

/** A world that runs, with what its scene does to it. A SceneWorld of manikin/scenes is one. */
export interface Run {
  readonly world: World;
  readonly warnings: readonly FileProblem[];
  step(): void;
  save(): SceneCheckpoint;
  restore(checkpoint: SceneCheckpoint): void;
}

/** What is on the stage. */
export interface Opened {
  /** Of a scene that can be chosen; empty for files. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly run: Run;
  /** Of a recording: its moments. */
  readonly moments?: readonly Checkpoint[];
  readonly warnings: readonly FileProblem[];
}

/** A world to which nothing happens by itself. */
export function plainRun(world: World): Run {
  return {
    world,
    warnings: [],
    step: () => world.step(),
    save: () => ({ world: world.save(), events: 0 }),
    restore: ({ world: checkpoint }) => world.restore(checkpoint),
  };
}

/** Worlds from scene files are loaded when they are asked for. */
async function run(scene: Scene): Promise<Run> {
  const { sceneWorld } = await import('./scene-world.js');
  return sceneWorld(scene);
}

/** A mechanism by itself: chains hang, everything else falls on the ground. */
function single(model: string): Scene {
  const mechanism = builtinMechanism(model);
  const state = new State(mechanism);
  const random = new Random(7);
  const free = mechanism.joints.some(({ type }) => type === 'floating');
  const pose: Record<string, number> = {};
  for (const { name, model: kind, iq, limits } of mechanism.joints) {
    if (kind.nv !== 1) continue;
    const { lower = -0.6, upper = 0.6 } = limits;
    state.q[iq] = 0.5 * (lower + upper) + 0.25 * (upper - lower) * random.between(-1, 1);
    pose[name] = state.q[iq];
  }
  return {
    mechanisms: [{ model, state: pose, ...(free && { at: [0, 0, 1.2] as const }) }],
    step: free ? STEP : 1e-3,
    ...(free && { ground: { friction: 0.8 } }),
  };
}

/** What those are called for whom the names of `manikin simulate` say little. */
const TITLES: Readonly<Record<string, string>> = {
  'human-34-bar': 'Figure that lets go of the bar',
  fall: 'Figure that falls',
  push: 'Figure that is pushed',
  walk: 'Figure that walks by motors',
  'paper-003': 'Figure of paper 003, with contacts',
  crowd: 'Crowd of 50 figures (slow)',
  leg: 'Leg that hops on a rail',
  humanoid: "MuJoCo's humanoid falls",
  dominoes: 'Dominoes',
  slope: 'Ball and box on a slope',
};

export const SCENES: readonly SceneChoice[] = [
  {
    name: 'bar',
    title: 'Figure on a bar',
    about: 'A figure of 34 degrees of freedom hangs from a bar by both hands (paper 000). Drag it, let a hand go.',
    group: 'Scenes',
    build: async () => plainRun(bar()),
  },
  {
    name: 'boxes',
    title: 'Boxes and a stone',
    about: 'Eight boxes on each other; friction holds them until something comes flying.',
    group: 'Scenes',
    build: async () => plainRun(boxes()),
  },
  {
    name: 'balance',
    title: 'Figure that balances',
    about: 'Its ankles keep its weight over its feet. Choose a body and push it (p), from any side.',
    group: 'Scenes',
    build: balancing,
  },
  {
    name: 'swing-up',
    title: 'Two links swing up',
    about: 'One motor, between the links: it bends with the swing until they stand upside down.',
    group: 'Scenes',
    build: async () => controlled(plainRun(acrobot()), 'swing'),
  },
  {
    name: 'follow',
    title: 'Figure that follows a motion',
    about: 'Motors follow a captured walk (a made-up one; open a BVH file for yours), the root is assisted.',
    group: 'Scenes',
    build: following,
  },
  ...BUNDLED_SCENES.map(
    ({ name, description, scene }): SceneChoice => ({
      name,
      title: TITLES[name] ?? name,
      about: sentence(description),
      group: 'Scenes',
      build: () => run(scene()),
    }),
  ),
  // The description is of chains of any length, the example of one.
  ...BUILTIN_MODELS.map(({ example, description }) =>
    modelScene(example, sentence(description).replace(/\bN\b/g, /\d+/.exec(example)?.[0] ?? 'N')),
  ),
];

/** Begins with a capital, unless with the name of a model. */
function sentence(text: string): string {
  return text.replace(/^(?!human-)[a-z]/, (letter) => letter.toUpperCase());
}

function modelScene(name: string, about: string): SceneChoice {
  return { name, title: name, about, group: 'Figures and chains', build: () => run(single(name)) };
}

/** The scene of that name, or the built-in mechanism: those with a number in their names are more than the list has. */
export function sceneNamed(name: string): SceneChoice {
  const found = SCENES.find((scene) => scene.name === name);
  if (found !== undefined) return found;
  const names = SCENES.flatMap((scene) => (scene.group === 'Scenes' ? scene.name : []));
  const { bodies, nv } = builtinMechanism(name, { what: 'scene', names });
  return modelScene(name, `${bodies.length} bodies, ${nv} degrees of freedom.`);
}
