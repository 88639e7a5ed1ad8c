// The page in Chromium: how soon the first picture is there, and how many frames a second physics and messages could give without
// drawing (which has no GPU here). Uses dist, as users do: run "npm run build" and "npm run page" first.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { servePage } from '#src/cli/page-server.js';

const EXECUTABLE = '/usr/bin/chromium';
const PAGE = fileURLToPath(new URL('../../../../dist/page/', import.meta.url));
const LOADS = 7;
const SECONDS = 6;

export interface PageReport {
  /** Milliseconds from asking for the address until the first picture of the scene is drawn, nothing kept from before. */
  readonly firstPicture: { readonly least: number; readonly median: number; readonly most: number };
  readonly frames: readonly FrameLine[];
}

interface FrameLine {
  readonly scene: string;
  /** Simulated seconds a second that it plays, of one. */
  readonly pace: number;
  /** Answers a second, asked for 60 times a second, and as soon as the last one is there. */
  readonly at60: number;
  readonly most: number;
  /** Milliseconds from question to answer, middle and 95 of 100. */
  readonly median: number;
  readonly late: number;
  /** Milliseconds of computing for each simulated second. */
  readonly cost: number;
}

/** Runs in the page: asks a physics worker of its own. */
const MEASURE = `async ({ scene, seconds }) => {
  const url = performance.getEntriesByType('resource').map(({ name }) => name).find((name) => /\\/worker-[^/]*\\.js$/.test(name));
  const worker = new Worker(url, { type: 'module' });
  let next = 1;
  const ask = (request) => new Promise((done) => {
    const id = next++;
    const take = ({ data }) => {
      if (data.id !== id) return;
      worker.removeEventListener('message', take);
      done(data);
    };
    worker.addEventListener('message', take);
    worker.postMessage({ id, request });
  });
  await ask({ do: 'load', scene });
  await ask({ do: 'play', speed: 1 });
  const waits = [];
  const look = async () => {
    const asked = performance.now();
    const { frame } = await ask({ do: 'look' });
    waits.push(performance.now() - asked);
    return frame;
  };
  const start = performance.now();
  const first = await look();
  let last = first;
  let k = 0;
  while (performance.now() < start + 1000 * seconds) {
    last = await look();
    k++;
    const due = start + (1000 / 60) * Math.ceil(((performance.now() - start) * 60) / 1000);
    await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
  }
  const passed = (performance.now() - start) / 1000;
  waits.sort((a, b) => a - b);
  const [median, late] = [0.5, 0.95].map((part) => waits[Math.trunc(part * (waits.length - 1))]);
  const again = performance.now();
  let most = 0;
  while (performance.now() < again + 1000) {
    await look();
    most++;
  }
  worker.terminate();
  return { scene, pace: (last.time - first.time) / passed, at60: k / passed, most, median, late, cost: last.cost };
}`;

async function firstPicture(browser: Browser, address: string): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 900, height: 560 } });
  await page.goto(address, { waitUntil: 'commit' });
  const ms = await page.evaluate<number>(`new Promise((done) => {
    const look = () => {
      // Its numbers are there: the picture after this one shows them.
      if (document.querySelector('#clock')?.textContent.endsWith('s'))
        requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0));
      else requestAnimationFrame(look);
    };
    look();
  })`);
  await page.close();
  return ms;
}

export async function run(): Promise<PageReport> {
  if (!existsSync(`${PAGE}index.html`))
    throw new Error('The page is not built: run "npm run build" and "npm run page" first');
  if (!existsSync(EXECUTABLE)) throw new Error(`There is no browser at ${EXECUTABLE}`);
  const { server, address } = await servePage(new Map(), PAGE);
  const args = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args });
  try {
    const times: number[] = [];
    for (let k = 0; k < LOADS; k++) times.push(await firstPicture(browser, address));
    times.sort((a, b) => a - b);
    const round = (x: number): number => Number(x.toPrecision(3));
    const page = await browser.newPage({ viewport: { width: 300, height: 200 }, reducedMotion: 'reduce' });
    await page.goto(address);
    await page.locator('#clock', { hasText: /s$/ }).waitFor();
    const frames: FrameLine[] = [];
    for (const scene of ['bar', 'human-34', 'human-161', 'fall', 'crowd']) {
      const line = await page.evaluate<FrameLine>(`(${MEASURE})(${JSON.stringify({ scene, seconds: SECONDS })})`);
      const numbers = Object.entries(line).map(([name, x]) => [name, typeof x === 'number' ? round(x) : x]);
      frames.push(Object.fromEntries(numbers) as FrameLine);
    }
    const [least, median, most] = [0, LOADS >> 1, LOADS - 1].map((k) => round(times[k]));
    return { firstPicture: { least, median, most }, frames };
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}
