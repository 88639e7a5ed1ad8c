// Objects of three.js: bodies stand where the dynamics says, and shapes are as large as the model says.

import {
  Box3,
  type BufferGeometry,
  Matrix4,
  type Mesh,
  type MeshStandardMaterial,
  type Object3D,
  Vector3,
} from 'three';
import { describe, expect, it } from 'vitest';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Geometry, Shape } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { Figure, PosedFigure, shapeMesh } from '../../src/three/index.js';
import { randomSpec } from '../support/random-mechanism.js';

describe('a figure', () => {
  it.each([1, 2, 3, 4, 5])('follows a state, random mechanism %i', (seed) => {
    const mechanism = createMechanism(randomSpec(seed, { bodies: 8 }));
    const state = State.random(mechanism, seed);
    const figure = new Figure(mechanism).follow(state);
    figure.updateMatrixWorld(true);
    const door = dynamics(mechanism, { engine: 'plain' });
    mechanism.bodies.forEach(({ name, com }, b) => {
      const { E, t } = door.pose(state, name);
      const expected = [0, 1, 2].map((k) => t[k] + E[k] * com[0] + E[3 + k] * com[1] + E[6 + k] * com[2]);
      const point = new Vector3(...com).applyMatrix4(figure.bodies[b].matrixWorld).toArray();
      expect(Math.hypot(...point.map((x, k) => x - expected[k]))).toBeLessThan(1e-12 * (1 + Math.hypot(...expected)));
    });
  });

  it('knows which body an object belongs to, and paints it', () => {
    const mechanism = builtinMechanism('human-34');
    const figure = new Figure(mechanism);
    const hand = figure.getObjectByName('left_hand')!;
    expect(figure.bodyOf(hand.children[0])).toBe('left_hand');
    expect(new Figure(mechanism).bodyOf(hand)).toBeUndefined();
    const index = mechanism.bodyIndex('left_hand');
    const colours = () => JSON.stringify(hand.toJSON());
    const before = colours();
    figure.paint(index, 0xff0000);
    expect(colours()).not.toBe(before);
    figure.paint(index, null);
    expect(colours()).toBe(before);
    figure.dispose();
  });

  it('draws the shapes of a body in one call for each colour, where they stand', () => {
    const hull: Geometry = { kind: 'hull', points: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3) };
    const box: Geometry = { kind: 'box', size: [1, 2, 3] };
    const E = [0, 1, 0, -1, 0, 0, 0, 0, 1] as const;
    const red = [1, 0, 0, 1] as const;
    const visuals: Shape[] = [
      { geometry: box, E, t: [5, 0, 0] },
      { geometry: { kind: 'sphere', radius: 2 }, E, t: [0, 6, 0] },
      { geometry: box, E, t: [0, 0, 7], color: red },
      { geometry: hull, E, t: [0, -9, 0], color: red },
      { geometry: hull, E, t: [0, 0, -8], color: red },
      { geometry: box, E, t: [0, 0, 3], color: [1, 0, 0, 0.5] },
    ];
    const body = { name: 'b', mass: 1, com: [0, 0, 0] as const, visuals, collisions: [] };
    const [group] = new PosedFigure({ bodies: [body], joints: [{ name: 'j', parent: -1, t: [0, 0, 0] }] }).bodies;
    const bounds = (objects: readonly Object3D[]): Box3 =>
      objects.reduce((all, object) => all.expandByObject(object, true), new Box3());
    const meshes = group.children as Mesh<BufferGeometry, MeshStandardMaterial>[];
    expect(meshes).toHaveLength(4);
    expect(meshes.map(({ material }) => material.opacity)).toEqual([1, 1, 1, 0.5]);
    const groups = [[0, 1], [2], [3, 4], [5]];
    groups.forEach((indices, k) => {
      const alone = bounds(indices.map((i) => shapeMesh(visuals[i])!));
      const drawn = bounds([meshes[k]]);
      expect(drawn.min.distanceTo(alone.min) + drawn.max.distanceTo(alone.max)).toBeLessThan(1e-5);
      expect(meshes[k].material.color.equals(shapeMesh(visuals[indices[0]])!.material.color)).toBe(true);
    });
  });

  it('draws capsules to all joints of a body without shapes', () => {
    const body = { name: 'b', mass: 1, com: [0, 0, 0] as const, visuals: [], collisions: [] };
    const joint = (name: string, parent: number, t: readonly [number, number, number]) => ({ name, parent, t });
    const { bodies } = new PosedFigure({
      bodies: [body, { ...body, name: 'x' }, { ...body, name: 'z' }],
      joints: [joint('j', -1, [0, 0, 0]), joint('x', 0, [1, 0, 0]), joint('z', 0, [0, 0, -2])],
    });
    expect(bodies[0].children).toHaveLength(1);
    const { min, max } = new Box3().expandByObject(bodies[0], true);
    expect([max.x, min.z].map(Math.round)).toEqual([1, -2]);
    // The longest one is 2 m long, and its radius 0.06 of that.
    expect(Math.max(-min.x, -min.y, max.y, max.z)).toBeCloseTo(0.12, 6);
  });

  it('has something to see for every body that weighs something', () => {
    for (const name of ['human-161', 'chain-5-spherical', 'compass', 'crowd-2']) {
      const mechanism = builtinMechanism(name);
      const figure = new Figure(mechanism);
      mechanism.bodies.forEach(({ mass, com }, b) => {
        if (mass > 0 && Math.hypot(...com) > 1e-6) expect(figure.bodies[b].children.length).toBeGreaterThan(0);
      });
    }
  });
});

