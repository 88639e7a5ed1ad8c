// Compiled dynamics in a page, under the policies that pages have: with 'wasm-unsafe-eval' compiled code runs, made in a
// Web Worker; without it the plain path runs, and says so once.

import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Simulation, State } from '../../src/index.js';
import { builtinMechanism } from '../../src/models/index.js';
import { serve } from '../support/browser.js';
import { PATIENCE } from '../support/patience.js';
import { relativeError } from '../support/random-mechanism.js';

const MAIN = `
import { dynamics, Simulation, State } from '/dist/index.js';
import { batch } from '/dist/batch/index.js';
import { CompiledDynamics } from '/dist/engines/wasm/compiled.js';
import { builtinMechanism } from '/dist/models/index.js';
const mechanism = builtinMechanism('human-34');
const state = State.random(mechanism, 1);
const result = {};
try {
  const compiled = new CompiledDynamics(mechanism);
  await compiled.ready();
  result.tier = compiled.tier;
  result.after = [...compiled.forward(state)];
  result.explain = compiled.explain();
  result.plain = [...dynamics(mechanism, { engine: 'plain' }).forward(state)];
  const many = await batch(mechanism, { states: 3 });
  for (const s of [0, 1, 2]) many.setState(s, state);
  await many.forward();
  result.batch = [...many.read('qdd', new Float64Array(mechanism.nv), 2)];
  // Twice: the warning must come once.
  new Simulation(mechanism);
  const simulation = new Simulation(mechanism, { state });
  simulation.runUntil(0.05);
  result.engine = simulation.engine;
  result.q = [...simulation.state.q];
} catch (error) {
  result.error = String(error);
}
const element = document.createElement('pre');
element.id = 'result';
element.textContent = JSON.stringify(result);
document.body.append(element);`;

interface Result {
  readonly tier: string;
  readonly after: number[];
  readonly plain: number[];
  readonly batch: number[];
  readonly explain: string;
  readonly engine: { readonly engine: string; readonly reason?: string };
  readonly q: number[];
  readonly error?: string;
}

export function compile(browserOf: () => Browser): void {
  describe('compiled dynamics in a browser', () => {
    async function visit(policy: string): Promise<{ result: Result; warnings: string[] }> {
      const pages = new Map([
        ['/', '<!doctype html><title>compile</title><body><script type="module" src="/main.js"></script>'],
        ['/main.js', MAIN],
      ]);
      const site = await serve(pages, { 'content-security-policy': `default-src 'none'; ${policy}` });
      try {
        const page = await browserOf().newPage();
        const warnings: string[] = [];
        page.on('console', (message) => {
          if (message.type() === 'warning') warnings.push(message.text());
        });
        await page.goto(site.url);
        const text = await page.locator('#result').textContent({ timeout: PATIENCE });
        await page.close();
        return { result: JSON.parse(text!) as Result, warnings };
      } finally {
        await site.close();
      }
    }

    const expected = (): Float64Array => {
      const mechanism = builtinMechanism('human-34');
      const simulation = new Simulation(mechanism, { state: State.random(mechanism, 1) });
      simulation.runUntil(0.05);
      return simulation.state.q;
    };

    const agrees = (got: readonly number[], reference: readonly number[]): void =>
      expect(relativeError(Float64Array.from(got), Float64Array.from(reference))).toBeLessThan(1e-11);

    it("script-src 'self' 'wasm-unsafe-eval': compiled, and the motion that Node gives", async () => {
      const { result, warnings } = await visit("script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'");
      expect(result.error).toBeUndefined();
      expect(result.tier).toBe('specialised');
      agrees(result.after, result.plain);
      agrees(result.batch, result.plain);
      expect(result.engine).toEqual({ engine: 'compiled' });
      expect(relativeError(Float64Array.from(result.q), expected())).toBeLessThan(1e-10);
      expect(warnings).toEqual([]);
    });

    it("script-src 'self' alone: the plain path, said once", async () => {
      const { result, warnings } = await visit("script-src 'self'; worker-src 'self'");
      expect(result.error).toBeUndefined();
      expect(result.tier).toBe('plain');
      expect(result.explain).toContain('WebAssembly cannot be used here');
      expect(result.after).toEqual(result.plain);
      agrees(result.batch, result.plain);
      expect(result.engine.engine).toBe('plain');
      expect(result.engine.reason).toContain('WebAssembly');
      expect(warnings.filter((text) => text.includes('Manikin'))).toEqual([
        expect.stringContaining('Manikin computes in plain TypeScript'),
      ]);
    });
  });
}
