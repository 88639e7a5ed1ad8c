// Draws docs/figures/speed.svg: forward dynamics by Manikin, from bench/results, beside nine other engines, from the table
// of ../shared/reference/bench/README.md. Usage, after npm run build: node scripts/speed-figure.mjs [results.json]
import { readFileSync, writeFileSync } from 'node:fs';
import { scaleLog } from 'd3-scale';
import { COLORS, FAINT, INK, px, svgDocument, text } from '../dist/plot/svg.js';

const MODELS = ['chainR-32', 'chainS-32', 'human-34', 'human-161'];
const file = process.argv[2] ?? new URL('../bench/results/amd-epyc-2.json', import.meta.url);
const { results, machine } = JSON.parse(readFileSync(file, 'utf8')).results.compile;

/** Microseconds for each model, from our own run. */
const ours = (engine, variant, algorithms) =>
  MODELS.map((model) => {
    const lines = results.filter(
      (line) =>
        line.model === model &&
        line.engine === engine &&
        line.variant === variant &&
        algorithms.includes(line.algorithm),
    );
    return lines.length === 0 ? undefined : Math.min(...lines.map(({ ns }) => ns)) / 1000;
  });

/** Rows of the shared table: [engine, microseconds for each model]. */
function peers() {
  const readme = readFileSync(new URL('../../shared/reference/bench/README.md', import.meta.url), 'utf8');
  const rows = readme
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const [head, , ...body] = rows;
  return body
    .filter(([engine]) => !/RNEA|CRBA/.test(engine))
    .map(([engine, ...cells]) => [
      engine
        .replace(/ \(the original.*/, '')
        .replace(', WebAssembly from npm', ' WebAssembly')
        .split(',')[0],
      MODELS.map((model) => {
        const value = Number(cells[head.indexOf(model) - 1]);
        return Number.isFinite(value) ? value : undefined;
      }),
    ]);
}

const own = [
  ['Manikin, batch, each state', ours('manikin', 'batch', ['aba'])],
  ['Manikin, compiled for the mechanism', ours('manikin', 'specialised', ['aba'])],
  ['Manikin, generic kernels', ours('manikin', 'generic', ['aba'])],
  ['Manikin, plain TypeScript', ours('manikin', 'readable', ['aba'])],
  [
    'MuJoCo 3.14 WebAssembly, same run',
    ours('mujoco-wasm', 'generic', ['mj_forward', 'position, velocity, acceleration stages']),
  ],
];
const rows = [...own, ...peers()];
const [left, top, width, step] = [285, 58, 520, 24];
const height = step * rows.length;
const x = scaleLog().domain([0.5, 500]).range([0, width]);
const parts = [];
for (const tick of [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]) {
  parts.push(`<path d="M${px(x(tick))} 0V${px(height)}" stroke="${FAINT}"/>`);
  parts.push(text(x(tick), height + 18, String(tick), 'text-anchor="middle"'));
}
const border = step * own.length;
parts.push(`<path d="M${px(-left + 10)} ${px(border)}H${px(width)}" stroke="${INK}" stroke-dasharray="3 3"/>`);
rows.forEach(([name, times], i) => {
  const y = step * (i + 0.5);
  parts.push(text(-10, y + 4, name, `text-anchor="end"${name.startsWith('Manikin') ? ' font-weight="bold"' : ''}`));
  times.forEach((time, k) => {
    if (time !== undefined) parts.push(`<circle cx="${px(x(time))}" cy="${px(y)}" r="5" fill="${COLORS[k]}"/>`);
  });
});
parts.push(`<rect width="${px(width)}" height="${px(height)}" fill="none" stroke="${INK}"/>`);
MODELS.forEach((model, k) => {
  parts.push(`<circle cx="${px(8 + 110 * k)}" cy="-14" r="5" fill="${COLORS[k]}"/>`);
  parts.push(text(18 + 110 * k, -10, model));
});
parts.push(text(width / 2, height + 38, 'microseconds for one forward dynamics (logarithmic)', 'text-anchor="middle"'));
const title = text(
  12,
  22,
  `Forward dynamics, one core (${machine.processor}, Node ${machine.node}); below the line: the shared table`,
  'font-weight="bold"',
);
const content = `${title}\n<g transform="translate(${left} ${top})">${parts.join('\n')}</g>`;
writeFileSync(
  new URL('../docs/figures/speed.svg', import.meta.url),
  svgDocument(left + width + 24, top + height + 54, content),
);
