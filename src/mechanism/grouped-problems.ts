// Many warnings of one kind as one line that people read.

import { formatProblem, type Problem } from './errors.js';

interface Group {
  readonly first: Problem;
  count: number;
}

/**
 * One line for each kind: a problem that comes once as it is, others as the first of them with their number and its place,
 * `robot.urdf: <texture> in <material> is not used (56 times, first at 21:17).`
 */
export function groupedProblems(problems: readonly Problem[]): string[] {
  const groups = new Map<string, Group>();
  for (const problem of problems) {
    const { text, count } = counted(problem.message);
    const key = `${problem.code} ${fileOf(problem.where).file} ${kindOf(text)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: problem, count });
    else group.count += count;
  }
  return [...groups.values()].map(({ first, count }) => {
    if (count === 1) return formatProblem(first);
    const { text } = counted(first.message);
    const { file, place } = fileOf(first.where);
    const times = `(${count} times${place === '' ? '' : `, first at ${place}`})`;
    return `${file === '' ? '' : `${file}: `}${text.replace(/\.$/, '')} ${times}.`;
  });
}

/** Lists that readers cut off say how many more there are. */
function counted(message: string): { text: string; count: number } {
  const more = / \(and (\d+) more of the kind\)(\.?)$/.exec(message);
  if (more === null) return { text: message, count: 1 };
  return { text: message.slice(0, more.index) + more[2], count: 1 + Number(more[1]) };
}

/** What a message says whatever it is about: without names and numbers. */
function kindOf(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/g, '0');
}

/** `robot.urdf:12:5, body "arm"` is the file and the place in it; a place without a file is all place. */
function fileOf(where: string): { file: string; place: string } {
  const found = /^(.+?):(\d+:\d+)((?:, .*)?)$/.exec(where);
  return found === null ? { file: '', place: where } : { file: found[1], place: found[2] + found[3] };
}
