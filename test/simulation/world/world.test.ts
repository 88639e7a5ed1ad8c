import { describe, expect, it } from 'vitest';
import { dynamics } from '../../../src/dynamics/dynamics.js';
import { parseUrdf } from '../../../src/formats/index.js';
import { MechanismBuilder } from '../../../src/mechanism/builder.js';
import { Random } from '../../../src/mechanism/random.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { formatCheckpoint, parseCheckpoint } from '../../../src/recording/checkpoint-file.js';

import { ball, box, capsule } from '../../../src/simulation/world/bodies.js';
import type { Member } from '../../../src/simulation/world/member.js';
import { World } from '../../../src/simulation/world/world.js';
import { IDENTITY3, ZERO3 } from '../../../src/spatial/matrix3.js';

/** A heap: balls and capsules over each other. */
function heap(): World {
  const world = new World({ step: 0.004 });
  const random = new Random(4);
  world.ground({ friction: 0.6 });
  world.obstacle({ geometry: { kind: 'sphere', radius: 0.3 }, t: [0, 0, 0.1] });
  for (let k = 0; k < 8; k++)
    world.add(k % 2 === 0 ? ball(0.1, { friction: 0.5 }) : capsule(0.08, 0.2, { friction: 0.4 }), {
      at: [random.between(-0.3, 0.3), random.between(-0.3, 0.3), 0.6 + 0.15 * k],
      turned: random.quaternion(),
    });
  return world;
}

function hash(world: World): string {
  const bytes = world.members.flatMap(({ state: { q, v } }) => [...new Uint8Array(Float64Array.of(...q, ...v).buffer)]);
  let h = 2166136261;
  for (const byte of bytes) h = Math.imul(h ^ byte, 16777619);
  return (h >>> 0).toString(16);
}

