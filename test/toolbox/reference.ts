// The values of ../shared/reference/toolbox.json, with the robots they belong to; its `about` says what each number means.

import { parseUrdf } from '../../src/formats/urdf.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { hasShared, readShared } from '../support/shared.js';

export interface Six {
  readonly angular: readonly number[];
  readonly linear: readonly number[];
}

/** Numbers of a robot's state, as the file has them. */
// biome-ignore lint/suspicious/noExplicitAny: the file is the contract
export type Values = any;

export interface Robot {
  readonly name: string;
  readonly mechanism: Mechanism;
  readonly state: State;
  readonly qdd: Float64Array;
  readonly tau: Float64Array;
  /** Place in v of each degree of freedom of the file. */
  readonly at: readonly number[];
  /** Places in v of the columns that large matrices have. */
  readonly columnsAt: readonly number[];
  readonly values: Values;
}

export const six = ({ angular, linear }: Six): number[] => [...angular, ...linear];

const BASE = ['base.wx', 'base.wy', 'base.wz', 'base.vx', 'base.vy', 'base.vz'];

export function robots(fixedJoints: 'keep' | 'merge' = 'keep'): Robot[] {
  if (!hasShared('reference/toolbox.json')) return [];
  const all = JSON.parse(readShared('reference/toolbox.json')) as Values;
  return Object.keys(all)
    .filter((name) => name.endsWith('.urdf'))
    .map((path) => {
      const base = 'fixed' in all[path] ? 'fixed' : 'floating';
      const values = all[path][base][0];
      const file = path.replace('shared/', '');
      const mechanism = parseUrdf(readShared(file), { base, mimic: 'ignore', fixedJoints });
      const state = new State(mechanism);
      const [qdd, tau] = [new Float64Array(mechanism.nv), new Float64Array(mechanism.nv)];
      for (const joint of mechanism.joints) {
        if (joint.model.nv === 1) {
          state.set(joint.name, values.q[joint.name], values.v[joint.name]);
          qdd[joint.iv] = values.a[joint.name];
          tau[joint.iv] = values.tau[joint.name];
        } else if (joint.model.nv === 6) {
          state.set(joint.name, values.base.q, six(values.base.v));
          qdd.set(six(values.base.a), joint.iv);
          tau.set(six(values.base.tau), joint.iv);
        }
      }
      const place = (dof: string): number =>
        BASE.includes(dof) ? mechanism.joints[0].iv + BASE.indexOf(dof) : mechanism.joint(dof).iv;
      const at = (values.dofs as string[]).map(place);
      const columnsAt = (values.columns as string[]).map(place);
      return { name: path.split('/').pop()!, mechanism, state, qdd, tau, at, columnsAt, values };
    });
}

/** Values of the file for each degree of freedom, base and joints, in the order of v. */
export function inOrder({ mechanism, values }: Robot, key: string): Float64Array {
  const out = new Float64Array(mechanism.nv);
  for (const joint of mechanism.joints) {
    if (joint.model.nv === 1) out[joint.iv] = values[key][joint.name];
    else if (joint.model.nv === 6) out.set(six(values.base[key]), joint.iv);
  }
  return out;
}

/** A matrix that the file gives by degree of freedom, as rows x nv in the order of v. */
export function byDof({ mechanism, at, values }: Robot, columns: Values, rows: number): Float64Array {
  const { nv } = mechanism;
  const out = new Float64Array(rows * nv);
  (values.dofs as string[]).forEach((dof, k) => {
    for (let row = 0; row < rows; row++) out[row * nv + at[k]] = columns[dof][row];
  });
  return out;
}

/** The entries of an nv x nv matrix that the file has, and what the file says: two lists in the same order. */
export function entries(
  { mechanism, at, columnsAt }: Robot,
  ours: Float64Array,
  theirs: readonly (readonly number[])[],
  columns: readonly number[] = columnsAt,
): readonly [number[], number[]] {
  const got: number[] = [];
  at.forEach((row) => {
    for (const column of columns) got.push(ours[row * mechanism.nv + column]);
  });
  return [got, theirs.flat()];
}
