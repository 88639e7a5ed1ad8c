// Replays without a browser: what is recorded, written and read again.

import { describe, expect, it } from 'vitest';
import { dynamics } from '../../src/dynamics/dynamics.js';
import { readMotion } from '../../src/files/read-motion.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { mechanismSpec } from '../../src/mechanism/variants.js';
import { builtinMechanism } from '../../src/models/index.js';
import { inverseOfMotion } from '../../src/motion/inverse.js';
import { gaitOf, makeWalker, recordWalk, standingAt, walkReplay } from '../../src/papers/walker/index.js';
import { motionReplay } from '../../src/plot/motion-replay.js';
import { formatReplay, parseReplay, type Replay } from '../../src/plot/replay.js';
import { ReplayRecorder } from '../../src/plot/replay-recorder.js';
import { sitBvh } from '../motion/exercise.js';
import { gaitBvh } from '../motion/gait.js';

const PLAYER = '<title></title><script type="application/json" id="replay"></script>';

/** What a browser would find in the file. */
function reopened(replay: Replay): Replay {
  const html = formatReplay(replay, PLAYER);
  expect(html.match(/<\/?script/g)).toHaveLength(2);
  return parseReplay(/id="replay">(.*)<\/script>/s.exec(html)![1]);
}

const posesOf = (mechanism: Mechanism, state = new State(mechanism)): Float64Array =>
  dynamics(mechanism, { engine: 'plain' }).poses(state);

function recorded(frames: number, more: Partial<ConstructorParameters<typeof ReplayRecorder>[0]> = {}): Replay {
  const mechanism = builtinMechanism('chain-8');
  const recorder = new ReplayRecorder({
    title: 'A </script><b> & "chain" $& $1',
    curves: [{ title: 'Energy', unit: 'J', names: ['kinetic', 'potential'] }],
    ...more,
  });
  for (let k = 0; k < frames; k++) {
    const state = new State(mechanism).set(mechanism.joints[0].name, 0.001 * k);
    recorder.add({
      time: k / 100,
      members: [{ name: 'chain', mechanism }],
      poses: [posesOf(mechanism, state)],
      caption: k < 2 ? 'begins' : 'goes </script> on',
      forces: k === 1 ? [1, 2, 3, 4, 5, 6] : [],
      values: [k, 2 * k],
    });
  }
  return recorder.finish({ facts: [['a', 'b']], pictures: [{ svg: '<svg/>', caption: 'c' }] });
}

