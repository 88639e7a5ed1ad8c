// Puts the page together: store, physics, stage, panels, keys.

import { Physics } from './physics/client.js';
import type { Grip, Request } from './physics/protocol.js';
import { Store } from './store.js';
import { controlPanel } from './views/control-panel.js';
import { button, byId, element } from './views/dom.js';
import { openDropped, openGiven } from './views/files.js';
import { listenToKeys } from './views/keys.js';
import { linkOf, readLink } from './views/link.js';
import { OVERLAYS } from './views/overlays.js';
import { processorsPanel } from './views/processors-panel.js';
import { saving } from './views/saving.js';
import { Stage } from './views/stage.js';
import { structurePanel } from './views/structure-panel.js';
import { timeBar } from './views/time-bar.js';

const store = new Store();
const physics = new Physics(store);

function pick(grip: Grip | null, connect: boolean): void {
  const { connecting } = store.state;
  if (connecting !== undefined) {
    store.set({ connecting: undefined });
    const { member, body, point, type } = connecting;
    const to = grip === null ? null : { member: grip.member, body: grip.body };
    const request = { do: 'connect', grip: { member, body, point }, to, joint: { type } } as Request;
    void physics.ask(request);
    return;
  }
  store.set({ picked: grip === null ? undefined : { member: grip.member, body: grip.body } });
  if (grip !== null && connect)
    store.set({
      connecting: { member: grip.member, body: grip.body, point: grip.point, type: 'spherical' },
      message: 'Now click the body to connect it with, or the background for the ground.',
    });
}

const stage = new Stage(byId<HTMLCanvasElement>('canvas'), {
  pick,
  drag: (grip, to) => {
    // While it plays, the spring pulls; while it stands still, there is nothing to pull in.
    void physics.ask({ do: 'drag', grip, ...(to !== undefined && { to }) });
  },
});

const scenes = byId<HTMLSelectElement>('scenes');
async function listScenes(): Promise<void> {
  const { scenes: list = [] } = await physics.ask({ do: 'list' });
  for (const group of new Set(list.map((scene) => scene.group)))
    scenes.append(
      element(
        'optgroup',
        { label: group },
        ...list.flatMap(({ name, title, group: own }) =>
          own === group ? element('option', { value: name }, title) : [],
        ),
      ),
    );
}

let current = 'bar';
async function load(name: string): Promise<void> {
  current = name;
  scenes.value = name;
  history.replaceState(null, '', `#${encodeURIComponent(name)}`);
  store.set({ picked: undefined, connecting: undefined, schedule: undefined, colourByProcessor: false, message: '' });
  const { error } = await physics.ask({ do: 'load', scene: name });
  if (error === undefined) store.set({ playing: !matchMedia('(prefers-reduced-motion: reduce)').matches });
}
scenes.onchange = () => void load(scenes.value);

/** Plots are loaded when the scene moves: the first picture does not wait for them. */
function plotsLater(panel: HTMLElement, ...given: readonly [Store, Physics]): void {
  let begun = false;
  store.subscribe(({ frame }) => {
    if (begun || frame === undefined || frame.time === 0) return;
    begun = true;
    void import('./views/plots-panel.js').then(({ plotsPanel }) => plotsPanel(panel, ...given));
  });
}

// Panels.
const panels: readonly (readonly [string, (panel: HTMLElement, store: Store, physics: Physics) => void])[] = [
  ['Structure', structurePanel],
  ['Control', controlPanel],
  ['Plots', plotsLater],
  ['Processors', processorsPanel],
];
const tabs = byId('tabs');
const shown = panels.map(([title, make], k) => {
  const id = title.toLowerCase();
  const panel = element('div', { id: `panel-${id}`, hidden: k > 0, 'aria-labelledby': `tab-${id}` });
  panel.setAttribute('role', 'tabpanel');
  const tab = button(title, () => choose(k));
  tab.id = `tab-${id}`;
  tab.setAttribute('role', 'tab');
  tabs.append(tab);
  byId('panel').append(panel);
  make(panel, store, physics);
  return { tab, panel };
});
function choose(which: number): void {
  shown.forEach(({ tab, panel }, k) => {
    panel.hidden = k !== which;
    tab.setAttribute('aria-selected', String(k === which));
  });
  store.set({});
}
choose(0);

// Overlays.
for (const [name, title] of OVERLAYS) {
  const box = element('input', { type: 'checkbox', checked: stage.overlays.shown.has(name), id: `overlay-${name}` });
  box.onchange = () => {
    if (box.checked) stage.overlays.shown.add(name);
    else stage.overlays.shown.delete(name);
    if (store.state.frame !== undefined) stage.overlays.update(store.state.frame);
  };
  byId('overlays').append(element('li', {}, element('label', {}, box, ` ${title}`)));
}
const follow = element('input', { type: 'checkbox', checked: true, id: 'overlay-follow' });
follow.onchange = () => {
  stage.follow = follow.checked;
};
byId('overlays').append(element('li', {}, element('label', {}, follow, ' Camera follows')));

timeBar(store, physics, () => void load(current));
openDropped(physics, store);
listenToKeys(store, physics, { restart: () => void load(current), panel: choose });
saving(store, physics, stage, async () => linkOf((await physics.ask({ do: 'keep' })).kept, stage.view));

let title = '';
store.subscribe((state, before) => {
  const { scene, frame, message, picked, schedule, colourByProcessor } = state;
  if (scene !== undefined && scene !== before.scene) {
    stage.arrange(scene, scene.title !== title);
    title = scene.title;
    byId('about').textContent = scene.about;
    const warnings = scene.warnings.length;
    if (warnings > 0) byId('about').append(` ${warnings} warnings: ${scene.warnings.slice(0, 3).join(' ')}`);
    if (frame !== undefined) stage.show(frame);
  } else if (frame !== undefined && frame !== before.frame) stage.show(frame);
  if (message !== before.message) byId('message').textContent = message;
  if (
    scene !== undefined &&
    (picked !== before.picked ||
      schedule !== before.schedule ||
      scene !== before.scene ||
      colourByProcessor !== before.colourByProcessor)
  ) {
    stage.highlight(undefined);
    stage.colour(scene, colourByProcessor && schedule !== undefined ? new Map(schedule.owners) : undefined);
    stage.highlight(picked);
    const body = picked && scene.members[picked.member]?.bodies[picked.body];
    byId('picked').textContent = body === undefined ? '' : body.name;
  }
});

// The clock: asks for as much simulated time as has passed, one request at a time.
let last = performance.now();
function tick(now: number): void {
  const passed = Math.min(0.1, (now - last) / 1000);
  last = now;
  const { playing, speed } = store.state;
  if (playing && physics.busy === 0) void physics.ask({ do: 'advance', seconds: passed * speed });
  stage.render();
  requestAnimationFrame(tick);
}

async function begin(): Promise<void> {
  await listScenes();
  const link = readLink(location.hash);
  if (link?.kept !== undefined) {
    current = link.kept.scene;
    scenes.value = current;
    const { error } = await physics.ask({ do: 'restore', kept: link.kept });
    if (error === undefined) {
      if (link.view !== undefined) stage.view = link.view;
      return;
    }
  }
  if (link === undefined && (await openGiven(physics, store))) return;
  await load(link?.scene ?? 'bar');
}
void begin();
requestAnimationFrame(tick);