describe('World', () => {
  it('gives the same bits twice, and after save and restore at any time', () => {
    const [one, two] = [heap(), heap()];
    one.runUntil(1);
    two.runUntil(1);
    expect(hash(one)).toBe(hash(two));
    const random = new Random(9);
    for (let k = 0; k < 3; k++) {
      const world = heap();
      world.runUntil(random.between(0.05, 0.9));
      const checkpoint = world.save();
      world.runUntil(world.time + 0.1);
      const expected = hash(world);
      const other = heap();
      other.runUntil(0.3);
      other.restore(checkpoint);
      other.runUntil(other.time + 0.1);
      expect(hash(other)).toBe(expected);
      // And in the same world.
      world.restore(checkpoint);
      world.runUntil(world.time + 0.1);
      expect(hash(world)).toBe(expected);
    }
  });

  it('balls that fall into a heap do not enter each other', () => {
    const world = new World({ step: 0.001 });
    const random = new Random(1);
    world.ground({ friction: 0 });
    for (let k = 0; k < 27; k++) {
      const place = (i: number): number => 0.21 * i + random.between(-1e-3, 1e-3);
      const at = [place(k % 3), place(Math.floor(k / 3) % 3), 0.11 + place(Math.floor(k / 9))] as const;
      world.add(ball(0.1, { mass: 10, friction: 0 }), { at });
    }
    let sum = 0;
    let count = 0;
    world.runUntil(0.4, () => {
      for (const { depth } of world.contacts()) {
        sum += Math.max(0, depth) ** 2;
        count++;
      }
      expect(world.report.residual).toBeLessThan(1e-8);
      return true;
    });
    expect(Math.sqrt(sum / count)).toBeLessThan(1e-6);
  });

  it('reports contacts: the weight, at the points that carry it', () => {
    const world = new World({ step: 0.005 });
    world.ground();
    world.add(box([1, 1, 1], { mass: 3 }), { at: [0, 0, 0.5] });
    world.runUntil(0.1);
    const contacts = world.contacts();
    expect(contacts).toHaveLength(4);
    const { a, b, normal } = contacts[0];
    expect([a.body, b.body].sort()).toEqual(['box', 'ground']);
    const force = contacts.reduce((sum, contact) => sum + contact.force[2], 0);
    expect(Math.abs(force)).toBeCloseTo(3 * 9.81, 6);
    expect(normal[2] * force).toBeGreaterThan(0);
    expect(contacts.every(({ mode }) => mode === 'stick')).toBe(true);
  });

  it('measures distances between bodies, shapes and obstacles', () => {
    const world = new World({ step: 0.002, ground: true });
    const one = world.add(ball(0.1), { name: 'one', at: [0, 0, 1] });
    const two = world.add(box([0.2, 0.2, 0.2]), { name: 'two', at: [1, 0, 1] });
    expect(world.distance([one, 'ball'], 'ground')).toBeCloseTo(0.9, 12);
    expect(world.distance([one, 'ball'], [two, 'box'])).toBeCloseTo(0.8, 12);
    expect(world.distance('ground', [two, 'box'])).toBeCloseTo(0.9, 12);
    two.state.q[4] = 0.15;
    two.changed();
    expect(world.distance([two, 'box'], [one, 'ball'])).toBeCloseTo(-0.05, 9);
    world.step();
    // After a step as it is then.
    expect(world.distance([one, 'ball'], 'ground')).toBeLessThan(0.9);
    expect(() => world.distance('floor', [one, 'ball'])).toThrow('There is no obstacle "floor"');
  });

  it('tells when bodies begin and cease to touch', () => {
    const world = new World({ step: 0.002, ground: { friction: 0.5 }, mechanisms: [ball(0.1, { restitution: 0.8 })] });
    const [thrown] = world.members;
    thrown.state.q[6] = 0.5;
    thrown.changed();
    const seen: string[] = [];
    world.runUntil(2, ({ events }) => {
      for (const { kind, a, b } of events) seen.push(`${kind} ${a.body} ${b.body}`);
      return true;
    });
    expect(seen.slice(0, 4)).toEqual([
      'touch ground ball',
      'release ground ball',
      'touch ground ball',
      'release ground ball',
    ]);
  });

  it('neither forgets contacts nor tells of them again where something comes or goes', () => {
    const make = (): World => {
      const world = new World({ step: 0.005, ground: { friction: 0.5 } });
      for (let k = 0; k < 3; k++) world.add(box([0.2, 0.2, 0.2]), { name: `box ${k}`, at: [0, 0, 0.1 + 0.2 * k] });
      world.runUntil(0.2);
      return world;
    };
    const told = ({ events }: World): string[] =>
      events.map(({ kind, a, b }) => `${kind} ${a.member ?? a.body} ${b.member ?? b.body}`);
    const world = make();
    const figure = world.add(box([0.2, 0.2, 0.2]), { name: 'new', at: [3, 0, 2] });
    world.obstacle({ name: 'post', geometry: { kind: 'sphere', radius: 0.1 }, t: [9, 0, 0] });
    // What is gone is gone with its contacts, what stays keeps them.
    const before = world.contacts();
    world.step();
    expect(told(world)).toEqual([]);
    // The impulses were right already.
    expect(world.report.iterations).toBe(0);
    expect(world.contacts()).toEqual(before);
    world.remove(figure);
    world.remove(world.member('box 1'));
    world.step();
    expect(told(world)).toEqual(['release box 0 box 1', 'release box 1 box 2']);
    expect(world.contacts()).toHaveLength(4);
    const fallen: string[] = [];
    world.runUntil(0.6, () => {
      fallen.push(...told(world));
      return true;
    });
    expect(fallen).toEqual(['touch box 0 box 2']);
    world.exclude([world.member('box 2'), 'box'], [world.member('box 0'), 'box']);
    world.step();
    expect(told(world)).toEqual(['release box 0 box 2']);
  });

  it('keeps contacts through changes of structure, and goes on from them by a file', () => {
    const make = (): { world: World; figure: Member } => {
      const world = new World({ step: 0.002, ground: { friction: 0.8 } });
      return { world, figure: world.add(builtinMechanism('human-34'), { at: [0, 0, 1] }) };
    };
    const { world, figure } = make();
    world.runUntil(0.5);
    const changes = [
      () => world.reroot(figure, { top: 'left_foot', at: world.pose(figure, 'left_foot').t, joint: 'floating' }),
      () => {
        const at = world.pose(figure, 'left_hand').t;
        world.connect(figure, { name: 'grip', a: 'left_hand', b: null, at, joint: { type: 'spherical' } });
      },
      () => world.disconnect(figure, 'left_elbow'),
    ];
    for (const change of changes) {
      const before = world.contacts();
      change();
      expect(world.contacts()).toEqual(before);
      const text = formatCheckpoint(world);
      world.step();
      expect(world.events).toEqual([]);
      world.runUntil(world.time + 0.1);
      const other = make().world;
      other.restore(parseCheckpoint(text, other).checkpoint);
      other.step();
      expect(other.events).toEqual([]);
      other.runUntil(world.time);
      expect(hash(other)).toBe(hash(world));
    }
  });

  it('takes a structure apart in the middle of contact', () => {
    const shape = { E: IDENTITY3, t: ZERO3, friction: 0, geometry: { kind: 'sphere', radius: 0.1 } } as const;
    const inertia = [0.004, 0, 0, 0, 0.004, 0, 0, 0, 0.004] as const;
    const dumbbell = new MechanismBuilder('dumbbell')
      .link('left', { parent: null, joint: { type: 'floating' }, mass: 1, inertia, collisions: [shape] })
      .link('right', {
        parent: 'left',
        joint: { type: 'fixed' },
        at: [0.5, 0, 0],
        mass: 1,
        inertia,
        collisions: [shape],
      })
      .build();
    const world = new World({ step: 0.002 });
    world.ground();
    const figure = world.add(dumbbell, { at: [0, 0, 0.1], velocity: [0, 1, 0], spin: [0, 0, 1] });
    world.runUntil(0.2);
    expect(world.report.contacts).toBe(2);
    world.disconnect(figure, 'right');
    expect(figure.state.mechanism.nv).toBe(12);
    world.runUntil(0.4);
    expect(world.report.contacts).toBe(2);
    expect(figure.state.v.every(Number.isFinite)).toBe(true);
    const distance = (): number => {
      const [a, b] = ['left', 'right'].map(
        (name) => dynamics(figure.state.mechanism, { engine: 'plain' }).pose(figure.state, name).t,
      );
      return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    };
    const apart = distance();
    world.runUntil(0.6);
    expect(distance()).toBeGreaterThan(apart + 0.01);
  });

  it('stops at a number that is not finite, and stays as it was', () => {
    const world = new World();
    world.ground();
    const thrown = world.add(ball(0.1), { at: [0, 0, 1] });
    let poison = 0;
    thrown.control = (tau) => {
      tau[3] = poison;
    };
    world.runUntil(0.1);
    const before = hash(world);
    poison = Number.NaN;
    expect(() => world.step()).toThrow(/The control gives NaN for joint "ball" \(body "ball"\) of "ball" at time/);
    expect(hash(world)).toBe(before);
    poison = 0;
    world.step();
    expect(world.time).toBeCloseTo(0.102, 12);
  });

  it('refuses what makes no sense', () => {
    expect(() => new World({ step: 0 })).toThrow('positive');
    expect(() => new World({ gravity: [0, 0, Number.NaN] })).toThrow('finite');
    const world = new World();
    world.ground();
    const one = world.add(ball(0.1));
    expect(() => world.member('bal')).toThrow(/ball/);
    expect(() => world.exclude('gruond', [one, 'ball'])).toThrow(/ground/);
    expect(() => world.remove({ ...one } as typeof one)).toThrow('not in this world');
    const elsewhere = new World().add(ball(0.1));
    for (const act of [
      () => world.contactForce(elsewhere, 'ball'),
      () => world.exclude([elsewhere, 'ball'], 'ground'),
      () => world.distance([elsewhere, 'ball'], 'ground'),
      () => world.connect(elsewhere, { name: 'held', a: 'ball', b: null, joint: { type: 'fixed' } }),
      () => world.disconnect(elsewhere, 'ball'),
      () => world.reroot(elsewhere, { top: 'ball', at: [0, 0, 0], joint: 'floating' }),
    ])
      expect(act).toThrow('"ball": It is not in this world.');
    for (const h of [0, -0.01, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => world.step(h)).toThrow(`The step must be a positive number of seconds, got ${h}.`);
    expect(() => world.runUntil(Number.NaN)).toThrow('not a number');
    expect(world.time).toBe(0);
    expect(() => new World({ gravity: -9.81 as never })).toThrow('Gravity must be three finite numbers, got -9.81.');
    expect(() => new World({ step: '0.01' as never })).toThrow('positive');
    expect(() => ball(0.1, { mass: -1 })).toThrow('positive');
    const robot = parseUrdf(
      `<robot name="r"><link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><mesh filename="arm.stl"/></geometry></collision></link></robot>`,
    );
    world.add(robot);
    expect(() => world.step()).toThrow(
      'shape (mesh) of body "arm" of "r": The file of the mesh "arm.stl" was not read; read it, or give another shape for contact. addModel of manikin/scenes leaves out what cannot collide.',
    );
  });
});
