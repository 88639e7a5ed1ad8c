import { Mechanism } from '../mechanism/mechanism.js';
import type { ModelData } from '../mechanism/model-data.js';
import type { State } from '../mechanism/state.js';
import { carriedOver } from '../mechanism/structure.js';
import { withBase, withoutCouplings } from '../mechanism/variants.js';

/** A mechanism in a state, with what else its file says: MJCF has named states, actuators, sensors and more. */
export interface Model extends Partial<ModelData> {
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
  /** Whether loops are closed (default) or left open: the tree alone. */
  readonly loops?: 'close' | 'open';
}

/** The model on the base that is asked for, with or without its couplings; the state is carried over. */
export function adapted(model: Model, { base, mimic, loops }: AdaptOptions): Model {
  let { mechanism } = model;
  if (loops === 'open' && mechanism.loops.length > 0) mechanism = new Mechanism({ ...mechanism, loops: [] });
  if (mimic === 'ignore') mechanism = withoutCouplings(mechanism);
  if (base !== undefined && mechanism.joints.some(({ parent, type }) => parent < 0 && type !== base))
    mechanism = withBase(mechanism, base);
  if (mechanism === model.mechanism) return model;
  const { keyframes } = model;
  return {
    ...model,
    mechanism,
    state: carriedOver(model.state, mechanism),
    ...(keyframes && { keyframes: keyframes.map((key) => ({ ...key, state: carriedOver(key.state, mechanism) })) }),
  };
}