describe('a replay', () => {
  it('is the same after it was written and read', () => {
    const replay = recorded(5);
    const again = reopened(replay);
    // JSON knows no -0.
    const structures = JSON.parse(JSON.stringify(replay.structures)) as unknown;
    expect({ ...again, poses: 0 }).toEqual({ ...replay, structures, poses: 0 });
    expect(again.captions[4]).toBe('goes </script> on');
    // Rotations in steps of 1/32767, places as they are.
    again.poses.forEach((value, k) => {
      expect(Math.abs(value - replay.poses[k])).toBeLessThanOrEqual(k % 12 < 9 ? 1.6e-5 : 0);
    });
    expect(replay.poses).toHaveLength(5 * 8 * 12);
    expect(Array.from(again.plots[0].curves[1].values)).toEqual([0, 2, 4, 6, 8]);
  });

  it('says its title as text', () => {
    expect(formatReplay(recorded(1), PLAYER)).toContain(
      '<title>A &#60;/script&#62;&#60;b&#62; &#38; &#34;chain&#34; $&#38; $1</title>',
    );
  });

  it('keeps shapes with points of their own', () => {
    const points = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.5);
    const mesh = {
      kind: 'mesh',
      path: 'x.stl',
      scale: [1, 1, 1],
      data: { points, triangles: Uint32Array.of(0, 1, 2) },
    } as const;
    const E = [1, 0, 0, 0, 1, 0, 0, 0, 1] as const;
    const obstacles = [
      { geometry: mesh, E, t: [0, 0, 0] as const },
      { geometry: { kind: 'hull', points } as const, E, t: [0, 1, 0] as const },
    ];
    expect(reopened(recorded(1, { obstacles })).obstacles).toEqual(obstacles);
  });

  it('thins out what is too long for a file, and keeps its times', () => {
    const replay = recorded(8000);
    expect(replay.times.length).toBeLessThanOrEqual(3600);
    expect(replay.times.length).toBeGreaterThan(1700);
    expect(replay.times[1]).toBeCloseTo(0.04, 12);
    expect(replay.plots[0].curves[0].values[1]).toBe(4);
    expect(replay.times.at(-1)).toBeGreaterThan(79.9);
  });

  it('draws another structure from the frame on in which it came', () => {
    const one = builtinMechanism('chain-8');
    const other = createMechanism(mechanismSpec(one));
    const recorder = new ReplayRecorder({ title: '' });
    for (const [time, mechanism] of [one, one, other, other, one].entries())
      recorder.add({ time, members: [{ name: 'm', mechanism }], poses: [posesOf(mechanism)] });
    expect(recorder.finish().structures.map(({ from }) => from)).toEqual([0, 2, 4]);
  });

  it('is turned so that z is upwards, whatever way gravity goes', () => {
    const up = [0, 0.6, 0.8] as const;
    const [plain, turned] = [
      recorded(2),
      recorded(2, {
        up,
        obstacles: [{ geometry: { kind: 'plane' }, E: [1, 0, 0, 0, 0.8, -0.6, 0, 0.6, 0.8], t: [0, 1.2, 1.6] }],
      }),
    ];
    for (let o = 0; o < plain.poses.length; o += 12) {
      const [, y, z] = plain.poses.subarray(o + 9, o + 12);
      expect(turned.poses[o + 11]).toBeCloseTo(0.6 * y + 0.8 * z, 6);
      // Lengths stay, and the third row of E is turned as places are.
      expect(Math.hypot(...turned.poses.subarray(o + 9, o + 12))).toBeCloseTo(
        Math.hypot(...plain.poses.subarray(o + 9, o + 12)),
        6,
      );
      expect(turned.poses[o + 8]).toBeCloseTo(0.6 * plain.poses[o + 7] + 0.8 * plain.poses[o + 8], 6);
    }
    expect(turned.forces[1][5]).toBeCloseTo(0.6 * 5 + 0.8 * 6, 5);
    expect(turned.obstacles[0].t[2]).toBeCloseTo(2, 12);
    expect(turned.obstacles[0].E[8]).toBeCloseTo(1, 12);
  });
});

