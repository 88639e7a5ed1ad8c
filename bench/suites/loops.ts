// Forward dynamics with closed loops and with coupled joints, through the front door: the linkages of ../shared/data/loops by
// code for the mechanism and by the plain engine, and Talos with its mimic joints beside the same robot without them.

import { readFileSync } from 'node:fs';
import { type Dynamics, dynamics } from '#src/dynamics/dynamics.js';
import { parseUrdf } from '#src/formats/index.js';
import { createMechanism } from '#src/mechanism/create.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';
import type { LoopSpec } from '#src/mechanism/spec.js';
import { State } from '#src/mechanism/state.js';
import { mechanismSpec, withoutCouplings } from '#src/mechanism/variants.js';
import { measure } from '../measure.js';

const DATA = new URL('../../../../../shared/data/', import.meta.url);
const LINKAGES = ['cassie_like', 'robot_delta', '5bar_linkage'];
const COUPLED = 'urdf/talos_full_v2.urdf';

const read = (path: string): string => readFileSync(new URL(path, DATA), 'utf8');

/** The URDF of a folder with the welds or pins that its yaml names ('6d': welded, '3d': origins coincide). */
function linkage(folder: string): Mechanism {
  const tree = parseUrdf(read(`loops/${folder}/robot.urdf`));
  const yaml = read(`loops/${folder}/robot.yaml`);
  const kinds = yaml.match(/'[36]d'/g) ?? [];
  const pairs = [...yaml.matchAll(/\['([^']+)', *'([^']+)'\]/g)].slice(0, kinds.length);
  // A frame is that of a link, or of the link that a joint carries.
  const bodyOf = (name: string): string => (tree.hasBody(name) ? name : tree.bodies[tree.jointIndex(name)].name);
  const loops = pairs.map(
    ([, a, b], k): LoopSpec => ({
      name: `loop${k}`,
      type: kinds[k] === "'6d'" ? 'fixed' : 'spherical',
      a: { body: bodyOf(a) },
      b: { body: bodyOf(b) },
    }),
  );
  return createMechanism({ ...mechanismSpec(tree), loops }, { inertia: 'warn' });
}

function forwardOf(name: string, door: Dynamics, state: State): { readonly name: string; readonly call: () => void } {
  const { nv } = door.mechanism;
  const given = Float64Array.from({ length: nv }, (_, k) => Math.sin(k + 1));
  const options = { out: new Float64Array(nv) };
  return { name, call: () => void door.forward(state, given, options) };
}

/** Microseconds of one call. */
const inMicroseconds = (times: readonly { readonly name: string; readonly ns: number }[]): object =>
  Object.fromEntries(times.map(({ name, ns }) => [name, Math.round(ns) / 1000]));

export function run(): object {
  const loops = LINKAGES.map((name) => {
    const mechanism = linkage(name);
    const state = new State(mechanism);
    const [code, plain] = (['auto', 'plain'] as const).map((engine) => dynamics(mechanism, { engine }));
    return {
      name,
      us: inMicroseconds(measure([forwardOf('auto', code, state), forwardOf('plain', plain, state)], 60)),
    };
  });
  const coupled = parseUrdf(read(COUPLED));
  const free = withoutCouplings(coupled);
  const state = State.random(coupled, 1);
  const times = measure([
    forwardOf('with mimic joints', dynamics(coupled), state),
    forwardOf('without', dynamics(free), new State(free).copy(state)),
  ]);
  return { loops, talos: { us: inMicroseconds(times), ratio: times[0].ns / times[1].ns } };
}
