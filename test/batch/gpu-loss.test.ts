// Devices that are lost in the middle of work, and devices without memory.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Batch, batch } from '../../src/batch/index.js';
import { openGpu } from '../../src/engines/gpu/device.js';
import { gpuAssembly } from '../../src/engines/gpu/index.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { State } from '../../src/mechanism/state.js';
import { builtinMechanism } from '../../src/models/index.js';
import { PATIENCE } from '../support/patience.js';
import { randomMechanism, randomVector, relativeError } from '../support/random-mechanism.js';
import { hasSoftwareGpu } from '../support/software-gpu.js';
import { softwareGpuEnvironment } from '../support/software-gpu-files.js';

// Few kinds of links, whose kernels the software device compiles in each test: on a device of its own, which is lost.
const mechanism = randomMechanism(4, { bodies: 4, types: ['revolute'], base: 'floating' });
const STATES = 40;

function fill(many: Batch): void {
  for (let s = 0; s < STATES; s++) {
    many.setState(s, State.random(mechanism, s + 1));
    many.write('tau', randomVector(s + 1, mechanism.nv), s);
  }
}

/** Until the arrays cannot be seen. */
async function underWay(many: Batch): Promise<void> {
  for (let k = 0; k < 1e5; k++) {
    try {
      many.read('v', new Float64Array(mechanism.nv));
    } catch {
      return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('the call never began');
}

describe.skipIf(!hasSoftwareGpu())('a device that is lost', () => {
  async function make(fallback: 'cpu' | 'error', told: string[] = []) {
    const gpu = await openGpu();
    const many = await batch(mechanism, {
      states: STATES,
      device: 'gpu',
      gpu: { device: gpu, specialise: 'never' },
      fallback,
      onFallback: (reason) => told.push(reason),
    });
    fill(many);
    const cpu = await batch(mechanism, { states: STATES, device: 'cpu', threads: 1 });
    fill(cpu);
    return { gpu, many, cpu };
  }

  it('in the middle of a call: an error that says so', async () => {
    const { gpu, many } = await make('error');
    const call = many.rollout({ steps: 300, step: 1e-3 });
    setTimeout(() => gpu.close(), 5);
    await expect(call).rejects.toMatchObject({ code: 'lost', message: expect.stringContaining('device was lost') });
    await expect(many.forward()).rejects.toMatchObject({ code: 'lost' });
    many.dispose();
  });

  it.each(['forward', 'inverse', 'rollout'] as const)(
    'in the middle of %s: the CPU finishes it and goes on',
    async (task) => {
      const told: string[] = [];
      const { gpu, many, cpu } = await make('cpu', told);
      await many.forward();
      await cpu.forward();
      expect(relativeError(many.read('qdd'), cpu.read('qdd'))).toBeLessThan(1e-4);
      expect(many.device).toBe('gpu');
      const run = (on: Batch): Promise<void> =>
        task === 'rollout' ? on.rollout({ steps: 50, step: 1e-3 }) : on[task]();
      const call = run(many);
      // As soon as the inputs are on their way to the device.
      await underWay(many);
      gpu.device.destroy();
      await call;
      await run(cpu);
      for (const name of ['q', 'v', 'tau', 'qdd'] as const)
        expect(relativeError(many.read(name), cpu.read(name)), name).toBeLessThan(1e-4);
      expect(told).toEqual([expect.stringContaining('The GPU device was lost')]);
      expect(many.device).toBe('cpu');
      expect(many.report().text).toContain('On the CPU: The GPU device was lost');
      await many.ready();
      for (const one of [many, cpu]) await one.rollout({ steps: 3, step: 1e-3 });
      expect(relativeError(many.read('v'), cpu.read('v'))).toBeLessThan(1e-4);
      const fork = many.fork();
      fill(fork);
      await fork.forward();
      expect(fork.device).toBe('cpu');
      expect(told).toHaveLength(1);
      for (const one of [many, fork, cpu]) one.dispose();
    },
  );

  it('between two rollouts: the second goes on from where the first ended', async () => {
    const { gpu, many, cpu } = await make('cpu');
    await many.rollout({ steps: 4, step: 1e-3 });
    gpu.device.destroy();
    await many.rollout({ steps: 3, step: 1e-3, resume: true });
    await cpu.rollout({ steps: 7, step: 1e-3 });
    expect(relativeError(many.read('q'), cpu.read('q'))).toBeLessThan(1e-5);
    expect(relativeError(many.read('v'), cpu.read('v'))).toBeLessThan(1e-4);
    for (const one of [many, cpu]) one.dispose();
  });

  it('while variants are measured: the search ends', async () => {
    const gpu = await openGpu();
    const many = await batch(mechanism, {
      states: STATES,
      device: 'gpu',
      fallback: 'error',
      gpu: { device: gpu, memory: new Map() },
    });
    const ready = many.ready();
    setTimeout(() => gpu.close(), 300);
    await ready.catch(() => {});
    await expect(many.forward()).rejects.toMatchObject({ code: 'lost' });
    many.dispose();
  });

  it('assembling one large mechanism', async () => {
    const chain = builtinMechanism('chain-2');
    const [state, tau] = [State.random(chain, 1), randomVector(1, 2)];
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
    const program = fileURLToPath(new URL('gpu-out-of-memory.mjs', import.meta.url));
    const { stdout, stderr } = spawnSync('bash', ['-c', `ulimit -v 8000000; exec "${process.execPath}" "${program}"`], {
      encoding: 'utf8',
      env: { ...process.env, ...softwareGpuEnvironment() },
      timeout: PATIENCE,
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
      /not enough memory for 20000 states of chain-5, some \d+ MB: ask for fewer, or use several batches/,
    );
    expect(failed.message).not.toContain('\n');
    // Not a buffer is left, and the device still works.
    expect(left).toBe(0);
    expect(small).toBeLessThan(1e-4);
    expect(fallback.where).toBe('cpu');
    // Where memory is that short, WebAssembly may get none either: then the list goes on.
    expect(fallback.told[0]).toContain('not enough memory for 20000 states');
    expect(fallback.first).toBe(1);
    expect(assembly.where).toBe('cpu');
    expect(assembly.told).toEqual([expect.stringContaining('not enough memory for the assembly of 512 joints')]);
    expect(rollout).toEqual({
      code: 'memory',
      message: expect.stringContaining('not enough memory for a rollout of 20000 states of chain-5'),
      leaked: 0,
      where: 'cpu',
    });
  });
});
