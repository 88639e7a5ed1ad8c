// Puts the page together: store, physics, stage, panels, keys.

import type { Gallery } from './gallery/gallery.js';
import { GALLERY, type GalleryName, galleryNamed } from './gallery/names.js';
import { Physics } from './physics/client.js';
import type { Frame, Request, SceneView } from './physics/protocol.js';
import { type Picked, Store } from './store.js';
import { nameOf } from './views/chosen-joint.js';
import { controlPanel } from './views/control-panel.js';
import { button, byId, element } from './views/dom.js';
import { type Open, openDropped, openGiven } from './views/files.js';
import { listenToKeys } from './views/keys.js';
import { linkOf, readLink, type View } from './views/link.js';
import { OVERLAYS } from './views/overlays.js';
import { Picking } from './views/picking.js';
import { showProblems } from './views/problems.js';
import { processorsPanel } from './views/processors-panel.js';
import { saving } from './views/saving.js';
import { Stage } from './views/stage.js';
import { structurePanel } from './views/structure-panel.js';
import { timeBar } from './views/time-bar.js';

const store = new Store();
const physics = new Physics(store);

const stage = new Stage(byId<HTMLCanvasElement>('canvas'), {
  pick: (grip, connect, bar) => {
    if (grip !== null && connect && store.state.connecting === undefined) picking.begin(grip);
    else picking.pick(grip && { member: grip.member, body: grip.body }, bar);
  },
  drag: (grip, to) => {
    if (grip === null || store.state.playing) void physics.ask({ do: 'drag', grip, ...(to !== undefined && { to }) });
    else store.set({ message: 'It stands still. Let it play, then pull.' });
  },
});

const picking = new Picking(store, physics, () => stage.directions);

const scenes = byId<HTMLSelectElement>('scenes');
/** What is no scene of the list: a file that was opened. */
const opened = element('option', { value: '', hidden: true });
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
  scenes.append(opened);
  const views = GALLERY.map(({ name, title: text }) => element('option', { value: `gallery:${name}` }, text));
  scenes.append(element('optgroup', { label: 'Gallery' }, ...views));
}

/** Another scene from here on, or the same one from its beginning. */
async function start(request: Request): Promise<boolean> {
  store.set({ connecting: undefined, message: '', ...(request.do !== 'restart' && { schedule: undefined }) });
  const { error, problems = [] } = await physics.ask(request);
  if (error === undefined) begins();
  else if (problems.length > 0) {
    store.set({ message: '' });
    showProblems('The file cannot be opened', problems);
  }
  return error === undefined;
}

/** It plays, unless people want things to stand still. */
function begins(): void {
  store.set({ playing: !matchMedia('(prefers-reduced-motion: reduce)').matches });
  run();
}

async function load(name: string): Promise<boolean> {
  scenes.value = name;
  history.replaceState(null, '', `#${encodeURIComponent(name)}`);
  store.set({ picked: undefined });
  const view = galleryNamed(name);
  if (view !== undefined) {
    await openGallery(view);
    return true;
  }
  gallery?.close();
  return start({ do: 'load', scene: name });
}
scenes.onchange = () => void load(scenes.value);

// The gallery is loaded when one of its views is chosen.
let gallery: Gallery | undefined;
async function openGallery(view: GalleryName, files: Parameters<Open>[1] = []): Promise<void> {
  const { Gallery } = await import('./gallery/gallery.js');
  gallery ??= new Gallery(byId('panel-gallery'), store, {
    play: (replay) => {
      physics.play(replay);
      begins();
    },
    load: (scene) => void start({ do: 'load', scene }),
    list: galleryPanel,
    follow: (own) => {
      gallery?.close();
      choose(0);
      void (own.length === 0 ? load('follow') : start({ do: 'follow', files: own }));
    },
    seek: (time) => {
      store.set({ playing: false });
      void physics.ask({ do: 'show', time });
    },
  });
  choose(panels.length - 1);
  gallery.open(view, files);
}

