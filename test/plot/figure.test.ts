import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Geometry, Mechanism, Shape } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { BUILTIN_MODELS, builtinMechanism } from '../../src/models/index.js';
import { figure, sideView } from '../../src/plot/figure.js';
import { type EnergySample, motionPicture } from '../../src/plot/motion-picture.js';
import { cross, dot, IDENTITY3, rotationAbout, transpose, type Vec3 } from '../../src/spatial/matrix3.js';
import { body, hinge, row } from '../mechanism/support.js';
import { drawn, named } from './support.js';

/** From the front: x to the right, z up, y away. One metre is a hundred pixels. */
const FRONT = {
  projection: ([x, y, z]: Vec3): Vec3 => [x, z, -y],
  scale: 100,
  origin: [0, 0],
  color: '#000000',
} as const;

const at = (geometry: Geometry, more: Partial<Shape> = {}): Shape => ({
  geometry,
  E: IDENTITY3,
  t: [0, 0, 0],
  ...more,
});

/** One body at the origin with these shapes. */
const shown = (...visuals: Shape[]): Mechanism =>
  createMechanism({ bodies: [body('a', { visuals })], joints: [hinge('a', null)] });

const drawnAt = (mechanism: Mechanism, state = new State(mechanism)) =>
  drawn(figure(mechanism, new PlainDynamics(mechanism).poses(state), FRONT));

const corners = (points: string): number[][] => points.split(' ').map((pair) => pair.split(',').map(Number));

describe('sideView', () => {
  it.each<[string, Vec3]>([
    ['down -z', [0, 0, -9.81]],
    ['down -y', [0, -9.81, 0]],
    ['down x', [5, 0, 0]],
    ['askew', [1, -2, 3]],
    ['nowhere', [0, 0, 0]],
  ])('is a rotation, with gravity pointing down: %s', (_where, gravity) => {
    for (const [azimuth, elevation] of [
      [0, 0],
      [-0.6, 0.15],
      [2, -1],
    ]) {
      const project = sideView(gravity, azimuth, elevation);
      const columns = (
        [
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ] as Vec3[]
      ).map(project);
      // Lengths and angles are kept, and right, up, towards the viewer is a right-handed frame.
      columns.forEach((a, i) => {
        columns.forEach((b, j) => {
          expect(dot(a, b)).toBeCloseTo(i === j ? 1 : 0, 12);
        });
      });
      expect(dot(cross(columns[0], columns[1]), columns[2])).toBeCloseTo(1, 12);
      const [right, up] = project(gravity);
      expect(right).toBeCloseTo(0, 12);
      if (gravity.some((g) => g !== 0)) expect(up).toBeLessThan(0);
    }
  });
});

