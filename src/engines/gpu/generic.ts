// The table-driven kernel: the generic kernels of src/formulas/kernels.ts, one for each kind of link, in a switch inside
// loops over the links. Its code depends on the kinds of joints alone and compiles in a moment, so it answers while code
// for the mechanism is being made. Constants of the links stand in a table; each thread has its records in storage.

import { emitStatements, FUNCTIONS_OF_ANY_ANGLE } from '../../emit/wgsl.js';
import { RECORD, typeFields } from '../../formulas/kernel-records.js';
import { isConstantField, kernelFormulas, OWN, PARENT, PASSES } from '../../formulas/kernels.js';
import type { Plan } from '../../plan/plan.js';
import { anglesOf, fillRecord, keysOf } from '../link-records.js';
import { chooseKernels } from '../wasm/generic.js';
import { header, NOT_FINITE, TILE, usesOf, type WgslKernel, WORKGROUP } from './kernel.js';

export interface GenericTables {
  readonly kernel: WgslKernel;
  /** Constants of all records, and the rows that say what belongs to which link. */
  readonly table: Float32Array;
  readonly rows: Uint32Array;
}

/** Numbers of a row: kernels of the passes (3), record, parent's record, first q, first v. */
const ROW = 8;
const ANGLE_ROW = 2;

export function genericKernel(plan: Plan, task: 'forward' | 'inverse'): GenericTables {
  const { links, nq, nv } = plan;
  const keys = keysOf(plan, false);
  const fields = keys.map(({ type, rotation }) => typeFields(type, rotation === 'any'));
  let size: number = RECORD.own;
  const records = fields.map((of) => {
    const at = size;
    size += of.size;
    return at;
  });
  const angles = anglesOf(links, keys);
  const angleTable = size;
  const table = new Float32Array(size + 2 * angles.length);
  plan.gravity.forEach((x, k) => {
    table[RECORD.a + k] = -x;
  });
  links.forEach((link, i) => {
    fillRecord(table, records[i], link, fields[i], keys[i]);
  });
  const { choices, numbers } = chooseKernels(keys, task);
  const rows = new Uint32Array(ROW * links.length + ANGLE_ROW * angles.length);
  links.forEach(({ parent, iq, iv }, i) => {
    numbers.forEach((ofPass, pass) => {
      rows[ROW * i + pass] = ofPass[i];
    });
    rows.set([records[i], parent < 0 ? 0 : records[parent], iq, iv], ROW * i + 3);
  });
  const angleRows = ROW * links.length;
  angles.forEach(({ q, link, turn, sense, offset }, k) => {
    rows.set([q, records[link] + turn], angleRows + ANGLE_ROW * k);
    table.set([sense, offset], angleTable + 2 * k);
  });
  const places = ['q', 'v', 'tau', 'qdd'];
  const loops = PASSES[task].map((pass, at) => {
    const cases = choices[at].map(({ key }, number) => {
      const place = (array: number, i: number): string => {
        if (array === OWN) return isConstantField(key, i) ? `table[own + ${i}u]` : `kept[atKept + (own + ${i}u) * 32u]`;
        if (array === PARENT) return key.grounded ? `table[parent + ${i}u]` : `kept[atKept + (parent + ${i}u) * 32u]`;
        const name = places[array - 2];
        return name === 'q' ? `q[atQ + (iq + ${i}u) * 32u]` : `${name}[atV + (iv + ${i}u) * 32u]`;
      };
      const write = (array: number, i: number, value: string): string =>
        `${place(array, i)} = ${value};${array > PARENT ? ` size = fma(abs(${value}), 1e-30f, size);` : ''}`;
      return `case ${number}u: {\n${emitStatements(kernelFormulas(pass, key), { read: place, write })}\n}`;
    });
    const backwards = pass === 'assemble' || pass === 'inverseIn';
    return `for (var k = 0u; k < ${links.length}u; k++) {
let row = ${ROW}u * ${backwards ? `(${links.length - 1}u - k)` : 'k'};
let own = rows[row + 3u]; let parent = rows[row + 4u]; let iq = rows[row + 5u]; let iv = rows[row + 6u];
switch (rows[row + ${at}u]) {
${cases.join('\n')}
default: {}
}
}`;
  });
  const code = `${FUNCTIONS_OF_ANY_ANGLE}
@compute @workgroup_size(${WORKGROUP}) fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
let thread = group.x * ${WORKGROUP}u + local.x;
let atKept = (thread >> 5u) * ${TILE * size}u + (thread & 31u);
for (var at = group.x; at < P.groups; at += P.stride) {
let state = at * ${WORKGROUP}u + local.x;
let atQ = (state >> 5u) * ${TILE * nq}u + (state & 31u); let atV = (state >> 5u) * ${TILE * nv}u + (state & 31u);
var size = 0.0f;
for (var k = 0u; k < ${angles.length}u; k++) {
let row = ${angleRows}u + ${ANGLE_ROW}u * k;
let turn = sincos(fma(table[${angleTable}u + 2u * k], q[atQ + rows[row] * 32u], table[${angleTable + 1}u + 2u * k]));
let to = atKept + rows[row + 1u] * 32u;
kept[to] = turn.x; kept[to + 32u] = turn.y;
}
${loops.join('\n')}
flags[state] = select(0u, 1u, ${NOT_FINITE});
}
}
`;
  const uses = usesOf(code);
  return {
    kernel: { code: `${header(uses)}\n${code}`, uses, keptPerThread: size, keptPerState: 0 },
    table,
    rows,
  };
}
