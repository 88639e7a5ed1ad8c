// All results of a sweep in one table: .csv, or .parquet by hyparquet-writer.

import { extname } from 'node:path';
import { csvField } from '../../simulation/csv.js';
import { type Cell, parameterCell, ResultTable, resultCells } from '../../sweep/table.js';
import { InputError } from '../errors.js';
import { OutputFile } from '../output-file.js';
import type { Progress } from '../terminal.js';
import type { SweepPlan } from './plan.js';
import type { ResultStore } from './result-store.js';

export interface Collected {
  readonly rows: number;
  readonly columns: number;
  /** Runs without a result, and results that cannot be read. */
  readonly missing: number;
  readonly broken: readonly string[];
}

export function checkTableName(file: string): void {
  if (!['.csv', '.parquet'].includes(extname(file).toLowerCase()))
    throw new InputError(`--collect writes .csv or .parquet, got "${file}".`);
}

export async function collect(
  plan: SweepPlan,
  store: ResultStore,
  file: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<Collected> {
  const output = new OutputFile(file);
  const parquet = extname(file).toLowerCase() === '.parquet' ? await loadParquet() : undefined;
  const keys = new Map([...plan.runs.map(({ index, key }) => [index, key] as const), ...plan.repeated]);
  const there = store.keys();
  const table = new ResultTable();
  const broken: string[] = [];
  for (let index = 0; index < plan.count; index++) {
    if (index % 256 === 0) {
      progress.update(index / plan.count, `${index}/${plan.count}`);
      await new Promise(setImmediate);
      signal.throwIfAborted();
    }
    const key = keys.get(index);
    if (key === undefined || !there.has(key)) continue;
    const result = resultOf(store, key);
    if (result === undefined) {
      broken.push(store.fileOf(key));
      continue;
    }
    const { values, seed } = plan.assignment(index);
    const cells = new Map<string, Cell>([['key', key]]);
    for (const [name, value] of values) cells.set(name, parameterCell(value));
    if (seed !== undefined) cells.set('seed', seed);
    // A parameter has its name to itself.
    for (const [name, cell] of resultCells(result)) cells.set(cells.has(name) ? `result.${name}` : name, cell);
    table.add(cells);
  }
  if (table.rows === 0) throw new InputError(`There are no results in "${store.folder}" yet.`);
  if (parquet === undefined) writeCsv(output, table);
  else output.write(parquetBytes(parquet, table));
  output.finish();
  const { rows, columns } = table;
  return { rows, columns: columns.size, missing: plan.count - rows - broken.length, broken };
}

function resultOf(store: ResultStore, key: string): object | undefined {
  try {
    const { result } = JSON.parse(store.read(key)) as { result?: unknown };
    return typeof result === 'object' && result !== null ? result : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof InputError) return undefined;
    throw error;
  }
}

function writeCsv(output: OutputFile, { columns, rows }: ResultTable): void {
  const lists = [...columns.values()];
  output.write(`${[...columns.keys()].map(csvField).join(',')}\n`);
  for (let row = 0; row < rows; row++) {
    const cells = lists.map((list) => {
      const cell = list[row];
      return cell === null ? '' : typeof cell === 'string' ? csvField(cell) : Object.is(cell, -0) ? '-0' : String(cell);
    });
    output.write(`${cells.join(',')}\n`);
  }
}

type ParquetModule = typeof import('hyparquet-writer');

async function loadParquet(): Promise<ParquetModule> {
  try {
    return await import('hyparquet-writer');
  } catch {
    throw new InputError(
      'Tables in Parquet need the package hyparquet-writer: npm install hyparquet-writer. Or write .csv.',
    );
  }
}

/** Numbers are doubles, whatever values a sweep happens to have; a column of several kinds is text. */
function parquetBytes({ parquetWriteBuffer }: ParquetModule, { columns }: ResultTable): Uint8Array {
  const columnData = [...columns].map(([name, data]) => {
    const kinds = new Set(data.filter((cell) => cell !== null).map((cell) => typeof cell));
    if (kinds.size === 1 && kinds.has('number')) return { name, data, type: 'DOUBLE' as const };
    if (kinds.size === 1 && kinds.has('boolean')) return { name, data, type: 'BOOLEAN' as const };
    return { name, data: data.map((cell) => (cell === null ? null : String(cell))), type: 'STRING' as const };
  });
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}
