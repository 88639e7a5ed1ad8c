import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { ImportError } from '../../src/mechanism/errors.js';
import { Random } from '../../src/mechanism/random.js';
import { BUNDLED_SCENES, bundledScene } from '../../src/scenes/bundled.js';
import { sceneWorld } from '../../src/scenes/make-scene.js';
import { formatScene, parseScene } from '../../src/scenes/parse-scene.js';
import { SCENE_SCHEMA } from '../../src/scenes/schema.js';

const ball = { model: { kind: 'sphere', radius: 0.1 } };
const figure = { model: 'human-34' };

/** Everything that can stand in a scene. */
const FULL = {
  $schema: 'scene.schema.json',
  name: 'full',
  description: 'all of it',
  mechanisms: [
    {
      model: 'human-34',
      name: 'figure',
      base: 'floating',
      at: [0, 0, 1],
      turned: [1, 0, 0, 0],
      velocity: [0.1, 0, 0],
      spin: [0, 0, 1],
      state: { left_knee: 0.3, right_knee: [0.2] },
      control: [
        {
          kind: 'position',
          stiffness: 300,
          damping: 20,
          limit: 80,
          target: 'start',
          joints: { left_knee: { stiffness: 1 } },
        },
        { kind: 'torque', torques: { neck_z: 0.5 } },
      ],
      selfCollision: true,
      damping: 0.3,
    },
    { model: { kind: 'box', size: [0.1, 0.2, 0.3], mass: 1, friction: 0.4, restitution: 0.5 }, at: [2, 0, 1] },
    {
      model: {
        bodies: [
          {
            name: 'bob',
            parent: null,
            joint: { name: 'pivot', type: 'revolute', axis: [0, 1, 0] },
            E: [1, 0, 0, 0, 1, 0, 0, 0, 1],
            t: [3, 0, 1],
            mass: 1,
            com: [0, 0, -0.3],
            inertia: [0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01],
          },
        ],
        name: 'pendulum',
        gravity: [0, 0, -9.81],
      },
      control: { kind: 'trajectory', times: [0, 1], joints: { pivot: [0, 1] }, repeat: true, stiffness: 5 },
    },
  ],
  ground: { plane: [0, 0, 1, -0.1], friction: 0.7, restitution: 0.1 },
  obstacles: [
    {
      name: 'step',
      shape: { kind: 'box', size: [1, 1, 0.1] },
      E: [1, 0, 0, 0, 1, 0, 0, 0, 1],
      t: [5, 0, 0],
      friction: 0.2,
    },
    { shape: { kind: 'heights', rows: 2, columns: 2, size: [1, 1], heights: [0, 0, 0, 0] }, t: [9, 0, 0] },
    { shape: { kind: 'hull', points: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1] }, t: [7, 0, 0] },
  ],
  gravity: [0, 0, -9.8],
  connect: [{ name: 'leash', mechanism: 'figure', a: 'left_hand', b: null, joint: { type: 'spherical' } }],
  events: [
    { at: 0.1, disconnect: 'leash' },
    { at: 0.2, push: { mechanism: 'figure', body: 'torso', force: [10, 0, 0], moment: [0, 0, 1], duration: 0.1 } },
    { at: 0.3, connect: { name: 'again', mechanism: 'figure', a: 'left_hand', joint: { type: 'spherical' } } },
    { at: 0.4, control: null, mechanism: 'figure' },
  ],
  filters: [{ without: ['figure/left_hand', 'ground'] }],
  step: 0.004,
  integrator: 'midpoint',
  duration: 0.5,
};

const problems = (source: object | string): string => {
  try {
    sceneWorld(parseScene(source, { file: 'a.json' }));
  } catch (error) {
    expect(error).toBeInstanceOf(ImportError);
    return (error as ImportError).message;
  }
  return 'no mistake';
};

