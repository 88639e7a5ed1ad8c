import { describe, expect, it } from 'vitest';
import { parseMjcf } from '../../src/formats/mjcf.js';
import { MechanismBuilder } from '../../src/mechanism/builder.js';
import { State } from '../../src/mechanism/state.js';
import { addModel } from '../../src/scenes/add-model.js';
import { BUNDLED_SCENES, bundledScene } from '../../src/scenes/bundled.js';
import { sceneWorld } from '../../src/scenes/make-scene.js';
import { TrajectoryGuide } from '../../src/scenes/motions.js';
import { RunSummary } from '../../src/scenes/run-summary.js';
import type { Scene, SceneControl } from '../../src/scenes/scene.js';
import { World } from '../../src/simulation/world/world.js';
import type { Vec3 } from '../../src/spatial/matrix3.js';

const LONG = process.env.MANIKIN_LONG !== undefined;

const arm = new MechanismBuilder('arm')
  .link('upper', {
    parent: null,
    joint: { type: 'revolute', axis: [0, 1, 0], name: 'shoulder' },
    mass: 1,
    com: [0, 0, -0.2],
    inertia: [0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.01],
  })
  .link('lower', {
    parent: 'upper',
    joint: { type: 'revolute', axis: [0, 1, 0], name: 'elbow' },
    at: [0, 0, -0.4],
    mass: 1,
    com: [0, 0, -0.2],
    inertia: [0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.01],
  })
  .build();
const models = new Map([['arm', { mechanism: arm, state: new State(arm) }]]);

function armWith(control: SceneControl, more: Partial<Scene> = {}) {
  return sceneWorld({ mechanisms: [{ model: 'arm', control }], gravity: [0, 0, 0], ...more }, { models });
}

