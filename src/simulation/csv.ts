import type { Mechanism } from '../mechanism/mechanism.js';
import type { Simulation } from './simulation.js';

/** Names of coordinates: the joint's, with a number where it has several. */
function coordinateNames(mechanism: Mechanism, prefix: string, count: (i: number) => number): string[] {
  return mechanism.joints.flatMap(({ name }, i) => {
    const n = count(i);
    return Array.from({ length: n }, (_, k) => csvField(`${prefix}${n === 1 ? name : `${name}[${k}]`}`));
  });
}

/** A field of a CSV file: in quotes where it must be (RFC 4180). */
export function csvField(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** First line: time, energies, positions q, velocities v. */
export function csvHeader(mechanism: Mechanism): string {
  const { joints } = mechanism;
  const q = coordinateNames(mechanism, 'q ', (i) => joints[i].model.nq);
  const v = coordinateNames(mechanism, 'v ', (i) => joints[i].model.nv);
  return `${['time', 'kinetic', 'potential', 'total', ...q, ...v].join(',')}\n`;
}

/** The present moment as a line. */
export function csvRow(simulation: Simulation): string {
  const { kinetic, potential } = simulation.energy();
  const { q, v, time } = simulation.state;
  return `${[time, kinetic, potential, kinetic + potential, ...q, ...v].join(',')}\n`;
}
