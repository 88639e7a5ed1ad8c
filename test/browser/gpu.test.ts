import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forwardDynamics, State } from '../../src/index.js';
import { builtinMechanism } from '../../src/models/index.js';
import { hasBrowser, launchBrowser, type Site, serve } from '../support/browser.js';
import { PATIENCE } from '../support/patience.js';
import { hasSoftwareGpu } from '../support/software-gpu.js';

/** A batch and a chain on WebGPU in a page. */
const MAIN = `
import { State } from '/dist/index.js';
import { batch } from '/dist/batch/index.js';
import { gpuAssembly, openGpu } from '/dist/engines/gpu/index.js';
import { builtinMechanism } from '/dist/models/index.js';
async function compute() {
  const mechanism = builtinMechanism('chain-6');
  const onGpu = (options) => batch(mechanism, { states: 40, device: 'gpu', ...options });
  const row = (many) => [...many.read('qdd', new Float64Array(mechanism.nv), 33)];
  const many = await onGpu({ fallback: 'error', gpu: { variant: 'registers' } });
  for (let s = 0; s < 40; s++) many.setState(s, State.random(mechanism, s + 1));
  await many.ready();
  await many.forward();
  const qdd = row(many);
  const { adapter } = many.report();
  await many.rollout({ steps: 3, step: 1e-3 });
  const q = many.getState(33, new State(mechanism)).q;
  many.dispose();
  const chain = builtinMechanism('chain-20');
  const assembly = await gpuAssembly(chain);
  const large = await assembly.forward(State.random(chain, 1));
  // The device is lost in the middle of a call, and the CPU finishes it.
  const gpu = await openGpu();
  const told = [];
  const lasting = await onGpu({
    gpu: { device: gpu, specialise: 'never' }, onFallback: (reason) => told.push(reason),
  });
  for (let s = 0; s < 40; s++) lasting.setState(s, State.random(mechanism, s + 1));
  const call = lasting.forward();
  gpu.device.destroy();
  await call;
  const after = row(lasting);
  return { adapter, qdd, q: [...q], large: [...large], after, told, where: lasting.device };
}
const finish = (result) => {
  const element = document.createElement('pre');
  element.id = 'result';
  element.textContent = JSON.stringify(result);
  document.body.append(element);
};
compute().then(finish, (error) => finish({ error: String(error) }));`;

describe.skipIf(!hasBrowser() || !hasSoftwareGpu())('WebGPU in a browser', () => {
  let browser: Browser;
  let site: Site;

  beforeAll(async () => {
    const pages = new Map([
      ['/', '<!doctype html><title>gpu</title><body><script type="module" src="/main.js"></script>'],
      ['/main.js', MAIN],
    ]);
    site = await serve(pages, {
      'content-security-policy': "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'",
    });
    browser = await launchBrowser([
      '--enable-unsafe-webgpu',
      '--use-webgpu-adapter=swiftshader',
      '--enable-features=Vulkan',
    ]);
  });

  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  it('computes a batch, a rollout and a chain', async () => {
    const page = await browser.newPage();
    await page.goto(`${site.url}/`);
    const text = await page.locator('#result').textContent({ timeout: PATIENCE });
    const result = JSON.parse(text ?? '') as {
      adapter: string;
      qdd: number[];
      q: number[];
      large: number[];
      after: number[];
      told: string[];
      where: string;
      error?: string;
    };
    expect(result.error).toBeUndefined();
    expect(result.adapter.toLowerCase()).toContain('swiftshader');
    const close = (got: readonly number[], expected: Float64Array, bound: number): void => {
      const size = Math.max(...expected.map(Math.abs));
      expect(got).toHaveLength(expected.length);
      got.forEach((x, k) => {
        expect(Math.abs(x - expected[k]) / size).toBeLessThan(bound);
      });
    };
    const mechanism = builtinMechanism('chain-6');
    const state = State.random(mechanism, 34);
    close(result.qdd, forwardDynamics(mechanism, state), 1e-4);
    close(result.after, forwardDynamics(mechanism, state), 1e-5);
    expect(result.where).toBe('cpu');
    expect(result.told).toEqual([expect.stringContaining('The GPU device was lost')]);
    for (let k = 0; k < 3; k++) {
      const qdd = forwardDynamics(mechanism, state);
      qdd.forEach((a, i) => {
        state.v[i] += 1e-3 * a;
        state.q[i] += 1e-3 * state.v[i];
      });
    }
    close(result.q, state.q, 1e-5);
    const chain = builtinMechanism('chain-20');
    close(result.large, forwardDynamics(chain, State.random(chain, 1)), 1e-4);
    await page.close();
  });
});
