import { preorder } from './flat-tree.js';
import type { Schedule } from './schedule.js';
import { jointName, type Topology } from './topology.js';
import { flattenTree } from './tree.js';

/** Options of `drawText`. */
export interface DrawTextOptions {
  /** Show every joint. Otherwise a part on one processor is one line. */
  readonly full?: boolean;
  /** Unit of the times; microseconds by default. */
  readonly unit?: string;
}

/** Numbers for people: at most two decimals. */
export function formatTime(time: number): string {
  return String(Math.round(time * 100) / 100);
}

/** Two lines about a schedule: what it takes and how good it is. */
export function summarize(schedule: Schedule, unit: string): string[] {
  const processors = schedule.timeline.length;
  const faster = schedule.makespan > 0 ? schedule.serial / schedule.makespan : 1;
  const proof = schedule.optimal ? 'proved optimal' : `at most ${formatTime(schedule.gap * 100)} % above the optimum`;
  return [
    `${formatTime(schedule.makespan)} ${unit} on ${processors} processor${processors === 1 ? '' : 's'}, ${proof}`,
    `one processor ${formatTime(schedule.serial)} ${unit}, ${faster.toFixed(2)} times as long`,
  ];
}

/** The schedule tree for a terminal. `r` marks the root side of a joint, `e` its end side. */
export function drawText(topology: Topology, schedule: Schedule, options: DrawTextOptions = {}): string {
  const { full = false, unit = 'us' } = options;
  const { assignment } = schedule;
  const flat = flattenTree(schedule.tree, assignment.length);
  const order = preorder(flat);
  const size = new Int32Array(assignment.length).fill(1);
  const time = nodeTimes(schedule);
  const partTime = time.slice();
  for (let i = order.length - 1; i >= 0; i--) {
    for (const side of [flat.rootSide[order[i]], flat.endSide[order[i]]]) {
      if (side < 0) continue;
      size[order[i]] += size[side];
      partTime[order[i]] += partTime[side];
    }
  }
  const lines = summarize(schedule, unit);
  const stack = [{ joint: flat.top, first: '', rest: '' }];
  for (let item = stack.pop(); item; item = stack.pop()) {
    const { joint, first, rest } = item;
    const [from, to] = assignment[joint];
    const name = `${joint} ${jointName(topology, joint)}`;
    if (!full && to - from === 1 && size[joint] > 1) {
      lines.push(
        `${first}${name} and ${size[joint] - 1} more on processor ${from}  ${formatTime(partTime[joint])} ${unit}`,
      );
      continue;
    }
    const where = to - from === 1 ? `processor ${from}` : `processors ${from}-${to - 1}`;
    lines.push(`${first}${name}  ${where}  ${formatTime(time[joint])} ${unit}`);
    const [root, end] = [flat.rootSide[joint], flat.endSide[joint]];
    if (end >= 0) stack.push({ joint: end, first: `${rest}└e─ `, rest: `${rest}    ` });
    if (root >= 0)
      stack.push({
        joint: root,
        first: `${rest}${end >= 0 ? '├' : '└'}r─ `,
        rest: `${rest}${end >= 0 ? '│' : ' '}   `,
      });
  }
  return `${lines.join('\n')}\n`;
}

/** Assembly and disassembly time of every joint. */
export function nodeTimes(schedule: Schedule): Float64Array {
  const times = new Float64Array(schedule.assignment.length);
  for (const lane of schedule.timeline) {
    for (const { joint, start, end, phase } of lane) if (phase !== 'hand-over') times[joint] += end - start;
  }
  return times;
}
