// What the command "manikin view" was given is open on the page that it serves.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { filesIn } from './files.js';
import type { Visit } from './visit.js';

const COMMAND = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

export function view(visit: Visit): void {
  describe('manikin view', () => {
    const folder = mkdtempSync(join(tmpdir(), 'manikin-view-'));
    let files: Awaited<ReturnType<typeof filesIn>>;
    beforeAll(async () => {
      files = await filesIn(folder);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it.each([
      ['a built-in model', (): string => 'human-40', /./, 'pelvis'],
      ['a built-in scene', (): string => 'fall', /falls, lies down/, 'pelvis'],
      ['a model with its mesh', (): string => join(files.mjcf[0], 'scene.xml'), /scene\.xml: 2 bodies/, 'upper'],
      ['a scene file', (): string => files.scene[0], /./, 'box'],
      ['a recording', (): string => files.mcap[0], /A recording of 1 mechanism, 61 moments/, 'crate'],
    ] as const)('%s', async (_, what, about, body) => {
      const command = spawn(process.execPath, [COMMAND, 'view', what(), '--json'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        const { address } = JSON.parse(String((await once(command.stdout, 'data'))[0])) as { readonly address: string };
        await visit.page.emulateMedia({ reducedMotion: 'reduce' });
        await visit.openIn(visit.page, '', address);
        await visit.page.locator('#about', { hasText: about }).waitFor();
        await visit.page
          .locator('.tree .tree-item', { hasText: new RegExp(`^${body}$`) })
          .first()
          .waitFor();
      } finally {
        command.kill();
      }
    });
  });
}
