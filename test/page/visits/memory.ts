// Memory of the page while somebody plays, pulls, connects, releases, re-roots and opens other scenes: after many rounds there is no
// more of it than after a few. MANIKIN_LONG=1: for 30 minutes.

import type { CDPSession, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { PATIENCE } from '../../support/patience.js';
import { LONG } from '../../support/runs.js';
import { SIZE, type Visit } from './visit.js';

/** Minutes at least. */
const PLAY = LONG ? 30 : 0;
/** Rounds before memory is looked at: code is loaded then, and much of it compiled. */
const FIRST = LONG ? 20 : 0;
/** Scenes that are opened in a round, and the one of before again. */
const SCENES = LONG ? 3 : 1;
/** Looks at memory, one after each round. The least of them counts: what nobody holds any more may be there for a while. */
const LOOKS = LONG ? 5 : 2;
/** More than this is too much: bytes (compiled code still grows), parts of the document and listeners (those of one panel may wait). */
const MOST = { script: 2.5e6, nodes: 250, listeners: 50 };

interface Memory {
  /** Of page and workers: heaps of JavaScript with their buffers, bytes. */
  readonly script: number;
  /** Parts of the document, also those that a script alone holds. */
  readonly nodes: number;
  readonly listeners: number;
}

async function memoryOf(page: Page, session: CDPSession): Promise<Memory> {
  await session.send('HeapProfiler.collectGarbage');
  const script = await page.evaluate<number>('performance.measureUserAgentSpecificMemory().then(({ bytes }) => bytes)');
  const { nodes, jsEventListeners: listeners } = await session.send('Memory.getDOMCounters');
  return { script, nodes, listeners };
}

function least(looks: readonly Memory[]): Memory {
  const of = (part: keyof Memory): number => Math.min(...looks.map((memory) => memory[part]));
  return { script: of('script'), nodes: of('nodes'), listeners: of('listeners') };
}

export function memory(visit: Visit): void {
  const timeout = PATIENCE + 3 * 60_000 * PLAY;
  it('needs no more memory after many changes of structure, scenes and views', { timeout }, async () => {
    const { page } = visit;
    await page.setViewportSize({ width: 720, height: 320 });
    await visit.openStill();
    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.enable');
    const press = (key: string): Promise<void> => page.keyboard.press(key);

    const round = async (): Promise<void> => {
      await visit.tab('structure');
      await visit.choose('left_foot');
      await visit.play();
      await press('h');
      await press('d');
      await visit.pass(0.05);
      await press('h');
      await visit.says(/Let go/);
      await press('g');
      await visit.says(/left_foot and the ground are joined/);
      await page.click('button[aria-label="Release left_foot on ground"]');
      await visit.says(/left_foot on ground is released/);
      await press('t');
      await visit.says(/is the root now/);
      await visit.choose('head');
      await press('x');
      await visit.says(/is released/);
      await press('p');
      await visit.pass(0.03);
      await visit.pause();
      await visit.tab('processors');
      await page.click('#panel-processors button:text-is("Schedule")');
      await page.locator('#schedule h3', { hasText: 'Tree' }).waitFor();
      await visit.tab('plots');
      await page.locator('.uplot canvas').first().waitFor();
      for (let k = 0; k < SCENES; k++) {
        await page.selectOption('#scenes', 'gallery:assembly');
        await page.locator('#panel-gallery svg').nth(1).waitFor();
        await page.selectOption('#scenes', 'bar');
        await page.locator('#about', { hasText: 'hangs from a bar' }).waitFor();
      }
    };
    /** At rest and at the beginning, where it is the same scene each time. */
    const looked = async (): Promise<Memory> => {
      const looks: Memory[] = [];
      for (let k = 0; k < LOOKS; k++) {
        await round();
        looks.push(await memoryOf(page, session));
      }
      return least(looks);
    };

    for (let k = 0; k < FIRST; k++) await round();
    const before = await looked();
    let after = before;
    const began = performance.now();
    for (let rounds = LOOKS; ; rounds += LOOKS) {
      after = await looked();
      const seconds = Math.round((performance.now() - began) / 1000);
      const { script, nodes, listeners } = after;
      console.log(
        `memory after ${rounds} rounds, ${seconds} s: ${(script / 1e6).toFixed(2)} MB, ${nodes} parts, ${listeners} listeners`,
      );
      if (seconds >= 60 * PLAY) break;
    }
    await session.detach();
    await page.setViewportSize(SIZE);
    for (const part of ['script', 'nodes', 'listeners'] as const)
      expect(after[part] - before[part], part).toBeLessThan(MOST[part]);
  });
}
