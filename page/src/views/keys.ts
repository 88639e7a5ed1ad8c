// The keyboard does everything that the mouse does.

import type { Physics } from '../physics/client.js';
import type { Store } from '../store.js';
import { byId, element } from './dom.js';

interface Commands {
  restart(): void;
  panel(which: number): void;
}

type Key = readonly [keys: readonly string[], about: string, run: (key: string) => void];

export function listenToKeys(store: Store, physics: Physics, commands: Commands): void {
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
    [
      ['p'],
      'push the chosen body',
      chosen((member, body) => void physics.ask({ do: 'push', member, body, impulse: [20, 0, 5] })),
    ],
    [['x'], 'release its joint', chosen((member, _, joint) => void physics.ask({ do: 'release', member, joint }))],
    [
      ['l'],
      'lock or unlock its joint',
      chosen((member, body, joint) => {
        const locked = store.state.scene?.members[member].joints[body].locked !== true;
        void physics.ask({ do: 'lock', member, joint, locked });
      }),
    ],
    [
      ['g'],
      'join it to the ground by a ball joint',
      chosen((member, body) => {
        const point = store.state.scene!.members[member].bodies[body].com;
        void physics.ask({ do: 'connect', grip: { member, body, point }, to: null, joint: { type: 'spherical' } });
      }),
    ],
    [['t'], 'make it the root', chosen((member, body) => void physics.ask({ do: 'reroot', member, body }))],
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
    const found = keys.find(([names]) => names.includes(event.key));
    if (found === undefined) return;
    event.preventDefault();
    found[2](event.key);
  });
}
