// manikin ik with markers: the coordinates of a model that come nearest to markers that were seen, over time.

import { basename, extname } from 'node:path';
import { readMotionModel } from '../../files/read-motion.js';
import { parseC3d } from '../../formats/c3d.js';
import { formatJson } from '../../formats/json-writer.js';
import type { MarkerMotion } from '../../formats/markers.js';
import { isOpensimSetup } from '../../formats/opensim-setup.js';
import { formatStorage } from '../../formats/storage.js';
import { parseTrc } from '../../formats/trc.js';
import { Mechanism } from '../../mechanism/mechanism.js';
import { CoordinateModel } from '../../motion/index.js';
import { type MarkerOptions, type MarkerTracking, trackMarkers } from '../../toolbox/index.js';
import { InputError } from '../errors.js';
import { readInput, readInputText } from '../input-file.js';
import { writeOutput } from '../output-file.js';
import { formatNumber, type Terminal, table } from '../terminal.js';
import { readSetup } from './setup-argument.js';

export interface MarkerCommand {
  readonly model?: string;
  readonly out?: string;
  readonly root?: string;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

/** Whether the argument of `ik` is markers, or a set-up that names some. */
export function isMarkers(file: string): boolean {
  const extension = extname(file).toLowerCase();
  if (extension === '.trc' || extension === '.c3d') return true;
  return extension === '.xml' && isOpensimSetup(readInputText(file));
}

export function ikOfMarkers(given: string, command: MarkerCommand, terminal: Terminal): void {
  const { markers, model, options, left } = jobOf(given, command);
  if (left.length > 0 && command.quiet !== true)
    terminal.err(`Warning: Markers alone are followed, not the tasks for coordinates: ${left.join(', ')}.\n`);
  const read = readMotionModel(readInput(model), model);
  const coordinates = read instanceof Mechanism ? CoordinateModel.ofMechanism(read) : CoordinateModel.ofOsim(read);
  const found = trackMarkers(coordinates, readMarkers(markers), options);
  if (command.out !== undefined) writeOutput(command.out, asTable(found));
  terminal.out(
    command.json === true ? `${formatJson(report(given, found))}\n` : print(found, command.out, coordinates),
  );
}

interface Job {
  readonly markers: string;
  readonly model: string;
  readonly options: MarkerOptions;
  /** Coordinates that a set-up has tasks for. */
  readonly left: readonly string[];
}

function jobOf(given: string, { model, root }: MarkerCommand): Job {
  if (extname(given).toLowerCase() !== '.xml') {
    if (model === undefined) throw new InputError('Markers need a model: --model MODEL.osim.');
    return { markers: given, model, options: {}, left: [] };
  }
  const { setup, named } = readSetup(given, 'inverse-kinematics', root);
  return {
    markers: named(setup.markerFile, 'marker_file'),
    model: model ?? named(setup.modelFile, 'model_file'),
    options: {
      timeRange: setup.timeRange,
      ...(setup.markerWeights.size > 0 && { weights: setup.markerWeights }),
    },
    left: [...setup.coordinateWeights].flatMap(([name, weight]) => (weight > 0 ? [name] : [])),
  };
}

function readMarkers(file: string): MarkerMotion {
  if (extname(file).toLowerCase() === '.c3d') return parseC3d(readInput(file), { file: basename(file) });
  return parseTrc(readInputText(file), { file: basename(file) });
}

function asTable({ times, coordinates, values }: MarkerTracking): string {
  const n = coordinates.length;
  const rows = Array.from(times, (time, k) => [time, ...values.subarray(k * n, (k + 1) * n)]);
  return formatStorage('Coordinates', ['time', ...coordinates], rows);
}

/** Root mean square over the frames in which a marker was seen. */
function rmsOf({ errors, markers }: MarkerTracking, m: number): number {
  const seen = errors.filter((error, k) => k % markers.length === m && !Number.isNaN(error));
  return Math.sqrt(seen.reduce((sum, error) => sum + error * error, 0) / Math.max(1, seen.length));
}

function report(model: string, found: MarkerTracking) {
  const { converged, iterations, coordinates, values, times, markers, errors } = found;
  const n = coordinates.length;
  return {
    model,
    converged,
    iterations,
    error: errors.reduce((most, error) => Math.max(most, Number.isNaN(error) ? 0 : error), 0),
    times: Array.from(times),
    joints: coordinates.map((name, c) => ({ name, q: Array.from(times, (_, k) => values[k * n + c]) })),
    tasks: markers.map((name, m) => ({ name, error: rmsOf(found, m) })),
  };
}

function print(found: MarkerTracking, out: string | undefined, { coordinates }: CoordinateModel): string {
  const { times, markers, values } = found;
  const n = coordinates.length;
  const ranges = coordinates.map(({ name, rotational }, c) => {
    const all = Array.from(times, (_, k) => values[k * n + c] * (rotational ? 180 / Math.PI : 1));
    return [
      name,
      rotational ? 'degrees' : 'm',
      all.reduce((least, value) => Math.min(least, value)),
      all.reduce((most, value) => Math.max(most, value)),
    ];
  });
  return [
    `${times.length} frames, ${markers.length} markers${found.converged ? '' : '; some frames did not come to rest'}`,
    '',
    table(['coordinate', 'unit', 'least', 'most'], ranges),
    '',
    table(
      ['marker', 'rms error, mm'],
      markers.map((name, m) => [name, formatNumber(1000 * rmsOf(found, m))]),
    ),
    ...(out === undefined ? [] : ['', `Written: ${out}`]),
    '',
  ].join('\n');
}
