// Makes dist/player.html: the page that plays a replay, in one file. A replay is added to it by formatReplay.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = new URL('../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const { exports: entries } = JSON.parse(read('package.json'));
const alias = Object.fromEntries(
  ['./plot', './three'].map((name) => [`manikin${name.slice(1)}`, fileURLToPath(new URL(entries[name].default, root))]),
);

const bundle = await rolldown({
  input: fileURLToPath(new URL('page/src/replay/main.ts', root)),
  platform: 'browser',
  resolve: { alias },
});
const { output } = await bundle.generate({ format: 'es', minify: true });
await bundle.close();
// Text of a program that would end the script it stands in.
const script = output[0].code.trim().replaceAll('</script', '<\\/script');
const style = [read('page/src/style.css'), read('node_modules/uplot/dist/uPlot.min.css')].join('\n').trim();
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
// These two and no others: a replay brings nothing that runs, and asks for nothing.
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:; base-uri 'none'; form-action 'none'`;
const page = read('page/src/replay/player.html')
  .replace('POLICY', () => policy)
  .replace('/*STYLE*/', () => style)
  .replace('/*SCRIPT*/', () => script);
writeFileSync(new URL('dist/player.html', root), page);
