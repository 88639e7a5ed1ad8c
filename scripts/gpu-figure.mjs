// Draws docs/figures/gpu-assembly.svg from the recorded run: the time of one mechanism against its number of joints.
//   npm run build && node scripts/gpu-figure.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { linePlot, svgDocument } from '../dist/plot/index.js';

const at = (path) => new URL(`../${path}`, import.meta.url);
const { results } = JSON.parse(readFileSync(at('bench/results/nvidia-h200.json'), 'utf8'));
const chains = results.gpu.results.filter(({ task, model }) => task === 'assembly' && model.startsWith('chain-'));
const joints = (name) => Number.parseInt(name.split('-')[1], 10);
const gpu = chains.map(({ model, statesPerSecond }) => [joints(model), 1e6 / statesPerSecond]);
const [width, height] = [640, 400];
// The articulated-body algorithm on one core, as far as it fits on the paper.
const { growth } = JSON.parse(readFileSync(at('bench/results/amd-epyc-2.json'), 'utf8')).results.dynamics;
const core = growth.map(({ name, ns }) => [joints(name), ns / 1e3]).filter(([, us]) => us < 400);
const series = [
  { label: 'H200', points: gpu },
  { label: 'one core', points: core },
];
const body = linePlot(series, {
  x: 0,
  y: 0,
  width,
  height,
  title: 'Forward dynamics of one chain of N joints',
  xLabel: 'N (logarithmic)',
  yLabel: 'microseconds',
  logX: true,
});
writeFileSync(at('docs/figures/gpu-assembly.svg'), svgDocument(width, height, body));
