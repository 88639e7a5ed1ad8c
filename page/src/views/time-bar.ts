// Play, pause, single steps, slow motion, and the way back through what was recorded.

import type { Answers } from '../physics/protocol.js';
import type { Store } from '../store.js';
import { button, byId, element } from './dom.js';

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2];

export function timeBar(store: Store, physics: Answers, restart: () => void): void {
  const play = button('Play', () => store.set({ playing: !store.state.playing }), 'Play or pause (space)');
  play.id = 'play';
  const step = button(
    'Step',
    () => {
      store.set({ playing: false });
      void physics.ask({ do: 'step' });
    },
    'One step (.)',
  );
  step.id = 'step';
  const again = button('Restart', restart, 'From the beginning (r)');
  const speed = element('select', { id: 'speed', title: 'Speed' });
  for (const value of SPEEDS)
    speed.append(element('option', { value: String(value), selected: value === 1 }, `${value} x`));
  speed.onchange = () => store.set({ speed: Number(speed.value) });
  const scrub = element('input', {
    type: 'range',
    id: 'scrub',
    min: '0',
    max: '0',
    step: '0.001',
    'aria-label': 'Time',
  });
  scrub.oninput = () => {
    store.set({ playing: false });
    void physics.ask({ do: 'show', time: Number(scrub.value) });
  };
  const clock = element('output', { id: 'clock', 'aria-live': 'off' });
  const load = element('output', { id: 'load', 'aria-live': 'off' });
  byId('time').append(play, step, again, element('label', {}, 'Speed ', speed), scrub, clock, load);
  store.subscribe(({ playing, frame }, before) => {
    play.textContent = playing ? 'Pause' : 'Play';
    play.setAttribute('aria-pressed', String(playing));
    if (frame === undefined || frame === before.frame) return;
    scrub.min = String(frame.from);
    scrub.max = String(Math.max(frame.to, frame.time));
    scrub.value = String(frame.time);
    scrub.setAttribute('aria-valuetext', `${frame.time.toFixed(2)} seconds`);
    clock.textContent = `${frame.time.toFixed(3)} s`;
    load.textContent = frame.caption ?? costOf(frame.cost / 1000);
  });
}

/** Whether computing keeps up with the clock; `cost`: seconds for each simulated second. */
function costOf(cost: number): string {
  if (!(cost > 0)) return '';
  return cost > 1
    ? `slower than real time: 1 s takes ${cost.toPrecision(2)} s`
    : `computing takes ${cost < 0.01 ? 'less than 1' : Math.ceil(100 * cost)} % of the time`;
}
