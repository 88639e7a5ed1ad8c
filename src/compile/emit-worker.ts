// The program of the worker in which code for mechanisms is made: a request comes in, the bytes of a module go out.

import { workerThreads } from './node-modules.js';
import type { Plan } from './plan.js';
import { type Specialised, type SpecialiseOptions, specialise } from './specialise.js';

export interface EmitRequest {
  readonly id: number;
  readonly plan: Plan;
  readonly options: SpecialiseOptions;
}

export type EmitAnswer =
  | { readonly id: number; readonly made: Specialised }
  | { readonly id: number; readonly error: string };

function answer({ id, plan, options }: EmitRequest): EmitAnswer {
  try {
    return { id, made: specialise(plan, options) };
  } catch (error) {
    return { id, error: String(error) };
  }
}

interface WorkerScope {
  onmessage?: (event: { readonly data: EmitRequest }) => void;
  postMessage?(message: EmitAnswer): void;
}

const port = workerThreads()?.parentPort;
if (port !== undefined && port !== null)
  port.on('message', (request) => port.postMessage(answer(request as EmitRequest)));
else {
  const scope = globalThis as WorkerScope;
  scope.onmessage = ({ data }) => scope.postMessage?.(answer(data));
}
