// What one can choose from: scenes of the page, and every built-in mechanism.

import { Random, State, type Vec3 } from 'manikin';
import { BUILTIN_MODELS, builtinMechanism } from 'manikin/models';
import { box, type Member, World } from 'manikin/world';

export interface SceneChoice {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly group: 'Scenes' | 'Figures and chains';
  readonly build: () => World;
}

const STEP = 2e-3;

/** The figure of [000] figure 7 hangs from a bar by both hands. */
function bar(): World {
  const mechanism = builtinMechanism('human-34');
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
  const world = new World({ step: STEP, ground: true });
  const figure = world.add(mechanism, { state, at: [0, 0, 1.6] });
  for (const side of ['left', 'right'] as const) {
    const { t } = world.pose(figure, `${side}_hand`);
    world.connect(figure, {
      name: `${side}_grip`,
      a: `${side}_hand`,
      b: null,
      joint: { type: 'revolute', axis: [0, 1, 0] },
      at: t,
    });
  }
  const { t } = world.pose(figure, 'left_hand');
  addBar(world, [t[0], 0, t[2]]);
  return world;
}

/** To look at: hands hold it by joints. */
function addBar(world: World, at: Vec3): void {
  world.obstacle({
    name: 'bar',
    geometry: { kind: 'cylinder', radius: 0.016, length: 1.4 },
    E: [1, 0, 0, 0, 0, 1, 0, -1, 0],
    t: at,
    group: 0,
    mask: 0,
  });
}

/** Boxes on each other, and one that is thrown at them. */
function boxes(): World {
  const world = new World({ step: STEP, ground: { friction: 0.8 } });
  for (let k = 0; k < 8; k++)
    world.add(box([0.3, 0.3, 0.2], { name: `box ${k + 1}`, density: 300 }), { at: [0, 0, 0.1 + 0.2 * k] });
  world.add(box([0.2, 0.2, 0.2], { name: 'stone', density: 2000 }), { at: [-2.5, 0.02, 1], velocity: [5, 0, 2] });
  return world;
}

function dominoes(): World {
  const world = new World({ step: STEP, ground: { friction: 0.6 } });
  const count = 24;
  for (let k = 0; k < count; k++) {
    const angle = (k / count) * 1.7 * Math.PI;
    const member = world.add(box([0.03, 0.14, 0.28], { name: `domino ${k + 1}`, density: 600 }), {
      at: [1.1 * Math.sin(angle), 1.1 - 1.1 * Math.cos(angle), 0.14],
      turned: [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)],
    });
    if (k === 0) spin(member, 2.5);
  }
  return world;
}

function spin(member: Member, speed: number): void {
  member.state.v[1] = speed;
  member.changed();
}

/** A mechanism by itself: from rest where it is fixed to the ground, from a random state where it is free. */
function single(name: string): World {
  const mechanism = builtinMechanism(name);
  const world = new World({ step: name.startsWith('chain') ? 1e-3 : STEP });
  const state = new State(mechanism);
  const random = new Random(7);
  for (const joint of mechanism.joints)
    if (joint.model.nv === 1) {
      const { lower = -0.6, upper = 0.6 } = joint.limits;
      state.q[joint.iq] = 0.5 * (lower + upper) + 0.25 * (upper - lower) * random.between(-1, 1);
    }
  state.applyCouplings();
  const free = mechanism.joints.some(({ type }) => type === 'floating');
  world.add(mechanism, { state, ...(free && { at: [0, 0, 1.2] as const }) });
  if (free) world.ground();
  return world;
}

export const SCENES: readonly SceneChoice[] = [
  {
    name: 'bar',
    title: 'Figure on a bar',
    about: 'A figure of 34 degrees of freedom hangs from a bar by both hands (paper 000). Drag it, let a hand go.',
    group: 'Scenes',
    build: bar,
  },
  {
    name: 'boxes',
    title: 'Boxes and a stone',
    about: 'Eight boxes on each other; friction holds them until something comes flying.',
    group: 'Scenes',
    build: boxes,
  },
  {
    name: 'dominoes',
    title: 'Dominoes',
    about: 'Twenty-four stones on an arc, the first one pushed.',
    group: 'Scenes',
    build: dominoes,
  },
  ...BUILTIN_MODELS.map(
    ({ example, description }): SceneChoice => ({
      name: example,
      title: example,
      about: description,
      group: 'Figures and chains',
      build: () => single(example),
    }),
  ),
];

/** The scene of that name. */
export function sceneNamed(name: string): SceneChoice {
  const found = SCENES.find((scene) => scene.name === name);
  if (found === undefined) throw new Error(`There is no scene "${name}".`);
  return found;
}
