// The front door for one state: dynamics(mechanism) chooses the engines that its options ask for.

import type { Ranks } from '../engines/engine.js';
import { PlainDynamics } from '../engines/plain/plain-dynamics.js';
import { ParallelDynamics } from '../engines/threads/parallel-dynamics.js';
import { CompiledDynamics } from '../engines/wasm/compiled.js';
import { MechanismError } from '../mechanism/errors.js';
import { GROUND, type Mechanism } from '../mechanism/mechanism.js';
import { Dynamics, ENGINE_CHOICES, type EngineChoice, type Engines } from './checked-dynamics.js';

export {
  type Dynamics,
  type DynamicsReport,
  ENGINE_CHOICES,
  type EngineChoice,
  type FunctionReport,
} from './checked-dynamics.js';

/** Options of `dynamics`; all may be left out. */
export interface DynamicsOptions {
  /** 'auto' where left out. */
  readonly engine?: EngineChoice;
  /**
   * Threads that take part, the caller's included; 'auto' finds the number that is fastest. One where left out, and
   * 'auto' for the engine 'threads', which more than one implies.
   */
  readonly threads?: number | 'auto';
  /** For threads: the same bits whatever their number, one included. Without it results agree to rounding. */
  readonly deterministic?: boolean;
  /** Forward dynamics spread over processes that all make the same calls (manikin/mpi), instead of threads. */
  readonly ranks?: Ranks;
  /** The body at the root of forward dynamics, for free-flying mechanisms; results do not depend on it but for rounding. */
  readonly root?: string;
}

/**
 * The dynamics of a mechanism, for one state at a time.
 *
 *     const arm = dynamics(mechanism);
 *     const qdd = arm.forward(state, tau);
 *     const { t } = arm.pose(state, 'hand');
 */
export function dynamics(mechanism: Mechanism, options: DynamicsOptions = {}): Dynamics {
  return new Dynamics(mechanism, enginesFor(mechanism, options));
}

function enginesFor(mechanism: Mechanism, options: DynamicsOptions): Engines {
  const engine = chosen(options);
  const { root } = options;
  const plain = new PlainDynamics(mechanism, root === undefined ? {} : { root });
  if (options.ranks !== undefined) {
    const forward = options.ranks.engine(mechanism, plain, options.deterministic);
    return { engine, plain, forward, rest: forward.serial };
  }
  if (engine === 'plain') return { engine, plain, forward: plain, rest: plain };
  if (engine === 'threads') {
    const forward = new ParallelDynamics(mechanism, parallelOptions(options), plain);
    return { engine, plain, forward, rest: forward.serial };
  }
  const specialise = engine === 'auto' ? 'small' : engine === 'compiled' ? 'first-use' : 'never';
  const rest = new CompiledDynamics(mechanism, { specialise }, plain);
  const rooted = root !== undefined && mechanism.joints[mechanism.bodyIndex(root)].parent !== GROUND;
  if (!rooted) return { engine, plain, forward: rest, rest };
  return {
    engine,
    plain,
    forward: plain,
    rest,
    reason: 'a chosen root is computed by the plain engine, or by threads.',
  };
}

/** The engine that the options ask for. */
function chosen({ engine = 'auto', threads, deterministic, ranks, root }: DynamicsOptions): EngineChoice {
  if (!ENGINE_CHOICES.includes(engine))
    throw MechanismError.of('engine', '', `There is no engine "${engine}"; take ${ENGINE_CHOICES.join(', ')}.`);
  if (ranks !== undefined) {
    if (engine === 'auto' && threads === undefined && root === undefined) return 'auto';
    throw MechanismError.of('ranks', '', 'Where ranks compute together, leave engine, threads and root out.');
  }
  const several = (threads !== undefined && threads !== 1) || deterministic === true;
  if (!several || engine === 'threads') return engine;
  if (engine !== 'auto')
    throw MechanismError.of(
      'threads',
      '',
      `The engine "${engine}" runs on one thread; leave it out, or take "threads".`,
    );
  return 'threads';
}

function parallelOptions({ engine, threads, deterministic, root }: DynamicsOptions) {
  return {
    threads: threads ?? (engine === 'threads' ? 'auto' : 1),
    ...(deterministic !== undefined && { deterministic }),
    ...(root !== undefined && { root }),
  };
}
