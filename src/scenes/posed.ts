import type { State } from '../mechanism/state.js';
import type { ScenePose } from './scene.js';

/** A state with the positions of a scene in it. */
export function posed(state: State, pose: ScenePose): State {
  for (const [name, q] of Object.entries(pose)) state.set(name, q);
  return state.applyCouplings();
}
