// What drawings of schedules have in common: sizes, colours, text, a time axis.

import { formatTime } from './draw-text.js';

export const WIDTH = 1100;
export const MARGIN = 24;
export const HEADER = 74;
export const LANE = 26;
export const LANE_GAP = 6;
export const LANE_LABEL = 92;
export const AXIS = 34;
export const TEXT = '#1b1f24';
export const FAINT = '#6a737d';
/** Okabe and Ito's colours, told apart by people with colour-blindness too. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#8a6d00', '#5b5bd6'];

/** Time axis with round steps, and the legend of the bars below. */
export function drawAxis(makespan: number, legend: string, left: number, width: number, y: number): string {
  const parts: string[] = [];
  const rough = makespan / 8;
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  for (let i = 0; i * step <= makespan * 1.0001 && step > 0; i++) {
    const x = fix(left + (i * step * width) / makespan);
    parts.push(`<path d="M${x} ${y - 2}v5" stroke="${FAINT}"/>`);
    parts.push(text(x, y + 14, `${formatTime(i * step)}`, `text-anchor="middle" fill="${FAINT}" font-size="10"`));
  }
  parts.push(text(left, y + 32, legend, `fill="${FAINT}" font-size="10"`));
  return parts.join('\n');
}

export function colourOf(processor: number): string {
  return COLOURS[processor % COLOURS.length];
}

export function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${x}" y="${y}"${attributes ? ` ${attributes}` : ''}>${escapeXml(content)}</text>`;
}

export function fix(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Names come from files: nothing in them may end up as markup, or as a character that XML 1.0 forbids. */
export function escapeXml(content: string): string {
  let escaped = '';
  for (const character of content) {
    const code = character.codePointAt(0) as number;
    if (character === '&') escaped += '&amp;';
    else if (character === '<') escaped += '&lt;';
    else if (character === '>') escaped += '&gt;';
    else if (character === '"') escaped += '&quot;';
    else if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff) || code === 0xfffe || code === 0xffff)
      escaped += '\ufffd';
    else escaped += character;
  }
  return escaped;
}
