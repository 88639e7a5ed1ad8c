// A phase portrait: velocity over position, the present as a dot.

import { element, short } from './dom.js';
import type { Samples } from './samples.js';

const [WIDTH, HEIGHT, LEFT, BELOW, ABOVE] = [640, 420, 90, 50, 40];

export class Portrait {
  readonly canvas = element('canvas', { width: WIDTH, height: HEIGHT, className: 'portrait' });

  draw({ columns: [, x = [], y = []], series }: Samples, now: number): void {
    const context = this.canvas.getContext('2d')!;
    const text = getComputedStyle(document.body).color;
    context.clearRect(0, 0, WIDTH, HEIGHT);
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `Phase portrait: velocity over ${series[0]?.label ?? 'position'}`);
    const [across, up] = [span(x), span(y)];
    const px = (value: number): number => LEFT + ((value - across[0]) / (across[1] - across[0])) * (WIDTH - LEFT - 20);
    const py = (value: number): number =>
      HEIGHT - BELOW - ((value - up[0]) / (up[1] - up[0])) * (HEIGHT - BELOW - ABOVE);
    context.font = '22px system-ui, sans-serif';
    context.fillStyle = text;
    context.strokeStyle = 'rgba(128,128,128,0.35)';
    context.fillText('velocity', 8, 26);
    context.textAlign = 'center';
    for (const value of ticks(across)) {
      line(context, px(value), ABOVE, px(value), HEIGHT - BELOW);
      context.fillText(short(value), px(value), HEIGHT - 16);
    }
    context.textAlign = 'right';
    for (const value of ticks(up)) {
      line(context, LEFT, py(value), WIDTH - 20, py(value));
      context.fillText(short(value), LEFT - 8, py(value) + 7);
    }
    context.textAlign = 'left';
    context.strokeStyle = series[0]?.stroke ?? text;
    context.lineWidth = 2.5;
    context.beginPath();
    x.forEach((value, k) => {
      context.lineTo(px(value), py(y[k]));
    });
    context.stroke();
    context.lineWidth = 1;
    if (x[now] === undefined) return;
    context.fillStyle = '#e8710a';
    context.beginPath();
    context.arc(px(x[now]), py(y[now]), 8, 0, 2 * Math.PI);
    context.fill();
  }
}

function line(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

/** From the least to the most, with a little room. */
function span(values: readonly number[]): readonly [number, number] {
  const finite = values.filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  if (finite.length === 0) return [-1, 1];
  const room = 0.05 * (high - low) || 0.1;
  return [low - room, high + room];
}

/** Round numbers in a range: about five. */
function ticks([low, high]: readonly [number, number]): number[] {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, k) => (first + k) * step + 0);
}
