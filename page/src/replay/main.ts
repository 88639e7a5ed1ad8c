// Plays the replay that stands in this file: the stage, the time bar and the plots of the page, without its physics.

import { parseReplay } from 'manikin/plot';
import { Store } from '../store.js';
import { byId, element } from '../views/dom.js';
import { OVERLAYS } from '../views/overlays.js';
import { replayPanel } from '../views/replay-panel.js';
import { Stage } from '../views/stage.js';
import { timeBar } from '../views/time-bar.js';
import { ReplaySource } from './source.js';

const replay = parseReplay(byId('replay').textContent);
const store = new Store();
const source = new ReplaySource(store, replay);
const stage = new Stage(byId<HTMLCanvasElement>('canvas'), {
  pick: (grip) => store.set({ picked: grip === null ? undefined : { member: grip.member, body: grip.body } }),
  drag: () => undefined,
});
byId('title').textContent = replay.title;
byId('about').textContent = replay.about;

for (const [name, title] of OVERLAYS) {
  if (name === 'joint-force' || name === 'momentum') continue;
  const box = element('input', { type: 'checkbox', checked: stage.overlays.shown.has(name), id: `overlay-${name}` });
  box.onchange = () => {
    if (box.checked) stage.overlays.shown.add(name);
    else stage.overlays.shown.delete(name);
    source.show();
  };
  byId('overlays').append(element('li', {}, element('label', {}, box, ` ${title}`)));
}

let seen = false;
store.subscribe((state, before) => {
  const { scene, frame, picked } = state;
  if (scene !== undefined && scene !== before.scene) {
    stage.arrange(scene, !seen);
    seen = true;
  }
  if (frame !== undefined && frame !== before.frame) {
    stage.show(frame);
    byId('message').textContent = frame.caption ?? '';
  }
  if (scene === undefined || (picked === before.picked && scene === before.scene)) return;
  stage.paint(scene, picked, undefined);
  byId('picked').textContent = (picked && scene.members[picked.member]?.bodies[picked.body]?.name) ?? '';
});

const seek = (time: number): void => {
  store.set({ playing: false });
  void source.ask({ do: 'show', time });
};
timeBar(store, source, () => void source.ask({ do: 'restart' }));
const panel = byId('panel');
replayPanel(panel, store, replay, seek);
if (panel.childElementCount === 0) byId('panels').hidden = true;

document.addEventListener('keydown', (event) => {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || target.matches('input, select, button, summary')) return;
  const now = store.state.frame?.time ?? 0;
  if (event.key === ' ') store.set({ playing: !store.state.playing });
  else if (event.key === '.') void source.ask({ do: 'step' });
  else if (event.key === 'r') void source.ask({ do: 'restart' });
  else if (event.key === 'ArrowLeft') seek(now - 0.1);
  else if (event.key === 'ArrowRight') seek(now + 0.1);
  else return;
  event.preventDefault();
});

store.subscribe(({ playing, speed }, before) => {
  if (playing !== before.playing || speed !== before.speed) void source.ask({ do: 'play', speed: playing ? speed : 0 });
});
source.show();
store.set({ playing: !matchMedia('(prefers-reduced-motion: reduce)').matches });
function tick(): void {
  if (store.state.playing) void source.ask({ do: 'look' });
  stage.render();
  requestAnimationFrame(tick);
}
requestAnimationFrame(tick);
