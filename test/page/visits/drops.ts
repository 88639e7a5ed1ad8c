// Files dropped on the page as a person drops them: the browser gets their paths. Every kind, and a broken one of every kind of problem.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesIn } from './files.js';
import { compared } from './layout.js';
import type { Visit } from './visit.js';

export function drops(visit: Visit): void {
  describe('files that are dropped', () => {
    const folder = mkdtempSync(join(tmpdir(), 'manikin-drops-'));
    let files: Awaited<ReturnType<typeof filesIn>>;
    beforeAll(async () => {
      files = await filesIn(folder);
      await visit.openStill();
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    async function drop(kind: string): Promise<void> {
      // One that went wrong before leaves nothing behind.
      await visit.page.evaluate('for (const open of document.querySelectorAll("dialog[open]")) open.close()');
      const session = await visit.page.context().newCDPSession(visit.page);
      const data = { items: [], files: [...files[kind]], dragOperationsMask: 1 };
      const at = { x: 300, y: 300, data };
      await session.send('Input.dispatchDragEvent', { type: 'dragEnter', ...at });
      await session.send('Input.dispatchDragEvent', { type: 'dragOver', ...at });
      // The place to drop on is shown as long as something hovers.
      await visit.page.locator('#drop').waitFor();
      await session.send('Input.dispatchDragEvent', { type: 'drop', ...at });
      await visit.page.locator('#drop').waitFor({ state: 'hidden' });
      await session.detach();
    }
    const bodies = (): Promise<string[]> => visit.page.locator('.tree .tree-item').allTextContents();

    it.each([
      ['urdf', /^two-links is open\.$/, ['base', 'arm']],
      ['mjcf', /^tetrahedra is open\.$/, ['lower', 'upper']],
      ['zip', /^tetrahedra is open\.$/, ['lower', 'upper']],
      ['sdf', /^arm is open\.$/, ['base', 'tip']],
      ['osim', /^leg is open\.$/, ['thigh', 'foot_r']],
      ['scene', /^two boxes is open\.$/, ['box', 'box']],
      ['checkpoint', /^Boxes and a stone is open\.$/, ['box 1', 'stone']],
      ['mcap', /^crate\.mcap is open\.$/, ['crate']],
    ] as const)('%s', async (kind, said, names) => {
      await drop(kind);
      await visit.says(said);
      expect((await bodies()).filter((name) => (names as readonly string[]).includes(name))).toEqual(names);
      // At rest: who asks for reduced motion presses Play first.
      await compared(visit, `drop-${kind}`);
      // It moves, or plays what was recorded.
      const before = await visit.time();
      await visit.play();
      await visit.until(async () => (await visit.time()) > before + 0.02);
      await visit.pause();
    });

    it.each([
      ['bvh', /^walk: \d+ frames/],
      ['motion', /swing: \d+ frames|leg: \d+ frames/],
    ] as const)('%s: torques of a captured motion', async (kind, about) => {
      await drop(kind);
      const panel = visit.page.locator('#panel-gallery');
      await panel.locator('.result', { hasText: about }).waitFor();
      await panel.locator('.uplot', { hasText: 'Torque' }).first().waitFor();
      expect(await visit.text('#about')).toMatch(about);
      await compared(visit, `drop-${kind}`);
      await visit.page.selectOption('#scenes', 'bar');
      await visit.page.locator('#about', { hasText: 'hangs from a bar' }).waitFor();
    });

    // What is wrong, where, and the line of the file that is marked.
    it.each([
      ['brokenXml', 'torn.urdf:3:', '</robot>'],
      ['impossible', 'heavy.urdf:5:', '<joint name="lost"'],
      ['brokenMjcf', 'torn.xml:5:', 'axis="0 one 0"'],
      ['brokenScene', 'torn.json:', ''],
      ['wrongScene', 'wrong.json: step', undefined],
      ['brokenCheckpoint', 'torn.checkpoint', undefined],
      ['noMesh', 'scene.xml:2:', 'file="meshes/tetra.obj"'],
      ['brokenSdf', 'torn.sdf:3:', '<mass>two</mass>'],
      ['brokenOsim', 'old.osim:1:', 'Version="30000"'],
      ['brokenMcap', 'damaged.mcap', undefined],
    ] as const)('%s: the problems and their lines', async (kind, where, line) => {
      const before = await visit.text('#about');
      await drop(kind);
      await visit.page.locator('#problems[open]').waitFor();
      expect(await visit.text('#problems-list li strong')).toContain(where);
      if (line !== undefined) expect(await visit.text('#problems-list mark')).toContain(line);
      if (kind === 'brokenXml') await compared(visit, 'broken-file', { moving: true });
      await visit.page.keyboard.press('Escape');
      await visit.page.locator('#problems[open]').waitFor({ state: 'detached' });
      // What was there is there still.
      expect(await visit.text('#about')).toBe(before);
    });

    it.each([
      ['motAlone', /needs the model it belongs to/],
      ['brokenZip', /"broken\.zip" is no zip archive that can be read/],
      ['unknown', /None of these files is a model .*letter\.txt/],
    ] as const)('%s: a sentence', async (kind, said) => {
      await drop(kind);
      if (kind === 'motAlone') await visit.page.locator('#panel-gallery .result', { hasText: said }).waitFor();
      else await visit.says(said);
    });

    it('a motion that is broken: the problem and its line, in the gallery, too', async () => {
      await drop('brokenMotion');
      await visit.page.locator('#problems[open]').waitFor();
      expect(await visit.text('#problems-list li strong')).toMatch(/^torn\.mot:33/);
      expect(await visit.text('#problems-list mark')).toContain('half');
      await visit.page.keyboard.press('Escape');
      await visit.page.locator('#panel-gallery .result', { hasText: 'torn.mot' }).waitFor();
    });

    it('a motion that ends early: the problem and its line, in the gallery, too', async () => {
      await drop('shortBvh');
      await visit.page.locator('#problems[open]').waitFor();
      expect(await visit.text('#problems-list li strong')).toMatch(/^short\.bvh:\d+/);
      expect(await visit.page.locator('#problems-list mark').count()).toBe(1);
      await visit.page.keyboard.press('Escape');
      await visit.page.locator('#panel-gallery .result', { hasText: 'short.bvh' }).waitFor();
      await visit.page.selectOption('#scenes', 'bar');
      await visit.page.locator('#about', { hasText: 'hangs from a bar' }).waitFor();
    });

    it('a recording that ends early: what came before, and a warning', async () => {
      await drop('shortMcap');
      await visit.says(/^cut\.mcap is open\.$/);
      await visit.page.click('#about button');
      await visit.page.locator('#problems-list li', { hasText: 'ends early' }).waitFor();
      await visit.page.keyboard.press('Escape');
    });
  });
}
