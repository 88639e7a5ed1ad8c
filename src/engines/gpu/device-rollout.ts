// Steps in time that stay on the device: from one pair of buffers to the other and back, with the law of the joint forces
// before each step.

import type { Steps, Torque } from '../torque.js';
import type { BatchArrays, Window } from './batch-arrays.js';
import type { GpuEngine } from './engine.js';
import { type Bound, encode, type GpuProgram, USAGE } from './pipeline.js';
import { TorqueProgram } from './torque-kernel.js';

/** Steps in one submission: long ones would look like a hanging device. */
const STEPS_AT_A_TIME = 200;

export interface RolloutWork {
  readonly programs: readonly GpuProgram[];
  readonly arrays: BatchArrays;
  /** Positions and velocities after every other step. */
  readonly next: { readonly q: GPUBuffer; readonly v: GPUBuffer };
}

/** `checked` makes what takes memory of the device. */
export async function rolloutOnDevice(
  { gpu, mechanism }: GpuEngine,
  { programs, arrays, next }: RolloutWork,
  { steps, step }: Steps,
  torque: Torque,
  upload: boolean,
  checked: <T>(make: () => T) => Promise<T>,
): Promise<void> {
  const { device } = gpu;
  const { q, v, tau } = arrays.columns;
  const forces =
    torque.kind === 'held' ? undefined : await TorqueProgram.create(gpu, mechanism, torque, arrays.whole, steps, step);
  const bound: Bound[] = [];
  // Laws write tau, so they need the held forces elsewhere; in qdd the generic step has its accelerations.
  const given =
    torque.kind === 'pd'
      ? await checked(() => device.createBuffer({ size: 4 * tau.numbers, usage: USAGE.storage | USAGE.copyTarget }))
      : undefined;
  try {
    // Two sets of bindings: from the arrays to the others, and back.
    const bindWindow = (window: Window) => {
      const pairs = [
        { q: q.device, v: v.device, nextQ: next.q, nextV: next.v },
        { q: next.q, v: next.v, nextQ: q.device, nextV: v.device },
      ];
      return pairs.map((pair) => {
        const buffers = arrays.bindings(window, pair);
        const calls = programs.map((program) => program.bind(buffers, window.states, step));
        bound.push(...calls);
        const law = forces?.bind(window.first, window.states, {
          q: buffers.q,
          v: buffers.v,
          held: given === undefined ? buffers.qdd : { ...buffers.tau, buffer: given },
          tau: buffers.tau,
        });
        return { calls, law };
      });
    };
    const there = await checked(() => arrays.windows.map(bindWindow));
    for (let done = 0; done < steps; ) {
      const encoder = device.createCommandEncoder();
      if (done === 0) {
        if (upload) for (const column of [q, v]) column.upload(encoder);
        tau.upload(encoder);
        if (given !== undefined) encoder.copyBufferToBuffer(tau.device, 0, given, 0, 4 * tau.numbers);
      }
      const until = Math.min(steps, done + STEPS_AT_A_TIME);
      const pass = encoder.beginComputePass();
      for (; done < until; done++)
        for (const window of there) {
          const { calls, law } = window[done % 2];
          law?.(pass, done);
          for (const call of calls) encode(pass, call);
        }
      pass.end();
      if (done === steps) {
        if (steps % 2 === 1) {
          encoder.copyBufferToBuffer(next.q, 0, q.device, 0, 4 * q.numbers);
          encoder.copyBufferToBuffer(next.v, 0, v.device, 0, 4 * v.numbers);
        }
        for (const column of [q, v, arrays.flags]) column.download(encoder);
      }
      device.queue.submit([encoder.finish()]);
    }
    await Promise.all([q, v, tau, arrays.flags].map((column) => column.settle()));
  } finally {
    for (const one of bound) one.destroy();
    forces?.destroy();
    given?.destroy();
  }
}
