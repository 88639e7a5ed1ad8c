// The program of the worker in which code for mechanisms is made: a request comes in, the bytes of a module go out.

import type { Plan } from '../../plan/plan.js';
import { ownPort } from '../../threads/port.js';
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

const port = ownPort<EmitRequest, EmitAnswer>();
port.listen((request) => port.post(answer(request)));
