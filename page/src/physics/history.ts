// The past of a scene: moments that one can look at and go on from. The oldest give way to new ones.

import type { SceneCheckpoint } from 'manikin/scenes';
import type { Marks } from './hands.js';

export interface Moment {
  readonly time: number;
  readonly steps: number;
  /** How much was done to the scene until then. */
  readonly actions: number;
  readonly marks: Marks;
  readonly checkpoint: SceneCheckpoint;
}

const MOST_MOMENTS = 1800;

export class History {
  #moments: Moment[] = [];

  get moments(): readonly Moment[] {
    return this.#moments;
  }

  get from(): number {
    return this.#moments[0]?.time ?? 0;
  }

  get to(): number {
    return this.#moments.at(-1)?.time ?? 0;
  }

  add(moment: Moment): void {
    this.#moments.push(moment);
    if (this.#moments.length > MOST_MOMENTS) this.#moments.shift();
  }

  /** A past that is there already, all of it. */
  fill(moments: readonly Moment[]): void {
    this.#moments = [...moments];
  }

  /** The last moment that is not after a time; the first one where all are. */
  at(time: number): Moment | undefined {
    let [low, high] = [0, this.#moments.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#moments[middle].time <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return this.#moments[low];
  }

  /** Forgets what came after a moment: time goes on from there. */
  cutAfter(moment: Moment): void {
    const index = this.#moments.indexOf(moment);
    if (index >= 0) this.#moments.length = index + 1;
  }
}
