// OpenSim's tables, .mot and .sto: a header of key=value lines that "endheader" ends, a line of column labels, rows of
// numbers. Read and written.

import { quoted } from './import-log.js';
import { TextLines, wordsOf } from './text-lines.js';

/** A table of OpenSim: columns by name, rows over time. */
export interface StorageTable {
  /** The header's first line. */
  readonly name: string;
  /** Whether angles are in degrees. */
  readonly inDegrees: boolean;
  /** Of all columns; the first is time. */
  readonly labels: readonly string[];
  readonly rowCount: number;
  /** rowCount x labels.length. NaN where the file says so: OpenSim writes that for what is not defined. */
  readonly values: Float64Array;
}

const MAX_HEADER_LINES = 1000;
const MAX_COLUMNS = 100_000;

/** Reads OpenSim's tables (.mot, .sto). */
export function parseStorage(text: string, options: { readonly file?: string } = {}): StorageTable {
  const lines = new TextLines(text, options.file);
  const header = readHeader(lines);
  const { rows: declaredRows, columns: declaredColumns } = header;
  const labels = readLabels(lines);
  const width = labels.length;
  if (declaredColumns !== undefined && declaredColumns !== width)
    lines.fail('columns', `The header declares ${declaredColumns} columns, but ${width} have a label.`);
  // A number takes two characters at least, with the space before it.
  if (declaredRows !== undefined && declaredRows * width * 2 > lines.remaining + 2)
    lines.fail(
      'truncated',
      `The header declares ${declaredRows} rows of ${width} numbers, more than the file can hold.`,
    );
  let values = new Float64Array((declaredRows ?? 64) * width);
  let rowCount = 0;
  for (let line = lines.nextFilled(); line !== undefined; line = lines.nextFilled()) {
    if (declaredRows !== undefined && rowCount === declaredRows)
      lines.fail('rows', `The header declares ${declaredRows} rows, but here is another one.`);
    if ((rowCount + 1) * width > values.length) values = grown(values);
    const words = wordsOf(line);
    if (words.length !== width)
      lines.fail('columns', `Row ${rowCount + 1} has ${words.length} numbers, expected ${width}.`);
    for (let k = 0; k < width; k++)
      values[rowCount * width + k] =
        k > 0 && /^[+-]?nan$/i.test(words[k])
          ? Number.NaN
          : lines.number(words[k], `Row ${rowCount + 1}, column ${quoted(labels[k])}`);
    if (rowCount > 0 && !(values[rowCount * width] > values[(rowCount - 1) * width]))
      lines.fail('time', `Time does not increase: ${words[0]} s after ${values[(rowCount - 1) * width]} s.`);
    rowCount++;
  }
  if (rowCount === 0) lines.fail('no-rows', 'The file has no rows.');
  if (declaredRows !== undefined && rowCount < declaredRows)
    lines.fail('truncated', `The header declares ${declaredRows} rows, but the file ends after ${rowCount}.`);
  const { name, inDegrees } = header;
  return { name, inDegrees, labels, rowCount, values: values.slice(0, rowCount * width) };
}

function grown(values: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * values.length);
  larger.set(values);
  return larger;
}

function readHeader(lines: TextLines) {
  let rows: number | undefined;
  let columns: number | undefined;
  let inDegrees = false;
  const name = (lines.nextFilled() ?? '').trim();
  if (name.toLowerCase() === 'endheader') return { name: '', rows, columns, inDegrees };
  for (let k = 0; ; k++) {
    const line = lines.next();
    if (line === undefined || k > MAX_HEADER_LINES)
      lines.fail('header', 'There is no "endheader", as .mot and .sto files of OpenSim have it.');
    const text = line!.trim();
    if (text.toLowerCase() === 'endheader') return { name, rows, columns, inDegrees };
    const [, key, value] = /^(\w+)\s*=\s*(.*)$/.exec(text) ?? /^(datarows|datacolumns)\s+(\S+)$/i.exec(text) ?? [];
    if (key === undefined) continue;
    switch (key.toLowerCase()) {
      case 'nrows':
      case 'datarows':
        rows = lines.count(value, 'The number of rows');
        break;
      case 'ncolumns':
      case 'datacolumns':
        columns = lines.count(value, 'The number of columns');
        break;
      case 'indegrees':
        if (!/^(yes|no|true|false)$/i.test(value))
          lines.fail('header', `The value of inDegrees is yes or no, got ${quoted(value)}.`);
        inDegrees = /^(yes|true)$/i.test(value);
        break;
      default:
    }
  }
}

function readLabels(lines: TextLines): string[] {
  const line = lines.nextFilled();
  if (line === undefined) lines.fail('truncated', 'The file ends before the labels of its columns.');
  // Labels may have spaces in them where tabs stand between them.
  const labels = line!.includes('\t') ? line!.trim().split(/\s*\t\s*/) : wordsOf(line!);
  if (labels.length > MAX_COLUMNS) lines.fail('too-large', `More than ${MAX_COLUMNS} columns are not read.`);
  if (labels[0].toLowerCase() !== 'time')
    lines.fail('time', `The first column must be time, got ${quoted(labels[0])}.`);
  const seen = new Set<string>();
  for (const label of labels) {
    if (seen.has(label)) lines.fail('duplicate-name', `Two columns are called ${quoted(label)}.`);
    seen.add(label);
  }
  return labels;
}

/** The text of a .sto file; forces and moments, so angles play no part. */
export function formatStorage(name: string, labels: readonly string[], rows: Iterable<ArrayLike<number>>): string {
  const body = Array.from(rows, (row) => Array.from(row, cell).join('\t'));
  // A label must not end its column.
  const names = labels.map((label) => label.replace(/\s+/g, '_'));
  return [
    name.replace(/\s+/g, ' '),
    'version=1',
    `nRows=${body.length}`,
    `nColumns=${labels.length}`,
    'inDegrees=no',
    'endheader',
    names.join('\t'),
    ...body,
    '',
  ].join('\n');
}

function cell(value: number): string {
  return Number.isNaN(value) ? 'nan' : String(value);
}
