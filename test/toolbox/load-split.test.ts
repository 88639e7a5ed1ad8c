// Who carries a walker, by a criterion: the forces of all supports together are those that the motion needs, with one foot down
// there is nothing to share, and nothing jumps where feet touch and leave.

import { expect, it } from 'vitest';
import { readMotion } from '../../src/files/read-motion.js';
import { type FrameForces, inverseOfMotion, type LoadSplit } from '../../src/motion/index.js';
import { dot, norm, subtract } from '../../src/spatial/matrix3.js';
import { criterionSplit } from '../../src/toolbox/index.js';
import { gaitBvh } from '../motion/gait.js';

const walk = readMotion(gaitBvh({ seconds: 1.4 }), 'walk.bvh', { scale: 0.01 });
const { mechanism, interval } = walk.trajectory;
const framesOf = (split?: LoadSplit): readonly FrameForces[] =>
  inverseOfMotion(walk.trajectory, { feet: walk.feet, ...(split && { split }) }).frames;
const given = framesOf();
const WEIGHT = 73 * 9.81;

const effort = ({ tau }: FrameForces): number =>
  // All joints but the root, which nothing drives.
  tau.subarray(6).reduce((sum, force) => sum + force * force, 0);

it.each(['least-norm', 'least-effort'] as const)('%s', (criterion) => {
  const frames = framesOf(criterionSplit(mechanism, { criterion }));
  let shared = 0;
  frames.forEach((frame, k) => {
    const usual = given[k];
    expect(frame.support).toBe(usual.support);
    expect(frame.feet.length).toBe(usual.feet.length);
    // Everything that the motion needs is given: nothing is left at the root.
    expect(norm(frame.residual.force) + norm(frame.residual.moment)).toBeLessThan(1e-6 * WEIGHT);
    expect(frame.extremes).toBeUndefined();
    if (frame.feet.length === 2) shared++;
    else
      frame.tau.forEach((force, i) => {
        expect(Math.abs(force - usual.tau[i])).toBeLessThan(1e-5);
      });
  });
  expect(shared).toBeGreaterThan(10);
  // Where a foot touches or leaves no force moves in a frame by more than five times what handing over evenly would take.
  for (let k = 1; k < frames.length; k++)
    for (const { body, force } of frames[k].feet) {
      const before = frames[k - 1].feet.find((foot) => foot.body === body)?.force ?? [0, 0, 0];
      if (frames[k].feet.length + frames[k - 1].feet.length > 2)
        expect(norm(subtract(force, before)), `${body} at ${frames[k].time}`).toBeLessThan(
          (5 * WEIGHT * interval) / 0.1,
        );
    }
});

it('the least of each kind is least, and cones of friction hold', () => {
  // Both feet all the time, so that nothing fades.
  const supports = given.map(() => ({ kind: 'double' as const, feet: [0, 1] }));
  const by = (split?: LoadSplit): readonly FrameForces[] =>
    inverseOfMotion(walk.trajectory, { feet: walk.feet, supports, ...(split && { split }) }).frames;
  const usual = by();
  const norms = by(criterionSplit(mechanism));
  const efforts = by(criterionSplit(mechanism, { criterion: 'least-effort' }));
  const sizes = ({ feet }: FrameForces): number =>
    feet.reduce((sum, { force, moment }) => sum + dot(force, force) + dot(moment, moment), 0);
  usual.forEach((frame, k) => {
    expect(sizes(norms[k])).toBeLessThan(Math.min(sizes(frame), sizes(efforts[k])) * (1 + 1e-6));
    expect(effort(efforts[k])).toBeLessThan(Math.min(effort(frame), effort(norms[k])) * (1 + 1e-6) + 1);
  });
  for (const { feet } of framesOf(criterionSplit(mechanism, { friction: 0.3 })))
    for (const { force } of feet) expect(Math.hypot(force[0], force[2])).toBeLessThan(0.3 * force[1] + 1e-6 * WEIGHT);
});

it('of what there is not', () => {
  expect(() => criterionSplit(mechanism, { criterion: 'least' as never })).toThrow(
    /least-norm and least-effort, not "least"/,
  );
});
