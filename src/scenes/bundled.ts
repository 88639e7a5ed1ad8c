// The scenes that come with the package; `manikin models` lists them, `manikin simulate NAME` runs them.

import { Random } from '../mechanism/random.js';
import type { Vec3 } from '../spatial/matrix3.js';
import { cosine, sine } from '../spatial/trigonometry.js';
import type { Scene, SceneMechanism, ScenePose } from './scene.js';

/** A scene that comes with the package. */
export interface BundledScene {
  readonly name: string;
  readonly description: string;
  /** Seconds that a paper took for it. */
  readonly paper?: { readonly name: string; readonly seconds: number };
  /** Made when it is asked for. */
  readonly scene: () => Scene;
}

const GROUND = { friction: 0.8 } as const;

/** A posture that stands without locked knees. */
const STANCE: ScenePose = {
  left_hip_y: -0.25,
  right_hip_y: -0.25,
  left_knee: 0.5,
  right_knee: 0.5,
  left_ankle_y: -0.25,
  right_ankle_y: -0.25,
  left_elbow: -0.4,
  right_elbow: -0.4,
};

/** Pelvis of human-34 above the soles, standing straight. */
const PELVIS = 0.9304;
/** How much lower it is with bent knees. */
const BENT = 0.0268;

/** Paper 000, figure 7. */
function bar(): Scene {
  const grip = (name: string, hand: string) =>
    ({ name, a: hand, b: null, joint: { type: 'revolute', axis: [0, 1, 0] } }) as const;
  return {
    mechanisms: [
      {
        model: 'human-34',
        damping: 0,
        state: {
          left_shoulder_y: -2.9,
          right_shoulder_y: -2.9,
          left_hip_y: -0.7,
          right_hip_y: -0.6,
          left_knee: 0.6,
          right_knee: 0.5,
        },
      },
    ],
    connect: [grip('left_grip', 'left_hand'), grip('right_grip', 'right_hand')],
    // To look at, where the hands are: they hold it by joints.
    obstacles: [
      {
        name: 'bar',
        shape: { kind: 'cylinder', radius: 0.016, length: 1.2 },
        E: [1, 0, 0, 0, 0, 1, 0, -1, 0],
        t: [0.13173, 0, 1.95009],
      },
    ],
    filters: [{ without: ['bar', 'human-34'] }],
    events: [
      { at: 0.8, disconnect: 'right_grip' },
      { at: 1.4, disconnect: 'left_grip' },
    ],
    step: 2e-3,
    duration: 2,
  };
}

function fall(): Scene {
  return {
    mechanisms: [{ model: 'human-34', at: [0, 0, PELVIS + 0.3], turned: [0.9689, 0, 0.2474, 0], state: STANCE }],
    ground: GROUND,
    step: 2e-3,
    duration: 4,
  };
}

function pushed(): Scene {
  return {
    mechanisms: [
      {
        model: 'human-34',
        at: [0, 0, PELVIS - BENT],
        state: STANCE,
        control: {
          kind: 'position',
          stiffness: 500,
          damping: 50,
          joints: Object.fromEntries(
            ['left_ankle_y', 'right_ankle_y', 'left_ankle_x', 'right_ankle_x'].map((name) => [
              name,
              { stiffness: 900, damping: 60 },
            ]),
          ),
        },
      },
    ],
    ground: GROUND,
    events: [
      { at: 1, push: { body: 'torso', force: [60, 0, 0], duration: 0.2 } },
      { at: 2.5, push: { body: 'torso', force: [0, 40, 0], duration: 0.2 } },
    ],
    step: 2e-3,
    duration: 5,
  };
}

function walk(): Scene {
  return {
    mechanisms: [
      {
        model: 'human-34',
        at: [0, 0, PELVIS],
        control: {
          kind: 'motion',
          motion: 'gait',
          stiffness: 600,
          damping: 30,
          assist: { stiffness: 3000, damping: 400, limit: 400 },
        },
      },
    ],
    ground: GROUND,
    step: 2e-3,
    duration: 6,
  };
}

function paper(): Scene {
  const figure = { model: 'human-34', at: [0, 0, PELVIS - BENT], state: STANCE } as const;
  return { mechanisms: [figure], ground: GROUND, step: 2e-3, duration: 2 };
}

/** Figures in five rows of ten, turned and lifted at random: all of them fall over each other. */
function crowd(): Scene {
  const random = new Random(50);
  return {
    mechanisms: Array.from({ length: 50 }, (_, k): SceneMechanism => {
      const yaw = random.between(-Math.PI, Math.PI);
      const at: Vec3 = [0.8 * (k % 10), 0.8 * Math.floor(k / 10), PELVIS + random.between(0.05, 0.6)];
      return {
        model: 'human-34',
        name: `figure ${k + 1}`,
        at,
        turned: [cosine(yaw / 2), 0, 0, sine(yaw / 2)],
        velocity: [random.between(-1, 1), random.between(-1, 1), 0],
      };
    }),
    ground: GROUND,
    step: 5e-3,
    duration: 3,
  };
}

