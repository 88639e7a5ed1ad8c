// A body is chosen, or becomes the other end of a connection that was begun.

import type { Physics } from '../physics/client.js';
import type { Grip, Request } from '../physics/protocol.js';
import type { Picked, Store } from '../store.js';

export class Picking {
  readonly #store: Store;
  readonly #physics: Physics;

  constructor(store: Store, physics: Physics) {
    this.#store = store;
    this.#physics = physics;
  }

  /** A body was clicked; null: the background, which is the ground to a connection. */
  pick(picked: Picked | null): void {
    if (this.#store.state.connecting !== undefined) this.finish(picked);
    else this.#store.set({ picked: picked ?? undefined });
  }

  /** The next body that is picked is joined to this one, at a point of it. */
  begin({ member, body, point }: Grip): void {
    this.#store.set({
      picked: { member, body },
      connecting: { member, body, point },
      message: 'Now choose the body to connect it with (a click, or n, b and Enter); the background is the ground.',
    });
  }

  /** Joins the body that `begin` was given to another, or to the ground. */
  finish(to: Picked | null): void {
    const { connecting, connectBy } = this.#store.state;
    if (connecting === undefined) return;
    this.#store.set({ connecting: undefined, message: '' });
    const other = to === null ? null : { member: to.member, body: to.body };
    const request = { do: 'connect', grip: connecting, to: other, joint: { type: connectBy } } as Request;
    void this.#physics.ask(request);
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