describe('shapes', () => {
  it('a box is the outline of its corners: four from the front, six from a corner', () => {
    const [front] = named(drawnAt(shown(at({ kind: 'box', size: [1, 2, 3] }))), 'polygon');
    expect(corners(front.attributes.points).sort((p, q) => p[0] - q[0] || p[1] - q[1])).toEqual([
      [-50, -150],
      [-50, 150],
      [50, -150],
      [50, 150],
    ]);
    const E = transpose(rotationAbout([0.6, 0, 0.8], 1));
    const [askew] = named(drawnAt(shown(at({ kind: 'box', size: [1, 2, 3] }, { E }))), 'polygon');
    const hull = corners(askew.attributes.points);
    expect(hull).toHaveLength(6);
    // Convex: every turn goes the same way, and every corner of the box is inside.
    const turn = (a: number[], b: number[], c: number[]): number =>
      Math.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
    const turns = hull.map((_, k) => turn(hull[k], hull[(k + 1) % 6], hull[(k + 2) % 6]));
    expect(new Set(turns).size).toBe(1);
  });

  it('a box without thickness is still drawn', () => {
    for (const size of [
      [1, 0, 3],
      [0, 0, 1],
      [0, 0, 0],
    ] as Vec3[])
      expect(named(drawnAt(shown(at({ kind: 'box', size }))), 'polygon')).toHaveLength(1);
  });

  it('a capsule is a thick line from end to end, placed and turned', () => {
    const E = transpose(rotationAbout([0, 1, 0], Math.PI / 2));
    const capsule = at({ kind: 'capsule', radius: 0.1, length: 2 }, { E, t: [1, 0, 0.5] });
    const [, line] = named(drawnAt(shown(capsule)), 'path');
    expect(line.attributes).toMatchObject({ 'stroke-width': '20', 'stroke-linecap': 'round' });
    const ends = line.attributes.d.match(/-?[\d.]+/g)!.map(Number);
    expect(ends).toEqual([0, -50, 200, -50]);
  });

  it('a sphere is a dot of its size', () => {
    const [, dotted] = named(drawnAt(shown(at({ kind: 'sphere', radius: 0.25 }, { t: [0, 0, 1] }))), 'path');
    expect(dotted.attributes['stroke-width']).toBe('50');
  });

  it('shapes farther from the viewer are drawn first', () => {
    const [near, far] = [-1, 1].map((y) => at({ kind: 'box', size: [1, 1, 1 - y / 10] }, { t: [0, y, 0] }));
    for (const order of [
      [near, far],
      [far, near],
    ]) {
      const heights = named(drawnAt(shown(...order)), 'polygon').map(({ attributes }) =>
        Math.max(...corners(attributes.points).map(([, y]) => y)),
      );
      expect(heights).toEqual([45, 55]);
    }
  });

  it('bodies without shapes are sticks between joints', () => {
    const mechanism = createMechanism(row());
    expect(named(drawnAt(mechanism), 'path').length).toBeGreaterThanOrEqual(4);
  });

  it('bodies that have nothing but meshes are sticks too: files of meshes are not read here', () => {
    const mesh = at({ kind: 'mesh', path: 'package://robot/arm.stl', scale: [1, 1, 1] });
    const visuals = [mesh, mesh];
    const mechanism = createMechanism(row({ bodies: ['a', 'b', 'c'].map((name) => body(name, { visuals })) }));
    expect(named(drawnAt(mechanism), 'path').length).toBeGreaterThanOrEqual(4);
  });

  it('bodies with meshes for the eye have the shapes that touch', () => {
    const mesh = at({ kind: 'mesh', path: 'package://robot/arm.stl', scale: [1, 1, 1] });
    const ball = at({ kind: 'sphere', radius: 0.1 });
    const paths = (more: object) =>
      named(drawnAt(createMechanism(row({ bodies: ['a', 'b', 'c'].map((name) => body(name, more)) }))), 'path');
    expect(paths({ visuals: [mesh], collisions: [ball] })).toEqual(paths({ visuals: [ball] }));
    expect(paths({ visuals: [mesh], collisions: [ball] })).not.toEqual(paths({ visuals: [mesh] }));
    expect(paths({ visuals: [ball], collisions: [ball, ball] })).toEqual(paths({ visuals: [ball] }));
  });

  it('a single body without shapes is seen', () => {
    expect(named(drawnAt(shown()), 'path').length).toBeGreaterThan(0);
  });
});

describe('motionPicture', () => {
  const energies = (n: number): EnergySample[] =>
    Array.from({ length: n }, (_, k) => ({ time: k / 10, kinetic: k, potential: 5 - k }));

  function picture(mechanism: Mechanism, moments: number, samples: number, title = mechanism.name): string {
    const dynamics = new PlainDynamics(mechanism);
    const at = Array.from({ length: moments }, (_, k) => ({
      time: k / 10,
      poses: dynamics.poses(State.random(mechanism, k)),
    }));
    return motionPicture(mechanism, at, energies(samples), title);
  }

  it.each(BUILTIN_MODELS)('draws $example', ({ example }) => {
    const elements = drawn(picture(builtinMechanism(example), 3, 20));
    expect(elements[0].name).toBe('svg');
    const shapes = [...named(elements, 'path'), ...named(elements, 'polygon')];
    const { bodies } = builtinMechanism(example);
    expect(shapes.length).toBeGreaterThan(3 * bodies.length);
    // Within the picture, give or take the thickness of a limb.
    for (const { attributes } of named(elements, 'polygon'))
      for (const [x, y] of corners(attributes.points)) {
        expect(x).toBeGreaterThan(-60);
        expect(x).toBeLessThan(1020);
        expect(y).toBeGreaterThan(-60);
        expect(y).toBeLessThan(490);
      }
  });

  it.each([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
    [9, 400],
  ])('with %i moments and %i energies is a picture', (moments, samples) => {
    drawn(picture(builtinMechanism('chain-3'), moments, samples));
  });

  it('says its title, escaped, and the times', () => {
    const title = 'robot <1> & "2".urdf';
    const texts = named(drawn(picture(builtinMechanism('compass'), 3, 5, title)), 'text').map((e) => e.text);
    for (const expected of [title, '0 s', '0.1 s', '0.2 s', 'kinetic', 'potential', 'total', 'time (s)', 'energy (J)'])
      expect(texts).toContain(expected);
  });

  it('of a mechanism that is one point, without gravity', () => {
    const point = createMechanism({
      gravity: [0, 0, 0],
      bodies: [{ name: 'point', mass: 1 }],
      joints: [{ name: 'joint', parent: null, child: 'point', type: 'prismatic' }],
    });
    drawn(
      motionPicture(
        point,
        [{ time: 0, poses: new PlainDynamics(point).poses(new State(point)) }],
        energies(2),
        'point',
      ),
    );
  });
});
