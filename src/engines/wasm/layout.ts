// Where everything of one compiled mechanism stands in its WebAssembly memory: inputs and outputs first, then what the
// functions keep for themselves.

import type { ArrayPlace } from '../../emit/wasm.js';
import type { Plan } from '../../plan/plan.js';

export interface Layout {
  /** Addresses of the arrays: q, v, tau, qdd. */
  readonly q: number;
  readonly v: number;
  readonly tau: number;
  readonly qdd: number;
  /** nv, inertia added to each degree of freedom. */
  readonly armature: number;
  /** 6 for each link of the plan: forces from outside, link coordinates. */
  readonly external: number;
  /** nv x nv, row major, in the order of v. */
  readonly massMatrix: number;
  /** One number: whether the last call can be trusted (guard.ts). */
  readonly status: number;
  /** First address after the arrays. */
  readonly end: number;
}

const NUMBER = 8;
/** Address 0 stays empty; all begin at cache lines. */
export const LINE = 64;

/** The constants of the generic kernels stand at the same place in every memory, so their code can be made beforehand. */
export const GENERIC_CONSTANTS_AT = LINE;
export const GENERIC_CONSTANT_BYTES = 1024;

export const aligned = (address: number): number => LINE * Math.ceil(address / LINE);

/** `matrix`: with room for the mass matrix. */
export function layoutOf(plan: Plan, matrix = true): Layout {
  let top = aligned(GENERIC_CONSTANTS_AT + GENERIC_CONSTANT_BYTES);
  const take = (numbers: number): number => {
    const at = top;
    top = aligned(top + NUMBER * numbers);
    return at;
  };
  const q = take(plan.nq);
  const v = take(plan.nv);
  const tau = take(plan.nv);
  const qdd = take(plan.nv);
  const armature = take(plan.nv);
  const external = take(6 * plan.links.length);
  const status = take(1);
  const massMatrix = take(matrix ? plan.nv * plan.nv : 0);
  return { q, v, tau, qdd, armature, external, massMatrix, status, end: top };
}

/** The places of the arrays for the emitter, in the order of links.ts. */
export function placesOf({ q, v, tau, qdd, massMatrix, armature, external }: Layout): ArrayPlace[] {
  return [q, v, tau, qdd, massMatrix, armature, external].map((offset) => ({ parameter: -1, offset, stride: NUMBER }));
}
