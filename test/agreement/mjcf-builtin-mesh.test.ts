// Meshes that MuJoCo makes from a few numbers: the same mass and inertia.

import { describe, expect, it } from 'vitest';
import { parseMjcf } from '../../src/formats/mjcf.js';
import { builtinMesh } from '../../src/formats/mjcf-builtin-mesh.js';
import { differences, MujocoMjcf } from '../support/mujoco-mjcf.js';

const model = (asset: string, inside = ''): string =>
  `<mujoco><asset><mesh name="m" ${asset}/></asset><worldbody><body name="b"><freejoint align="false"/>${inside}
   <geom type="mesh" mesh="m"/></body></worldbody></mujoco>`;

const MADE: readonly (readonly [string, readonly number[]])[] = [
  ['sphere', [0]],
  ['sphere', [3]],
  ['hemisphere', [0]],
  ['hemisphere', [3]],
  ['cone', [7, 0]],
  ['cone', [5, 0.4]],
  ['cone', [6, 1]],
  ['supersphere', [7, 0.5, 1.7]],
  ['supersphere', [8, 1.2, 0.6]],
  ['supertorus', [7, 0.3, 1.6, 0.5]],
  ['supertorus', [9, 1, 0.7, 1.2]],
];

describe('meshes that MuJoCo makes', () => {
  it.each(MADE)('%s %o', async (builtin, params) => {
    for (const inertia of ['legacy', 'shell', 'convex']) {
      const text = model(`builtin="${builtin}" params="${params.join(' ')}" scale="1 2 1.5" inertia="${inertia}"`);
      const theirs = await MujocoMjcf.load(text);
      // MuJoCo has the axes of meshes to 1e-8.
      for (const [what, error] of differences(theirs, parseMjcf(text), 1))
        expect(error, `${what}, ${inertia}`).toBeLessThan(1e-7);
      theirs.delete();
    }
  });

  it('have a closed surface that looks outwards', () => {
    for (const [builtin, params] of MADE) {
      const { points, triangles } = builtinMesh(builtin, params)!;
      const edges = new Map<string, number>();
      for (let f = 0; f < triangles.length; f += 3)
        for (let k = 0; k < 3; k++) {
          const [a, b] = [triangles[f + k], triangles[f + ((k + 1) % 3)]];
          expect(Math.max(a, b)).toBeLessThan(points.length / 3);
          edges.set(`${a} ${b}`, (edges.get(`${a} ${b}`) ?? 0) + 1);
        }
      for (const [edge, count] of edges)
        expect([count, edges.get(edge.split(' ').reverse().join(' '))]).toEqual([1, 1]);
    }
  });

  it('a sheet, and numbers that say nothing, are named where an inertia is needed', () => {
    for (const made of [
      'plate" params="3 4',
      'sphere" params="9',
      'cone" params="2 0',
      'cone" params="1e9 0',
      'sphere',
    ]) {
      expect(() => parseMjcf(model(`builtin="${made}"`))).toThrow(/made by MuJoCo \(builtin="(plate|sphere|cone)"\)/);
      const weighed = model(`builtin="${made}"`, '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>');
      expect(parseMjcf(weighed).mechanism.body('b').mass).toBe(1);
    }
  });
});
