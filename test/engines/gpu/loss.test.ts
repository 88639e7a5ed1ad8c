// Devices that are lost in the middle of work, and devices without memory.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CpuBatch } from '../../../src/engines/gpu/cpu-batch.js';
import { gpuAssembly, gpuBatch, openGpu, type StateBatch } from '../../../src/engines/gpu/index.js';
import { PlainDynamics } from '../../../src/engines/plain/plain-dynamics.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { randomMechanism, randomVector, relativeError } from '../../support/random-mechanism.js';
import { hasSoftwareGpu } from '../../support/software-gpu.js';
import { softwareGpuEnvironment } from '../../support/software-gpu-files.js';

const mechanism = randomMechanism(4, { bodies: 6, types: ['revolute', 'spherical', 'prismatic'], base: 'floating' });
const STATES = 40;

function fill(batch: StateBatch): void {
  const { q, v, tau } = batch;
  for (let s = 0; s < STATES; s++) {
    const state = State.random(mechanism, s + 1);
    state.q.forEach((x, k) => {
      q[batch.at('q', k, s)] = x;
    });
    state.v.forEach((x, k) => {
      v[batch.at('v', k, s)] = x;
    });
    randomVector(s + 1, mechanism.nv).forEach((x, k) => {
      tau[batch.at('tau', k, s)] = x;
    });
  }
}

const numbers = (batch: StateBatch, name: 'q' | 'v' | 'tau' | 'qdd'): number[] => {
  const array = batch[name];
  const count = name === 'q' ? mechanism.nq : mechanism.nv;
  return Array.from({ length: count * STATES }, (_, i) => array[batch.at(name, i % count, Math.floor(i / count))]);
};

