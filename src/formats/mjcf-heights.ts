// <hfield> in <asset>: heights over a grid, written in the model or in MuJoCo's binary file.

import type { HeightField } from '../mechanism/mechanism.js';
import { type Fields, manyNumbers, number, numbers, readFields, text } from './mjcf-fields.js';
import { filePath, type ModelFiles } from './model-files.js';
import type { XmlElement } from './xml.js';

interface HeightsData {
  name: string;
  file: string;
  nrow: number;
  ncol: number;
  size: readonly number[];
  elevation: readonly number[] | undefined;
}

const FIELDS: Fields<HeightsData> = new Map([
  ['name', text<HeightsData>('name')],
  ['file', text<HeightsData>('file')],
  ['nrow', number<HeightsData>('nrow')],
  ['ncol', number<HeightsData>('ncol')],
  ['size', numbers<HeightsData>('size', 4)],
  ['elevation', manyNumbers<HeightsData>('elevation')],
  ['content_type', (): void => {}],
]);

const MOST = 4_000_000;

/** The name and the field; no field but a warning where its file is missing or an image. */
export function readHeights(
  element: XmlElement,
  meshdir: string,
  files: ModelFiles | undefined,
): { name: string; field: HeightField | undefined } {
  element.requiredText('size');
  const start = { name: '', file: '', nrow: 0, ncol: 0, size: [1, 1, 1, 1], elevation: undefined };
  const data = readFields<HeightsData>(element, FIELDS, start);
  const name = data.name !== '' ? data.name : data.file.replace(/^.*[\\/]/, '').replace(/\.[^.]*$/, '');
  const grid = data.file === '' ? writtenGrid(element, data) : fileGrid(element, data.file, meshdir, files);
  if (grid === undefined) return { name, field: undefined };
  const [x, y, top] = data.size;
  // From 0 to 1, then to the height; rows go along y.
  let [least, most] = [Infinity, -Infinity];
  for (const value of grid.values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  const scale = most > least ? top / (most - least) : 0;
  const heights = Float64Array.from(grid.values, (value) => (value - least) * scale);
  return { name, field: { kind: 'heights', rows: grid.rows, columns: grid.columns, size: [2 * x, 2 * y], heights } };
}

interface Grid {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;
}

function goodSize(rows: number, columns: number): boolean {
  return Number.isInteger(rows) && Number.isInteger(columns) && rows >= 2 && columns >= 2 && rows * columns <= MOST;
}

/** Written from the top, that is from the last row. */
function writtenGrid(element: XmlElement, { nrow, ncol, elevation }: HeightsData): Grid | undefined {
  if (!goodSize(nrow, ncol) || (elevation !== undefined && elevation.length !== nrow * ncol)) {
    element.error('hfield', 'An <hfield> needs nrow and ncol of two or more, and as many numbers in elevation.');
    return undefined;
  }
  const values = new Float64Array(nrow * ncol);
  if (elevation !== undefined)
    for (let r = 0; r < nrow; r++)
      for (let c = 0; c < ncol; c++) values[(nrow - 1 - r) * ncol + c] = elevation[r * ncol + c];
  return { rows: nrow, columns: ncol, values };
}

/** MuJoCo's own format: two counts and 32-bit floating point numbers. */
function fileGrid(
  element: XmlElement,
  written: string,
  meshdir: string,
  files: ModelFiles | undefined,
): Grid | undefined {
  const found = filePath(written, [files?.folder ?? '', meshdir]);
  if ('expected' in found) {
    element.attributeError('file', 'hfield-path', `expected ${found.expected}`);
    return undefined;
  }
  const bytes = files?.read(found.path);
  const left = (why: string): undefined => {
    element.warn('hfield', `This <hfield> is left out: ${why}.`);
    return undefined;
  };
  if (bytes === undefined) return left('its file is not there');
  if (/\.png$/i.test(found.path) || bytes.length < 8) return left('images are not read');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [rows, columns] = [view.getInt32(0, true), view.getInt32(4, true)];
  if (!goodSize(rows, columns) || bytes.length !== 8 + 4 * rows * columns) return left('its file has another format');
  const values = Float64Array.from({ length: rows * columns }, (_, k) => view.getFloat32(8 + 4 * k, true));
  return { rows, columns, values };
}