const open: Open = async (name, files) => {
  // Who opens a captured motion wants to see it, and not a limp figure.
  const motion = files.some(([path]) => /\.(bvh|mot|sto)$/i.test(path));
  if (motion) await openGallery('motion', files);
  // What is there stays there, where nothing comes instead.
  else if (await start({ do: 'open', name, files })) gallery?.close();
  else return;
  scenes.value = '';
  history.replaceState(null, '', location.pathname);
  store.set({ picked: undefined });
};

const restart = (): void => void start({ do: 'restart' });

/** Plots are loaded when the scene moves or they are looked at: the first picture does not wait for them. */
function plotsLater(panel: HTMLElement, ...given: readonly [Store, Physics]): void {
  let begun = false;
  // What comes while they are loaded is part of them, too.
  let frames: Frame[] = [];
  const leave = store.subscribe(({ scene, frame }, before) => {
    if (scene?.title !== before.scene?.title) frames = [];
    if (frame !== undefined && frame !== before.frame) frames.push(frame);
    if (begun || (panel.hidden && (frame === undefined || frame.time === 0))) return;
    begun = true;
    void import('./views/plots-panel.js').then(({ plotsPanel }) => {
      leave();
      plotsPanel(panel, ...given, frames);
    });
  });
}

// Panels.
const panels: readonly (readonly [string, (panel: HTMLElement, store: Store, physics: Physics) => void])[] = [
  ['Structure', (panel) => structurePanel(panel, store, physics, picking)],
  ['Control', (panel) => controlPanel(panel, store, physics, () => void load('follow'))],
  ['Plots', plotsLater],
  ['Processors', processorsPanel],
  ['Gallery', galleryPanel],
];
function galleryPanel(panel: HTMLElement): void {
  panel.replaceChildren(
    ...GALLERY.map(({ name, title: text, about }) =>
      element(
        'p',
        {},
        button(text, () => void load(`gallery:${name}`)),
        element('br'),
        about,
      ),
    ),
  );
}
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
/** How far down each panel is read. */
const scrolled = panels.map(() => 0);
function choose(which: number): void {
  const before = shown.findIndex(({ panel }) => !panel.hidden);
  if (before >= 0) scrolled[before] = byId('panel').scrollTop;
  shown.forEach(({ tab, panel }, k) => {
    panel.hidden = k !== which;
    tab.setAttribute('aria-selected', String(k === which));
  });
  byId('panel').scrollTop = scrolled[which];
  store.set({});
}
choose(0);

// Overlays.
for (const [name, title] of OVERLAYS) {
  const box = element('input', { type: 'checkbox', checked: stage.overlays.shown.has(name), id: `overlay-${name}` });
  box.onchange = () => {
    if (box.checked) stage.overlays.shown.add(name);
    else stage.overlays.shown.delete(name);
    if (store.state.frame !== undefined) stage.show(store.state.frame);
  };
  byId('overlays').append(element('li', {}, element('label', {}, box, ` ${title}`)));
}
const follow = element('input', { type: 'checkbox', checked: true, id: 'overlay-follow' });
follow.onchange = () => {
  stage.follow = follow.checked;
};
byId('overlays').append(element('li', {}, element('label', {}, follow, ' Camera follows')));
function lookFrom(view: View): void {
  stage.view = view;
  stage.follow = false;
  follow.checked = false;
}

// A menu closes when something else is clicked, or by Escape.
const menus = document.querySelectorAll<HTMLDetailsElement>('details.menu');
function closeMenus(except: EventTarget | null): void {
  for (const menu of menus) if (!(except instanceof Node && menu.contains(except))) menu.open = false;
}
document.addEventListener('pointerdown', ({ target }) => closeMenus(target), { capture: true });
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') closeMenus(null);
});

