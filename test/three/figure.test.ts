// Objects of three.js: bodies stand where the dynamics says, and shapes are as large as the model says.

import { Box3, Matrix4, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Geometry } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { Figure, shapeMesh } from '../../src/three/index.js';
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

  it('a mesh whose file was not read is not drawn', () => {
    const geometry: Geometry = { kind: 'mesh', path: 'a.stl', scale: [1, 1, 1] };
    expect(shapeMesh({ geometry, E: [1, 0, 0, 0, 1, 0, 0, 0, 1], t: [0, 0, 0] })).toBeUndefined();
  });
});
