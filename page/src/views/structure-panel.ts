// The tree of a mechanism: choose a body, release or lock its joint, make it the root, connect it.

import type { Physics } from '../physics/client.js';
import type { MemberView } from '../physics/protocol.js';
import type { PageState, Store } from '../store.js';
import { button, element, short } from './dom.js';

export const CONNECT_TYPES = [
  ['spherical', 'ball'],
  ['revolute', 'pin'],
  ['fixed', 'weld'],
] as const;

export function structurePanel(panel: HTMLElement, store: Store, physics: Physics): void {
  const chosen = element('section', { 'aria-label': 'The chosen body' });
  const tree = element('ul', { className: 'tree', 'aria-label': 'Bodies' });
  const loops = element('ul', { className: 'loops', 'aria-label': 'Connections' });
  panel.append(chosen, element('h3', {}, 'Connections'), loops, element('h3', {}, 'Tree'), tree);
  let items = new Map<string, HTMLElement>();
  const draw = ({ scene }: PageState): void => {
    items = new Map();
    tree.replaceChildren();
    loops.replaceChildren();
    if (scene === undefined) return;
    const inverted = new Set(scene.inverted);
    scene.members.forEach((member, m) => {
      const root = element('li', { className: 'member' }, member.name);
      const list = element('ul');
      const grow = (parent: number, into: HTMLElement): void => {
        member.joints.forEach((joint, b) => {
          if (joint.parent !== parent) return;
          const pick = button(member.bodies[b].name, () => store.set({ picked: { member: m, body: b } }), joint.name);
          pick.classList.add('tree-item');
          if (joint.locked) pick.append(' (locked)');
          if (inverted.has(member.bodies[b].name)) pick.classList.add('inverted');
          items.set(`${m}/${b}`, pick);
          const children = element('ul');
          into.append(element('li', {}, pick, children));
          grow(b, children);
        });
      };
      if (member.bodies.length <= 400) grow(-1, list);
      else list.append(element('li', {}, `${member.bodies.length} bodies: too many to list.`));
      root.append(list);
      tree.append(root);
      for (const { name, type } of member.loops) {
        const release = button('Release', () => void physics.ask({ do: 'release', member: m, joint: name }));
        release.setAttribute('aria-label', `Release ${name}`);
        loops.append(element('li', {}, `${name} (${type}) `, release));
      }
    });
    if (loops.childElementCount === 0) loops.append(element('li', {}, 'None. Choose a body, then "Connect".'));
  };
  store.subscribe((state, before) => {
    const anew = state.scene !== before.scene;
    if (anew) draw(state);
    if (anew || state.picked !== before.picked || state.connecting !== before.connecting)
      drawChosen(chosen, state, store, physics);
    if (!anew && state.picked === before.picked) return;
    for (const [key, item] of items)
      item.setAttribute('aria-current', String(key === `${state.picked?.member}/${state.picked?.body}`));
  });
}

function drawChosen(chosen: HTMLElement, state: PageState, store: Store, physics: Physics): void {
  const { picked, scene, connecting } = state;
  chosen.replaceChildren(element('h3', {}, 'Chosen body'));
  const member: MemberView | undefined = picked && scene?.members[picked.member];
  const body = picked && member?.bodies[picked.body];
  if (picked === undefined || member === undefined || body === undefined) {
    chosen.append(element('p', {}, 'Click a body in the scene or in the tree.'));
    return;
  }
  const joint = member.joints[picked.body];
  const at = { member: picked.member, joint: joint.name };
  chosen.append(
    element('p', {}, `${body.name}: ${short(body.mass)} kg, on joint ${joint.name} (${joint.type})`),
    element(
      'p',
      { className: 'row' },
      button(
        'Release joint',
        () => void physics.ask({ do: 'release', ...at }),
        'The body floats away with all that hangs on it',
      ),
      button(
        joint.locked ? 'Unlock joint' : 'Lock joint',
        () => void physics.ask({ do: 'lock', ...at, locked: !joint.locked }),
      ),
      button(
        'Make it the root',
        () => void physics.ask({ do: 'reroot', ...picked }),
        'Nothing moves; the tree hangs from it',
      ),
      button('Push', () => void physics.ask({ do: 'push', ...picked, impulse: [20, 0, 5] }), '20 N s to the side (p)'),
      button('Show its force', () => void physics.ask({ do: 'watch', ...at }), 'Arrows of the force in its joint'),
    ),
  );
  const type = element('select', { 'aria-label': 'Kind of connection' });
  for (const [value, text] of CONNECT_TYPES) type.append(element('option', { value }, text));
  const connect = (to: null | 'next'): void => {
    const point = body.com;
    if (to === 'next') {
      store.set({
        connecting: { ...picked, point: [...point], type: type.value },
        message: 'Now click the body to connect it with.',
      });
      return;
    }
    void physics.ask({ do: 'connect', grip: { ...picked, point }, to: null, joint: { type: type.value } as never });
  };
  const row = element(
    'p',
    { className: 'row' },
    'Connect by a ',
    type,
    button('to the ground', () => connect(null), 'Where its centre of mass is'),
    button('to another body', () => connect('next')),
  );
  chosen.append(row);
  if (connecting !== undefined)
    chosen.append(button('Do not connect', () => store.set({ connecting: undefined, message: '' })));
}
