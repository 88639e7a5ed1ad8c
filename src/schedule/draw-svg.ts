import { formatTime, nodeTimes, summarize } from './draw-text.js';
import { type FlatTree, preorder } from './flat-tree.js';
import type { Schedule } from './schedule.js';
import {
  AXIS,
  colourOf,
  drawAxis,
  escapeXml,
  FAINT,
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
import { jointName, type Topology } from './topology.js';
import { flattenTree } from './tree.js';

/** Options of `drawSvg`. */
export interface DrawSvgOptions {
  readonly title?: string;
  /** Unit of the times; microseconds by default. */
  readonly unit?: string;
}

/** More lanes than this are left out, with a note. */
const MOST_LANES = 64;

/**
 * A self-contained SVG of a schedule: the timeline of every processor, and below it the schedule tree from left to
 * right, one row a joint. A joint's root side is drawn above it, its end side below. Parts on one processor have its
 * colour as background.
 */
export function drawSvg(topology: Topology, schedule: Schedule, options: DrawSvgOptions = {}): string {
  const { title = 'Schedule', unit = 'us' } = options;
  const timeline = drawTimeline(topology, schedule, unit, HEADER);
  const tree = drawTree(topology, schedule, unit, HEADER + timeline.height);
  const height = HEADER + timeline.height + tree.height + MARGIN;
  const [first, second] = summarize(schedule, unit);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}"`,
    ` font-family="'DejaVu Sans', Verdana, sans-serif" font-size="11" fill="${TEXT}">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(MARGIN, 30, title, 'font-size="17" font-weight="bold"'),
    text(MARGIN, 50, `${first}; ${second}`, `fill="${FAINT}" font-size="12"`),
    timeline.svg,
    tree.svg,
    '</svg>',
    '',
  ].join('\n');
}

function drawTimeline(
  topology: Topology,
  schedule: Schedule,
  unit: string,
  top: number,
): { svg: string; height: number } {
  const left = MARGIN + LANE_LABEL;
  const width = WIDTH - MARGIN - left;
  const lanes = schedule.timeline.slice(0, MOST_LANES);
  const scale = width / (schedule.makespan || 1);
  const parts: string[] = [];
  lanes.forEach((lane, processor) => {
    const y = top + processor * (LANE + LANE_GAP);
    const colour = colourOf(processor);
    parts.push(text(MARGIN, y + LANE / 2 + 4, `processor ${processor}`));
    parts.push(`<rect x="${left}" y="${y}" width="${width}" height="${LANE}" fill="#f3f4f6"/>`);
    for (const { joint, start, end, phase } of lane) {
      const x = left + start * scale;
      const w = (end - start) * scale;
      const fill = phase === 'hand-over' ? '#24292f' : colour;
      const opacity = phase === 'disassembly' ? ' fill-opacity="0.45"' : '';
      const what = `${joint} ${jointName(topology, joint)}: ${phase} ${formatTime(start)} to ${formatTime(end)} ${unit}`;
      parts.push(
        `<rect x="${fix(x)}" y="${y}" width="${fix(w)}" height="${LANE}" fill="${fill}"${opacity} stroke="#ffffff" ` +
          `stroke-width="${w > 3 ? 0.8 : 0}"><title>${escapeXml(what)}</title></rect>`,
      );
      if (phase !== 'hand-over' && w > 6.5 * String(joint).length + 3) {
        const ink = phase === 'assembly' ? '#ffffff' : TEXT;
        parts.push(
          text(fix(x + w / 2), y + LANE / 2 + 3.5, String(joint), `text-anchor="middle" font-size="9.5" fill="${ink}"`),
        );
      }
    }
  });
  let height = lanes.length * (LANE + LANE_GAP);
  parts.push(
    drawAxis(
      schedule.makespan,
      `time in ${unit}; solid bars: assembly, light bars: disassembly, black: hand-over`,
      left,
      width,
      top + height,
    ),
  );
  height += AXIS;
  if (lanes.length < schedule.timeline.length) {
    parts.push(
      text(
        left,
        top + height,
        `${schedule.timeline.length - lanes.length} more processors not shown`,
        `fill="${FAINT}"`,
      ),
    );
    height += 16;
  }
  return { svg: parts.join('\n'), height: height + 20 };
}

interface Layout {
  readonly order: Int32Array;
  /** By joint. */
  readonly row: Int32Array;
  readonly level: Int32Array;
  readonly deepest: number;
  /** First and last row of the part that a joint completes. */
  readonly firstRow: Int32Array;
  readonly lastRow: Int32Array;
}

/** Rows in symmetric order, root side above: every joint has a row of its own and lies between its two sides. */
function layoutTree(flat: FlatTree): Layout {
  const order = preorder(flat);
  const joints = flat.rootSide.length;
  const [row, level, firstRow] = [new Int32Array(joints), new Int32Array(joints), new Int32Array(joints)];
  const size = new Int32Array(joints).fill(1);
  let deepest = 0;
  for (let i = order.length - 1; i >= 0; i--) {
    for (const side of [flat.rootSide[order[i]], flat.endSide[order[i]]]) if (side >= 0) size[order[i]] += size[side];
  }
  for (const joint of order) {
    const [root, end] = [flat.rootSide[joint], flat.endSide[joint]];
    row[joint] = firstRow[joint] + (root < 0 ? 0 : size[root]);
    if (root >= 0) firstRow[root] = firstRow[joint];
    if (end >= 0) firstRow[end] = row[joint] + 1;
    for (const side of [root, end]) if (side >= 0) level[side] = level[joint] + 1;
    deepest = Math.max(deepest, level[joint]);
  }
  const lastRow = firstRow.map((first, joint) => first + size[joint] - 1);
  return { order, row, level, deepest, firstRow, lastRow };
}

function drawTree(topology: Topology, schedule: Schedule, unit: string, top: number): { svg: string; height: number } {
  const { assignment } = schedule;
  const flat = flattenTree(schedule.tree, assignment.length);
  const layout = layoutTree(flat);
  const rowHeight = assignment.length <= 80 ? 17 : assignment.length <= 200 ? 13 : 9;
  const fontSize = Math.min(11, rowHeight - 1);
  const indent = Math.min(28, (WIDTH - 2 * MARGIN - 330) / Math.max(1, layout.deepest));
  const x = (joint: number): number => MARGIN + 8 + layout.level[joint] * indent;
  const y = (joint: number): number => top + (layout.row[joint] + 0.5) * rowHeight;
  const times = nodeTimes(schedule);
  const [backgrounds, edges, nodes]: [string[], string[], string[]] = [[], [], []];
  const alone = (joint: number): boolean => assignment[joint][1] - assignment[joint][0] === 1;
  const startsPart = startsOfParts(flat, layout.order, alone);
  for (const joint of layout.order) {
    const [from, to] = assignment[joint];
    const colour = colourOf(from);
    for (const side of [flat.rootSide[joint], flat.endSide[joint]]) {
      if (side < 0) continue;
      edges.push(
        `<path d="M${fix(x(joint))} ${fix(y(joint))}V${fix(y(side))}H${fix(x(side))}" fill="none" stroke="#8c959f"/>`,
      );
    }
    const [first, last] = [layout.firstRow[joint], layout.lastRow[joint]];
    if (startsPart[joint]) {
      const boxY = top + first * rowHeight;
      const boxHeight = (last - first + 1) * rowHeight;
      const boxX = x(joint) - 10;
      backgrounds.push(
        `<rect x="${fix(boxX)}" y="${fix(boxY + 1)}" width="${fix(WIDTH - MARGIN - boxX)}" height="${fix(boxHeight - 2)}" ` +
          `rx="4" fill="${colour}" fill-opacity="0.1"/>`,
      );
      const joints = last - first + 1;
      let sum = 0;
      for (let i = layout.order.indexOf(joint), end = i + joints; i < end; i++) sum += times[layout.order[i]];
      const note = `processor ${from}: ${joints} joint${joints === 1 ? '' : 's'}, ${formatTime(sum)} ${unit}`;
      backgrounds.push(
        text(
          WIDTH - MARGIN - 8,
          fix(boxY + Math.min(rowHeight, 15) - 4),
          note,
          `text-anchor="end" fill="${colour}" font-weight="bold" font-size="${fontSize}"`,
        ),
      );
    }
    const shared = to - from > 1;
    nodes.push(
      `<circle cx="${fix(x(joint))}" cy="${fix(y(joint))}" r="${shared ? 5.5 : 4}" fill="${colour}" stroke="${shared ? TEXT : '#ffffff'}"/>`,
    );
    const range = shared ? `  [${from}, ${to})` : '';
    nodes.push(
      text(
        fix(x(joint) + 9),
        fix(y(joint) + fontSize / 3),
        `${joint}  ${clip(jointName(topology, joint))}${range}`,
        `font-size="${fontSize}"${shared ? ' font-weight="bold"' : ''}`,
      ),
    );
  }
  return { svg: [...backgrounds, ...edges, ...nodes].join('\n'), height: assignment.length * rowHeight };
}

/** By joint: whether it is on top of a part that one processor does alone. */
function startsOfParts(flat: FlatTree, order: Int32Array, alone: (joint: number) => boolean): Uint8Array {
  const starts = new Uint8Array(flat.rootSide.length);
  if (alone(flat.top)) starts[flat.top] = 1;
  for (const joint of order) {
    if (alone(joint)) continue;
    for (const side of [flat.rootSide[joint], flat.endSide[joint]]) if (side >= 0 && alone(side)) starts[side] = 1;
  }
  return starts;
}

function clip(name: string): string {
  const characters = Array.from(name);
  return characters.length <= 36 ? name : `${characters.slice(0, 35).join('')}…`;
}