describe('control', () => {
  it('holds a pose, and another one from an event on', () => {
    const gains = { stiffness: 500, damping: 40 };
    const run = armWith(
      { kind: 'position', ...gains, target: { shoulder: 0.5 } },
      { events: [{ at: 2, control: { kind: 'position', ...gains, target: { elbow: -1 } } }] },
    );
    run.runUntil(2);
    const { q } = run.world.members[0].state;
    expect([...q].map((x) => Math.round(1e6 * x) / 1e6 + 0)).toEqual([0.5, 0]);
    run.runUntil(4);
    expect(q[0]).toBeCloseTo(0, 6);
    expect(q[1]).toBeCloseTo(-1, 6);
  });

  it('follows a trajectory without lag', () => {
    const run = armWith({
      kind: 'trajectory',
      times: [0, 1, 2],
      joints: { shoulder: [0, 1, 0], elbow: [0, -0.5, -1] },
      stiffness: 5000,
      damping: 300,
    });
    run.runUntil(0.8);
    const { q } = run.world.members[0].state;
    // Within the error of a step.
    expect(Math.abs(q[0] - 0.8)).toBeLessThan(5e-3);
    expect(Math.abs(q[1] + 0.4)).toBeLessThan(5e-3);
    run.runUntil(3);
    expect(q[0]).toBeCloseTo(0, 4);
    expect(q[1]).toBeCloseTo(-1, 4);
  });

  it('gives torques by name: a constant one turns a joint as Newton says', () => {
    const run = armWith({ kind: 'torque', torques: { elbow: 0.1 } }, { step: 1e-3 });
    run.runUntil(0.1);
    const { qdd } = run.world.solved(run.world.members[0]);
    const free = arm.bodies[1].inertia[4] + 0.04;
    // The upper arm gives way, so the elbow turns faster than about a fixed axis.
    expect(qdd[1]).toBeGreaterThan(0.1 / free);
  });

  it('drives joints that follow others by those that they follow', () => {
    const gripper = (actuator: string) => {
      const model = parseMjcf(`<mujoco><worldbody><body name="hand"><geom size="0.1" contype="0" conaffinity="0"/>
        <body name="left"><joint name="left" type="slide" axis="0 1 0"/><geom size="0.01" mass="0.1"/></body>
        <body name="right"><joint name="right" type="slide" axis="0 1 0"/><geom size="0.01" mass="0.2"/></body></body></worldbody>
        <equality><joint joint1="left" joint2="right" polycoef="0.01 -2 0 0 0"/></equality>
        <actuator>${actuator}</actuator></mujoco>`);
      const control = { kind: 'actuators', controls: { grip: 0.03 } } as const;
      const run = sceneWorld(
        { mechanisms: [{ model: 'm', control }], gravity: [0, 0, 0] },
        { models: new Map([['m', model]]) },
      );
      run.runUntil(0.05);
      const early = [...run.world.members[0].state.q];
      run.runUntil(5);
      return [early, [...run.world.members[0].state.q]];
    };
    const [early, late] = gripper('<position name="grip" joint="left" kp="200" kv="20" forcerange="-1 1"/>');
    expect(early[0]).not.toBeCloseTo(0.03, 3);
    expect(late[0]).toBeCloseTo(0.03, 6);
    expect(late[1]).toBeCloseTo(-0.01, 6);
    // The force on left is minus two times that on right, its length 0.01 - 2 right: the same as a spring with a constant force on right.
    const same = gripper(
      '<general name="grip" joint="right" gear="-2" gainprm="200" biastype="affine" biasprm="-2 -200 -20" forcerange="-1 1"/>',
    );
    for (const [k, q] of [...early, ...late].entries()) expect([...same[0], ...same[1]][k]).toBeCloseTo(q, 12);
  });

  it('drives actuators of MJCF: servos implicitly, motors as they are', () => {
    const model = parseMjcf(`<mujoco><worldbody><body name="a"><joint name="j" axis="0 1 0"/><geom size="0.1"/>
      <body name="b" pos="0 0 1"><joint name="k" axis="0 1 0"/><geom size="0.1"/></body></body></worldbody>
      <actuator><position name="servo" joint="j" kp="5000" kv="400"/><motor name="m" joint="k" gear="2" ctrlrange="-1 1" ctrllimited="true"/>
      <velocity name="brake" joint="k" kv="3"/></actuator></mujoco>`);
    const control = { kind: 'actuators', controls: { servo: 0.4, m: 5 } } as const;
    const run = sceneWorld(
      { mechanisms: [{ model: 'm', control }], gravity: [0, 0, 0] },
      { models: new Map([['m', model]]) },
    );
    run.runUntil(3);
    const { q, v } = run.world.members[0].state;
    expect(q[0]).toBeCloseTo(0.4, 3);
    // Torque 2 against damping 3.
    expect(v[1]).toBeCloseTo(2 / 3, 3);
  });

  it('assists a root no more than its limit allows', () => {
    const velocity = (assist: object): number => {
      const control = { kind: 'motion', motion: 'gait', stiffness: 600, damping: 30, ...assist } as const;
      const run = sceneWorld({ mechanisms: [{ model: 'human-34', at: [0, 0, 2], control }], step: 0.002 });
      run.step();
      return run.world.members[0].state.get('root').v[5];
    };
    // The gait is a metre lower: the assistance pulls down, a newton more each time.
    const [one, two, three] = [1, 2, 3].map((limit) => velocity({ assist: { stiffness: 1e6, limit } }));
    expect(two - one).toBeLessThan(0);
    expect((three - two) / (two - one)).toBeCloseTo(1, 4);
  });

  it('puts energy in, and the summary tells how much', () => {
    const run = armWith({ kind: 'torque', torques: { shoulder: 1 } });
    const summary = new RunSummary(run.world);
    run.runUntil(0.2, () => {
      summary.look(run.world);
      return true;
    });
    expect(summary.figures).toMatchObject({ steps: 100, energyStart: 0, largestGain: run.world.energy().total });
    expect(summary.figures.largestGain).toBeGreaterThan(0.01);
  });

  it('is told apart from energy that comes from nowhere, which ends the run', () => {
    const still = sceneWorld({ mechanisms: [{ model: 'chain-2', state: { joint_1: 1 } }], step: 0.002 });
    expect(still.driven).toBe(false);
    expect(armWith({ kind: 'torque', torques: { shoulder: 1 } }).driven).toBe(true);
    const looks = (driven: boolean, lift: number): void => {
      const { world } = still;
      const summary = new RunSummary(world, { driven });
      const state = world.members[0].state.clone();
      still.step();
      // Somebody reaches in.
      world.members[0].state.v[0] *= 1 + lift;
      world.members[0].changed();
      try {
        for (let k = 0; k < 40; k++) {
          still.step();
          summary.look(world);
        }
      } finally {
        world.members[0].state.copy(state);
        world.members[0].changed();
      }
    };
    looks(false, 0);
    looks(true, 0.1);
    expect(() => looks(false, 0.1)).toThrow(/^The energy grew by .* without a cause/);
  });

  it('holds the force range of a servo before its gear', () => {
    const model =
      parseMjcf(`<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size="0.1"/></body></worldbody>
      <actuator><position name="servo" joint="j" kp="500" gear="2" forcerange="-10 10"/></actuator></mujoco>`);
    const control = { kind: 'actuators', controls: { servo: 1000 } } as const;
    const run = sceneWorld(
      { mechanisms: [{ model: 'm', control }], gravity: [0, 0, 0], step: 0.001 },
      { models: new Map([['m', model]]) },
    );
    run.step();
    expect(run.world.members[0].state.v[0]).toBeCloseTo((0.001 * 2 * 10) / model.mechanism.bodies[0].inertia[4], 9);
  });
});

