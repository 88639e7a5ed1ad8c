import { csvField, stateColumns } from '../csv.js';
import type { World } from './world.js';

/** First line of a world's table: time, energies, then positions and velocities of every member as it is now. */
export function worldCsvHeader({ members }: World): string {
  const names = members.flatMap(({ name, state: { mechanism } }) => {
    const prefix = members.length === 1 ? '' : `${name} `;
    return [
      ...stateColumns(mechanism, `${prefix}q `, ({ iq, model }) => [iq, model.nq]),
      ...stateColumns(mechanism, `${prefix}v `, ({ iv, model }) => [iv, model.nv]),
    ];
  });
  return `${['time', 'kinetic', 'potential', 'total', ...names.map(csvField)].join(',')}\n`;
}

/** The present moment as a line. After a joint was cut it has more numbers than the first line has names. */
export function worldCsvRow(world: World): string {
  const { kinetic, potential, total } = world.energy();
  const states = world.members.flatMap(({ state: { q, v } }) => [...q, ...v]);
  return `${[world.time, kinetic, potential, total, ...states].join(',')}\n`;
}
