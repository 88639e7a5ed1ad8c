// Draws docs/figures/gpu-assembly.svg from the recorded run: the time of one mechanism against its number of joints.
//   npm run build && node scripts/gpu-figure.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { linePlot, svgDocument } from '../dist/plot/index.js';

const at = (path) => new URL(`../${path}`, import.meta.url);
const { results } = JSON.parse(readFileSync(at('bench/results/nvidia-h200.json'), 'utf8'));
const cpu = JSON.parse(readFileSync(at('bench/results/amd-epyc-2.json'), 'utf8')).results.dynamics;
const chains = results.gpu.results.filter(({ task }) => task === 'assembly');
const joints = (name) => Number(name.split('-')[1]);
const gpu = chains.map(({ model, statesPerSecond }) => [joints(model), 1e6 / statesPerSecond]);
const serial = (Array.isArray(cpu) ? cpu : Object.values(cpu).flat())
  .filter(({ model, algorithm }) => /^chain-\d+$/.test(model ?? '') && /aba|forward/i.test(algorithm ?? ''))
  .map(({ model, ns }) => [joints(model), ns / 1e3])
  .filter(([n]) => n >= 16);
const [width, height] = [640, 400];
const series = [{ label: 'H200, assembly level by level', points: gpu }];
if (serial.length > 0) series.push({ label: 'one core, articulated-body algorithm', points: serial });
const body = linePlot(series, {
  x: 0,
  y: 0,
  width,
  height,
  title: 'Forward dynamics of one chain of N revolute joints',
  xLabel: 'N (logarithmic)',
  yLabel: 'microseconds',
  logX: true,
  logY: true,
});
writeFileSync(at('docs/figures/gpu-assembly.svg'), svgDocument(width, height, body));