describe('back to a checkpoint', () => {
  it.each(['walk', 'push', 'leg', 'human-34-bar'])('%s goes on with the same bits', (name) => {
    const run = sceneWorld({ ...bundledScene(name)!, step: 0.005 });
    run.runUntil(0.05);
    const saved = run.save();
    const goOn = (): number[] => {
      run.runUntil(0.08);
      return run.world.members.flatMap(({ state }) => [...state.q, ...state.v]);
    };
    const first = goOn();
    run.restore(saved);
    expect(goOn()).toEqual(first);
  });

  it('takes back what was told of events, and tells warnings once', () => {
    const xml = `<mujoco><worldbody><body><joint name="j"/><geom size="0.1"/></body></worldbody>
      <actuator><general name="a" joint="j" dyntype="filter" dynprm="1"/></actuator></mujoco>`;
    const own = new Map([['m', parseMjcf(xml)]]);
    const control = { kind: 'actuators' } as const;
    const scene = { mechanisms: [{ model: 'm', control }], events: [0.01, 0.02, 0.03].map((at) => ({ at, control })) };
    const run = sceneWorld(scene, { models: own });
    run.runUntil(0.016);
    const saved = run.save();
    run.runUntil(0.05);
    expect(run.story).toHaveLength(3);
    const before = run.story.slice(0, 1);
    run.restore(saved);
    expect(run.story).toEqual(before);
    run.runUntil(0.05);
    expect(run.story).toHaveLength(3);
    expect(run.warnings.map(({ code }) => code)).toEqual(['actuator']);
  });
});

describe('what a scene says', () => {
  it('a trajectory is repeated, also before its first time', () => {
    const guide = new TrajectoryGuide(new State(arm), [0, 1, 2], { shoulder: [0, 1, 0] }, true);
    const [q, v] = [new Float64Array(2), new Float64Array(2)];
    guide.at(2.25, q, v);
    expect([q[0], v[0]]).toEqual([0.25, 1]);
    guide.at(-0.25, q, v);
    expect([q[0], v[0]]).toEqual([0.25, -1]);
  });

  it('a push lasts as long as it says', () => {
    const box = { kind: 'box', size: [0.1, 0.1, 0.1], mass: 2 } as const;
    const events = [{ at: 0.1, push: { body: 'box', force: [10, 0, 0], duration: 0.1 } }] as const;
    const run = sceneWorld({ mechanisms: [{ model: box }], gravity: [0, 0, 0], events });
    run.runUntil(0.4);
    expect(run.world.members[0].state.v[3]).toBeCloseTo(0.5, 9);
  });

  it.each([
    [0.002, 0.1, 0.001],
    [0.002, 0.101, 0.001],
    [0.003, 0.1, 0.01],
    [0.01, 0.105, 0.002],
    [0.01, 0, 0.004],
    [0.01, 0.108, 0.004],
  ])('in steps of %d s a push at %d s for %d s gives force times duration', (step, at, duration) => {
    const box = { kind: 'box', size: [0.1, 0.1, 0.1], mass: 2 } as const;
    const force: Vec3 = [1 / duration, 0, 0];
    const moment: Vec3 = [0, 0, 0.01 / duration];
    const events = [{ at, push: { body: 'box', force, moment, duration } }];
    const run = sceneWorld({ mechanisms: [{ model: box }], gravity: [0, 0, 0], step, events });
    run.runUntil(0.3);
    const { v, mechanism } = run.world.members[0].state;
    expect(v[2]).toBeCloseTo(0.01 / mechanism.bodies[0].inertia[8], 9);
    expect(Math.hypot(v[3], v[4])).toBeCloseTo(0.5, 9);
    expect(run.story).toHaveLength(1);
  });

  it('a plane is where its equation has it, whatever the length of its normal', () => {
    const { world } = sceneWorld({ mechanisms: [{ model: 'arm' }], ground: { plane: [0, 0, 2, 1] } }, { models });
    expect(world.obstacles[0].shape.t).toEqual([0, 0, 0.5]);
  });

  it("figures have people's damping, unless the scene says another", () => {
    const knee = (more: object): number =>
      sceneWorld({ mechanisms: [{ model: 'human-34', ...more }] }).world.members[0].state.mechanism.joint('left_knee')
        .damping;
    expect(knee({})).toBeGreaterThan(0);
    expect([knee({ damping: 0 }), knee({ damping: 0.3 })]).toEqual([0, 0.3]);
  });
});

