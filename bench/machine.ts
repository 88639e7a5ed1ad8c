import { cpus } from 'node:os';

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly node: string;
}

/** What the times of a report were measured on. */
export function machine(): Machine {
  const processors = cpus();
  return { processor: processors[0]?.model.trim() ?? 'unknown', cores: processors.length, node: process.version };
}
