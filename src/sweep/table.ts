// Results as a table: a line for each run, a column for each parameter and each number that is kept of a run.

import { ImportError } from '../mechanism/errors.js';
import type { Json } from './sweep.js';

/** Columns at most: databases and spreadsheets end there. */
const MAX_COLUMNS = 16_384;

export type Cell = null | boolean | number | string;

/** What a result says, one name and value each; series stay in their files. */
export function resultCells(result: unknown): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  addCells(cells, '', result);
  return cells;
}

function addCells(cells: Map<string, Cell>, name: string, value: unknown): void {
  if (value === null || typeof value !== 'object') {
    if (value !== undefined) cells.set(name, value as Cell);
    return;
  }
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item === 'string')) cells.set(name, value.join('; '));
    else
      value.forEach((item: unknown, k) => {
        const own = ownName(item);
        if (own !== undefined) addCells(cells, joined(name, own), { ...(item as object), name: undefined });
        else addCells(cells, value.length === 1 ? name : `${name}[${k}]`, item);
      });
    return;
  }
  // "final.human-34.left_knee.q": the words in between say nothing.
  for (const [key, item] of Object.entries(value))
    if (key !== 'series') addCells(cells, key === 'joints' || key === 'coordinates' ? name : joined(name, key), item);
}

function ownName(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || !('name' in item)) return undefined;
  return typeof item.name === 'string' ? item.name : undefined;
}

const joined = (name: string, key: string): string => (name === '' ? key : `${name}.${key}`);

/** A value of a parameter in a cell. */
export const parameterCell = (value: Json): Cell =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

/** Lines that may have different columns; where a line has none, the cell is null. */
export class ResultTable {
  readonly columns = new Map<string, Cell[]>();
  rows = 0;

  add(cells: ReadonlyMap<string, Cell>): void {
    for (const [name, cell] of cells) {
      let column = this.columns.get(name);
      if (column === undefined) {
        if (this.columns.size >= MAX_COLUMNS)
          throw ImportError.of('table', '', `A table of more than ${MAX_COLUMNS} columns is not made; read the files.`);
        column = new Array<Cell>(this.rows).fill(null);
        this.columns.set(name, column);
      }
      column.push(cell);
    }
    this.rows++;
    for (const column of this.columns.values()) if (column.length < this.rows) column.push(null);
  }
}