describe('parseScene', () => {
  it('takes everything that can stand in a scene, and runs it', () => {
    const run = sceneWorld(parseScene(FULL));
    run.runUntil(run.duration);
    expect(run.story).toHaveLength(4);
  });

  it('reads what formatScene writes', () => {
    expect(parseScene(formatScene(FULL as never))).toEqual(FULL);
    for (const { name } of BUNDLED_SCENES)
      expect(parseScene(formatScene(bundledScene(name)!))).toEqual(bundledScene(name));
  });

  // One clear message each, with the place.
  it.each([
    ['{"mechanisms": [}', /^a\.json:1:17: This is not JSON: "}" does not belong here\.$/],
    ['[]', /^a\.json: Expected an object, got an array of 0\.$/],
    [{}, /^a\.json: The key "mechanisms" is missing\.$/],
    [{ mechanisms: [] }, /^a\.json: mechanisms: Expected a list with at least 1, got 0\.$/],
    [{ mechanisms: [ball], grund: true }, /^a\.json: grund: There is no such key here\. Did you mean "ground"\?$/],
    [{ mechanisms: ['human-34'] }, /^a\.json: mechanisms\[0\]: Expected an object, got "human-34"\.$/],
    [
      { mechanisms: [{ modl: 'human-34' }] },
      /The key "model" is missing\.[\s\S]*modl: There is no such key here\. Did you mean "model"\?/,
    ],
    [
      { mechanisms: [{ model: 'human-43' }] },
      /^mechanisms\[0\]\.model: There is no built-in mechanism or model "human-43"\. Did you mean "human-4.*; models: leg, humanoid\.$/,
    ],
    [
      { mechanisms: [{ model: 'chain-99999999' }] },
      /^mechanisms\[0\]\.model: chain: It can have 1 to 1000000 links, got 99999999\.$/,
    ],
    [
      { mechanisms: [{ model: 'arm.urdf' }] },
      /^mechanisms\[0\]\.model: There is no file "arm\.urdf" beside the scene\.$/,
    ],
    [
      { mechanisms: [{ model: '../arm.urdf' }] },
      /^mechanisms\[0\]\.model: Expected a path that does not leave the root/,
    ],
    [
      { mechanisms: [{ model: 'arm.step' }] },
      /^mechanisms\[0\]\.model: The model "arm\.step" is no file of a known kind/,
    ],
    // Found by the fuzzer: a sentence begins with a capital, whatever the name.
    [{ mechanisms: [{ model: 'a\n/b' }] }, /^mechanisms\[0\]\.model: The model "a\\n\/b" is no file/],
    [
      { mechanisms: [{ model: { kind: 'bal', radius: 1 } }] },
      /model\.kind: Expected one of box, sphere, capsule, cylinder, got "bal"/,
    ],
    [
      { mechanisms: [{ model: { kind: 'sphere' } }] },
      /^a\.json: mechanisms\[0\]\.model: The key "radius" is missing\.$/,
    ],
    [{ mechanisms: [{ model: { kind: 'sphere', radius: 0 } }] }, /model\.radius: Expected a number above 0, got 0\.$/],
    [
      { mechanisms: [{ model: { kind: 'sphere', radius: '1' } }] },
      /model\.radius: Expected a finite number, got "1"\.$/,
    ],
    [
      { mechanisms: [{ model: { kind: 'sphere', radius: 1, mass: 1, density: 2 } }] },
      /Give a mass or a density, not both/,
    ],
    [{ mechanisms: [{ ...ball, at: [0, 0] }] }, /mechanisms\[0\]\.at: Expected a list with 3 of them, got 2\.$/],
    [
      { mechanisms: [{ ...ball, at: [0, null, 0] }] },
      /mechanisms\[0\]\.at\[1\]: Expected a finite number, got null\.$/,
    ],
    [{ mechanisms: [{ ...ball, turned: [1, 1, 0, 0] }] }, /turned: Expected a unit quaternion/],
    [{ mechanisms: [{ ...ball, base: 'loose' }] }, /base: Expected one of fixed, floating, got "loose"\.$/],
    [
      { mechanisms: [{ ...figure, base: 'fixed', at: [0, 0, 0] }] },
      /^mechanisms\[0\]: .*Only a mechanism with a free base can be placed/,
    ],
    [
      { mechanisms: [{ ...figure, state: { left_kne: 1 } }] },
      /^mechanisms\[0\]: state: There is no joint "left_kne"\. Did you mean "left_knee"\?$/,
    ],
    [{ mechanisms: [{ ...figure, state: { left_knee: [1, 2] } }] }, /A revolute joint has 1 positions, got 2/],
    [{ mechanisms: [{ ...figure, state: 'start.json' }] }, /state: There is no file "start\.json" beside the scene/],
    [{ mechanisms: [{ ...figure, state: {}, keyframe: 'x' }] }, /Give a state or a keyframe, not both/],
    [{ mechanisms: [{ ...figure, keyframe: 'stand' }] }, /The model has no keyframe "stand"\. There are none\./],
    [
      { mechanisms: [{ ...figure, control: { kind: 'pd', stiffness: 1 } }] },
      /control\.kind: Expected one of position, trajectory, motion, torque, actuators, got "pd"/,
    ],
    [{ mechanisms: [{ ...figure, control: { kind: 'position' } }] }, /control: The key "stiffness" is missing/],
    [
      { mechanisms: [{ ...figure, control: { kind: 'position', stiffness: -1 } }] },
      /stiffness: Expected a number not below 0, got -1/,
    ],
    [
      { mechanisms: [{ ...figure, control: { kind: 'position', stiffness: 1, target: 'stat' } }] },
      /target: Expected one of start, neutral, got "stat"\. Did you mean "start"\?/,
    ],
    [
      { mechanisms: [{ ...figure, control: { kind: 'position', stiffness: 1, joints: { knee: {} } } }] },
      /^mechanisms\[0\]\.control: There is no joint "knee"/,
    ],
    [
      { mechanisms: [{ ...figure, control: { kind: 'torque', torques: { root: 1 } } }] },
      /Forces by name are for joints of one degree of freedom/,
    ],
    [
      { mechanisms: [{ ...figure, control: { kind: 'trajectory', times: [0, 0], joints: {}, stiffness: 1 } }] },
      /times\[1\]: Times must rise, but 0 follows 0/,
    ],
    [
      {
        mechanisms: [
          { ...figure, control: { kind: 'trajectory', times: [0, 1], joints: { left_knee: [0, 1, 2] }, stiffness: 1 } },
        ],
      },
      /joints\.left_knee: Expected a position for each of the 2 times, got 3/,
    ],
    [
      { mechanisms: [{ ...figure, control: { kind: 'motion', motion: 'run', stiffness: 1 } }] },
      /The motion "run" is neither "gait" nor one of a known kind/,
    ],
    [
      { mechanisms: [{ ...ball, control: { kind: 'motion', motion: 'gait', stiffness: 1 } }] },
      /The gait is for figures with a joint "left_hip_y"/,
    ],
    [
      { mechanisms: [{ ...figure, control: { kind: 'actuators', controls: { knee: 1 } } }] },
      /The model has no actuator "knee"\. There are none\./,
    ],
    [
      {
        mechanisms: [
          { ...ball, name: 'x' },
          { ...ball, name: 'x' },
        ],
      },
      /mechanisms\[1\]\.name: The name "x" is that of mechanisms\[0\] already/,
    ],
    [{ mechanisms: [ball], ground: { plane: [0, 0, 0, 1] } }, /ground\.plane: The first three numbers are the normal/],
    [{ mechanisms: [ball], ground: 'flat' }, /ground: Expected true or false or an object, got "flat"/],
    [
      { mechanisms: [ball], obstacles: [{ shape: { kind: 'mesh' } }] },
      /obstacles\[0\]\.shape\.kind: Expected one of plane, box/,
    ],
    [
      { mechanisms: [ball], obstacles: [{ shape: { kind: 'plane' }, E: [1, 0, 0, 0, 1, 0, 0, 0, 2] }] },
      /obstacles\[0\]\.E: Expected a rotation matrix/,
    ],
    [
      { mechanisms: [ball], obstacles: [{ shape: { kind: 'hull', points: new Array(13).fill(0) } }] },
      /Expected three numbers for each point, got 13/,
    ],
    [
      {
        mechanisms: [ball],
        obstacles: [{ shape: { kind: 'heights', rows: 2, columns: 3, size: [1, 1], heights: [0, 0, 0, 0] } }],
      },
      /Expected rows times columns, 6 numbers, got 4/,
    ],
    [
      { mechanisms: [figure], connect: [{ name: 'c', a: 'left_had', joint: { type: 'spherical' } }] },
      /^connect\[0\]: There is no body or frame "left_had"\. Did you mean "left_hand"/,
    ],
    [
      { mechanisms: [figure], connect: [{ name: 'c', a: 'left_hand', joint: { type: 'sphere' } }] },
      /joint\.type: Expected one of/,
    ],
    [
      { mechanisms: [figure, ball], connect: [{ name: 'c', a: 'left_hand', joint: { type: 'spherical' } }] },
      /^connect\[0\]: Which mechanism\? Give "mechanism": one of human-34, ball\.$/,
    ],
    [{ mechanisms: [ball], events: [{ at: 1 }] }, /events\[0\]: Expected one of connect, disconnect, push, control\./],
    [
      { mechanisms: [ball], events: [{ at: 1, discon: 'x' }] },
      /events\[0\]: Expected one of connect, disconnect, push, control\. There is no key "discon"/,
    ],
    [
      { mechanisms: [ball], events: [{ at: 9, disconnect: 'ball' }] },
      /events\[0\]\.at: It would happen at 9 s, after the end of the scene at 5 s/,
    ],
    [
      { mechanisms: [ball], events: [{ at: 1, disconnect: 'bal' }] },
      /^events\[0\]\.disconnect: There is no joint or connection "bal"\. Did you mean "ball"\?$/,
    ],
    [
      { mechanisms: [ball], events: [{ at: 1, push: { body: 'bal', force: [1, 0, 0], duration: 1 } }] },
      /^events\[0\]\.push\.body: There is no body "bal"/,
    ],
    [
      { mechanisms: [ball], filters: [{ without: ['ball', 'floor'] }] },
      /^filters\[0\]\.without\[1\]: There is no mechanism or obstacle "floor"/,
    ],
    [
      { mechanisms: [ball], filters: [{ without: ['ball/x', 'ball'] }] },
      /^filters\[0\]\.without\[0\]: There is no body "x"/,
    ],
    [{ mechanisms: [ball], step: 0 }, /step: Expected a number above 0, got 0/],
    [
      { mechanisms: [ball], step: 1e-9, duration: 1e6 },
      /duration: These are 1000000000000000 steps; take a shorter time or a longer step/,
    ],
    [{ mechanisms: [ball], integrator: 'rk4' }, /integrator: Expected one of midpoint, got "rk4"/],
    [{ mechanisms: new Array(10_001).fill(ball) }, /Expected a list with at most 10000, got 10001/],
    [
      { mechanisms: [{ ...ball, name: 'x'.repeat(1001) }] },
      /name: Expected a text of at most 1000 characters, got 1001/,
    ],
    [{ mechanisms: [{ ...ball, at: [1e300, 0, 0] }] }, /at\[0\]: Expected a number of at most 1000000000, got 1e\+300/],
  ] as const)('%j', (source, expected) => {
    expect(problems(source as object)).toMatch(expected);
  });

  it('lists all mistakes at once, and no more than fit', () => {
    const mechanisms = Array.from({ length: 2000 }, () => ({ model: 'human-34', at: 'here' }));
    const message = problems({ mechanisms });
    expect(message).toContain('problems');
    expect(message.split('\n').length).toBeLessThan(30);
  });
});

