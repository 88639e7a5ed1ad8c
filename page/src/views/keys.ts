// The keyboard does everything that the mouse does.

import type { Physics } from '../physics/client.js';
import type { Grip } from '../physics/protocol.js';
import type { Store } from '../store.js';
import { byId, element } from './dom.js';
import type { Picking } from './picking.js';
import type { Stage } from './stage.js';

interface Commands {
  restart(): void;
  follow(): void;
  panel(which: number): void;
}

/** Radians for an arrow key. */
const TURN = 0.1;
const TURNS: ReadonlyMap<string, readonly [number, number]> = new Map([
  ['ArrowLeft', [-TURN, 0]],
  ['ArrowRight', [TURN, 0]],
  ['ArrowUp', [0, TURN]],
  ['ArrowDown', [0, -TURN]],
]);
/** Part of the distance by which a key moves the view. */
const SHIFT = 0.05;
const SHIFTS: Readonly<Record<string, readonly [number, number]>> = {
  W: [0, SHIFT],
  A: [-SHIFT, 0],
  S: [0, -SHIFT],
  D: [SHIFT, 0],
};
/** Metres for a key that pulls. */
const PULL = 0.05;

type Key = readonly [keys: readonly string[], about: string, run: (key: string) => void];

export function listenToKeys(store: Store, physics: Physics, stage: Stage, picking: Picking, commands: Commands): void {
  const hand = new KeyHand(store, physics, stage);
  const seek = (by: number): void => {
    const { frame } = store.state;
    if (frame === undefined) return;
    store.set({ playing: false });
    void physics.ask({ do: 'show', time: frame.time + by });
  };
  const choose = (by: number): void => {
    const { scene, picked } = store.state;
    const all = scene?.members.flatMap(({ bodies }, member) => bodies.map((_, body) => ({ member, body }))) ?? [];
    if (all.length === 0) return;
    const at = all.findIndex(({ member, body }) => member === picked?.member && body === picked.body);
    store.set({ picked: all[(at + by + all.length) % all.length] });
  };
  /** The chosen body, or a word about what to do. */
  const chosen = (act: (member: number, body: number, joint: string) => void) => (): void => {
    const { scene, picked } = store.state;
    const joint = picked && scene?.members[picked.member]?.joints[picked.body];
    if (picked === undefined || joint === undefined) store.set({ message: 'Choose a body first (n, b).' });
    else act(picked.member, picked.body, joint.name);
  };
  const gripped = (act: (grip: Grip) => void): (() => void) =>
    chosen((member, body) => act({ member, body, point: store.state.scene!.members[member].bodies[body].com }));
  const keys: readonly Key[] = [
    [[' '], 'play or pause', () => store.set({ playing: !store.state.playing })],
    [
      ['.'],
      'one step',
      () => {
        store.set({ playing: false });
        void physics.ask({ do: 'step' });
      },
    ],
    [['ArrowLeft'], 'back in time', () => seek(-0.1)],
    [['ArrowRight'], 'forward in what was recorded', () => seek(0.1)],
    [['r'], 'from the beginning', commands.restart],
    [['n'], 'next body', () => choose(1)],
    [['b'], 'body before', () => choose(-1)],
    [['p'], 'push the chosen body, away from you', chosen((member, body) => picking.push({ member, body }))],
    [['x'], 'release its joint', chosen((member, _, joint) => void physics.ask({ do: 'release', member, joint }))],
    [
      ['l'],
      'lock or unlock its joint',
      chosen((member, body, joint) => {
        const locked = store.state.scene?.members[member].joints[body].locked !== true;
        void physics.ask({ do: 'lock', member, joint, locked });
      }),
    ],
    [['c'], 'connect it with another body: choose that one, then Enter', gripped((grip) => picking.begin(grip))],
    [['g'], 'connect it to the ground', gripped((grip) => picking.toGround(grip))],
    [['Enter'], 'connect with the chosen body', () => picking.finish(store.state.picked ?? null)],
    [['Escape'], 'do not connect', () => picking.cancel()],
    [['h'], 'take it by the hand, or let it go', gripped((grip) => hand.take(grip))],
    [['w', 'a', 's', 'd', 'e', 'q'], 'pull it away, left, near, right, up, down', (key) => hand.move(key)],
    [['t'], 'make it the root', chosen((member, body) => void physics.ask({ do: 'reroot', member, body }))],
    [['Shift+Arrow'], 'turn the view', () => undefined],
    [['W', 'A', 'S', 'D'], 'move the picture up, left, down, right (with shift)', (key) => stage.shift(...SHIFTS[key])],
    [['+', '-'], 'nearer, farther', (key) => stage.zoom(key === '+' ? 0.9 : 1 / 0.9)],
    [['f'], 'the camera follows, or not', commands.follow],
    [['o'], 'open files', () => byId('files').click()],
    [['1', '2', '3', '4', '5'], 'panels', (key) => commands.panel(Number(key) - 1)],
    [['?'], 'this list', () => byId<HTMLDialogElement>('help').showModal()],
  ];
  for (const [names, about] of keys)
    byId('keys').append(
      element('dt', {}, names.map((name) => (name === ' ' ? 'space' : name)).join(', ')),
      element('dd', {}, about),
    );
  byId('help-open').onclick = () => byId<HTMLDialogElement>('help').showModal();
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const typing =
      target.matches('input, select, textarea') || (event.key === ' ' && target.matches('button, summary'));
    if (typing || document.querySelector('dialog[open]') !== null) return;
    if (event.shiftKey && TURNS.has(event.key)) {
      stage.turn(...TURNS.get(event.key)!);
      event.preventDefault();
      return;
    }
    // Enter belongs to what has the focus, unless a connection waits for it.
    if (event.key === 'Enter' && store.state.connecting === undefined) return;
    const found = keys.find(([names]) => names.includes(event.key));
    if (found === undefined) return;
    event.preventDefault();
    found[2](event.key);
  });
}

