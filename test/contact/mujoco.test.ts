// Gaps of separated shapes against MuJoCo's (mj_geomDistance), every pair of kinds that both have. MANIKIN_COLLIDE=n: n placements of each.

import { describe, expect, it } from 'vitest';
import { collide, collider, Manifold } from '../../src/contact/index.js';
import { GROUND } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import { IDENTITY3, rotationFromQuaternion, transpose, ZERO3 } from '../../src/spatial/matrix3.js';
import { MujocoMjcf } from '../support/mujoco-mjcf.js';

const RUNS = Number(process.env.MANIKIN_COLLIDE ?? 60);
const SHAPES = [
  ['sphere', { kind: 'sphere', radius: 0.3 }, 'type="sphere" size="0.3"'],
  ['capsule', { kind: 'capsule', radius: 0.2, length: 0.8 }, 'type="capsule" size="0.2 0.4"'],
  ['box', { kind: 'box', size: [0.6, 0.4, 0.8] }, 'type="box" size="0.3 0.2 0.4"'],
  ['cylinder', { kind: 'cylinder', radius: 0.3, length: 0.7 }, 'type="cylinder" size="0.3 0.35"'],
  ['ellipsoid', { kind: 'ellipsoid', radii: [0.2, 0.3, 0.5] }, 'type="ellipsoid" size="0.2 0.3 0.5"'],
] as const;
const PAIRS = SHAPES.flatMap((a, i) => SHAPES.slice(i).map((b) => [a[0], b[0], a, b] as const));

describe("gaps are MuJoCo's", () => {
  it.each(PAIRS)('%s and %s', { timeout: 3_600_000 }, async (_a, _b, [, a, xmlA], [, b, xmlB]) => {
    const body = (xml: string): string => `<body><freejoint/><geom ${xml}/></body>`;
    const peer = await MujocoMjcf.load(
      `<mujoco><option ccd_tolerance="1e-12" ccd_iterations="500"/><worldbody>${body(xmlA)}${body(xmlB)}</worldbody></mujoco>`,
    );
    const place = { E: IDENTITY3, t: ZERO3 };
    const [x, y] = [a, b].map((geometry) => collider(GROUND, { ...place, geometry }));
    const manifold = new Manifold();
    let compared = 0;
    for (let seed = 1; seed <= RUNS; seed++) {
      const random = new Random(seed);
      const poses = [0, 1].map((k) => {
        const turned = random.quaternion();
        const t = [0, 1, 2].map(() => random.between(-1, 1) + (k === 0 ? 0 : random.between(-1, 1)));
        return { turned, t };
      });
      const qpos = poses.flatMap(({ turned, t }) => [...t, ...turned]);
      (peer.data.qpos as Float64Array).set(qpos);
      peer.module.mj_kinematics(peer.model, peer.data);
      const theirs = peer.module.mj_geomDistance(peer.model, peer.data, 0, 1, 10, new Float64Array(6));
      const [XA, XB] = poses.map(({ turned, t }) =>
        Float64Array.from([...transpose(rotationFromQuaternion(turned)), ...t]),
      );
      collide(manifold, x, XA, 0, y, XB, 0, 100);
      let gap = Number.POSITIVE_INFINITY;
      for (let k = 0; k < manifold.count; k++) gap = Math.min(gap, manifold.gap[k]);
      // Depths of round shapes are found roughly there.
      if (theirs < 1e-3) {
        expect(gap, `seed ${seed}`).toBeLessThan(2e-3);
        continue;
      }
      compared++;
      expect(Math.abs(gap - theirs), `seed ${seed}: ${gap}, MuJoCo ${theirs}`).toBeLessThan(1e-6);
    }
    expect(compared).toBeGreaterThan(RUNS / 3);
    peer.delete();
  });
});
