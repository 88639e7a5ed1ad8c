// The state of the page. Views subscribe to it and never to each other.

import type { Frame, Grip, SceneView, ScheduleView } from './physics/protocol.js';

export interface Picked {
  readonly member: number;
  readonly body: number;
}

/** The schedule of one of the mechanisms. */
export interface MemberSchedule extends ScheduleView {
  readonly member: number;
}

export interface PageState {
  readonly scene: SceneView | undefined;
  readonly frame: Frame | undefined;
  readonly schedule: MemberSchedule | undefined;
  readonly playing: boolean;
  /** Simulated seconds a second. */
  readonly speed: number;
  readonly picked: Picked | undefined;
  /** The body that is to be connected with the next one that is picked. */
  readonly connecting: Grip | undefined;
  /** The kind of joint that connects. */
  readonly connectBy: 'spherical' | 'revolute' | 'fixed';
  readonly message: string;
  readonly colourByProcessor: boolean;
}

type Listener = (state: PageState, before: PageState) => void;

export class Store {
  #state: PageState = {
    scene: undefined,
    frame: undefined,
    schedule: undefined,
    playing: false,
    speed: 1,
    picked: undefined,
    connecting: undefined,
    connectBy: 'spherical',
    message: '',
    colourByProcessor: false,
  };
  #listeners: readonly Listener[] = [];

  get state(): PageState {
    return this.#state;
  }

  set(change: Partial<PageState>): void {
    const before = this.#state;
    this.#state = { ...before, ...change };
    for (const listener of this.#listeners) listener(this.#state, before);
  }

  /** Tells a listener what is, and what changes from now on, until what it returns is called. */
  subscribe(listener: Listener): () => void {
    this.#listeners = [...this.#listeners, listener];
    listener(this.#state, this.#state);
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }
}