type Place = [number, number, number];

/** Pulls a body by keys as the mouse does. */
class KeyHand {
  readonly #store: Store;
  readonly #physics: Physics;
  readonly #stage: Stage;
  #grip: Grip | undefined;
  #to: Place = [0, 0, 0];

  constructor(store: Store, physics: Physics, stage: Stage) {
    this.#store = store;
    this.#physics = physics;
    this.#stage = stage;
  }

  /** Takes a body where its centre of mass is; lets go of the one that is held. */
  take(grip: Grip): void {
    if (this.#grip !== undefined) {
      this.#grip = undefined;
      void this.#physics.ask({ do: 'drag', grip: null });
      this.#store.set({ message: 'Let go.' });
      return;
    }
    const { scene, frame } = this.#store.state;
    if (scene === undefined || frame === undefined) return;
    const before = scene.members.slice(0, grip.member).reduce((sum, { bodies }) => sum + bodies.length, 0);
    const o = 12 * (before + grip.body);
    const p = frame.poses;
    const [x, y, z] = grip.point;
    this.#grip = grip;
    this.#to = [0, 1, 2].map((k) => p[o + 9 + k] + p[o + k] * x + p[o + 3 + k] * y + p[o + 6 + k] * z) as Place;
    this.#pull('Held: w, a, s, d, e, q pull it, h lets it go.');
  }

  move(key: string): void {
    if (this.#grip === undefined) {
      this.#store.set({ message: 'Choose a body (n, b) and take it by the hand first (h).' });
      return;
    }
    const { right, up, away } = this.#stage.directions;
    const ways: Readonly<Record<string, readonly [readonly number[], number]>> = {
      w: [away, 1],
      s: [away, -1],
      d: [right, 1],
      a: [right, -1],
      e: [up, 1],
      q: [up, -1],
    };
    const [way, sign] = ways[key];
    this.#to = this.#to.map((x, k) => x + sign * PULL * way[k]) as Place;
    this.#pull();
  }

  #pull(message?: string): void {
    if (this.#grip === undefined) return;
    void this.#physics.ask({ do: 'drag', grip: this.#grip, to: this.#to });
    if (message !== undefined) this.#store.set({ message });
  }
}
