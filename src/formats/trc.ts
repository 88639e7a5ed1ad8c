// .trc, the marker files of Motion Analysis and OpenSim: five lines of header, then a row for each frame, with tabs between
// the fields. Fields of markers that were not seen are empty.

import { quoted } from './import-log.js';
import { MAX_MARKER_NUMBERS, type MarkerMotion, metresIn } from './markers.js';
import { TextLines } from './text-lines.js';
import { parseNumber } from './xml.js';

/** Reads markers from a .trc file. */
export function parseTrc(text: string, options: { readonly file?: string } = {}): MarkerMotion {
  const lines = new TextLines(text, options.file);
  const next = (what: string): string => {
    const line = lines.next();
    if (line === undefined) lines.fail('truncated', `The file ends before ${what}.`);
    return line!;
  };
  if (!/^\s*PathFileType\b/.test(next('its first line')))
    lines.fail('not-trc', 'A .trc file begins with the word PathFileType.');
  const keys = next('the names of its settings').trim().split(/\s+/);
  const values = next('its settings').trim().split(/\s+/);
  const setting = (name: string): string | undefined => values[keys.indexOf(name)];
  const units = setting('Units') ?? 'mm';
  const scale = metresIn(units);
  if (scale === undefined) lines.fail('units', `Units of mm, cm, m or in are known, got ${quoted(units)}.`);
  const labels = markerNames(next('the names of its markers'), lines);
  const declared = Number(setting('NumMarkers'));
  if (Number.isInteger(declared) && declared > labels.length)
    lines.fail('columns', `The header declares ${declared} markers, but ${labels.length} have a name.`);
  next('the names of its columns');
  const width = 3 * labels.length;
  const times: number[] = [];
  const positions: number[] = [];
  for (let line = lines.nextFilled(); line !== undefined; line = lines.nextFilled()) {
    const fields = fieldsOf(line);
    const row = times.length + 1;
    if (fields.length > width + 3)
      lines.fail('columns', `Row ${row} has ${fields.length} fields, expected ${width + 2}.`);
    const time = parseNumber(fields[1] ?? '');
    if (time === undefined) lines.fail('number', `Row ${row}: expected a time, got ${quoted(fields[1] ?? '')}.`);
    if (times.length > 0 && !(time! > times[times.length - 1]))
      lines.fail('time', `Time does not increase in row ${row}.`);
    times.push(time!);
    for (let k = 0; k < width; k++) positions.push(coordinate(fields[k + 2] ?? '', row, lines) * scale!);
    if (positions.length > MAX_MARKER_NUMBERS)
      lines.fail('too-large', `More than ${MAX_MARKER_NUMBERS} numbers are not read.`);
  }
  if (times.length === 0) lines.fail('no-rows', 'The file has no frames.');
  const given = Number(setting('DataRate'));
  const rate =
    given > 0 && Number.isFinite(given) ? given : (times.length - 1) / (times[times.length - 1] - times[0] || 1);
  return { labels, rate, times: Float64Array.from(times), positions: Float64Array.from(positions) };
}

/** Between tabs, where there are any: fields may be empty then. */
function fieldsOf(line: string): string[] {
  return line.includes('\t') ? line.split('\t').map((field) => field.trim()) : line.trim().split(/\s+/);
}

/** Frame# and Time, then each name in the first of three columns. */
function markerNames(line: string, lines: TextLines): string[] {
  const [first, second, ...names] = fieldsOf(line);
  if (!/^Frame/i.test(first ?? '') || !/^Time/i.test(second ?? ''))
    lines.fail('columns', 'The first columns must be Frame# and Time.');
  const labels = names.filter((name) => name !== '');
  if (labels.length === 0) lines.fail('columns', 'The file names no markers.');
  const twice = labels.find((label, k) => labels.indexOf(label) !== k);
  if (twice !== undefined) lines.fail('duplicate-name', `Two markers are called ${quoted(twice)}.`);
  return labels;
}

function coordinate(field: string, row: number, lines: TextLines): number {
  if (field === '' || /^[+-]?nan$/i.test(field)) return Number.NaN;
  const value = parseNumber(field);
  if (value === undefined) lines.fail('number', `Row ${row}: expected a number, got ${quoted(field)}.`);
  return value!;
}
