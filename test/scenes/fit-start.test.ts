// Robots as their files have them: in the ground, beyond their limits, with hulls that are in each other.

import { describe, expect, it } from 'vitest';
import { readModel } from '../../src/files/index.js';
import { addModel, fitStart, RunSummary, type Scene, sceneWorld } from '../../src/scenes/index.js';
import { World } from '../../src/simulation/world/index.js';

/** A trunk with feet 0.9 m below it and a neck that cannot be straight; `head`: the size of the head, which is beyond a thin neck. */
const ROBOT = (head: number): string => `<robot name="robot">
  <link name="trunk"><inertial><mass value="5"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.2 0.2 0.4"/></geometry></collision>
    <collision><origin xyz="0 0 -0.8"/><geometry><box size="0.2 0.3 0.2"/></geometry></collision></link>
  <link name="neck"><inertial><mass value="0.1"/><inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.01"/></geometry></collision></link>
  <link name="head"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.1"/><geometry><box size="0.1 0.1 ${head}"/></geometry></collision></link>
  <joint name="lower" type="revolute"><parent link="trunk"/><child link="neck"/><origin xyz="0 0 0.25"/><axis xyz="0 1 0"/>
    <limit lower="0.1" upper="0.5" effort="1" velocity="1"/></joint>
  <joint name="upper" type="revolute"><parent link="neck"/><child link="head"/><origin xyz="0 0 0.05"/><axis xyz="0 1 0"/>
    <limit lower="-0.5" upper="0.5" effort="1" velocity="1"/></joint>
</robot>`;

const robot = (base: 'fixed' | 'floating', head = 0.1) => readModel(ROBOT(head), 'robot.urdf', { base });

function scene(base: 'fixed' | 'floating', more: Partial<Scene['mechanisms'][number]> = {}, height = 0) {
  return sceneWorld(
    { mechanisms: [{ model: 'robot', ...more }], ground: { plane: [0, 0, 1, height] } },
    { models: new Map([['robot', robot(base)]]) },
  );
}

const deepest = (world: World) => Math.max(0, ...world.overlaps().map(({ depth }) => depth));

const messages = (run: { warnings: readonly { message: string }[] }) => run.warnings.map(({ message }) => message);

describe('a model that nobody has placed', () => {
  it('stands on the ground, its joints within their limits, and says so', () => {
    const run = scene('floating');
    const [{ state }] = run.world.members;
    expect(deepest(run.world)).toBeLessThan(1e-12);
    expect(run.world.distance([run.world.members[0], 'trunk'], 'ground')).toBeCloseTo(0, 12);
    expect(state.get('lower').q[0]).toBe(0.1);
    expect(messages(run)).toEqual([
      'It starts at its limit 0.1, since 0, where the model stands by itself, is beyond it.',
      'It starts 900 mm higher than it stands by itself, out of the ground.',
    ]);
    const before = run.world.energy().total;
    run.runUntil(0.2);
    expect(run.world.energy().total).toBeLessThan(before + 1e-9);
  });

  it('stays where it is on a fixed base, and what is in the ground is told', () => {
    const { world } = scene('fixed', {}, 0.4);
    const [{ a, b, depth }] = [...world.overlaps()].sort((x, y) => y.depth - x.depth);
    expect([a.body, b.body, depth]).toEqual(['ground', 'neck', expect.closeTo(0.16, 9)]);
  });

  it('leaves a plane that leans by the way that is shortest, from a frame that is turned', () => {
    const model = robot('floating');
    const world = new World({ gravity: [0, 0, -9.81] });
    const s = Math.SQRT1_2;
    world.ground({ E: [s, 0, s, 0, 1, 0, -s, 0, s], name: 'slope' });
    const { member } = addModel(world, model);
    member.state.get(member.state.mechanism.joints[0].name).q.set([0, 1, 0, 0]);
    member.state.set('lower', 0.1);
    member.changed();
    const depth = deepest(world);
    const before = [...world.pose(member, 'trunk').t];
    fitStart(world, member);
    expect(deepest(world)).toBeLessThan(1e-12);
    const moved = world.pose(member, 'trunk').t.map((x, k) => x - before[k]);
    expect(Math.hypot(...moved)).toBeCloseTo(depth, 12);
  });

  it('is left alone where it was placed', () => {
    const deep = (more: object) => [deepest(scene('floating', more).world), messages(scene('floating', more)).length];
    const [lifted] = messages(scene('floating', { state: { lower: 0 } }));
    expect(lifted).toMatch(/^It starts 900 mm higher/);
    // The first joint of the file's model is the free base.
    const base = robot('floating').mechanism.joints[0].name;
    expect(deep({ at: [0, 0, 0.5] })).toEqual([expect.closeTo(0.4, 9), 1]);
    expect(deep({ at: [0, 0, 0.5], state: { lower: 0 } })).toEqual([expect.closeTo(0.4, 9), 0]);
    expect(deep({ state: { lower: 0, [base]: [1, 0, 0, 0, 0, 0, 0.1] } })).toEqual([expect.closeTo(0.8, 9), 0]);
    const states = new Map([['robot', robot('floating').state]]);
    const models = new Map([['robot', robot('floating')]]);
    const run = sceneWorld({ mechanisms: [{ model: 'robot' }], ground: true }, { models, states });
    expect([deepest(run.world), messages(run)]).toEqual([expect.closeTo(0.9, 9), []]);
  });
});

describe('the energy of a run', () => {
  it('may rise by what brings joints back that began beyond their limits', () => {
    const arm = readModel(
      `<robot name="arm"><link name="base"/><link name="arm"><inertial><origin xyz="1 0 0"/><mass value="3"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
        <limit lower="-1" upper="-0.5" effort="1" velocity="1"/></joint></robot>`,
      'arm.urdf',
    );
    const run = (state: object) => {
      const one = sceneWorld({ mechanisms: [{ model: 'arm', ...state }] }, { models: new Map([['arm', arm]]) });
      const summary = new RunSummary(one.world, one);
      one.runUntil(1, () => {
        summary.look(one.world);
        return true;
      });
      return [summary.figures.largestGain, one.world.members[0].state.q[0]];
    };
    const [gain, q] = run({ state: { hinge: -0.4 } });
    expect(gain).toBeCloseTo(3 * 9.81 * (Math.sin(0.5) - Math.sin(0.4)), 2);
    expect(q).toBeCloseTo(-0.5, 4);
    expect(run({})).toEqual([expect.closeTo(0, 9), expect.closeTo(-0.5, 4)]);
  });
});

describe('bodies that are in each other', () => {
  it('do not touch where the file says nothing of contact, with a warning; a little is parted', () => {
    const pairs = (head: number) => {
      const world = new World();
      const { member, warnings } = addModel(world, robot('floating', head));
      // As the neck has a shape, trunk and head are no neighbours.
      return [
        world.overlaps().length,
        warnings.map(({ where }) => where),
        world.distance([member, 'trunk'], [member, 'head']),
      ];
    };
    expect(pairs(0.1)).toEqual([0, [], expect.closeTo(0.15, 9)]);
    expect(pairs(0.5)).toEqual([0, ['bodies "trunk" and "head" of "robot"'], expect.closeTo(-0.05, 9)]);
    expect(pairs(0.4 + 1e-3)).toEqual([1, [], expect.closeTo(-5e-4, 9)]);
  });
});