describe('names in events', () => {
  it.each<[SceneControl, RegExp]>([
    [{ kind: 'torque', torques: { sholder: 1 } }, /^events\[0\]\.control: There is no joint "sholder"/],
    [{ kind: 'motion', motion: 'a.mot', stiffness: 1 }, /^events\[0\]\.control: There is no file "a\.mot"/],
  ])('are looked up at the start', (control, message) => {
    expect(() => armWith({ kind: 'torque', torques: {} }, { events: [{ at: 1, control }] })).toThrow(message);
  });

  it('do not drive before their time', () => {
    const run = armWith(
      { kind: 'torque', torques: {} },
      { events: [{ at: 0.1, control: { kind: 'torque', torques: { elbow: 1 } } }] },
    );
    run.runUntil(0.1);
    expect([...run.world.members[0].state.v]).toEqual([0, 0]);
    run.runUntil(0.2);
    expect(run.world.members[0].state.v[1]).toBeGreaterThan(0.1);
  });
});

describe('models of MJCF', () => {
  const text = (pair: string) => `<mujoco><worldbody>
      <geom name="floor" type="plane" size="1 1 1" friction="0.9"/>
      <body name="box" pos="0 0 0.1"><freejoint/><geom name="b" type="box" size="0.1 0.1 0.1" friction="0.1"/></body>
      <body name="ghost" pos="1 0 0.1"><freejoint/><geom name="g" size="0.1" contype="0" conaffinity="0"/></body>
    </worldbody>${pair}</mujoco>`;
  const slid = (pair: string, seconds = 0.5): number[] => {
    const world = new World({ step: 2e-3, gravity: [9.81 * 0.5, 0, -9.81] });
    const { member } = addModel(world, parseMjcf(text(pair)));
    world.runUntil(seconds);
    return [member.state.q[4], member.state.q[7 + 6]];
  };

  it('bring their floor, and the larger friction of two', () => {
    const [x, ghost] = slid('');
    // 0.9 holds on a slope of 0.5; nothing carries the other.
    expect(x).toBeCloseTo(0, 9);
    expect(ghost).toBeLessThan(-1);
  });

  it('bring pairs with a friction of their own, for shapes that touch nothing else', () => {
    const [x, ghost] = slid(
      '<contact><pair geom1="floor" geom2="b" friction="0.2 0.2 0 0 0"/><pair geom1="floor" geom2="g"/></contact>',
    );
    expect(x).toBeCloseTo(0.5 * 0.25 * 9.81 * 0.3, 2);
    expect(ghost).toBeCloseTo(0.1, 4);
  });

  it('bring exclusions', () => {
    const excluded = slid('<contact><exclude body1="world" body2="box"/></contact>');
    expect(excluded[0]).toBeGreaterThan(0.5);
  });

  it('leave out what cannot collide, with a warning', () => {
    const mesh = { kind: 'mesh', path: 'hand.stl', scale: [1, 1, 1] } as const;
    const mechanism = new MechanismBuilder('m')
      .link('hand', {
        parent: null,
        joint: { type: 'floating' },
        mass: 1,
        inertia: [1, 0, 0, 0, 1, 0, 0, 0, 1],
        collisions: [{ geometry: mesh, E: [1, 0, 0, 0, 1, 0, 0, 0, 1], t: [0, 0, 0] }],
      })
      .build();
    const { member, warnings } = addModel(new World(), { mechanism, state: new State(mechanism) });
    expect(member.state.mechanism.bodies[0].collisions).toEqual([]);
    expect(warnings[0]).toMatchObject({ where: 'body "hand"' });
    expect(warnings[0].message).toContain('hand.stl');
  });
});

describe('scenes that come with the package', () => {
  it.each(BUNDLED_SCENES.map(({ name }) => name))('%s', { timeout: 600_000 }, (name) => {
    const run = sceneWorld(bundledScene(name)!);
    const { world } = run;
    if (!LONG) {
      // The crowd takes long even to be looked at.
      if (name !== 'crowd') run.runUntil(20 * world.stepSize);
      return;
    }
    let worst = 0;
    run.runUntil(run.duration, () => {
      worst = Math.max(worst, world.report.depth);
      return true;
    });
    expect(worst).toBeLessThan(2e-3);
  });

  it('figures touch nothing of themselves while they stand', () => {
    for (const name of ['human-34', 'human-40', 'human-48', 'human-52', 'human-161']) {
      const { world } = sceneWorld({ mechanisms: [{ model: name, at: [0, 0, 3] }] });
      world.step();
      expect(
        world
          .contacts()
          .filter(({ depth }) => depth > 0)
          .map(({ a, b }) => `${a.body} ${b.body}`),
        name,
      ).toEqual([]);
    }
  });

  it('a figure held by a hand hangs from it, and stays where it holds', () => {
    const run = sceneWorld(bundledScene('human-34-bar')!);
    const hand = () => run.world.pose(run.world.members[0], 'left_hand').t;
    const before = hand();
    run.runUntil(0.06);
    for (const [k, x] of hand().entries()) expect(x).toBeCloseTo(before[k], 4);
    expect(run.world.energy().kinetic).toBeLessThan(20);
  });
});
