// The generic tier for one mechanism: its tables and records in memory, and the kernels they name.

import { ANGLE_ROW, RECORD, ROW, typeFields, VISIT } from '../../formulas/kernel-records.js';
import { COLUMN_NUMBERS, type GenericTask, type KernelKey, kernelName, PASSES } from '../../formulas/kernels.js';
import type { Plan, PlanLink } from '../../plan/plan.js';
import { anglesOf, fillRecord, keysOf } from '../link-records.js';
import { genericModule } from './generic-module.js';
import type { KernelChoice } from './kernel-store.js';
import { aligned, type Layout } from './layout.js';

export interface Generic {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Writes constants, rows and the ground's record; once, before the first call. */
  readonly fill: (memory: ArrayBufferLike) => void;
  /** Arguments of the exported function `run`. */
  readonly call: readonly [
    rows: number,
    end: number,
    angles: number,
    anglesEnd: number,
    visits: number,
    visitsEnd: number,
  ];
  readonly memoryBytes: number;
  /** Stretches of memory, from address to address, that hold intermediate values only. */
  readonly scratch: readonly (readonly [number, number])[];
  readonly kernels: number;
}

const NUMBER = 8;

export function createGeneric(plan: Plan, task: GenericTask, layout: Layout, scratchAt: number): Generic {
  const { links } = plan;
  const keys = keysOf(plan, task === 'forwardLoaded');
  const fields = keys.map(({ type, rotation }) => typeFields(type, rotation === 'any'));
  // Ground first, then the links; rows and angle rows behind them.
  let top = aligned(scratchAt);
  const take = (bytes: number): number => {
    const at = top;
    top = aligned(top + bytes);
    return at;
  };
  const ground = take(NUMBER * RECORD.own);
  const records = fields.map(({ size }) => take(NUMBER * size));
  const rows = take(ROW.bytes * links.length);
  const angles = anglesOf(links, keys);
  const spare = take(2 * NUMBER);
  const angleRows = take(ANGLE_ROW.bytes * Math.ceil(angles.length / 2));
  const { choices, numbers } = chooseKernels(keys, task);
  const mass = task === 'massMatrix';
  const columns = take(mass ? NUMBER * COLUMN_NUMBERS * plan.nv : 0);
  const visits = mass ? visitsOf(links) : [];
  const visitRows = take(VISIT.bytes * visits.length);
  const entry = (row: number, column: number): number => layout.massMatrix + NUMBER * (row * plan.nv + column);
  const fill = (memory: ArrayBufferLike): void => {
    const float = new Float64Array(memory, 0, top / NUMBER);
    const int = new Int32Array(memory, 0, top / 4);
    float.fill(0, ground / NUMBER, ground / NUMBER + RECORD.own);
    plan.gravity.forEach((x, k) => {
      float[ground / NUMBER + RECORD.a + k] = -x;
    });
    links.forEach((link, i) => {
      fillRecord(float, records[i] / NUMBER, link, fields[i], keys[i]);
      const row = rows + ROW.bytes * i;
      const put = (offset: number, value: number): void => {
        int[(row + offset) / 4] = value;
      };
      numbers.forEach((ofPass, pass) => {
        put(ROW.kernel[pass], ofPass[i]);
      });
      if (mass) {
        put(ROW.columns, columns + NUMBER * COLUMN_NUMBERS * link.iv);
        for (let k = 0; k < link.nv; k++) put(ROW.rows[k], entry(link.iv + k, link.iv));
      }
      put(ROW.own, records[i]);
      put(ROW.parent, link.parent < 0 ? ground : records[link.parent]);
      put(ROW.q, layout.q + NUMBER * link.iq);
      put(ROW.v, layout.v + NUMBER * link.iv);
      put(ROW.tau, layout.tau + NUMBER * link.iv);
      put(ROW.qdd, layout.qdd + NUMBER * link.iv);
      put(ROW.armature, layout.armature + NUMBER * link.iv);
      put(ROW.external, layout.external + NUMBER * 6 * i);
    });
    visits.forEach(({ dof, link, even }, at) => {
      const row = (visitRows + VISIT.bytes * at) / 4;
      const { iv, nv } = links[link];
      const column = columns + NUMBER * COLUMN_NUMBERS * dof;
      int[row + VISIT.kernel / 4] = numbers[2][link];
      int[row + VISIT.own / 4] = records[link];
      int[row + VISIT.from / 4] = column + (even ? 0 : 6 * NUMBER);
      int[row + VISIT.to / 4] = column + (even ? 6 * NUMBER : 0);
      int[row + VISIT.row / 4] = entry(dof, iv);
      for (let l = 0; l < nv; l++) int[row + VISIT.column[l] / 4] = entry(iv + l, dof);
    });
    for (let k = 0; k < 2 * Math.ceil(angles.length / 2); k++) {
      const lane = k % 2;
      const row = angleRows + ANGLE_ROW.bytes * (k >> 1);
      // An odd angle out has itself for a partner, whose result nobody reads.
      const angle = angles[k] ?? angles[k - 1];
      int[(row + ANGLE_ROW.q[lane]) / 4] = layout.q + NUMBER * angle.q;
      int[(row + ANGLE_ROW.turn[lane]) / 4] = k < angles.length ? records[angle.link] + NUMBER * angle.turn : spare;
      float[(row + ANGLE_ROW.numbers) / NUMBER + lane] = angle.sense;
      float[(row + ANGLE_ROW.numbers) / NUMBER + 2 + lane] = angle.offset;
    }
  };
  return {
    bytes: genericModule(PASSES[task], choices),
    fill,
    call: [
      rows,
      rows + ROW.bytes * links.length,
      angleRows,
      angleRows + ANGLE_ROW.bytes * Math.ceil(angles.length / 2),
      visitRows,
      visitRows + VISIT.bytes * visits.length,
    ],
    memoryBytes: top,
    scratch: [
      ...records.flatMap((at, i): [number, number][] => [
        [at, at + NUMBER * RECORD.own],
        [at + NUMBER * fields[i].turn, at + NUMBER * fields[i].E],
      ]),
      [columns, columns + (mass ? NUMBER * COLUMN_NUMBERS * plan.nv : 0)],
    ],
    kernels: choices.reduce((sum, list) => sum + list.length, 0),
  };
}