/** Values that are wrong almost everywhere. */
const WRONG = [null, true, -1, 0, 1e12, 'x', '', [], {}, [1], { kind: 'box' }, ['a', 'b']];

/** The same with one change somewhere. */
function mutated(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.next() < 0.15) return random.pick(WRONG);
  const keys = Object.keys(value);
  if (keys.length === 0) return random.pick(WRONG);
  const key = random.pick(keys);
  const copy: Record<string, unknown> = Array.isArray(value)
    ? ([...value] as never)
    : { ...(value as Record<string, unknown>) };
  const chance = random.next();
  if (chance < 0.1 && !Array.isArray(value)) delete copy[key];
  else if (chance < 0.2 && !Array.isArray(value)) copy[`${key}x`] = copy[key];
  else copy[key] = mutated(copy[key], random);
  return copy;
}

describe('the schema', () => {
  const valid = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(SCENE_SCHEMA);
  const parsed = (scene: unknown): 'good' | 'schema' | 'meaning' => {
    try {
      parseScene(scene as object);
      return 'good';
    } catch (error) {
      expect(error).toBeInstanceOf(ImportError);
      const meaning =
        /not both|Times must rise|for each of|unit quaternion|is that of|normal of|rotation matrix|each point|rows times|after the end|These are/;
      return (error as ImportError).problems.every(({ message }) => meaning.test(message)) ? 'meaning' : 'schema';
    }
  };

  it('accepts the bundled scenes', () => {
    for (const { name } of BUNDLED_SCENES) expect(valid(bundledScene(name)), name).toBe(true);
    expect(valid(FULL)).toBe(true);
  });

  it('agrees with the reader on scenes with mistakes', () => {
    let refused = 0;
    for (let seed = 1; seed <= 800; seed++) {
      const scene = mutated(FULL, new Random(seed));
      if (typeof scene !== 'object' || scene === null) continue;
      const verdict = parsed(scene);
      expect(verdict !== 'schema', `seed ${seed}: ${JSON.stringify(valid.errors?.[0])}`).toBe(valid(scene));
      if (verdict === 'schema') refused++;
    }
    expect(refused).toBeGreaterThan(300);
  });
});
