// Every function through the front door, as a user calls it: arguments checked, arrays copied in and out, results given
// their arrays. Minima of many short batches taken in turn (measure.ts).

import { type Dynamics, dynamics, type EngineChoice } from '#src/dynamics/dynamics.js';
import type { EngineName, FunctionName } from '#src/engines/engine.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';
import { State } from '#src/mechanism/state.js';
import { type Machine, machine } from './machine.js';
import { measure } from './measure.js';

export interface FunctionLine {
  readonly model: string;
  /** As the front door has it, but for idDerivatives and fdDerivatives: its inverseDerivatives and forwardDerivatives. */
  readonly function: string;
  /** What runs it. */
  readonly engine: EngineName;
  /** Nanoseconds of one call: the least of all batches, and the middle one. */
  readonly ns: number;
  readonly nsMedian: number;
}

export interface FunctionsReport {
  readonly machine: Machine;
  readonly results: readonly FunctionLine[];
}

export interface FunctionsOptions {
  /** 'auto' where left out. */
  readonly engine?: EngineChoice;
  readonly rounds?: number;
  /** Told what cannot be timed, and why. */
  readonly note?: (text: string) => void;
  readonly progress?: (fraction: number) => void;
}

const SEED = 1;

/** Names of the command line's contract where they are not those of the door. */
const CONTRACT: ReadonlyMap<FunctionName, string> = new Map([
  ['inverseDerivatives', 'idDerivatives'],
  ['forwardDerivatives', 'fdDerivatives'],
]);

type Call = readonly [name: FunctionName, call: () => void];

/** The calls that are timed; the Jacobian is that of the last body. */
function callsOf(door: Dynamics, mechanism: Mechanism): readonly Call[] {
  const { nv, bodies, couplings } = mechanism;
  const rows = nv - couplings.length;
  const state = State.random(mechanism, SEED);
  const given = Float64Array.from({ length: nv }, (_, k) => Math.sin(k + 1));
  const right = given.slice(0, rows);
  const into = (numbers: number): { readonly out: Float64Array } => ({ out: new Float64Array(numbers) });
  const [vector, matrix, row, jacobian] = [into(nv), into(rows * rows), into(rows), into(6 * nv)];
  const [poses, velocities] = [into(12 * bodies.length), into(6 * bodies.length)];
  const square = (): Float64Array => new Float64Array(nv * nv);
  const derivatives = { qdd: new Float64Array(nv), dq: square(), dv: square(), dtau: square() };
  const both = { ...velocities, poses: poses.out };
  const last = bodies[bodies.length - 1].name;
  return [
    ['forward', () => void door.forward(state, given, vector)],
    ['inverse', () => void door.inverse(state, given, vector)],
    ['massMatrix', () => void door.massMatrix(state, matrix)],
    ['inverseMassMatrix', () => void door.inverseMassMatrix(state, matrix)],
    ['solve', () => void door.solve(state, right, row)],
    ['poses', () => void door.poses(state, poses)],
    ['velocities', () => void door.velocities(state, velocities)],
    ['velocities with poses', () => void door.velocities(state, both)],
    ['jacobian', () => void door.jacobian(state, last, jacobian)],
    ['jacobians', () => void door.jacobians(state, jacobian)],
    ['centroidal', () => void door.centroidal(state, jacobian)],
    ['energy', () => void door.energy(state)],
    ['inverseDerivatives', () => void door.inverseDerivatives(state, given, { out: derivatives })],
    ['forwardDerivatives', () => void door.forwardDerivatives(state, given, { out: derivatives })],
  ];
}

export async function benchFunctions(
  models: readonly { readonly name: string; readonly mechanism: Mechanism }[],
  options: FunctionsOptions = {},
): Promise<FunctionsReport> {
  const { note = () => {} } = options;
  const timed: { readonly model: string; readonly name: FunctionName; readonly call: () => void; door: Dynamics }[] =
    [];
  for (const { name: model, mechanism } of models) {
    const door = dynamics(mechanism, { engine: options.engine ?? 'auto' });
    for (const [name, call] of callsOf(door, mechanism)) {
      try {
        await door.ready(name);
        call();
        timed.push({ model, name, call, door });
      } catch (error) {
        note(`${name} of ${model} is not timed: ${(error as Error).message}`);
      }
    }
  }
  const times = measure(
    timed.map(({ name, call }) => ({ name, call })),
    options.rounds ?? 100,
    options.progress,
  );
  const results = timed.map(({ model, name, door }, i): FunctionLine => {
    const { engine } = door.report().functions.find((line) => line.name === name)!;
    return { model, function: CONTRACT.get(name) ?? name, engine, ns: times[i].ns, nsMedian: times[i].nsMedian };
  });
  for (const door of new Set(timed.map((line) => line.door))) door.dispose();
  return { machine: machine(), results };
}
