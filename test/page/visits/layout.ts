// Pictures compared with the last ones by structure: what is there, in which order, and in which cell of a grid; not by pixels.
// MANIKIN_LAYOUTS=write keeps what is there now.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { PICTURES, type Visit } from './visit.js';

/** Pixels of a cell; fonts of another machine move things by less. */
const GRID = 40;
const FOLDER = new URL('../layouts/', import.meta.url);

/** Kind and name; columns and rows: left, top, width, height. */
type Part = readonly [string, number, number, number, number];
interface Layout {
  readonly parts: readonly Part[];
  /** First and last column, first and last row of twelve in which the scene has colours. */
  readonly limbs: readonly number[];
}

/** Leaves a picture, and compares its structure with the one that was kept. `moving`: the figure may be anywhere. */
export async function compared(visit: Visit, name: string, { page = visit.page, moving = false } = {}): Promise<void> {
  const seen = await visit.drawn(async () => {
    await page.screenshot({ path: `${PICTURES}${name}.png` });
    return visit.inBrowser<Layout>('layout', GRID, page);
  }, page);
  const file = new URL(`${name}.json`, FOLDER);
  if (process.env.MANIKIN_LAYOUTS === 'write' || !existsSync(file)) {
    if (process.env.MANIKIN_LAYOUTS !== 'write')
      throw new Error(`There is no ${file.pathname}; MANIKIN_LAYOUTS=write makes it.`);
    writeFileSync(file, formatted(seen));
    return;
  }
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Layout;
  expect(differences(kept, seen, moving), `${name}: right is what MANIKIN_LAYOUTS=write keeps`).toEqual([]);
}

/** One line for each part that has come, gone or moved by more than a cell. */
export function differences(kept: Layout, seen: Layout, moving: boolean): string[] {
  const names = ({ parts }: Layout): string[] => parts.map(([name]) => name);
  const [before, now] = [names(kept), names(seen)];
  const gone = before.filter((name) => !now.includes(name)).map((name) => `gone: ${name}`);
  const come = now.filter((name) => !before.includes(name)).map((name) => `new: ${name}`);
  if (gone.length + come.length > 0) return [...gone, ...come];
  if (before.join('\n') !== now.join('\n')) return [`another order: ${before.join('; ')} became ${now.join('; ')}`];
  const far = (a: readonly unknown[], b: readonly unknown[]): boolean =>
    a.some((x, k) => typeof x === 'number' && Math.abs(x - (b[k] as number)) > 1);
  const moved = kept.parts.flatMap((part, k) =>
    far(part, seen.parts[k]) ? [`moved: ${part.join(' ')} is at ${seen.parts[k].slice(1).join(' ')}`] : [],
  );
  if (!moving && far(kept.limbs, seen.limbs))
    moved.push(`the figure: ${kept.limbs.join(' ')} became ${seen.limbs.join(' ')}`);
  return moved;
}

function formatted({ parts, limbs }: Layout): string {
  const lines = parts.map(([name, ...box]) => `    [${[JSON.stringify(name), ...box].join(', ')}]`);
  return `{\n  "parts": [\n${lines.join(',\n')}\n  ],\n  "limbs": [${limbs.join(', ')}]\n}\n`;
}
