// manikin derivatives: how joint forces and accelerations change with positions, velocities and forces.

import type { Command } from 'commander';
import { dynamics } from '../../dynamics/dynamics.js';
import { formatJson } from '../../formats/json-writer.js';
import { SimulationError } from '../../mechanism/errors.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import type { State } from '../../mechanism/state.js';
import { numericalDerivative } from '../../toolbox/index.js';
import { InputError } from '../errors.js';
import {
  chooseState,
  loadModel,
  type ModelOptions,
  randomVector,
  type StateOptions,
  withModel,
  withState,
} from '../model-argument.js';
import { formatNumber, type Terminal } from '../terminal.js';
import { columnsOf } from './frames.js';

/** Rows of matrices that are computed and printed: five of them, nine million numbers, some hundred megabytes of text. */
const MAX_ROWS = 1340;

interface Options extends ModelOptions, StateOptions {
  readonly check?: boolean;
  readonly json?: boolean;
}

export function configureDerivatives(command: Command, terminal: Terminal): void {
  withState(withModel(command))
    .option('--check', 'compare with differences of eighth order (in closed loops the derivatives of forward dynamics)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  manikin derivatives panda.urdf --seed 1 --check\n\nOf inverse dynamics (ID) at the accelerations, of forward dynamics (FD) under the forces of the state. Row i, column j: of degree of freedom i along j; floating bases and balls along their own axes.',
    )
    .action(async (name: string, options: Options) => {
      const model = await loadModel(name, options, terminal);
      const { mechanism } = model;
      const { nv } = mechanism;
      if (nv > MAX_ROWS)
        throw new InputError(
          `The derivatives of "${name}" are five matrices of ${nv} rows, ${5 * nv * nv} numbers; up to ${MAX_ROWS} rows are computed.`,
        );
      const chosen = await chooseState(model, options);
      const { seed } = options;
      const given = seed === undefined ? new Float64Array(mechanism.nv) : randomVector(mechanism, seed);
      const result = derivativesOf(mechanism, chosen.state, chosen.qdd ?? given, chosen.tau ?? given, options.check);
      if (options.json === true) {
        const columns = columnsOf(mechanism);
        terminal.out(`${formatJson({ model: name, rows: columns, columns, ...result })}\n`);
        return;
      }
      const { checkError, ...matrices } = result;
      const lines = Object.entries(matrices).map(([key, matrix]) => {
        const largest = matrix.flat().reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
        return `${key.padEnd(9)} ${mechanism.nv} x ${mechanism.nv}, largest entry ${formatNumber(largest)}`;
      });
      if (checkError !== undefined)
        lines.push(`largest difference to differences, relative: ${checkError.toExponential(1)}`);
      else if (options.check === true)
        lines.push('not checked: near this state the loops contradict each other, so there are no differences');
      terminal.out(`${lines.join('\n')}\nThe numbers: --json.\n`);
    });
}

function derivativesOf(
  mechanism: Mechanism,
  state: State,
  qdd: Float64Array,
  tau: Float64Array,
  check: boolean | undefined,
) {
  const door = dynamics(mechanism, { engine: 'plain' });
  const rows = (matrix: Float64Array): number[][] =>
    Array.from({ length: mechanism.nv }, (_, i) =>
      Array.from(matrix.subarray(i * mechanism.nv, (i + 1) * mechanism.nv)),
    );
  // In closed loops joint forces are not unique.
  const inverse = mechanism.loops.length === 0 ? door.inverseDerivatives(state, qdd) : undefined;
  const forward = door.forwardDerivatives(state, tau);
  const push = (moved: State): Float64Array => door.inverse(moved, qdd);
  const accelerate = (moved: State): Float64Array => door.forward(moved, tau);
  const checkError =
    check === true
      ? largestError(mechanism, state, [
          ...(inverse === undefined
            ? []
            : ([
                [inverse.dq, 'q', push],
                [inverse.dv, 'v', push],
              ] as const)),
          [forward.dq, 'q', accelerate],
          [forward.dv, 'v', accelerate],
        ])
      : undefined;
  return {
    ...(inverse !== undefined && { dID_dq: rows(inverse.dq), dID_dv: rows(inverse.dv) }),
    dFD_dq: rows(forward.dq),
    dFD_dv: rows(forward.dv),
    dFD_dtau: rows(forward.dtau),
    ...(checkError !== undefined && { checkError }),
  };
}

/** Long steps err where the function bends, short ones round: the best of these counts. */
const STEPS = [0.006, 0.0015, 0.0004];

/** The largest error of the matrices; undefined where the loops of all neighbouring states contradict each other. */
function largestError(
  mechanism: Mechanism,
  state: State,
  matrices: readonly (readonly [matrix: Float64Array, by: 'q' | 'v', f: (moved: State) => Float64Array])[],
): number | undefined {
  let most = 0;
  for (const [matrix, by, f] of matrices) {
    let least: number | undefined;
    for (const step of STEPS) {
      try {
        const error = apart(matrix, numericalDerivative(mechanism, state, by, f, step));
        least = Math.min(error, least ?? error);
      } catch (error) {
        if (!(error instanceof SimulationError)) throw error;
      }
    }
    if (least === undefined) return undefined;
    most = Math.max(most, least);
  }
  return most;
}

/** The largest difference of two matrices over the largest entry of the second. */
function apart(a: Float64Array, b: Float64Array): number {
  let [difference, size] = [0, 0];
  for (let k = 0; k < a.length; k++) {
    difference = Math.max(difference, Math.abs(a[k] - b[k]));
    size = Math.max(size, Math.abs(b[k]));
  }
  return size === 0 ? difference : difference / size;
}
