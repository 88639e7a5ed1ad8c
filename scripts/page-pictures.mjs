// The pictures of README and docs/page.md, from those that the tests of the page leave in out/page: npm run pictures makes both.
import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
for (const [test, figure] of [
  ['re-rooted', 'page'],
  ['follow', 'page-follow'],
  ['broken-file', 'page-broken'],
  ['processors', 'page-processors'],
])
  copyFileSync(`${root}out/page/${test}.png`, `${root}docs/figures/${figure}.png`);
