// What is left when a run is killed, and when the disk is full. MANIKIN_LONG=1: a hundred times.

import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/mechanism/random.js';
import { parseCheckpoint } from '../../src/recording/checkpoint-file.js';
import { readRecording } from '../../src/recording/recording.js';
import { bundledScene } from '../../src/scenes/bundled.js';
import { sceneWorld } from '../../src/scenes/make-scene.js';
import { PATIENCE } from '../support/patience.js';
import { bash, built, program, start, until } from './process-support.js';
import { temporaryFolder } from './support.js';

const TIMES = process.env.MANIKIN_LONG === undefined ? 4 : 100;
const files = temporaryFolder();

describe.skipIf(!built)('a run that is killed', () => {
  it(`leaves a recording that can be read and a checkpoint that loads, ${TIMES} times`, {
    timeout: TIMES * PATIENCE,
  }, async () => {
    const random = new Random(3);
    const moments: number[] = [];
    for (let k = 0; k < TIMES; k++) {
      const folder = files.path(`killed-${k}`);
      mkdirSync(folder);
      const [record, checkpoint] = [`${folder}/run.mcap`, `${folder}/run.checkpoint`];
      // Checkpoints as often as it can, so that some are being written.
      const words = ['simulate', 'fall', '--record', record, '--checkpoint', checkpoint, '--every', '0.002'];
      const { child, ended } = start(words, folder);
      await until(() => existsSync(checkpoint) && existsSync(record) && statSync(record).size > 100_000);
      await wait(random.between(0, 150));
      child.kill('SIGKILL');
      expect((await ended).signal).toBe('SIGKILL');
      const recording = readRecording(readFileSync(record));
      expect(recording.complete).toBe(false);
      moments.push(recording.moments.length);
      const run = sceneWorld(bundledScene('fall')!);
      const { checkpoint: found } = parseCheckpoint(readFileSync(checkpoint, 'utf8'), run.world, { file: checkpoint });
      run.world.restore(found);
      run.step();
      // Little more than a chunk is lost: some five moments.
      expect(found.time - recording.moments[recording.moments.length - 1].time).toBeLessThan(0.05);
    }
    expect(Math.min(...moments)).toBeGreaterThan(0);
    if (TIMES > 10)
      console.log(`killed ${TIMES} times: ${Math.min(...moments)} to ${Math.max(...moments)} moments read`);
  });

  it.skipIf(!existsSync('/dev/full'))('a full disk ends it with a sentence', () => {
    for (const [option, said] of [
      ['--record', 'The recording "/dev/full" could not be written on: ENOSPC'],
      ['--checkpoint', 'The file "/dev/full" could not be written: ENOSPC'],
      ['--csv', 'The file "/dev/full" could not be written: ENOSPC'],
    ]) {
      const { status, stdout, stderr } = bash(program('simulate', 'slope', '--duration', '0.1', option, '/dev/full'));
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toContain(said);
      expect(stderr).not.toMatch(/\n\s+at /);
    }
  });
});