/** Two hips drive a closed linkage up and down. */
function closedLeg(): Scene {
  const times = [0, 0.25, 0.4, 0.6];
  return {
    mechanisms: [
      {
        model: 'leg',
        control: {
          kind: 'trajectory',
          times,
          joints: { front_hip: [0, -0.45, 0.25, 0], back_hip: [0, 0.45, -0.25, 0] },
          repeat: true,
          stiffness: 120,
          damping: 4,
          limit: 40,
        },
      },
    ],
    ground: GROUND,
    step: 2e-3,
    duration: 5,
  };
}

function humanoid(): Scene {
  return {
    mechanisms: [
      { model: 'humanoid', at: [0, 0, 1.3], turned: [0.9801, 0, 0.1987, 0], control: { kind: 'actuators' } },
    ],
    step: 5e-3,
    duration: 4,
  };
}

function dominoes(): Scene {
  const size: Vec3 = [0.008, 0.024, 0.048];
  const count = 12;
  const stones = Array.from({ length: count }, (_, k): SceneMechanism => {
    // Along a gentle curve.
    const yaw = 0.02 * k;
    return {
      model: { kind: 'box', size, density: 700, friction: 0.4 },
      name: `stone ${k + 1}`,
      at: [0.02 * k * cosine(yaw / 2), 0.02 * k * sine(yaw / 2), size[2] / 2],
      turned: [cosine(yaw / 2), 0, 0, sine(yaw / 2)],
    };
  });
  const ball: SceneMechanism = {
    model: { kind: 'sphere', radius: 0.01, density: 7800, friction: 0.4 },
    name: 'ball',
    at: [-0.1, 0, 0.04],
    velocity: [1.2, 0, 0.3],
  };
  return { mechanisms: [...stones, ball], ground: GROUND, step: 2e-3, duration: 2 };
}

/** A slope of 20 degrees: the ball rolls, the box beside it is held by its friction. */
function slope(): Scene {
  const angle = (20 * Math.PI) / 180;
  const [s, c] = [sine(angle), cosine(angle)];
  const turned = [cosine(angle / 2), 0, sine(angle / 2), 0] as const;
  const above = (height: number, y: number): Vec3 => [height * s, y, height * c];
  return {
    mechanisms: [
      { model: { kind: 'sphere', radius: 0.1 }, name: 'ball', at: above(0.1, 0) },
      { model: { kind: 'box', size: [0.2, 0.2, 0.2], friction: 0.5 }, name: 'box', at: above(0.1, 0.5), turned },
    ],
    ground: { plane: [s, 0, c, 0], friction: 0.8 },
    step: 2e-3,
    duration: 2,
  };
}

/** The scenes that come with the package. */
export const BUNDLED_SCENES: readonly BundledScene[] = [
  {
    name: 'human-34-bar',
    description: 'human-34 holds a bar with both hands, releases the right, then the left (paper 000, figure 7)',
    scene: bar,
  },
  { name: 'fall', description: 'human-34 falls, lies down and comes to rest', scene: fall },
  { name: 'push', description: 'human-34 stands by motors at its joints and is pushed, twice', scene: pushed },
  {
    name: 'walk',
    description: 'human-34 walks: a motion of our own through motors, the root assisted, feet on the ground',
    scene: walk,
  },
  {
    name: 'paper-003',
    description: 'human-34 for 2 s at 2 ms, as in paper 003, with contacts',
    paper: { name: 'paper 003', seconds: 6.8 },
    scene: paper,
  },
  { name: 'crowd', description: '50 figures of 34 degrees of freedom fall over each other', scene: crowd },
  { name: 'leg', description: 'a leg with a closed loop hops on a rail', scene: closedLeg },
  {
    name: 'humanoid',
    description: 'a humanoid of 21 hinges, from MJCF with its floor and actuators, falls',
    scene: humanoid,
  },
  { name: 'dominoes', description: 'a ball strikes the first of 12 stones', scene: dominoes },
  { name: 'slope', description: 'a ball rolls down a slope, a box beside it stays', scene: slope },
];

/** The bundled scene of that name, with its name and description in it. */
export function bundledScene(name: string): Scene | undefined {
  const found = BUNDLED_SCENES.find((known) => known.name === name);
  return found && { name, description: found.description, ...found.scene() };
}
