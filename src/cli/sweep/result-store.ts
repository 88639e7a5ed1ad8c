// The folder of a sweep: one file for each result, under its key, each written whole or not at all; the manifest; what failed.

import { accessSync, constants, existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatJson } from '../../formats/json-writer.js';
import { InputError } from '../errors.js';
import { readInputText } from '../input-file.js';
import { makeFolder, OutputFile, syncFolderAside, writeOutput } from '../output-file.js';
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
  /** With names that a loss of power could still take: the next call would make these runs again. */
  readonly #unsettled = new Set<string>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes sure that results can be written. */
  open(): void {
    try {
      makeFolder(join(this.folder, 'results'));
      accessSync(join(this.folder, 'results'), constants.W_OK);
    } catch (error) {
      throw new InputError(`Results cannot be written to "${this.folder}": ${(error as Error).message}.`);
    }
  }

  /** Keys of all results that are there. */
  keys(): Set<string> {
    const results = join(this.folder, 'results');
    // With the slash no file is taken for it.
    if (!existsSync(`${results}/`)) return new Set();
    const names = readdirSync(results, { recursive: true, encoding: 'utf8' });
    return new Set(names.map((name) => name.replace(/^.*[\\/]|\.json$/g, '')).filter(isKey));
  }

  /** A folder for each two digits: file systems dislike folders of a million files. */
  fileOf(key: string): string {
    return join(this.folder, 'results', key.slice(0, 2), `${key}.json`);
  }

  /** Done when the disk has it, but for its name. */
  async write(key: string, text: string): Promise<void> {
    const path = this.fileOf(key);
    const file = new OutputFile(path);
    file.write(text);
    await file.finishAside();
    this.#unsettled.add(dirname(path));
  }

  /** Done when the disk has the names of all results, too: once for a folder and not for each of its files. */
  async settle(): Promise<void> {
    const folders = [...this.#unsettled];
    this.#unsettled.clear();
    if (folders.length > 0) await Promise.all([...folders, join(this.folder, 'results')].map(syncFolderAside));
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
