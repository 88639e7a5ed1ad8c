// A page that plays a motion: one HTML file with nothing outside it, an animated stick figure with the forces of the
// ground, and a plot of any of the given series with a mark that moves along.

import type { Mechanism } from '../mechanism/mechanism.js';
import { norm, scale, type Vec3 } from '../spatial/matrix3.js';
import { stickPositions, sticks } from './sticks.js';
import { COLORS, escapeXml } from './svg.js';

/** What `motionPage` shows. */
export interface MotionPage {
  readonly title: string;
  readonly mechanism: Mechanism;
  readonly times: readonly number[];
  /** Of each frame, as Dynamics.poses gives them. */
  readonly poses: readonly Float64Array[];
  /** Of each frame: what is said beside the figure. */
  readonly captions: readonly string[];
  /** Of each frame: forces to draw, point and vector in ground coordinates. */
  readonly forces: readonly (readonly { readonly point: Vec3; readonly force: Vec3 }[])[];
  /** Newtons that are drawn as an arrow of one metre. */
  readonly forceScale: number;
  readonly series: readonly { readonly name: string; readonly unit: string; readonly values: readonly number[] }[];
}

/** A page (HTML, nothing to load) that plays a motion as a stick figure. */
export function motionPage(page: MotionPage): string {
  const { title, mechanism, times, poses, captions, forces, forceScale, series } = page;
  const drawing = sticks(mechanism);
  const up = norm(mechanism.gravity) > 0 ? scale(-1 / norm(mechanism.gravity), mechanism.gravity) : [0, 0, 1];
  const words = [...new Set(captions)];
  const data = {
    up,
    times: times.map((time) => rounded(time, 4)),
    lines: drawing.lines.map(({ a, b, radius }) => [a, b, Math.round(1000 * radius)]),
    points: poses.map((pose) => stickPositions(drawing, pose)),
    words,
    captions: captions.map((caption) => words.indexOf(caption)),
    forces: forces.map((list) =>
      list.map(({ point, force }) => [...point.map(milli), ...force.map((f) => rounded(f, 1))]),
    ),
    forceScale,
    series: series.map(({ name, unit, values }) => ({ name, unit, values: values.map((value) => rounded(value, 3)) })),
  };
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${escapeXml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeXml(title)}</h1>
<canvas id="figure" aria-label="moving figure"></canvas>
<p><button id="play" type="button">Pause</button>
<label>Speed <select id="speed"><option>0.1</option><option>0.25</option><option selected>0.5</option><option>1</option></select></label>
<input id="frame" type="range" min="0" max="${times.length - 1}" value="0" aria-label="frame">
<output id="now"></output></p>
<canvas id="plot" aria-label="plot over time"></canvas>
<p><label>Plotted <select id="series"></select></label> <span>Drag the figure to turn it.</span></p>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function rounded(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}

function milli(metres: number): number {
  return Math.round(1000 * metres);
}

const STYLE = `
body { font-family: system-ui, sans-serif; margin: 1em auto; max-width: 60em; padding: 0 1em; color: #222; background: #fff; }
h1 { font-size: 1.2em; }
canvas { width: 100%; display: block; border: 1px solid #ddd; touch-action: none; }
#figure { height: 26em; cursor: grab; }
#plot { height: 13em; }
#frame { width: 40%; vertical-align: middle; }
output { font-variant-numeric: tabular-nums; }
`;

// Plain script for any browser; reads its data from the page.
const SCRIPT = `
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const [figure, plot, slider, play, speed, now, choice] =
  ['figure', 'plot', 'frame', 'play', 'speed', 'now', 'series'].map((id) => document.getElementById(id));
const count = data.times.length;
const up = data.up;
// Two level directions, and the way the figure goes, to look at it from the side.
const across = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const flat = across.map((c, k) => c - dot(across, up) * up[k]);
const length = Math.hypot(...flat);
const e1 = flat.map((c) => c / length);
const e2 = cross(up, e1);
const centre = data.points.map((p) => {
  const sum = [0, 0, 0];
  for (let i = 0; i < p.length; i += 3) for (let k = 0; k < 3; k++) sum[k] += (3 * p[i + k]) / p.length;
  return sum;
});
let low = Infinity, high = -Infinity;
for (const p of data.points) for (let i = 0; i < p.length; i += 3) {
  const h = dot(p.slice(i, i + 3), up);
  low = Math.min(low, h); high = Math.max(high, h);
}
const way = centre[count - 1].map((c, k) => c - centre[0][k]);
let azimuth = Math.hypot(dot(way, e1), dot(way, e2)) > 300 ? Math.atan2(dot(way, e2), dot(way, e1)) : 0.6;
let elevation = 0.12;
let frame = 0, playing = true, clock = 0, last = 0;
for (const { name, unit } of data.series) {
  const option = document.createElement('option');
  option.textContent = name + ' (' + unit + ')';
  choice.append(option);
}
function sized(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(w * ratio)) { canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio); }
  const c = canvas.getContext('2d');
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, w, h);
  return [c, w, h];
}
function drawFigure() {
  const [c, w, h] = sized(figure);
  const s = (h - 60) / (high - low);
  const mid = centre[frame];
  const right = e1.map((x, k) => Math.cos(azimuth) * x + Math.sin(azimuth) * e2[k]);
  const level = cross(right, up);
  const viewer = level.map((x, k) => Math.cos(elevation) * x + Math.sin(elevation) * up[k]);
  const tall = cross(viewer, right);
  const base = low - dot(mid, up);
  const project = (p) => {
    const r = [p[0] - mid[0], p[1] - mid[1], p[2] - mid[2]];
    return [w / 2 + s * dot(r, right), h - 30 - s * (dot(r, tall) - base * Math.cos(elevation)), dot(r, viewer)];
  };
  c.strokeStyle = '#ddd';
  c.lineWidth = 1;
  const grid = 500;
  const [c1, c2] = [dot(mid, e1), dot(mid, e2)];
  const at = (a, b) => project(e1.map((x, k) => a * x + b * e2[k] + low * up[k]));
  for (let i = -6; i <= 6; i++) for (const turned of [0, 1]) {
    const line = (Math.round((turned ? c2 : c1) / grid) + i) * grid;
    const [from, to] = [-3000, 3000].map((d) => (turned ? at(c1 + d, line) : at(line, c2 + d)));
    c.beginPath(); c.moveTo(from[0], from[1]); c.lineTo(to[0], to[1]); c.stroke();
  }
  const p = data.points[frame];
  const lines = data.lines.map(([a, b, r]) => {
    const [from, to] = [project(p.slice(3 * a, 3 * a + 3)), project(p.slice(3 * b, 3 * b + 3))];
    return [from, to, r, from[2] + to[2]];
  }).sort((a, b) => a[3] - b[3]);
  c.lineCap = 'round';
  for (const [from, to, r] of lines) for (const [color, extra] of [['#fff', 3], ['${COLORS[0]}', 0]]) {
    c.strokeStyle = color;
    c.lineWidth = Math.max(2, 2 * r * s) + extra;
    c.beginPath(); c.moveTo(from[0], from[1]); c.lineTo(to[0], to[1]); c.stroke();
  }
  c.strokeStyle = c.fillStyle = '${COLORS[1]}';
  for (const [x, y, z, fx, fy, fz] of data.forces[frame]) {
    const k = 1000 / data.forceScale;
    const [from, to] = [project([x, y, z]), project([x + k * fx, y + k * fy, z + k * fz])];
    const size = Math.hypot(to[0] - from[0], to[1] - from[1]);
    if (size < 2) continue;
    c.lineWidth = 3;
    c.beginPath(); c.moveTo(from[0], from[1]); c.lineTo(to[0], to[1]); c.stroke();
    const [dx, dy] = [(to[0] - from[0]) / size, (to[1] - from[1]) / size];
    c.beginPath();
    c.moveTo(to[0] + 8 * dx, to[1] + 8 * dy);
    c.lineTo(to[0] - 5 * dy, to[1] + 5 * dx);
    c.lineTo(to[0] + 5 * dy, to[1] - 5 * dx);
    c.fill();
  }
}
function drawPlot() {
  const [c, w, h] = sized(plot);
  const { name, unit, values } = data.series[Math.max(0, choice.selectedIndex)];
  let least = Math.min(0, ...values), most = Math.max(0, ...values);
  if (most - least < 1e-9) most = least + 1;
  const [left, top, bottom] = [60, 12, 24];
  const x = (k) => left + ((w - left - 12) * (data.times[k] - data.times[0])) / (data.times[count - 1] - data.times[0] || 1);
  const y = (v) => h - bottom - ((h - top - bottom) * (v - least)) / (most - least);
  c.font = '12px system-ui, sans-serif';
  c.fillStyle = '#222';
  c.strokeStyle = '#ddd';
  c.lineWidth = 1;
  for (const v of [least, 0, most]) {
    c.beginPath(); c.moveTo(left, y(v)); c.lineTo(w - 12, y(v)); c.stroke();
    c.fillText(String(Number(v.toPrecision(3))), 6, y(v) + 4);
  }
  c.fillText(data.times[0] + ' s', left, h - 6);
  c.fillText(data.times[count - 1] + ' s', w - 60, h - 6);
  c.fillText(name + ', ' + unit, left + 6, top + 4);
  c.strokeStyle = '${COLORS[0]}';
  c.lineWidth = 1.5;
  c.beginPath();
  values.forEach((v, k) => (k ? c.lineTo(x(k), y(v)) : c.moveTo(x(k), y(v))));
  c.stroke();
  c.strokeStyle = '${COLORS[1]}';
  c.beginPath(); c.moveTo(x(frame), top); c.lineTo(x(frame), h - bottom); c.stroke();
}
function draw() {
  drawFigure();
  drawPlot();
  now.textContent = data.times[frame].toFixed(3) + ' s, ' + data.words[data.captions[frame]];
  slider.value = frame;
}
function show(k) {
  frame = k;
  clock = data.times[k];
  draw();
}
function tick(time) {
  if (playing) {
    clock += (Math.min(100, time - last) / 1000) * Number(speed.value);
    if (clock > data.times[count - 1]) clock = data.times[0];
    while (frame + 1 < count && data.times[frame + 1] <= clock) frame++;
    while (frame > 0 && data.times[frame] > clock) frame--;
    draw();
  }
  last = time;
  requestAnimationFrame(tick);
}
function setPlaying(on) {
  playing = on;
  play.textContent = on ? 'Pause' : 'Play';
}
play.addEventListener('click', () => setPlaying(!playing));
slider.addEventListener('input', () => { setPlaying(false); show(Number(slider.value)); });
choice.addEventListener('change', draw);
window.addEventListener('resize', draw);
let held = null;
figure.addEventListener('pointerdown', (event) => { held = [event.clientX, event.clientY]; figure.setPointerCapture(event.pointerId); });
figure.addEventListener('pointerup', () => { held = null; });
figure.addEventListener('pointermove', (event) => {
  if (held === null) return;
  azimuth -= 0.01 * (event.clientX - held[0]);
  elevation = Math.min(1.5, Math.max(-0.3, elevation + 0.01 * (event.clientY - held[1])));
  held = [event.clientX, event.clientY];
  draw();
});
clock = data.times[0];
draw();
requestAnimationFrame((time) => { last = time; tick(time); });
`;
