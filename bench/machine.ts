import { cpus } from 'node:os';

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly node: string;
}

/** Idle and all time of each core, as the system counts them. */
type CoreTimes = readonly { readonly times: Readonly<Record<string, number>> }[];

/** Cores in use between two readings of the system's counters; 1.5 stands for one and a half. */
export function coresInUse(before: CoreTimes, after: CoreTimes): number {
  return after.reduce((sum, { times }, k) => {
    const passed = (name: string): number => times[name] - (before[k]?.times[name] ?? 0);
    const all = Object.keys(times).reduce((total, name) => total + passed(name), 0);
    return sum + (all > 0 ? 1 - passed('idle') / all : 0);
  }, 0);
}

/** Cores that other programs use while this one waits for some milliseconds. */
export async function coresOfOthers(milliseconds: number): Promise<number> {
  const before = cpus();
  await new Promise((done) => setTimeout(done, milliseconds));
  return coresInUse(before, cpus());
}

/** What the times of a report were measured on. */
export function machine(): Machine {
  const processors = cpus();
  return { processor: processors[0]?.model.trim() ?? 'unknown', cores: processors.length, node: process.version };
}
