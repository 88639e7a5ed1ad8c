// Builds the page into dist/page. It imports Manikin as everybody does, by the names that package.json exports.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const root = new URL('../', import.meta.url);
const { exports: entries } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const alias = Object.entries(entries).flatMap(([name, entry]) =>
  name.includes('*')
    ? []
    : [
        {
          find: new RegExp(`^manikin${name.slice(1)}(?=\\?|$)`),
          replacement: fileURLToPath(new URL(entry.default ?? entry, root)),
        },
      ],
);

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  resolve: { alias },
  worker: { format: 'es' },
  build: {
    outDir: fileURLToPath(new URL('dist/page', root)),
    emptyOutDir: true,
    target: 'es2022',
    chunkSizeWarningLimit: 1500,
  },
});
