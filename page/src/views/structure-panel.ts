// The tree of a mechanism: choose a body, release or lock its joint, make it the root, connect it.

import type { Physics } from '../physics/client.js';
import type { MemberView } from '../physics/protocol.js';
import type { PageState, Store } from '../store.js';
import { chosenJoint } from './chosen-joint.js';
import { button, element, short } from './dom.js';
import type { Picking } from './picking.js';

const CONNECT_BY = [
  ['spherical', 'ball'],
  ['revolute', 'pin'],
  ['fixed', 'weld'],
] as const;
/** Milliseconds between readings. */
const BETWEEN = 200;

export function structurePanel(panel: HTMLElement, store: Store, physics: Physics, picking: Picking): void {
  const reading = element('dl', { className: 'facts', id: 'reading' });
  const chosen = element('section', { id: 'chosen', 'aria-label': 'The chosen body' });
  const tree = element('ul', { className: 'tree', 'aria-label': 'Bodies' });
  const loops = element('ul', { className: 'loops', 'aria-label': 'Connections' });
  panel.append(chosen, reading, element('h3', {}, 'Connections'), loops, element('h3', {}, 'Tree'), tree);
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
          const pick = button(member.bodies[b].name, () => picking.pick({ member: m, body: b }), joint.name);
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
        loops.append(element('li', {}, `${name} (${kindOf(type)}) `, release));
      }
    });
    if (loops.childElementCount === 0) loops.append(element('li', {}, 'None. Choose a body, then "Connect".'));
  };
  let last = 0;
  const read = (state: PageState, now: boolean): void => {
    if (panel.hidden || (!now && state.playing && performance.now() - last < BETWEEN)) return;
    last = performance.now();
    reading.replaceChildren(
      ...readings(state).flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
    );
  };
  store.subscribe((state, before) => {
    const anew = state.scene !== before.scene;
    if (anew) draw(state);
    if (anew || state.picked !== before.picked || state.connecting !== before.connecting)
      drawChosen(chosen, state, store, physics, picking);
    read(state, anew || state.picked !== before.picked);
    if (!anew && state.picked === before.picked) return;
    for (const [key, item] of items)
      item.setAttribute('aria-current', String(key === `${state.picked?.member}/${state.picked?.body}`));
  });
}

/** In words that people use. */
function kindOf(type: string): string {
  return CONNECT_BY.find(([name]) => name === type)?.[1] ?? type;
}

/** What can be read of the chosen joint now. */
function readings(state: PageState): (readonly [string, string])[] {
  const { frame } = state;
  const found = chosenJoint(state);
  if (found === undefined || frame === undefined || frame.q.length === 0) return [];
  const { joint, q, v } = found;
  const [position, effort] =
    joint.type === 'prismatic'
      ? [', m', 'force along its axis, N']
      : joint.nv === 1
        ? [', rad', 'torque, N m']
        : ['', ''];
  const list = (from: Float64Array, at: number, count: number): string =>
    [...from.subarray(at, at + count)].map(short).join(', ');
  const force = frame.jointForce;
  const vector = (x: readonly number[]): string => x.map((part) => short(Math.abs(part) < 1e-9 ? 0 : part)).join(', ');
  return [
    ...(joint.nv > 0
      ? ([
          [`position${position}`, list(frame.q, q, joint.nq)],
          [`velocity${position === '' ? '' : `${position}/s`}`, list(frame.v, v, joint.nv)],
        ] as const)
      : []),
    ...(force === undefined
      ? []
      : ([
          ...(force.effort === undefined ? [] : [[effort, short(force.effort)] as const]),
          ['force, N', vector(force.along.force)],
          ['moment, N m', vector(force.along.moment)],
        ] as const)),
  ];
}

function drawChosen(chosen: HTMLElement, state: PageState, store: Store, physics: Physics, picking: Picking): void {
  const { picked, scene, connecting, connectBy } = state;
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
    ),
  );
  const type = element('select', { 'aria-label': 'Kind of connection', id: 'connect-by' });
  for (const [value, text] of CONNECT_BY) type.append(element('option', { value }, text));
  type.value = connectBy;
  type.onchange = () => store.set({ connectBy: type.value as PageState['connectBy'] });
  const grip = { ...picked, point: body.com };
  chosen.append(
    element(
      'p',
      { className: 'row' },
      'Connect by a ',
      type,
      button('to the ground', () => picking.toGround(grip), 'Where its centre of mass is (g)'),
      button('to another body', () => picking.begin(grip), 'Choose the other one next (c)'),
    ),
  );
  if (connecting !== undefined) chosen.append(button('Do not connect', () => picking.cancel(), 'Escape'));
}
