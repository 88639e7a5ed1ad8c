// manikin frames and derivatives: what they print.

import { expect, it } from 'vitest';
import { json, manikin, output } from '../cli/support.js';
import { hasShared, sharedPath } from '../support/shared.js';

it('frames: one with its Jacobians, or all of them', async () => {
  const all = await json('frames', 'human-34', '--seed', '1');
  expect(all.frames.length).toBeGreaterThan(10);
  expect(Object.keys(all.frames[0])).toEqual(['name', 'body', 'pose', 'velocity', 'acceleration']);
  const { name } = all.frames.at(-1);
  const { frames, columns } = await json('frames', 'human-34', '--seed', '1', '--frame', name);
  const [frame] = frames;
  expect(frame.pose).toEqual(all.frames.at(-1).pose);
  expect(frame.pose.R).toHaveLength(9);
  for (const axes of ['frame', 'aligned', 'world']) {
    expect(frame.jacobian[axes]).toHaveLength(6);
    expect(frame.jacobianRate[axes][5]).toHaveLength(columns.length);
    expect(Object.keys(frame.velocity[axes])).toEqual(['angular', 'linear']);
    expect(Object.keys(frame.acceleration[axes])).toEqual(['angular', 'linear']);
  }
  expect(await output('frames', 'human-34')).toContain(name);
  const { code, err } = await manikin('frames', 'human-34', '--frame', 'nobody');
  expect(code).toBe(2);
  expect(err).toMatch(/no body or frame "nobody"/);
});

it('derivatives, checked', async () => {
  const result = await json('derivatives', 'chain-4', '--seed', '1', '--check');
  expect(result.checkError).toBeLessThan(1e-9);
  for (const key of ['dID_dq', 'dID_dv', 'dFD_dq', 'dFD_dv', 'dFD_dtau']) {
    expect(result[key]).toHaveLength(result.rows.length);
    expect(result[key][0]).toHaveLength(result.columns.length);
  }
  expect(await output('derivatives', 'chain-4', '--seed', '1', '--check')).toMatch(/relative: \S+e-1/);
  // More entries than a call can have arguments.
  expect(await output('derivatives', 'chain-400')).toContain('400 x 400, largest entry 156960');
});

it.skipIf(!hasShared('data/mjcf'))('derivatives of closed loops: those of forward dynamics, checked', async () => {
  const words = ['derivatives', sharedPath('data/mjcf/robotiq_2f85/2f85.xml'), '--quiet', '--check'];
  const result = await json(...words);
  expect(result.checkError).toBeLessThan(1e-8);
  expect(result).not.toHaveProperty('dID_dq');
});