describe('shapes', () => {
  const cases: readonly (readonly [Geometry, readonly [number, number, number]])[] = [
    [{ kind: 'box', size: [1, 2, 3] }, [1, 2, 3]],
    [{ kind: 'cylinder', radius: 0.5, length: 3 }, [1, 1, 3]],
    [{ kind: 'capsule', radius: 0.5, length: 3 }, [1, 1, 4]],
    [{ kind: 'cone', radius: 0.5, length: 3 }, [1, 1, 3]],
    [{ kind: 'sphere', radius: 2 }, [4, 4, 4]],
    [{ kind: 'ellipsoid', radii: [1, 2, 3] }, [2, 4, 6]],
    [{ kind: 'hull', points: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3) }, [1, 2, 3]],
    [{ kind: 'heights', rows: 2, columns: 3, size: [4, 2], heights: Float64Array.of(0, 1, 0, 0, 0, 0) }, [4, 2, 1]],
  ];
  it.each(cases)('%o', (geometry, size) => {
    const mesh = shapeMesh({ geometry, E: [1, 0, 0, 0, 1, 0, 0, 0, 1], t: [5, 6, 7] })!;
    mesh.updateMatrixWorld(true);
    const box = new Box3().setFromObject(mesh, true);
    expect(box.getSize(new Vector3()).distanceTo(new Vector3(...size))).toBeLessThan(1e-5);
    if (geometry.kind === 'box')
      expect(new Matrix4().copyPosition(mesh.matrixWorld).elements.slice(12, 15)).toEqual([5, 6, 7]);
  });

  it('a mesh whose file was not read is not drawn, but the shape that touches', () => {
    const E = [1, 0, 0, 0, 1, 0, 0, 0, 1] as const;
    const unread: Shape = { geometry: { kind: 'mesh', path: 'a.stl', scale: [1, 1, 1] }, E, t: [0, 0, 0] };
    expect(shapeMesh(unread)).toBeUndefined();
    const ball: Shape = { geometry: { kind: 'sphere', radius: 0.5 }, E, t: [2, 0, 0] };
    const { bodies, joints } = builtinMechanism('chain-1');
    const size = (visuals: Shape[], collisions: Shape[]) => {
      const figure = new PosedFigure({ bodies: [{ ...bodies[0], visuals, collisions }], joints });
      return new Box3().setFromObject(figure, true).getSize(new Vector3()).toArray();
    };
    for (const length of size([unread], [ball])) expect(length).toBeCloseTo(1, 2);
    expect(size([unread], [])).toEqual(size([], []));
  });
});
