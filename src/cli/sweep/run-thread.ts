// The program of a thread that makes runs: a job comes, its result or the reason why there is none goes back.

import { parentPort, workerData } from 'node:worker_threads';
import { formatJson } from '../../formats/json-writer.js';
import { loadRuns, type ModelStore, prepareRun } from '../../sweep/prepare.js';
import { canonicalJson, type RunInput } from '../../sweep/run-input.js';
import { filesBelow } from '../input-file.js';
import { packageVersion } from '../version.js';
import { filesOfJob, isPermanent, keyOf, oneLine, parseJob } from './job.js';

/** What a run came to: the text of its result, or why it failed, and whether it would fail everywhere. */
export type RunOutcome =
  | { readonly key: string; readonly text: string }
  | { readonly fault: string; readonly permanent: boolean };

/** `kind`: of the runs that will come, where that is known. */
export interface RunThreadData {
  readonly root: string;
  readonly kind: RunInput['kind'] | undefined;
}

const { root, kind } = workerData as RunThreadData;
// A part of the program that cannot be loaded is told by the first run.
if (kind !== undefined) loadRuns(kind).catch(() => {});
// A file in the root, so that paths are relative to the root itself.
const rootFiles = filesBelow(root, `${root}/job`);
let stored: { readonly files: string; readonly models: ModelStore } = { files: '', models: new Map() };

async function outcomeOf(data: unknown): Promise<RunOutcome> {
  try {
    const job = parseJob(data);
    const version = packageVersion();
    if (job.version !== version)
      return { fault: `It is a run of version ${job.version}, this is ${version}.`, permanent: false };
    const files = canonicalJson(job.files);
    if (files !== stored.files) stored = { files, models: new Map() };
    const run = await prepareRun(job.input, filesOfJob(job, rootFiles), stored.models);
    const key = keyOf(job);
    return { key, text: `${formatJson({ key, version, result: await run() })}\n` };
  } catch (error) {
    return { fault: oneLine(error), permanent: isPermanent(error) };
  }
}

// One after the other, in the order in which they came.
let last: Promise<unknown> = Promise.resolve();
parentPort!.on('message', (data: unknown) => {
  last = last.then(() => outcomeOf(data)).then((outcome) => parentPort!.postMessage(outcome));
});
