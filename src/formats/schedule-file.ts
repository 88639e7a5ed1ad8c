// Schedule trees as JSON: nested [joint, root side, end side], null for a bare link; joints by number or by name.

import { ImportError } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';

/** The form that forward dynamics takes: joints by number, loop joints after those of the tree. */
export type ScheduleData = readonly [joint: number, rootSide: ScheduleData | null, endSide: ScheduleData | null];

/** Reads a schedule, alone or as the `tree` of what the schedule command prints. */
export function parseSchedule(text: string, mechanism: Mechanism, file = ''): ScheduleData {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw ImportError.of('json', file, `This is not JSON: ${(error as Error).message}`);
  }
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) data = (data as { tree?: unknown }).tree;
  const numbers = new Map<string, number>();
  mechanism.joints.forEach(({ name }, i) => {
    numbers.set(name, i);
  });
  mechanism.loops.forEach(({ name }, l) => {
    numbers.set(name, mechanism.joints.length + l);
  });
  return convert(data, numbers, file);
}

/** With a stack of our own: schedules can be as deep as the mechanism is long. */
function convert(data: unknown, numbers: ReadonlyMap<string, number>, file: string): ScheduleData {
  type Node = [number, Node | null, Node | null];
  const holder: [Node | null] = [null];
  const waiting: { data: unknown; put: (node: Node) => void }[] = [
    {
      data,
      put: (node) => {
        holder[0] = node;
      },
    },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!Array.isArray(next.data) || next.data.length < 1 || next.data.length > 3)
      throw ImportError.of('schedule', file, `Expected [joint, root side, end side], got ${shown(next.data)}.`);
    const [joint, rootSide = null, endSide = null] = next.data as unknown[];
    const number = typeof joint === 'string' ? numbers.get(joint) : joint;
    if (typeof number !== 'number')
      throw ImportError.of('schedule', file, `Expected the number or the name of a joint, got ${shown(joint)}.`);
    const node: Node = [number, null, null];
    next.put(node);
    [rootSide, endSide].forEach((side, k) => {
      if (side === null) return;
      waiting.push({
        data: side,
        put: (below) => {
          node[k + 1] = below;
        },
      });
    });
  }
  return holder[0]!;
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
