/** One thing that is wrong, or worth knowing, with its place. */
export interface Problem {
  /** Machine-readable kind, e.g. `duplicate-name`. */
  readonly code: string;
  /** Where: `body "left_arm"`, `robot.urdf:12:5`. */
  readonly where: string;
  /** One sentence that tells the user what to do. */
  readonly message: string;
}

export function formatProblem(problem: Problem): string {
  return problem.where === '' ? problem.message : `${problem.where}: ${problem.message}`;
}

function summary(what: string, problems: readonly Problem[]): string {
  if (problems.length === 1) return formatProblem(problems[0]);
  const shown = problems.slice(0, 20).map((problem) => `  ${formatProblem(problem)}`);
  if (problems.length > shown.length) shown.push(`  and ${problems.length - shown.length} more`);
  return `${what}: ${problems.length} problems\n${shown.join('\n')}`;
}

/** A mechanism, or a request about one, that makes no sense. Carries every problem found, not only the first. */
export class MechanismError extends Error {
  override readonly name = 'MechanismError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], what = 'The mechanism is not valid') {
    super(summary(what, problems));
    this.problems = problems;
  }

  /** An error of one problem. */
  static of(code: string, where: string, message: string): MechanismError {
    return new MechanismError([{ code, where, message }]);
  }
}

/** A file or text that cannot be read as what it claims to be. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], what = 'The file cannot be read') {
    super(summary(what, problems));
    this.problems = problems;
  }

  /** An error of one problem. */
  static of(code: string, where: string, message: string): ImportError {
    return new ImportError([{ code, where, message }]);
  }
}

/** A computation that cannot go on: a singular mass matrix, a number that is not finite. */
export class SimulationError extends Error {
  override readonly name = 'SimulationError';
  readonly code: string;
  readonly body: string | undefined;
  readonly joint: string | undefined;
  readonly time: number | undefined;

  constructor(code: string, message: string, at: { body?: string; joint?: string; time?: number } = {}) {
    super(message);
    this.code = code;
    this.body = at.body;
    this.joint = at.joint;
    this.time = at.time;
  }
}
