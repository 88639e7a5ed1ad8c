// Set-up files of OpenSim's tools (.xml): which model, motion, forces and markers, and how they are treated.

import { ImportError } from '../mechanism/errors.js';
import { ImportLog, quoted } from './import-log.js';
import { parseXml, type XmlElement } from './xml.js';
import { childFlag, childNumbers, childText } from './xml-text.js';

/** What a set-up file says; names of files are as it gives them, empty where it names none. */
export interface OpensimSetup {
  readonly tool: 'inverse-dynamics' | 'inverse-kinematics';
  readonly modelFile: string;
  /** Seconds. */
  readonly timeRange: readonly [number, number];
  /** Table of coordinates (.mot, .sto): the motion of inverse dynamics; values to keep near in inverse kinematics. */
  readonly coordinatesFile: string;
  /** ExternalLoads, of inverse dynamics. */
  readonly loadsFile: string;
  /** Hertz of the low-pass filter for the coordinates; null for none. */
  readonly cutoff: number | null;
  /** Markers (.trc), of inverse kinematics. */
  readonly markerFile: string;
  /** Weights of markers and coordinates that inverse kinematics uses, by name. */
  readonly markerWeights: ReadonlyMap<string, number>;
  readonly coordinateWeights: ReadonlyMap<string, number>;
  /** Where results go, by the file. */
  readonly outputFile: string;
}

const TOOLS = new Map([
  ['InverseDynamicsTool', 'inverse-dynamics'],
  ['InverseKinematicsTool', 'inverse-kinematics'],
] as const);

/** Whether a text is a set-up file, by its first elements. */
export function isOpensimSetup(text: string): boolean {
  return /<(InverseDynamicsTool|InverseKinematicsTool)[\s>]/.test(text.slice(0, 1 << 16));
}

/** Reads a set-up file of OpenSim's inverse dynamics or inverse kinematics. */
export function parseOpensimSetup(text: string, options: { readonly file?: string } = {}): OpensimSetup {
  const log = new ImportLog(options.file);
  const root = parseXml(text, log);
  for (const [name, tool] of TOOLS) {
    const element = root.name === name ? root : root.child(name);
    if (element === undefined) continue;
    const setup = readTool(element, tool);
    log.throwIfBroken();
    return setup;
  }
  throw ImportError.of('not-setup', root.place, `There is no ${[...TOOLS.keys()].join(' or ')} in <${root.name}>.`);
}

function readTool(element: XmlElement, tool: OpensimSetup['tool']): OpensimSetup {
  const file = (name: string): string => {
    const written = childText(element, name) ?? '';
    return written === 'Unassigned' ? '' : written;
  };
  const range = element.has('time_range') ? childText(element, 'time_range')! : '';
  const times = range === '' ? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] : range.split(/\s+/).map(timeOf);
  if (times.length !== 2 || times.some(Number.isNaN) || times[0] > times[1])
    element.error('time-range', `<time_range>: expected two times, the first before the second, got ${quoted(range)}.`);
  const cutoff = childNumbers(element, 'lowpass_cutoff_frequency_for_coordinates', 1)?.[0] ?? -1;
  const tasks = element.child('IKTaskSet')?.child('objects');
  const weights = (kind: string): Map<string, number> =>
    new Map(
      (tasks?.children(kind) ?? []).flatMap((task) => {
        const name = task.text('name') ?? '';
        const weight = childNumbers(task, 'weight', 1)?.[0] ?? 1;
        return childFlag(task, 'apply', true) ? [[name, weight] as const] : [];
      }),
    );
  return {
    tool,
    modelFile: file('model_file'),
    timeRange: [times[0], times[1]],
    coordinatesFile: file(tool === 'inverse-dynamics' ? 'coordinates_file' : 'coordinate_file'),
    loadsFile: file('external_loads_file'),
    cutoff: cutoff < 0 ? null : cutoff,
    markerFile: file('marker_file'),
    markerWeights: weights('IKMarkerTask'),
    coordinateWeights: weights('IKCoordinateTask'),
    outputFile: file(tool === 'inverse-dynamics' ? 'output_gen_force_file' : 'output_motion_file'),
  };
}

function timeOf(word: string): number {
  if (/^-?inf(inity)?$/i.test(word)) return word.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return /^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(word) ? Number(word) : Number.NaN;
}
