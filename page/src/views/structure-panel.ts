// The tree of a mechanism: choose a body, release or lock its joint, make it the root, connect it.

import type { Physics } from '../physics/client.js';
import type { MemberView } from '../physics/protocol.js';
import type { PageState, Store } from '../store.js';
import { chosenJoint, nameOf } from './chosen-joint.js';
import { button, element, short } from './dom.js';
import type { Picking } from './picking.js';

const CONNECT_BY = [
  ['spherical', 'ball'],
  ['revolute', 'pin'],
  ['fixed', 'weld'],
] as const;
/** Milliseconds between readings. */
const BETWEEN = 200;
/** What the numbers of a joint mean, by its type: how many, and their name; the others have one kind of number. */
const PARTS: Readonly<Record<string, { readonly q: readonly Part[]; readonly v: readonly Part[] }>> = {
  floating: {
    q: [
      [4, 'orientation (w, x, y, z)'],
      [3, 'place, m'],
    ],
    v: [
      [3, 'turning, rad/s'],
      [3, 'velocity, m/s'],
    ],
  },
  spherical: { q: [[4, 'orientation (w, x, y, z)']], v: [[3, 'turning, rad/s']] },
};
type Part = readonly [number, string];

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
          const pick = button(
            member.bodies[b].name,
            () => {
              picking.pick({ member: m, body: b });
              // Where it does not stay in sight, what can be done to the body is above the tree.
              if (getComputedStyle(chosen).position !== 'sticky') chosen.scrollIntoView();
            },
            joint.name,
          );
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
      for (const { name, type, a, b } of member.loops) {
        const ends = `${a ?? 'ground'} on ${b ?? 'ground'}`;
        const release = button('Release', () => void physics.ask({ do: 'release', member: m, joint: name }));
        release.setAttribute('aria-label', `Release ${name}`);
        const own = name.startsWith(ends) ? '' : `: ${ends}`;
        loops.append(element('li', {}, element('span', {}, `${name} (${kindOf(type)})${own}`), release));
      }
    });
    if (loops.childElementCount === 0)
      loops.append(element('li', {}, 'None. A chosen body can be connected to others.'));
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
  const parts = PARTS[joint.type];
  const [position, effort] =
    joint.type === 'prismatic'
      ? [', m', 'force along its axis, N']
      : joint.nv === 1
        ? [', rad', 'torque, N m']
        : ['', ''];
  const vector = (x: Iterable<number>): string =>
    [...x].map((part) => short(Math.abs(part) < 1e-9 ? 0 : part)).join(', ');
  const list = (from: Float64Array, first: number, named: readonly Part[]): (readonly [string, string])[] => {
    let at = first;
    return named.map(([count, name]) => {
      at += count;
      return [name, vector(from.subarray(at - count, at))];
    });
  };
  const force = frame.jointForce;
  return [
    ...(joint.nv > 0
      ? [
          ...list(frame.q, q, parts?.q ?? [[joint.nq, `position${position}`]]),
          ...list(frame.v, v, parts?.v ?? [[joint.nv, `velocity${position === '' ? '' : `${position}/s`}`]]),
        ]
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

/** Moves as it likes, from the ground: there is nothing to release or to lock. */
function free({ parent, type }: MemberView['joints'][number]): boolean {
  return parent < 0 && type === 'floating';
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
  const joined =
    joint.parent < 0 ? (free(joint) ? 'moves freely, the root' : 'the root') : `of ${member.bodies[joint.parent].name}`;
  const on = free(joint) ? joined : `on joint ${joint.name} (${joint.type}), ${joined}`;
  const ofJoint = [
    button(
      'Release joint',
      () => void physics.ask({ do: 'release', ...at }),
      'The body floats away with all that hangs on it (x)',
    ),
    button(
      joint.locked ? 'Unlock joint' : 'Lock joint',
      () => void physics.ask({ do: 'lock', ...at, locked: !joint.locked }),
      'A motor holds it where it is (l)',
    ),
  ];
  chosen.append(
    element('p', {}, `${nameOf(scene!, picked)}, ${short(body.mass)} kg, ${on}.`),
    element(
      'p',
      { className: 'row' },
      ...member.loops.flatMap(({ name, a, b }) =>
        a === body.name || b === body.name
          ? button(
              `Let go: ${name}`,
              () => void physics.ask({ do: 'release', member: picked.member, joint: name }),
              `It is held by this connection (${a ?? 'ground'} on ${b ?? 'ground'})`,
            )
          : [],
      ),
      ...(free(joint) ? [] : ofJoint),
      ...(joint.parent < 0
        ? []
        : [
            button(
              'Make it the root',
              () => void physics.ask({ do: 'reroot', ...picked }),
              'Nothing moves; the tree hangs from it (t)',
            ),
          ]),
      button('Push', () => picking.push(picked), 'Away from you (p); turn the view to push from another side'),
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