/** Until the arrays cannot be seen. */
async function underWay(batch: StateBatch): Promise<void> {
  for (let k = 0; k < 1e5; k++) {
    try {
      void batch.v;
    } catch {
      return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('the call never began');
}

describe.skipIf(!hasSoftwareGpu())('a device that is lost', () => {
  async function make(options: { onLoss?: 'error' | 'cpu'; told?: string[] } = {}) {
    const gpu = await openGpu();
    const batch = await gpuBatch(mechanism, {
      states: STATES,
      gpu,
      specialise: 'never',
      fallback: 'error',
      ...(options.onLoss !== undefined && { onLoss: options.onLoss }),
      onFallback: (reason) => options.told?.push(reason),
    });
    fill(batch);
    const cpu = new CpuBatch(mechanism, STATES, 'for the test');
    fill(cpu);
    return { gpu, batch, cpu };
  }

  it('in the middle of a call: an error that says so', async () => {
    const { gpu, batch } = await make();
    const call = batch.rollout({ steps: 300, step: 1e-3 });
    setTimeout(() => gpu.close(), 5);
    await expect(call).rejects.toMatchObject({ code: 'lost', message: expect.stringContaining('device was lost') });
    await expect(batch.forward()).rejects.toMatchObject({ code: 'lost' });
    batch.dispose();
  });

  it.each(['forward', 'inverse', 'rollout'] as const)(
    'in the middle of %s: by option the CPU finishes it and goes on',
    async (task) => {
      const told: string[] = [];
      const { gpu, batch, cpu } = await make({ onLoss: 'cpu', told });
      // Before the loss the arrays are as with any other batch.
      await batch.forward();
      await cpu.forward();
      expect(relativeError(numbers(batch, 'qdd'), numbers(cpu, 'qdd'))).toBeLessThan(1e-4);
      expect(batch.where).toBe('gpu');
      const { q } = batch;
      const run = (on: StateBatch): Promise<void> =>
        task === 'rollout' ? on.rollout({ steps: 50, step: 1e-3 }) : on[task]();
      const call = run(batch);
      // As soon as the inputs are on their way to the device.
      await underWay(batch);
      gpu.device.destroy();
      await call;
      await run(cpu);
      for (const name of ['q', 'v', 'tau', 'qdd'] as const)
        expect(relativeError(numbers(batch, name), numbers(cpu, name)), name).toBeLessThan(1e-4);
      expect(told).toEqual([expect.stringContaining('The GPU device was lost')]);
      expect(batch.where).toBe('cpu');
      expect(batch.explain()).toContain('On the CPU: The GPU device was lost');
      // Numbers stay where they were.
      expect(batch.q).toBe(q);
      await batch.ready();
      for (const one of [batch, cpu]) await one.rollout({ steps: 3, step: 1e-3 });
      expect(relativeError(numbers(batch, 'v'), numbers(cpu, 'v'))).toBeLessThan(1e-4);
      const fork = batch.fork();
      fill(fork);
      await fork.forward();
      expect(fork.where).toBe('cpu');
      expect(told).toHaveLength(1);
      for (const one of [batch, fork]) one.dispose();
    },
  );

  it('a rollout is resumed from where the last one ended, not from what was written since', async () => {
    const { gpu, batch, cpu } = await make({ onLoss: 'cpu' });
    await batch.rollout({ steps: 4, step: 1e-3 });
    batch.q.fill(7);
    gpu.device.destroy();
    await batch.rollout({ steps: 3, step: 1e-3, resume: true });
    batch.v.fill(7);
    await batch.rollout({ steps: 2, step: 1e-3, resume: true });
    await cpu.rollout({ steps: 9, step: 1e-3 });
    expect(relativeError(numbers(batch, 'q'), numbers(cpu, 'q'))).toBeLessThan(1e-5);
    expect(relativeError(numbers(batch, 'v'), numbers(cpu, 'v'))).toBeLessThan(1e-4);
    batch.dispose();
  });

  it('while variants are measured: the search ends', async () => {
    const gpu = await openGpu();
    const batch = await gpuBatch(mechanism, { states: STATES, gpu, memory: new Map() });
    const ready = batch.ready();
    setTimeout(() => gpu.close(), 300);
    await ready.catch(() => {});
    await expect(batch.forward()).rejects.toMatchObject({ code: 'lost' });
    batch.dispose();
  });

  it('assembling one large mechanism', async () => {
    const chain = builtinMechanism('chain-50');
    const [state, tau] = [State.random(chain, 1), randomVector(1, 50)];
    const expected = new PlainDynamics(chain).forward(state, tau);
    for (const onLoss of ['error', 'cpu'] as const) {
      const told: string[] = [];
      const gpu = await openGpu();
      const assembly = await gpuAssembly(chain, {
        gpu,
        onLoss,
        fallback: 'error',
        onFallback: (reason) => told.push(reason),
      });
      expect(relativeError(await assembly.forward(state, tau), expected)).toBeLessThan(1e-4);
      const call = assembly.forward(state, tau);
      gpu.device.destroy();
      if (onLoss === 'error') {
        await expect(call).rejects.toMatchObject({ code: 'lost' });
        await expect(assembly.forward(state, tau)).rejects.toMatchObject({ code: 'lost' });
      } else {
        // On the CPU in double precision.
        expect(await call).toEqual(expected);
        expect(await assembly.forward(state, tau)).toEqual(expected);
        expect(told).toEqual([expect.stringContaining('The GPU device was lost')]);
        expect([assembly.where, assembly.rounds, assembly.adapter]).toEqual(['cpu', 0, '']);
        expect(assembly.explain()).toContain('On the CPU: The GPU device was lost');
      }
      assembly.dispose();
    }
  });
});

describe.skipIf(!hasSoftwareGpu())('a device without memory', () => {
  it('says what was asked for, frees what it has, or the CPU does it', () => {
    // A process of its own that may have 8 GB of addresses: the driver then has no memory for a buffer of 1 GB.
    const program = fileURLToPath(new URL('out-of-memory.mjs', import.meta.url));
    const { stdout, stderr } = spawnSync('bash', ['-c', `ulimit -v 8000000; exec "${process.execPath}" "${program}"`], {
      encoding: 'utf8',
      env: { ...process.env, ...softwareGpuEnvironment() },
      timeout: 60_000,
    });
    expect(stdout, stderr).not.toBe('');
    const { failed, left, small, fallback, assembly, rollout } = JSON.parse(stdout) as {
      failed: { code: string; message: string };
      left: number;
      small: number;
      fallback: { where: string; told: string[]; first: number };
      assembly: { where: string; told: string[] };
      rollout: { code: string; message: string; leaked: number; where: string };
    };
    expect(failed.code).toBe('memory');
    expect(failed.message).toMatch(
      /not enough memory for 600 states of human-34, some \d+ MB: ask for fewer, or use several batches/,
    );
    expect(failed.message).not.toContain('\n');
    // Not a buffer is left, and the device still works.
    expect(left).toBe(0);
    expect(small).toBeLessThan(1e-4);
    expect(fallback.where).toBe('cpu');
    expect(fallback.told).toEqual([expect.stringContaining('not enough memory for 600 states')]);
    expect(fallback.first).toBe(1);
    expect(assembly.where).toBe('cpu');
    expect(assembly.told).toEqual([expect.stringContaining('not enough memory for the assembly of 512 joints')]);
    expect(rollout).toEqual({
      code: 'memory',
      message: expect.stringContaining('not enough memory for a rollout of 600 states of human-34'),
      leaked: 0,
      where: 'cpu',
    });
  });
});
