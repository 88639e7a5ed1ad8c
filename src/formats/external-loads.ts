// OpenSim's ExternalLoads: which columns of a table are forces on which body. The table is a file of its own.

import { ImportError } from '../mechanism/errors.js';
import { ImportLog, quoted } from './import-log.js';
import { parseXml, type XmlElement } from './xml.js';
import { childFlag, childText } from './xml-text.js';

/** A measured force and the body it acts on, as OpenSim's external loads list them. */
export interface ExternalForce {
  readonly name: string;
  /** Body that it acts on. */
  readonly body: string;
  /** Body in whose coordinates force and moment are given; 'ground' for the ground. */
  readonly forceFrame: string;
  /** Body in whose coordinates the point is given. */
  readonly pointFrame: string;
  /** Columns are these with x, y and z after them; undefined where the file names none. */
  readonly force: string | undefined;
  readonly point: string | undefined;
  readonly torque: string | undefined;
}

/** OpenSim's external loads: measured forces, and the table that has their numbers. */
export interface ExternalLoads {
  readonly forces: readonly ExternalForce[];
  /** Name of the table, as the file gives it. */
  readonly dataFile: string;
}

/** Reads OpenSim's external loads (XML); the table they name is for `parseStorage`. */
export function parseExternalLoads(text: string, options: { readonly file?: string } = {}): ExternalLoads {
  const log = new ImportLog(options.file);
  const root = parseXml(text, log);
  const loads = root.name === 'ExternalLoads' ? root : root.child('ExternalLoads');
  if (loads === undefined)
    throw ImportError.of('not-loads', root.place, `There is no <ExternalLoads> in <${root.name}>.`);
  const forces = (loads.child('objects')?.children('ExternalForce') ?? []).flatMap((element) => readForce(element));
  const dataFile = childText(loads, 'datafile') ?? '';
  if (forces.length === 0) loads.error('no-forces', 'There is no <ExternalForce> that is switched on.');
  if (dataFile === '' || dataFile === 'Unassigned')
    loads.error('no-data', 'The <datafile> with the forces is not named.');
  log.throwIfBroken();
  return { forces, dataFile };
}

function readForce(element: XmlElement): ExternalForce[] {
  if (childFlag(element, 'isDisabled', false) || !childFlag(element, 'appliesForce', true)) return [];
  const name = element.text('name') ?? 'force';
  const identifier = (key: string): string | undefined => {
    const text = childText(element, key) ?? '';
    return text === '' || text === 'Unassigned' ? undefined : text;
  };
  const body = identifier('applied_to_body');
  if (body === undefined) {
    element.error('missing-element', `<ExternalForce> ${quoted(name)} needs an <applied_to_body>.`);
    return [];
  }
  const [force, torque] = [identifier('force_identifier'), identifier('torque_identifier')];
  if (force === undefined && torque === undefined)
    element.error('missing-element', `<ExternalForce> ${quoted(name)} names neither force nor torque.`);
  return [
    {
      name,
      body: pathEnd(body),
      forceFrame: pathEnd(identifier('force_expressed_in_body') ?? 'ground'),
      pointFrame: pathEnd(identifier('point_expressed_in_body') ?? 'ground'),
      force,
      point: identifier('point_identifier'),
      torque,
    },
  ];
}

function pathEnd(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
