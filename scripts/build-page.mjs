// Builds the page (page/) into dist/page. The package itself must be built before: the page imports it.
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const configFile = fileURLToPath(new URL('../page/vite.config.mjs', import.meta.url));
await build({ configFile, logLevel: 'error' });
