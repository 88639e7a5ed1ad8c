// A body is chosen, or becomes the other end of a connection that was begun.

import type { Vec3 } from 'manikin';
import type { Physics } from '../physics/client.js';
import type { Grip } from '../physics/protocol.js';
import type { Picked, Store } from '../store.js';

/** N s: a shove to a person. What is light is not shot away by it, and what is heavy feels it: m/s of the whole mechanism. */
const [SHOVE, LEAST, MOST] = [20, 0.25, 3];
/** Part of a push that goes upwards. */
const LIFT = 0.25;

export class Picking {
  readonly #store: Store;
  readonly #physics: Physics;
  /** Along the view, level with the ground, and upwards. */
  readonly #ways: () => { readonly away: Vec3; readonly up: Vec3 };

  constructor(store: Store, physics: Physics, ways: () => { readonly away: Vec3; readonly up: Vec3 }) {
    this.#store = store;
    this.#physics = physics;
    this.#ways = ways;
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
    if (to?.member === connecting.member && to.body === connecting.body) {
      this.#store.set({ message: 'That is the same body: choose another one to connect it with.' });
      return;
    }
    this.#store.set({ connecting: undefined, message: '' });
    const other = to === null ? null : { member: to.member, body: to.body };
    // Where nothing else says how a pin lies, what hangs on it swings as it is seen.
    const joint = connectBy === 'revolute' ? { type: connectBy, axis: bar ?? this.#ways().away } : { type: connectBy };
    void this.#physics.ask({ do: 'connect', grip: connecting, to: other, joint });
  }

  /** Pushes a body away from who looks at it, and a little upwards. */
  push({ member, body }: Picked): void {
    const bodies = this.#store.state.scene?.members[member]?.bodies ?? [];
    const mass = bodies.reduce((sum, one) => sum + one.mass, 0);
    const size = Math.max(LEAST * mass, Math.min(SHOVE, MOST * mass));
    const { away, up } = this.#ways();
    const impulse = away.map((x, k) => size * (x + LIFT * up[k])) as unknown as Vec3;
    void this.#physics.ask({ do: 'push', member, body, impulse });
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
