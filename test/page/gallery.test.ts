// What the gallery computes, without a browser.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { assembled, counts, cutTree } from '../../page/src/gallery/chain.js';
import { capturedMotion } from '../../page/src/gallery/motion.js';
import { galleryNamed } from '../../page/src/gallery/names.js';
import { sentence, settles, walked } from '../../page/src/gallery/walker.js';
import { topologyOf } from '../../src/engines/plain/assembly/schedule.js';
import { builtinMechanism } from '../../src/models/index.js';
import { validateTree } from '../../src/schedule/index.js';
import { hasShared, sharedPath } from '../support/shared.js';

describe('walkers of the gallery', () => {
  it('walk where there is a gait, limp where it has doubled, and fall beyond', () => {
    const compass = { kind: 'walk', model: 'compass', sizes: {} } as const;
    const good = walked({ ...compass, slope: 0.0524 });
    expect(good.fall).toBeUndefined();
    expect(good.periods).toHaveLength(15);
    // [001]: the gait of Table 1.
    expect(good.periods.at(-1)).toBeCloseTo(0.7344, 3);
    expect(good.says).toBe('It walks: 0.7344 s a step.');
    const limping = walked({ ...compass, slope: 0.08, from: good.end! });
    expect(limping.says).toMatch(/^It limps|its steps differ/);
    const steep = walked({ ...compass, slope: 0.12, from: good.end! });
    expect(steep.fall).toBe('it falls');
    expect(steep.end).toBeUndefined();
    expect(steep.replay.captions.at(-1)).toBe('it falls');
    expect(steep.says).toMatch(/^After \d+ steps it falls\.$/);
    expect(sentence([1, 0.7, 0.8, 0.7, 0.8, 0.7, 0.8, 0.7, 0.8], undefined)).toMatch(/^It limps/);
    expect(sentence([0.71, 0.8, 0.69, 0.83, 0.7, 0.81, 0.68, 0.84], undefined)).toMatch(/its steps differ/);
  });

  it('a slope is followed from the one before', () => {
    const [first, second] = settles('kneed', {});
    expect([first.slope, first.periods.length]).toEqual([0.0504, 16]);
    expect(second.slope).toBeGreaterThan(0.0504);
    expect(Math.max(...first.periods) - Math.min(...first.periods)).toBeLessThan(1e-3);
  });
});

describe('chains of the gallery', () => {
  it('count what the paper counts: the improved composite bodies take the least', () => {
    for (const { n, counts: all } of counts()) {
      if (n > 8) break;
      expect(all).toHaveLength(6);
      const sums = new Map(
        all.map(({ algorithm, multiplications, additions }) => [algorithm, multiplications + additions]),
      );
      if (n >= 4) expect(Math.min(...sums.values())).toBe(sums.get('composite-variant'));
    }
  });

  it('every way to cut makes a legal tree, and none is better than the best', () => {
    const topology = topologyOf(builtinMechanism('chain-12'));
    for (const cuts of [[], [5], [5, 2, 8], [11, 0], [3, 7, 1, 5, 9]]) {
      validateTree(topology, cutTree(12, cuts));
      const { makespan, best, depth, tree } = assembled(12, 4, cuts);
      expect(makespan).toBeGreaterThanOrEqual(best.makespan - 1e-9);
      expect(tree).toHaveLength(12);
      expect(Math.max(...tree.map(({ level }) => level)) + 1).toBe(depth);
    }
    const [serial, halved] = [assembled(12, 4, []), assembled(12, 4, [5])];
    expect(serial.depth).toBe(12);
    expect(halved.makespan).toBeLessThan(serial.makespan);
    // One processor does not mind.
    expect(assembled(12, 1, []).makespan).toBeCloseTo(serial.serial, 9);
  });
});

describe('captured motions of the gallery', () => {
  it('a made-up walk has a rhythm, and cycles of both feet', () => {
    const { plots, facts } = capturedMotion([]);
    expect(plots.map(({ title }) => title.split(' of ')[0])).toEqual([
      'Torque',
      'Vertical force',
      'Gait cycle',
      'Gait cycle',
    ]);
    expect(facts).toContainEqual(['stride', '1.2 s']);
  });

  it.skipIf(!hasShared('data/opensim/subject01.osim'))('a table of coordinates with its model', () => {
    const files = ['subject01.osim', 'subject01_walk_IK.mot'].map(
      (name) => [name, new Uint8Array(readFileSync(sharedPath(`data/opensim/${name}`)))] as const,
    );
    const replay = capturedMotion(files);
    expect(replay.times.length).toBeGreaterThan(50);
    // Upright: y is up in the file.
    const heights = Array.from({ length: replay.poses.length / 12 }, (_, k) => replay.poses[12 * k + 11]);
    expect(Math.max(...heights) - Math.min(...heights)).toBeGreaterThan(1);
    expect(() => capturedMotion(files.slice(1))).toThrow(/needs the model/);
    expect(() => capturedMotion(files.slice(0, 1))).toThrow(/A captured motion is/);
  });
});

it('the address of a view means it, and no other does', () => {
  expect(galleryNamed('gallery:compass')).toBe('compass');
  expect(['compass', 'gallery:', 'gallery:none'].map(galleryNamed)).toEqual([undefined, undefined, undefined]);
});