/** One column of a link at one of its ancestors; `even` where it has come an even number of steps. */
interface Visit {
  readonly dof: number;
  readonly link: number;
  readonly even: boolean;
}

/** How many visits a mass matrix takes: for each degree of freedom the links above it. */
export function countVisits(links: readonly PlanLink[]): number {
  const depth: number[] = [];
  let count = 0;
  for (const { parent, nv } of links) {
    depth.push(parent < 0 ? 0 : depth[parent] + 1);
    count += nv * depth[depth.length - 1];
  }
  return count;
}

function visitsOf(links: readonly PlanLink[]): Visit[] {
  return links.flatMap(({ parent, iv, nv }) => {
    const visits: Visit[] = [];
    for (let dof = iv; dof < iv + nv; dof++)
      for (let link = parent, even = true; link >= 0; link = links[link].parent, even = !even)
        visits.push({ dof, link, even });
    return visits;
  });
}

/** The kernels needed in each pass, and their number for each link. */
export function chooseKernels(
  keys: readonly KernelKey[],
  task: GenericTask,
): { choices: KernelChoice[][]; numbers: number[][] } {
  const choices: KernelChoice[][] = [];
  const numbers = PASSES[task].map((pass, at) => {
    const known = new Map<string, number>();
    choices[at] = [];
    return keys.map((key) => {
      // Nothing comes to a leaf from below.
      if (pass === 'carry' && key.leaf) return 0;
      const name = kernelName(pass, key);
      let number = known.get(name);
      if (number === undefined) {
        number = choices[at].push({ pass, name, key }) - 1;
        known.set(name, number);
      }
      return number;
    });
  });
  return { choices, numbers };
}
