// The mouse in the scene: the view, bodies and the bar; and in plots.

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readLink, type View } from '../../../page/src/views/link.js';
import { compared } from './layout.js';
import type { Visit } from './visit.js';

/** Of 2 ms. */
const STEPS = 60;

export function mouse(visit: Visit): void {
  describe('a mouse', () => {
    const corner = async (): Promise<readonly [number, number]> => {
      const { x, y } = (await visit.page.locator('#canvas').boundingBox())!;
      return [x, y];
    };
    const link = async () => (await readLink(await visit.link()))!;
    const view = async (): Promise<View> => (await link()).view!;
    const less = (a: readonly number[], b: readonly number[]): number[] => a.map((value, k) => value - b[k]);
    const apart = (a: readonly number[], b: readonly number[]): number => Math.hypot(...less(a, b));

    it('turns the view about what it looks at, moves it, and brings it nearer', async () => {
      const { mouse: own } = visit.page;
      await visit.openStill();
      // The camera stands still where nobody moves it.
      await visit.page.keyboard.press('f');
      const [x, y] = (await corner()).map((at) => at + 40);
      const first = await view();
      const drag = async (button: 'left' | 'right'): Promise<View> => {
        await own.move(x, y);
        await own.down({ button });
        await own.move(x + 60, y + 10, { steps: 3 });
        await own.up({ button });
        return view();
      };
      const far = ({ position, target }: View): number => apart(position, target);
      const turned = await drag('left');
      expect(apart(turned.target, first.target)).toBeLessThan(1e-9);
      expect(apart(turned.position, first.position)).toBeGreaterThan(0.1);
      expect(far(turned)).toBeCloseTo(far(first), 6);
      const moved = await drag('right');
      const way = less(moved.target, turned.target);
      expect(Math.hypot(...way)).toBeGreaterThan(0.05);
      expect(apart(way, less(moved.position, turned.position))).toBeLessThan(1e-9);
      await own.move(x, y);
      await own.wheel(0, -300);
      await visit.until(async () => far(await view()) < 0.95 * far(moved));
      expect(apart((await view()).target, moved.target)).toBeLessThan(1e-9);
    });

    it('joins a hand to the bar: a pin lies along it; a ball and a weld; impulse and energy are said', async () => {
      const { page } = visit;
      await visit.openStill();
      await page.click('button[aria-label="Release right_grip"]');
      await visit.says(/^right_grip is released\.$/);
      const [left, top] = await corner();
      // Hand and bar as the figure hangs before time begins.
      const hand = await visit.find(/^right_hand$/, [231, 70], 4);
      const bar = [left + 190, top + 93] as const;
      for (const [kind, words] of [
        ['revolute', 'pin'],
        ['spherical', 'ball'],
        ['fixed', 'weld'],
      ] as const) {
        await page.selectOption('#connect-by', kind);
        await page.keyboard.down('Shift');
        await page.mouse.click(...hand);
        await page.keyboard.up('Shift');
        await visit.says(/Now choose the body/);
        await page.mouse.click(...bar);
        await visit.says(
          new RegExp(`right_hand and the ground are joined \\(${kind}\\): impulse \\S+ N s, \\S+ J lost`),
        );
        await page.locator('.loops li', { hasText: `right_hand on ground (${words})` }).waitFor();
        const { actions } = (await link()).kept!;
        const [, joined] = actions.at(-1)!;
        expect(joined).toMatchObject({ do: 'connect', to: null, joint: { type: kind } });
        // The bar lies along y, and the pin along the bar.
        if (joined.do === 'connect' && joined.joint.type === 'revolute')
          expect(apart((joined.joint.axis ?? []).map(Math.abs), [0, 1, 0])).toBeLessThan(1e-6);
        await page.click('button[aria-label="Release right_hand on ground"]');
        await visit.says(/right_hand on ground is released/);
      }
    });

    it('plots: numbers of the present, hovering, going there, a range; what is saved can be read again', async () => {
      const { page } = visit;
      await visit.openStill();
      await visit.tab('plots');
      const plot = page.locator('figure.plot', { hasText: 'Energy' }).first();
      await plot.locator('.u-over').waitFor();
      // Each step is a number in the plot, however slowly the page draws.
      await page.evaluate(`for (let k = 0; k < ${STEPS}; k++) document.querySelector('#step').click()`);
      const end = 0.002 * STEPS;
      const isAt = (time: number): Promise<void> =>
        visit.until(async () => Math.abs((await visit.time()) - time) < 1e-3);
      await isAt(end);
      const legend = async (): Promise<number> =>
        Number.parseFloat((await plot.locator('.u-legend .u-value').first().textContent())!);
      await visit.until(async () => Math.abs((await legend()) - end) < 1e-3);
      const over = plot.locator('.u-over');
      const { width, height } = (await over.boundingBox())!;
      const at = (part: number) => ({ position: { x: part * width, y: height / 2 } });
      const leave = (): Promise<void> => page.mouse.move(200, 300);
      // Hovering shows that time in the scene, and leaving the one before.
      await over.hover(at(0.3));
      await visit.until(async () => (await visit.time()) < 0.6 * end);
      // Moments are kept 60 times a second.
      await visit.until(async () => Math.abs((await legend()) - (await visit.time())) < 1 / 60);
      await leave();
      await isAt(end);
      // A drag selects a range, which CSV then holds.
      await over.hover(at(0.25));
      await page.mouse.down();
      await over.hover(at(0.5));
      await over.hover(at(0.75));
      await page.mouse.up();
      await leave();
      const [from, to] = (await plot.locator('output.range').textContent())!.split(' to ').map(Number.parseFloat);
      expect(0 < from && from < to && to < end).toBe(true);
      const csv = (
        await readFile(await visit.download(() => plot.locator('button', { hasText: 'CSV' }).click()))
      ).toString();
      const [head, ...rows] = csv.trim().split('\n');
      expect(head).toBe('"time","kinetic","potential","total","put in"');
      const numbers = rows.map((row) => row.split(',').map(Number));
      expect(numbers.length).toBeGreaterThan(0.4 * STEPS);
      for (const [time, kinetic, potential, total] of numbers) {
        expect(time >= from - 1e-3 && time <= to + 1e-3).toBe(true);
        expect(kinetic + potential).toBeCloseTo(total, 9);
      }
      const png = await readFile(await visit.download(() => plot.locator('button', { hasText: 'PNG' }).click()));
      expect(await visit.inBrowser('picture-size', png.toString('base64'))).toEqual([expect.any(Number), 190, true]);
      // The same range without a mouse, from one present to another.
      await plot.locator('button', { hasText: 'All' }).click();
      expect(await plot.locator('output.range').textContent()).toBe('');
      await over.click(at(0.3));
      await visit.until(async () => (await visit.time()) < 0.6 * end);
      const there = await visit.time();
      await leave();
      await plot.locator('button', { hasText: 'From' }).click();
      await visit.until(async () => Number.parseFloat((await plot.locator('output.range').textContent())!) > 0);
      expect(Number.parseFloat((await plot.locator('output.range').textContent())!)).toBeCloseTo(there, 2);
      await compared(visit, 'range', { moving: true });
    });
  });
}
