import { type CreateOptions, createMechanism } from '../mechanism/create.js';
import { ImportError, MechanismError, type Problem } from '../mechanism/errors.js';
import { Mechanism } from '../mechanism/mechanism.js';
import type { MechanismSpec } from '../mechanism/spec.js';

/** Tells where in a file something is defined: `body "arm"` -> `robot.urdf:12:5`, or undefined where it is not known. */
export type Locate = (where: string) => string | undefined;

/** createMechanism for what a file says: its problems and warnings tell the place in the file. */
export function createLocated(
  spec: MechanismSpec,
  options: CreateOptions,
  file: string | undefined,
  locate: Locate,
): Mechanism {
  const located = (problem: Problem): Problem => {
    const place = locate(problem.where) ?? file;
    if (place === undefined) return problem;
    return { ...problem, where: problem.where === '' ? place : `${place}, ${problem.where}` };
  };
  const { warnings: earlier = [], ...rest } = options;
  try {
    const mechanism = createMechanism(spec, rest);
    return new Mechanism({ ...mechanism, warnings: [...earlier, ...mechanism.warnings.map(located)] });
  } catch (error) {
    if (!(error instanceof MechanismError)) throw error;
    throw new ImportError(error.problems.map(located), `${file ?? 'The text'} does not describe a valid mechanism`);
  }
}
