// All runs of a sweep, each with the name of its result. Mistakes in the values of some runs are kept for the report: the others run.

import { basename, dirname, extname, resolve } from 'node:path';
import type { ModelFiles } from '../../formats/model-files.js';
import { ImportError } from '../../mechanism/errors.js';
import { type Assignment, Assignments } from '../../sweep/assignments.js';
import { isDraw, parseSweep } from '../../sweep/parse-sweep.js';
import { prepareRun } from '../../sweep/prepare.js';
import { RunResolver } from '../../sweep/resolve.js';
import { canonicalJson, type RunInput } from '../../sweep/run-input.js';
import type { Sweep } from '../../sweep/sweep.js';
import { filesBelow, readInputText } from '../input-file.js';
import { packageVersion } from '../version.js';
import { keyOf, oneLine, type RunJob, sha256 } from './job.js';

export interface PlannedRun {
  readonly index: number;
  readonly key: string;
}

/** A run that cannot be made of its values. */
export interface PlanFault {
  readonly index: number;
  readonly message: string;
}

export class SweepPlan {
  readonly name: string;
  readonly sweep: Sweep;
  /** Folder that files are read from and below. */
  readonly root: string;
  /** Runs with different results, each once. */
  readonly runs: PlannedRun[] = [];
  readonly faults: PlanFault[] = [];
  /** Numbers of runs that are the same as one before. */
  readonly repeated = new Map<number, string>();
  readonly #assignments: Assignments;
  readonly #resolver: RunResolver;
  readonly #files: ModelFiles;
  readonly #known = new Set<string>();
  readonly #digests = new Map<string, string>();
  readonly #filesOf = new Map<string, Readonly<Record<string, string>>>();

  constructor(file: string, root = dirname(file)) {
    this.sweep = parseSweep(readInputText(file), { file: basename(file) });
    this.name = this.sweep.name ?? basename(file, extname(file));
    this.root = resolve(root);
    this.#files = filesBelow(root, file);
    this.#assignments = new Assignments(this.sweep);
    this.#resolver = new RunResolver(this.sweep, this.#files);
  }

  get count(): number {
    return this.#assignments.count;
  }

  /** Every file that runs read, by digest. */
  get files(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#digests].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** What kind of run the first one is, if its values are good. */
  get kind(): RunInput['kind'] | undefined {
    try {
      return this.#resolver.resolve(this.#assignments.at(0)).kind;
    } catch {
      return undefined;
    }
  }

  /** Looks at the runs from a number on, for some milliseconds; true: all are planned. */
  async look(milliseconds: number): Promise<boolean> {
    const end = performance.now() + milliseconds;
    let index = this.runs.length + this.faults.length + this.repeated.size;
    for (; index < this.count; index++) {
      if (performance.now() > end) return false;
      await this.#look(index);
    }
    // Nothing is left to run: what is wrong is the sweep.
    if (this.runs.length === 0) throw ImportError.of('sweep', '', this.faults[0].message);
    return true;
  }

  async #look(index: number): Promise<void> {
    try {
      const key = keyOf(await this.job(index));
      if (this.#known.has(key)) this.repeated.set(index, key);
      else this.runs.push({ index, key });
      this.#known.add(key);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.faults.push({ index, message: oneLine(error) });
    }
  }

  assignment(index: number): Assignment {
    return this.#assignments.at(index);
  }

  async job(index: number): Promise<RunJob> {
    const input = this.#resolver.resolve(this.#assignments.at(index));
    if (input.kind === 'scene') this.#refuseIdleSeeds();
    return { format: 1, version: packageVersion(), input, files: await this.#digestsOf(input) };
  }

  /** What tells a run from the others, for people. */
  label(index: number): string {
    const { values, seed } = this.assignment(index);
    const parts = [...values].map(([name, value]) => `${name} ${canonicalJson(value).slice(0, 40)}`);
    if (seed !== undefined) parts.push(`seed ${seed}`);
    return parts.length === 0 ? `run ${index + 1}` : parts.join(', ');
  }

  #refuseIdleSeeds(): void {
    const { seeds, parameters = {} } = this.sweep;
    if (seeds === undefined || Object.values(parameters).some(isDraw)) return;
    throw ImportError.of(
      'sweep',
      'seeds',
      'Seeds change nothing here: the scene brings its own state, and no parameter is random.',
    );
  }

  /** Of the files that a run reads; looked at once for each set of names. */
  async #digestsOf(input: RunInput): Promise<Readonly<Record<string, string>>> {
    const names = fileNames(input);
    if (names.length === 0) return {};
    const folder = input.kind === 'scene' ? input.folder : '';
    const set = canonicalJson({ kind: input.kind, folder, names });
    const known = this.#filesOf.get(set);
    if (known !== undefined) return known;
    const read = new Set<string>();
    await prepareRun(input, {
      folder: '',
      read: (path) => {
        const bytes = this.#files.read(path);
        if (bytes !== undefined) {
          read.add(path);
          if (!this.#digests.has(path)) this.#digests.set(path, sha256(bytes));
        }
        return bytes;
      },
    });
    const files = Object.fromEntries([...read].sort().map((path) => [path, this.#digests.get(path)!]));
    this.#filesOf.set(set, files);
    return files;
  }
}

/** Words in a run that may be names of files. */
function fileNames(input: RunInput): string[] {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value === 'string') {
      if (/\.[a-z0-9]{2,5}$/i.test(value)) found.add(value);
    } else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) look(item);
  };
  // Also a built-in one: a name that is not there is told before anything runs.
  if (input.kind === 'model') found.add(input.model);
  look(input.kind === 'scene' ? { ...input.scene, $schema: undefined, description: undefined } : input);
  return [...found];
}
