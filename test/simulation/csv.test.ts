import { describe, expect, it } from 'vitest';
import { createMechanism } from '../../src/mechanism/create.js';
import { State } from '../../src/mechanism/state.js';
import { csvHeader, csvRow } from '../../src/simulation/csv.js';
import { Simulation } from '../../src/simulation/simulation.js';
import { BALL } from '../mechanism/support.js';

/** The fields of one line, by RFC 4180. */
function fields(line: string): string[] {
  const found: string[] = [];
  for (const [, quoted, plain] of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",\n]*))/g))
    found.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
  return found;
}

const mechanism = createMechanism({
  bodies: ['a', 'b', 'c', 'd'].map((name) => ({ name, mass: 1, com: [0.1, 0, 0], inertia: BALL })),
  joints: [
    { name: 'hip, left', parent: null, child: 'a', type: 'spherical' },
    { name: 'the "elbow"', parent: 'a', child: 'b', type: 'revolute' },
    { name: 'weld', parent: 'b', child: 'c', type: 'fixed' },
    { name: 'screen\nwiper', parent: 'c', child: 'd', type: 'universal', axis: [1, 0, 0] },
  ],
});

describe('csv', () => {
  it('names every coordinate, quoted where need be', () => {
    const header = csvHeader(mechanism);
    expect(header.endsWith('\n')).toBe(true);
    expect(header).toContain('"q hip, left[0]"');
    expect(header).toContain('"q the ""elbow"""');
    expect(fields(header)).toEqual([
      ...['time', 'kinetic', 'potential', 'total'],
      ...[0, 1, 2, 3].map((k) => `q hip, left[${k}]`),
      'q the "elbow"',
      ...[0, 1].map((k) => `q screen\nwiper[${k}]`),
      ...[0, 1, 2].map((k) => `v hip, left[${k}]`),
      'v the "elbow"',
      ...[0, 1].map((k) => `v screen\nwiper[${k}]`),
    ]);
  });

  it('has a row of as many numbers, exact to the last bit', () => {
    const simulation = new Simulation(mechanism, { state: State.random(mechanism, 1) });
    simulation.step();
    const row = csvRow(simulation);
    expect(row.endsWith('\n')).toBe(true);
    const numbers = row.trimEnd().split(',').map(Number);
    expect(numbers).toHaveLength(fields(csvHeader(mechanism)).length);
    const { kinetic, potential } = simulation.energy();
    const { q, v, time } = simulation.state;
    expect(numbers).toEqual([time, kinetic, potential, kinetic + potential, ...q, ...v]);
  });
});
