// Accelerations that Pinocchio gives for the benchmark mechanisms (../shared/reference/bench), in our coordinates.

import { parseDescription } from '../../src/formats/index.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { hasShared, readShared } from './shared.js';

type Coordinates = number | number[];
interface Entry {
  state: { [body: string]: { q: Coordinates; qd: Coordinates } };
  tau: { [body: string]: Coordinates };
  qdd: { [body: string]: Coordinates };
}

export interface Check {
  readonly state: State;
  readonly tau: Float64Array;
  readonly qdd: Float64Array;
}

const FILE = 'reference/bench/checks.json';
const records = hasShared(FILE)
  ? new Map(Object.entries(JSON.parse(readShared(FILE)) as { [name: string]: Entry[] }))
  : new Map<string, Entry[]>();

/** Mechanisms that have checks; none where the file is missing. */
export const CHECKED: readonly string[] = [...records.keys()];

export function checksOf(name: string): { mechanism: Mechanism; checks: Check[] } {
  const { mechanism } = parseDescription(readShared(`reference/bench/${name}.json`));
  const checks = records.get(name)!.map((record) => {
    const check = {
      state: new State(mechanism),
      tau: new Float64Array(mechanism.nv),
      qdd: new Float64Array(mechanism.nv),
    };
    mechanism.joints.forEach(({ name: joint, iv }, i) => {
      const body = mechanism.bodies[i].name;
      check.state.set(joint, record.state[body].q, record.state[body].qd);
      check.tau.set([record.tau[body]].flat(), iv);
      check.qdd.set([record.qdd[body]].flat(), iv);
    });
    return check;
  });
  return { mechanism, checks };
}
