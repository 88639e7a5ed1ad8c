// Memory of the generic kernels: one record for each link (and one for the ground), whose fields the kernels read and
// write, and one row of a table for each link, which says where its numbers are.

import type { FormulaType } from '../plan/plan.js';
import { hasMatrix, hasTurn, slides } from './joints.js';

/** Offsets in a record, in numbers. What children read and write comes first, at the same place for all types. */
export const RECORD = {
  w: 0, //       3  angular velocity; pass 1
  alpha: 3, //   3  angular acceleration of the reference motion; pass 1
  a: 6, //       3  acceleration of the origin, less gravity; pass 1
  W: 9, //       9  [alpha x] + [w x]^2; pass 1
  fromBelow: 18, // 27 what the children add to the articulated inertia (21) and bias force (6); pass 2
  delta: 45, //  6  acceleration over the reference motion; pass 3
  own: 51, //       the fields of TypeFields
} as const;

/** Offsets of a link's own fields, in numbers from the start of its record. */
export interface TypeFields {
  readonly t: number; // 3  origin of the placement
  readonly mass: number; // 1
  readonly h: number; // 3
  readonly sigma: number; // 6
  readonly parameters: number; // 3
  readonly armature: number; // nv
  readonly turn: number; // 2  sine and cosine; angle kernel
  readonly secondTurn: number; // 2
  readonly matrix: number; // 9  pass 1
  readonly r: number; // 3  pass 1
  readonly axis: number; // 3  pass 1
  readonly lag: number; // 9  pass 1
  readonly force: number; // 6  bias force of the link itself; pass 1
  readonly columns: number; // 7 nv  G and y of each column; pass 2
  readonly E: number; // 9  rotation of the placement, where it is neither identity nor a renaming of axes
  readonly size: number;
}

export const DEGREES: { readonly [type in FormulaType]: number } = {
  revolute: 1,
  prismatic: 1,
  helical: 1,
  cylindrical: 2,
  universal: 2,
  planar: 3,
  spherical: 3,
  floating: 6,
};

const KNOWN = new Map<string, TypeFields>();

export function typeFields(type: FormulaType, general: boolean): TypeFields {
  const key = general ? `${type} any` : type;
  let fields = KNOWN.get(key);
  if (fields === undefined) {
    fields = placeFields(type, general);
    KNOWN.set(key, fields);
  }
  return fields;
}

function placeFields(type: FormulaType, general: boolean): TypeFields {
  let top: number = RECORD.own;
  const take = (count: number): number => {
    const at = top;
    top += count;
    return at;
  };
  const nv = DEGREES[type];
  const universal = type === 'universal';
  const fields = {
    t: take(3),
    mass: take(1),
    h: take(3),
    sigma: take(6),
    parameters: take(universal ? 3 : type === 'helical' ? 1 : 0),
    armature: take(nv),
    turn: take(hasTurn(type) || universal ? 2 : 0),
    secondTurn: take(universal ? 2 : 0),
    matrix: take(hasMatrix(type) ? 9 : 0),
    r: take(slides(type) ? 3 : 0),
    axis: take(universal ? 3 : 0),
    lag: take(type === 'spherical' || type === 'floating' ? 9 : 0),
    force: take(6),
    columns: take(7 * nv),
    // Last: where it is missing the other fields stay in place.
    E: take(general ? 9 : 0),
  };
  // Whole cache lines: records keep their place in them.
  return { ...fields, size: 8 * Math.ceil(top / 8) };
}

/** Fields of a row of the link table, 32-bit integers, as offsets in bytes. */
export const ROW = {
  /** Number of the kernel in each pass. */
  kernel: [0, 4, 8],
  own: 12,
  parent: 16,
  q: 20,
  v: 24,
  tau: 28,
  qdd: 32,
  armature: 36,
  external: 40,
  /** For the mass matrix: the link's columns on their way to the root (12 numbers each), its rows of the matrix. */
  columns: 44,
  rows: [48, 52, 56, 60, 64, 68],
  bytes: 72,
} as const;

/**
 * A row of the table of visits, which the mass matrix has: one column of a link at one of its ancestors. Offsets in bytes:
 * the ancestor's kernel and record, where the column is and where it goes, where its entries with the ancestor's degrees of
 * freedom go: in a row of the matrix, and down a column.
 */
export const VISIT = {
  kernel: 0,
  own: 4,
  from: 8,
  to: 12,
  row: 16,
  column: [20, 24, 28, 32, 36, 40],
  bytes: 44,
} as const;

/**
 * A row of the angle table, offsets in bytes: where two coordinates stand, where sine and cosine of the angles go, then
 * (64-bit numbers) their senses, 1 or -1, and what is added to them.
 */
export const ANGLE_ROW = { q: [0, 4], turn: [8, 12], numbers: 16, bytes: 48 } as const;
