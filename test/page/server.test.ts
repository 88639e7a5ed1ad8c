// In a process of its own: `fetch` would take up a connection to the port of a server that is gone.

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { servePage } from '../../src/cli/page-server.js';

const root = new URL('../../', import.meta.url);

describe('the server of the page', () => {
  it('serves the page and what was named, and nothing else', async () => {
    const { server, address } = await servePage(
      new Map([['a.urdf', new TextEncoder().encode('<robot/>')]]),
      fileURLToPath(new URL('page/', root)),
    );
    try {
      const get = (path: string, init?: RequestInit): Promise<Response> => fetch(`${address}${path}`, init);
      const page = await get('');
      expect(page.status).toBe(200);
      expect(page.headers.get('content-security-policy')).toContain("script-src 'self' 'wasm-unsafe-eval'");
      expect(page.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
      expect(await (await get('opened.json')).json()).toEqual(['a.urdf']);
      expect(await (await get('opened/0')).text()).toBe('<robot/>');
      expect((await get('opened/1')).status).toBe(404);
      for (const path of ['..%2fpackage.json', '%2e%2e/package.json', '/../package.json', 'src', 'no.js', '%00'])
        expect([400, 404]).toContain((await get(path)).status);
      expect((await get('', { method: 'POST' })).status).toBe(405);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