timeBar(store, physics, restart);
openDropped(store, open);
listenToKeys(store, physics, stage, picking, { restart, panel: choose, follow: () => follow.click() });
saving(store, physics, stage, async () => linkOf((await physics.ask({ do: 'keep' })).kept, stage.view));

/** The force in the joint of the chosen body is shown. */
let watched = '';
function watch({ members }: SceneView, picked: Picked | undefined): void {
  const joint = (picked && members[picked.member]?.joints[picked.body]?.name) ?? null;
  const key = joint === null ? '' : `${picked?.member}/${joint}`;
  if (key === watched) return;
  watched = key;
  void physics.ask({ do: 'watch', member: picked?.member ?? 0, joint });
}

/** The module that does nothing: a policy without 'wasm-unsafe-eval' refuses it as any other. */
const EMPTY_MODULE = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);
let plainly = '';
try {
  new WebAssembly.Module(EMPTY_MODULE);
} catch {
  plainly = ' WebAssembly is not allowed here: the plain engine computes, with the same bits, slower.';
}

let title = '';
store.subscribe((state, before) => {
  const { scene, frame, message, picked, schedule, colourByProcessor } = state;
  if (scene !== undefined && scene !== before.scene) {
    stage.arrange(scene, scene.title !== title);
    title = scene.title;
    opened.textContent = title;
    if (frame !== undefined) stage.show(frame);
    const squares = stage.square === 1 ? '' : ` A square of the grid is ${stage.square} m.`;
    byId('about').textContent = `${scene.about.replace(/\w$/, '$&.')}${squares}${plainly}`;
    const { warnings } = scene;
    if (warnings.length > 0)
      byId('about').append(
        ' ',
        button(`${warnings.length} warning${warnings.length > 1 ? 's' : ''}`, () => showProblems('Warnings', warnings)),
      );
  } else if (frame !== undefined && frame !== before.frame) stage.show(frame);
  if (message !== before.message) byId('message').textContent = message;
  if (
    scene !== undefined &&
    (picked !== before.picked ||
      schedule !== before.schedule ||
      scene !== before.scene ||
      colourByProcessor !== before.colourByProcessor)
  ) {
    stage.paint(scene, picked, colourByProcessor ? schedule : undefined);
    byId('picked').textContent = nameOf(scene, picked);
    watch(scene, picked);
  }
});

// The physics has its own clock, which stands still while nobody sees the page.
function run(): void {
  const { playing, speed } = store.state;
  void physics.ask({ do: 'play', speed: playing && !document.hidden ? speed : 0 });
}
store.subscribe(({ playing, speed }, before) => {
  if (playing !== before.playing || speed !== before.speed) run();
});
document.addEventListener('visibilitychange', run);

/** Once a picture: shows the last frame that came, and asks for the next. */
let looking = false;
function tick(): void {
  if (store.state.playing && !looking) {
    looking = true;
    void physics.ask({ do: 'look' }).then(() => {
      looking = false;
    });
  }
  stage.render();
  requestAnimationFrame(tick);
}

/** What the address says: a moment, a scene, or nothing; then what the command was given. */
async function begin(): Promise<void> {
  const link = await readLink(location.hash);
  let wrong = link === undefined && location.hash.length > 1 ? 'This link cannot be read.' : '';
  if (link?.kept !== undefined) {
    scenes.value = link.kept.scene;
    const { error } = await physics.ask({ do: 'restore', kept: link.kept });
    if (error === undefined) {
      if (link.view !== undefined) lookFrom(link.view);
      return;
    }
    wrong = error;
  } else if (link === undefined && wrong === '' && (await openGiven(open))) return;
  // An address that names nothing leads to the first scene, and says so.
  if (!(await load(link?.scene ?? 'bar'))) {
    wrong = store.state.message;
    await load('bar');
  }
  if (wrong !== '') store.set({ message: wrong });
}
window.addEventListener('hashchange', () => void begin());
void listScenes().then(begin);
requestAnimationFrame(tick);
