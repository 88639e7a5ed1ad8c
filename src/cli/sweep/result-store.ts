// The folder of a sweep: one file for each result, under its key, each written whole or not at all; the manifest; what failed.

import { accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { formatJson } from '../../formats/json-writer.js';
import { InputError } from '../errors.js';
import { readInputText } from '../input-file.js';
import { OutputFile, writeOutput } from '../output-file.js';
import { packageVersion } from '../version.js';
import { isKey } from './job.js';
import type { SweepPlan } from './plan.js';

/** A run that has no result. */
export interface FailedRun {
  readonly index: number;
  readonly key?: string;
  readonly message: string;
}

export class ResultStore {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes sure that results can be written. */
  open(): void {
    try {
      mkdirSync(join(this.folder, 'results'), { recursive: true });
      accessSync(join(this.folder, 'results'), constants.W_OK);
    } catch (error) {
      throw new InputError(`Results cannot be written to "${this.folder}": ${(error as Error).message}.`);
    }
  }

  /** Keys of all results that are there. */
  keys(): Set<string> {
    const results = join(this.folder, 'results');
    if (!existsSync(results)) return new Set();
    const names = readdirSync(results, { recursive: true, encoding: 'utf8' });
    return new Set(names.map((name) => name.replace(/^.*[\\/]|\.json$/g, '')).filter(isKey));
  }

  /** A folder for each two digits: file systems dislike folders of a million files. */
  fileOf(key: string): string {
    return join(this.folder, 'results', key.slice(0, 2), `${key}.json`);
  }

  write(key: string, text: string): void {
    writeOutput(this.fileOf(key), text);
  }

  read(key: string): string {
    return readInputText(this.fileOf(key));
  }

  /** The sweep, its files, and which values belong to which result: the same whoever writes it. */
  writeManifest(plan: SweepPlan): string {
    const file = new OutputFile(join(this.folder, 'manifest.json'));
    const head = { format: 1, version: packageVersion(), name: plan.name, sweep: plan.sweep, files: plan.files };
    file.write(`${formatJson(head).slice(0, -2)},\n  "runs": [`);
    const keys = new Map([...plan.runs.map(({ index, key }) => [index, key] as const), ...plan.repeated]);
    let separator = '\n';
    for (let index = 0; index < plan.count; index++) {
      const key = keys.get(index);
      if (key === undefined) continue;
      const { values, seed } = plan.assignment(index);
      const line = { key, ...(seed !== undefined && { seed }), values: Object.fromEntries(values) };
      file.write(`${separator}    ${JSON.stringify(line)}`);
      separator = ',\n';
    }
    file.write('\n  ]\n}\n');
    file.finish();
    return file.path;
  }

  /** What failed this time; nothing is left of the last time. */
  writeFailures(failed: readonly FailedRun[], plan: SweepPlan, part: string): string | undefined {
    const path = join(this.folder, `failures${part}.json`);
    if (failed.length === 0) {
      rmSync(path, { force: true });
      return undefined;
    }
    const runs = failed.map(({ index, key, message }) => {
      const { values, seed } = plan.assignment(index);
      return { ...(key && { key }), ...(seed !== undefined && { seed }), values: Object.fromEntries(values), message };
    });
    writeOutput(path, `${formatJson({ format: 1, failed: runs })}\n`);
    return path;
  }
}
