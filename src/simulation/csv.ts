import type { Joint, Mechanism } from '../mechanism/mechanism.js';
import type { Simulation } from './simulation.js';

/** Names of coordinates as they stand in q or v: the joint's, with a number where it has several. */
export function stateColumns(mechanism: Mechanism, prefix: string, at: (joint: Joint) => [number, number]): string[] {
  const inOrder = [...mechanism.joints].sort((a, b) => at(a)[0] - at(b)[0]);
  return inOrder.flatMap((joint) => {
    const { name } = joint;
    const [, n] = at(joint);
    return Array.from({ length: n }, (_, k) => `${prefix}${n === 1 ? name : `${name}[${k}]`}`);
  });
}

/** A field of a CSV file: in quotes where it must be (RFC 4180). */
export function csvField(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** First line: time, energies, positions q, velocities v. */
export function csvHeader(mechanism: Mechanism): string {
  const q = stateColumns(mechanism, 'q ', ({ iq, model }) => [iq, model.nq]);
  const v = stateColumns(mechanism, 'v ', ({ iv, model }) => [iv, model.nv]);
  return `${['time', 'kinetic', 'potential', 'total', ...q, ...v].map(csvField).join(',')}\n`;
}

/** The present moment as a line. */
export function csvRow(simulation: Simulation): string {
  const { kinetic, potential } = simulation.energy();
  const { q, v, time } = simulation.state;
  return `${[time, kinetic, potential, kinetic + potential, ...q, ...v].join(',')}\n`;
}
