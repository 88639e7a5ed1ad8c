import type { Mechanism } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';
import { carriedOver } from '../mechanism/structure.js';
import { withBase, withoutCouplings } from '../mechanism/variants.js';

export interface Model {
  readonly mechanism: Mechanism;
  /** The state that came with the file, or the neutral one. */
  readonly state: State;
}

/** What can be asked of any model, whatever kind of file it comes from. */
export interface AdaptOptions {
  /** How the roots hang from the ground (default: as the model says; a URDF is fixed). */
  readonly base?: 'fixed' | 'floating';
  /** Whether mimic joints follow others (default) or move by themselves. */
  readonly mimic?: 'couple' | 'ignore';
}

/** The model on the base that is asked for, with or without its couplings; the state is carried over. */
export function adapted(model: Model, { base, mimic }: AdaptOptions): Model {
  let { mechanism } = model;
  if (mimic === 'ignore') mechanism = withoutCouplings(mechanism);
  if (base !== undefined && mechanism.joints.some(({ parent, type }) => parent < 0 && type !== base))
    mechanism = withBase(mechanism, base);
  return mechanism === model.mechanism ? model : { mechanism, state: carriedOver(model.state, mechanism) };
}