describe('a captured motion as a replay', () => {
  const motion = readMotion(gaitBvh({ seconds: 3 }), 'gait.bvh', { scale: 0.01 });
  const result = inverseOfMotion(motion.trajectory, { feet: motion.feet });
  const torques = result.frames.map(({ tau }, k) => motion.forces(k, tau));
  const replay = motionReplay(motion, result, { title: 'gait', torques, edge: 8 });

  it('has torques, support, and the gait cycle of both feet', () => {
    expect(replay.plots.map(({ title }) => title)).toEqual([
      'Torque',
      'Vertical force of the ground',
      expect.stringMatching(/^Gait cycle of left foot, \d stride/),
      expect.stringMatching(/^Gait cycle of right foot, \d stride/),
    ]);
    const [torque, force, cycle] = replay.plots;
    const left = torque.curves.find(({ name }) => name === 'left knee')!;
    const c = motion.coordinates.indexOf('LeftLeg');
    expect(left.values[100]).toBe(Math.fround(torques[100][c]));
    expect(torque.shaded!.stretches.length).toBeGreaterThan(3);
    expect(force.curves.map(({ name }) => name)).toEqual(['both feet', 'left foot', 'right foot']);
    // The feet together carry all.
    const [both, ...feet] = force.curves.map(({ values }) => values);
    both.forEach((value, k) => {
      const atEnd = k < 8 || k >= both.length - 8;
      expect(Number.isNaN(value), `frame ${k} is left out`).toBe(atEnd);
      if (atEnd) return;
      if (feet.some((foot) => foot[k] !== 0))
        expect(feet.reduce((sum, foot) => sum + foot[k], 0)).toBeCloseTo(value, 4);
    });
    // What either foot alone would ask for is drawn while both are down, and nothing else then.
    const unsure = result.frames.flatMap(({ extremes }, k) =>
      extremes === undefined || Number.isNaN(left.band!.low[k]) ? [] : [k],
    );
    expect(unsure.length).toBeGreaterThan(10);
    for (const k of unsure) {
      const possible = [torques[k], ...result.frames[k].extremes!.map((tau) => motion.forces(k, tau))].map(
        (row) => row[c],
      );
      expect([left.band!.low[k], left.band!.high[k]]).toEqual(
        [Math.min(...possible), Math.max(...possible)].map(Math.fround),
      );
    }
    const sure = result.frames.findIndex(({ extremes }, k) => k > 20 && extremes === undefined);
    expect(left.band!.low[sure]).toBe(left.values[sure]);
    expect(cycle.x!.values).toHaveLength(101);
    const { values, band } = cycle.curves[0];
    values.forEach((value, k) => {
      expect(value).toBeGreaterThanOrEqual(band!.low[k] - 1e-3);
      expect(value).toBeLessThanOrEqual(band!.high[k] + 1e-3);
    });
    expect(new Set(replay.captions)).toEqual(new Set(['left foot', 'right foot', 'both feet']));
  });

  it('what a seat carries is a part of the whole, which is not called that of both feet', () => {
    const sitting = readMotion(sitBvh(), 'sit.bvh', { scale: 0.01 });
    const found = inverseOfMotion(sitting.trajectory, { feet: sitting.feet });
    const carried = found.frames.map(({ tau }) => tau);
    const [, { curves }] = motionReplay(sitting, found, { title: 'sit', torques: carried, edge: 8 }).plots;
    expect(curves.map(({ name }) => name)).toEqual(['all together', 'left foot', 'right foot', 'Hips']);
    const [whole, ...parts] = curves.map(({ values }) => values[200]);
    expect(parts.reduce((sum, part) => sum + part)).toBeCloseTo(whole, 4);
  });

  it('stands on a floor that is level, below its feet', () => {
    const [floor] = replay.obstacles;
    expect(floor.E[8]).toBeCloseTo(1, 12);
    // Of the lowest origin of a body, over all frames.
    let lowest = Infinity;
    for (let o = 11; o < replay.poses.length; o += 12) lowest = Math.min(lowest, replay.poses[o]);
    expect(lowest - floor.t[2]).toBeGreaterThan(-0.05);
    expect(lowest - floor.t[2]).toBeLessThan(0.15);
  });
});

describe('a walk as a replay', () => {
  it('walks on its slope: feet touch it and do not stand above it', () => {
    const request = { model: 'compass', slope: 0.06, sizes: {} } as const;
    const [walker, gait] = [makeWalker(request), gaitOf(request)];
    const replay = walkReplay(recordWalk(walker, standingAt(walker, gait.section), 3), {
      title: '',
      slope: 0.06,
      legLength: 1,
    });
    const [{ E, t, geometry }] = replay.obstacles;
    const thick = geometry.kind === 'box' ? geometry.size[2] : Number.NaN;
    // Of a point above the slope: along its normal, the third row of E.
    const above = (x: number, z: number): number => E[6] * (x - t[0]) + E[8] * (z - t[2]) - thick / 2;
    expect(above(0, 0)).toBeCloseTo(0, 12);
    expect(above(Math.cos(0.06), -Math.sin(0.06))).toBeCloseTo(0, 12);
    expect(replay.structures.length).toBeGreaterThanOrEqual(3);
    expect(replay.captions.at(-1)).toBe('step 3');
    const [kinetic, potential, total] = replay.plots[1].curves.map(({ values }) => values);
    expect(kinetic[7] + potential[7]).toBeCloseTo(total[7], 4);
  });
});
