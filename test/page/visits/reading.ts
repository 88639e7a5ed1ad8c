// The page for people who see less, hear it, use keys or a finger, or do not want things to move.

import type { CDPSession, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { readLink } from '../../../page/src/views/link.js';
import type { Visit } from './visit.js';

interface Node {
  readonly ignored: boolean;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value?: unknown } }[];
}
/** Roles that say nothing without a name. */
const NAMED = new Set(
  'button checkbox combobox slider spinbutton link textbox tab tabpanel image img dialog region Canvas'.split(' '),
);

async function spoken(session: CDPSession): Promise<readonly Node[]> {
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as unknown as {
    readonly nodes: readonly Node[];
  };
  return nodes.filter(({ ignored }) => !ignored);
}

export function reading(visit: Visit): void {
  describe('the page for everybody', () => {
    const TABS = ['structure', 'control', 'plots', 'processors', 'gallery'];

    it('every text has a contrast of 4.5, in light and dark, in all panels, menus and lists', async () => {
      const { page } = visit;
      const SCHEMES = ['light', 'dark'] as const;
      const hard: string[] = [];
      const all = { light: 0, dark: 0 };
      for (const colorScheme of SCHEMES) {
        const look = async (where: string): Promise<void> => {
          const { looked, found } = await visit.inBrowser<{ looked: number; found: string[] }>('contrast');
          all[colorScheme] += looked;
          hard.push(...found.map((text) => `${colorScheme}, ${where}: ${text}`));
        };
        // The scene behind texts is drawn once, and stays.
        const draw = (): Promise<void> => visit.drawn(async () => {});
        await page.emulateMedia({ colorScheme });
        await visit.openStill();
        await visit.choose('left_forearm');
        await page.keyboard.press('l');
        await visit.says(/is locked/);
        await page.keyboard.press('t');
        await visit.says(/is the root now/);
        await draw();
        for (const tab of TABS) {
          await visit.tab(tab);
          if (tab === 'plots') await page.locator('.uplot canvas').first().waitFor();
          if (tab === 'processors') {
            await page.click('#panel-processors button:text-is("Schedule")');
            await page.locator('#schedule h3', { hasText: 'Tree' }).waitFor();
          }
          await look(tab);
        }
        for (const menu of ['#save', '#show']) {
          await page.click(`${menu} summary`);
          await look(menu);
        }
        await page.keyboard.press('Escape');
        await page.keyboard.press('?');
        await look('help');
        await page.keyboard.press('Escape');
        await page.setInputFiles('#files', {
          name: 'bad.urdf',
          mimeType: 'text/xml',
          buffer: Buffer.from('<robot><link></robot>'),
        });
        await page.locator('#problems[open]').waitFor();
        await look('problems');
        await page.keyboard.press('Escape');
        await page.selectOption('#scenes', 'gallery:assembly');
        await page.locator('#panel-gallery svg').nth(1).waitFor();
        await page.click('button[aria-label="Cut at joint 6"]');
        await draw();
        await look('assembly');
      }
      expect(hard).toEqual([]);
      for (const colorScheme of SCHEMES) {
        expect(all[colorScheme]).toBeGreaterThan(200);
        console.log(`${colorScheme}: contrast of ${all[colorScheme]} texts`);
      }
      await page.emulateMedia({ colorScheme: null });
    });

    it('whatever can be used or looked at has a name; what is read aloud by itself is what was done, and not the clock', async () => {
      await visit.openStill();
      await visit.choose('left_forearm');
      const session = await visit.page.context().newCDPSession(visit.page);
      const nameless: string[] = [];
      for (const tab of TABS) {
        await visit.tab(tab);
        if (tab === 'plots') await visit.page.locator('.uplot canvas').first().waitFor();
        const nodes = await spoken(session);
        const roles = new Set(nodes.map(({ role }) => role?.value));
        for (const role of ['button', 'combobox', 'slider', 'tab', 'Canvas']) expect([...roles]).toContain(role);
        for (const { role, name } of nodes)
          if (NAMED.has(role?.value ?? '') && !(name?.value ?? '').trim()) nameless.push(`${tab}: ${role!.value}`);
      }
      expect(nameless).toEqual([]);
      await session.detach();
      const live = `[...document.querySelectorAll('output, [role=status], [role=alert], [aria-live]')]
        .filter((one) => one.getAttribute('aria-live') !== 'off').map((one) => one.id || one.className)`;
      expect(new Set((await visit.page.evaluate(live)) as string[])).toEqual(
        new Set(['picked', 'message', 'schedule', 'range']),
      );
      await visit.page.keyboard.press('l');
      await visit.says(/left_elbow is locked/);
    });

    it('nothing moves for those who do not want it, until they say so', async () => {
      await visit.openStill();
      await visit.page.waitForTimeout(300);
      expect(await visit.text('#clock')).toBe('0.000 s');
      expect(await visit.page.evaluate('document.getAnimations().length')).toBe(0);
      // A gallery, and another scene, begin at rest, too.
      await visit.page.selectOption('#scenes', 'gallery:compass');
      await visit.page.locator('#panel-gallery .result', { hasText: 'It walks' }).waitFor();
      await visit.page.selectOption('#scenes', 'fall');
      await visit.page.locator('#about', { hasText: 'falls' }).waitFor();
      await visit.page.waitForTimeout(200);
      expect(await visit.text('#play')).toBe('Play');
      expect(await visit.time()).toBe(0);
      await visit.page.keyboard.press('Space');
      await visit.pass(0.02);
    });

    it('every control is reached by Tab and shows that it is', async () => {
      const { page } = visit;
      await visit.openStill();
      await visit.tab('control');
      await page.focus('#scenes');
      const all = `[...document.querySelectorAll('button, select, input, summary, canvas[tabindex], pre[tabindex]')]
        .filter((one) => one.checkVisibility()).length`;
      const count = (await page.evaluate(all)) as number;
      const seen = new Set<string>();
      const unmarked: string[] = [];
      for (let k = 0; k < count; k++) {
        const { key, marked } = (await page.evaluate(`(() => {
          const one = document.activeElement;
          const shown = one.matches('.unseen') ? one.parentElement : one;
          const { outlineStyle, outlineWidth } = getComputedStyle(shown);
          const key = [...document.querySelectorAll('*')].indexOf(one) + ' ' + one.tagName + ' ' + (one.id || one.textContent.slice(0, 20));
          return { key, marked: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 };
        })()`)) as { readonly key: string; readonly marked: boolean };
        if (!marked && k > 0) unmarked.push(key);
        seen.add(key);
        await page.keyboard.press('Tab');
      }
      expect(unmarked).toEqual([]);
      expect(seen.size).toBe(count);
    });

    it('every key of the list does what the list says', async () => {
      const { page } = visit;
      await visit.openStill();
      const before = await visit.text('#clock');
      const press = (key: string): Promise<void> => page.keyboard.press(key);
      const done = new Set<string>();
      const does = async (key: string, holds: () => Promise<boolean>): Promise<void> => {
        await press(key);
        await visit.until(holds);
        done.add(key);
      };
      const picked = (): Promise<string> => visit.text('#picked');
      const said = (pattern: RegExp) => async (): Promise<boolean> => pattern.test(await visit.text('#message'));
      await does('.', async () => (await visit.text('#clock')) !== before);
      await does('Space', async () => (await visit.time()) > 0.3);
      await press('Space');
      const late = await visit.time();
      await does('ArrowLeft', async () => (await visit.time()) < late - 0.05);
      const early = await visit.time();
      await does('ArrowRight', async () => (await visit.time()) > early + 0.05);
      await does('n', async () => (await picked()) === 'pelvis');
      await does('b', async () => (await picked()) !== 'pelvis');
      for (const key of [
        'Shift+ArrowLeft',
        'Shift+ArrowRight',
        'Shift+ArrowUp',
        'Shift+ArrowDown',
        'W',
        'A',
        'S',
        'D',
        '+',
        '-',
      ]) {
        const one = await visit.seen();
        await does(key, async () => (await visit.seen()) !== one);
      }
      await does('f', async () => !(await page.isChecked('#overlay-follow', { timeout: 1000 })));
      await does('l', said(/is locked/));
      await does('w', said(/take it by the hand first/));
      await does('h', said(/Held/));
      await page.evaluate('document.querySelector("#message").textContent = ""');
      for (const key of ['a', 's', 'd', 'e', 'q']) await does(key, async () => !(await said(/first/)()));
      await does('c', said(/Now choose/));
      await does('Escape', async () => (await visit.text('#message')) === '');
      await does('c', said(/Now choose/));
      await press('b');
      await does('Enter', said(/are joined|cannot|already/));
      await does('g', said(/and the ground are joined/));
      await does('t', said(/is the root/));
      await does('x', said(/is released|cannot|free/));
      await does('p', async () => true);
      for (const [key, name] of TABS.map((tab, k) => [String(k + 1), tab] as const))
        await does(key, async () => (await page.getAttribute(`#tab-${name}`, 'aria-selected')) === 'true');
      // A busy page may have forgotten the key by the time it asks for files: once more, then.
      let asked = false;
      page.once('filechooser', () => {
        asked = true;
      });
      await does('o', async () => {
        if (!asked) await press('o');
        return asked;
      });
      await does('r', async () => (await visit.time()) === 0);
      await does('?', async () => (await page.locator('#help[open]').count()) === 1);
      const listed = (await page.locator('#keys dt').allTextContents())
        .flatMap((names) => names.split(', '))
        .flatMap((key) => (key === 'Shift+Arrow' ? ['Shift+ArrowLeft'] : key === 'space' ? ['Space'] : [key]));
      expect(listed.filter((key) => !done.has(key))).toEqual([]);
      await press('Escape');
    });

    describe('on a phone', () => {
      let phone: Page;
      it('nothing is cut off, and fingers find what they want', async () => {
        phone = await visit.newPage({
          viewport: { width: 390, height: 780 },
          hasTouch: true,
          isMobile: true,
          reducedMotion: 'reduce',
        });
        await visit.openIn(phone);
        for (const tab of TABS) {
          await phone.tap(`#tab-${tab}`);
          if (tab === 'structure') await phone.locator('.tree button', { hasText: /^left_forearm$/ }).tap();
          if (tab === 'plots') await phone.locator('.uplot canvas').first().waitFor();
          const { cut, small } = await visit.inBrowser<{ cut: string[]; small: string[] }>('fingers', null, phone);
          expect(cut, tab).toEqual([]);
          expect(small, tab).toEqual([]);
        }
        for (const [menu, name] of [
          ['#save summary', 'save'],
          ['#show summary', 'show'],
        ] as const) {
          await phone.tap(menu);
          const { cut, small } = await visit.inBrowser<{ cut: string[]; small: string[] }>('fingers', null, phone);
          expect([cut, small], name).toEqual([[], []]);
        }
        await phone.keyboard.press('Escape');
      });

      it('a finger chooses a body, pulls it, and turns the view', async () => {
        const { x, y, width, height } = (await phone.locator('#canvas').boundingBox())!;
        const session = await phone.context().newCDPSession(phone);
        const touch = (
          type: 'touchStart' | 'touchMove' | 'touchEnd',
          at?: readonly [number, number],
        ): Promise<unknown> =>
          session.send('Input.dispatchTouchEvent', {
            type,
            touchPoints: at === undefined ? [] : [{ x: at[0], y: at[1] }],
          });
        const middle = x + width / 2;
        let at = y;
        const name = (): Promise<string> => visit.text('#picked', phone);
        await phone.tap('#canvas', { position: { x: 12, y: height - 30 } });
        expect(await name()).toBe('');
        while ((await name()) === '' && at < y + height - 20) {
          at += 15;
          await phone.touchscreen.tap(middle, at);
        }
        expect(await name()).not.toBe('');
        // The finger is on it before it moves away.
        await touch('touchStart', [middle, at]);
        await phone.evaluate('document.querySelector("#play").click()');
        await phone.locator('#play', { hasText: 'Pause' }).waitFor();
        for (const k of [1, 2, 3, 4]) await touch('touchMove', [middle + 15 * k, at]);
        const time = await visit.time(phone);
        await visit.until(async () => (await visit.time(phone)) > time + 0.1);
        await touch('touchEnd');
        await phone.tap('#play');
        await phone.tap('#save summary');
        await phone.tap('#save-link');
        await phone.locator('#message', { hasText: /leads to this moment/ }).waitFor();
        const { kept } = (await readLink(String(await phone.evaluate('location.hash'))))!;
        const drags = kept!.actions.flatMap(([, action]) => (action.do === 'drag' ? [action.grip] : []));
        expect(drags.length).toBeGreaterThan(1);
        expect(drags.at(-1)).toBeNull();
        // Beside the figure a finger turns the view.
        await phone.waitForTimeout(200);
        const first = await visit.seen(phone);
        await touch('touchStart', [x + 20, y + height - 60]);
        for (const k of [1, 2, 3]) await touch('touchMove', [x + 20 + 20 * k, y + height - 60]);
        await touch('touchEnd');
        await visit.until(async () => (await visit.seen(phone)) !== first);
        await phone.close();
      });
    });
  });
}
