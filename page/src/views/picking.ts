// A body is chosen, or becomes the other end of a connection that was begun.

import type { Vec3 } from 'manikin';
import type { Physics } from '../physics/client.js';
import type { Grip } from '../physics/protocol.js';
import type { Picked, Store } from '../store.js';

export class Picking {
  readonly #store: Store;
  readonly #physics: Physics;
  /** Along the view, level with the ground: where nothing else says how a pin lies, what hangs on it swings as it is seen. */
  readonly #level: () => Vec3;

  constructor(store: Store, physics: Physics, level: () => Vec3) {
    this.#store = store;
    this.#physics = physics;
    this.#level = level;
  }

  /** A body was clicked; null: the background, which is the ground to a connection; `bar`: which way a bar lies that was clicked. */
  pick(picked: Picked | null, bar?: Vec3): void {
    if (this.#store.state.connecting !== undefined) this.finish(picked, bar);
    else this.#store.set({ picked: picked ?? undefined });
  }

  /** The next body that is picked is joined to this one, at a point of it. */
  begin({ member, body, point }: Grip): void {
    this.#store.set({
      picked: { member, body },
      connecting: { member, body, point },
      message:
        'Now choose the body to connect it with (a click, or n, b and Enter); the bar, the ground, anything else: it is held there.',
    });
  }

  /** Joins the body that `begin` was given to another, or to the ground. */
  finish(to: Picked | null, bar?: Vec3): void {
    const { connecting, connectBy } = this.#store.state;
    if (connecting === undefined) return;
    this.#store.set({ connecting: undefined, message: '' });
    const other = to === null ? null : { member: to.member, body: to.body };
    const joint = connectBy === 'revolute' ? { type: connectBy, axis: bar ?? this.#level() } : { type: connectBy };
    void this.#physics.ask({ do: 'connect', grip: connecting, to: other, joint });
  }

  /** At once to the ground. */
  toGround(grip: Grip): void {
    this.#store.set({ connecting: grip });
    this.finish(null);
  }

  cancel(): void {
    if (this.#store.state.connecting !== undefined) this.#store.set({ connecting: undefined, message: '' });
  }
}
