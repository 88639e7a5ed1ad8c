// Two timelines of one program on the same scale, one above the other: what was predicted, and what was measured.

import type { SegmentSpan } from './segment-timeline.js';
import {
  AXIS,
  colourOf,
  drawAxis,
  escapeXml,
  fix,
  HEADER,
  LANE,
  LANE_GAP,
  LANE_LABEL,
  MARGIN,
  TEXT,
  text,
  WIDTH,
} from './svg-parts.js';

/** A step of a program: what it is called, how long it takes, and what every thread does in it. Nanoseconds. */
export interface NamedTimeline {
  readonly name: string;
  readonly ns: number;
  readonly spans: readonly SegmentSpan[];
}

const LEGEND = 'waiting for others is part of a bar';
/** Characters of a bar by phase, and the columns of all bars together. */
const BARS = { velocities: '░', assembly: '█', disassembly: '▒' } as const;
const COLUMNS = 64;
/** What bars in an SVG look like by phase. */
const OPACITY = { velocities: 0.7, assembly: 1, disassembly: 0.45 } as const;
/** Room for the name of a timeline above its lanes. */
const NAME = 22;

const micro = (ns: number): string => `${(ns / 1000).toFixed(2)} us`;

const lanesOf = ({ spans }: NamedTimeline): number => 1 + Math.max(0, ...spans.map(({ processor }) => processor));

/** For a terminal: a line for each thread. */
export function timelinesText(timelines: readonly NamedTimeline[]): string {
  const longest = Math.max(...timelines.map(({ ns }) => ns));
  const column = (ns: number): number => Math.min(COLUMNS - 1, Math.max(0, Math.floor((COLUMNS * ns) / longest)));
  const behind = (ns: number): number => Math.min(COLUMNS, Math.round((COLUMNS * ns) / longest));
  const lines = timelines.flatMap((timeline) => {
    const lanes = Array.from({ length: lanesOf(timeline) }, () => new Array<string>(COLUMNS).fill(' '));
    for (const { processor, phase, start, end } of timeline.spans)
      lanes[processor].fill(BARS[phase], column(start), Math.max(behind(end), column(start) + 1));
    return [
      `${timeline.name} ${micro(timeline.ns)}`,
      ...lanes.map((lane, t) => `  thread ${String(t).padEnd(3)} |${lane.join('').trimEnd()}`),
    ];
  });
  const legend = Object.entries(BARS).map(([phase, bar]) => `${bar} ${phase}`);
  return `${[...lines, `  ${legend.join('  ')}; ${LEGEND}`].join('\n')}\n`;
}

/** A self-contained SVG. `describe`: what the tooltip of a segment's bars says about it. */
export function timelinesSvg(
  title: string,
  timelines: readonly NamedTimeline[],
  describe: (segment: number) => string = (segment) => `segment ${segment}`,
): string {
  const left = MARGIN + LANE_LABEL;
  const width = WIDTH - MARGIN - left;
  const longest = Math.max(...timelines.map(({ ns }) => ns));
  const scale = width / longest;
  const parts: string[] = [];
  let top = HEADER - 20;
  for (const timeline of timelines) {
    parts.push(text(MARGIN, top + 14, `${timeline.name}: ${micro(timeline.ns)}`, 'font-size="13" font-weight="bold"'));
    top += NAME;
    const lanes = lanesOf(timeline);
    for (let t = 0; t < lanes; t++) {
      const y = top + t * (LANE + LANE_GAP);
      parts.push(text(MARGIN, y + LANE / 2 + 4, `thread ${t}`));
      parts.push(`<rect x="${left}" y="${y}" width="${fix(width)}" height="${LANE}" fill="#f3f4f6"/>`);
    }
    for (const { processor, segment, phase, start, end } of timeline.spans) {
      const [x, w] = [left + start * scale, (end - start) * scale];
      const y = top + processor * (LANE + LANE_GAP);
      const what = `${describe(segment)}: ${phase}, ${micro(start)} to ${micro(end)}`;
      parts.push(
        `<rect x="${fix(x)}" y="${y}" width="${fix(w)}" height="${LANE}" fill="${colourOf(segment)}" ` +
          `fill-opacity="${OPACITY[phase]}" stroke="#ffffff" stroke-width="${w > 3 ? 0.8 : 0}"><title>${escapeXml(what)}</title></rect>`,
      );
      if (w > 6.5 * String(segment).length + 3)
        parts.push(
          text(
            fix(x + w / 2),
            y + LANE / 2 + 3.5,
            String(segment),
            `text-anchor="middle" font-size="9.5" fill="${phase === 'disassembly' ? TEXT : '#ffffff'}"`,
          ),
        );
    }
    top += lanes * (LANE + LANE_GAP) + 10;
  }
  const legend = `time in us; by segment: medium bars velocities, solid bars assembly, light bars disassembly; ${LEGEND}`;
  parts.push(drawAxis(longest / 1000, legend, left, width, top));
  const height = top + AXIS + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}"`,
    ` font-family="'DejaVu Sans', Verdana, sans-serif" font-size="11" fill="${TEXT}">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(MARGIN, 30, title, 'font-size="17" font-weight="bold"'),
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}
