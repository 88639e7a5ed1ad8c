// How processors share the work: the schedule, its predicted timeline, and what the threads of this machine really do.

import type { Physics } from '../physics/client.js';
import type { ScheduleReply, ScheduleRequest, ScheduleView, Span } from '../physics/protocol.js';
import type { Store } from '../store.js';
import { button, element, short } from './dom.js';
import { PROCESSOR_COLOURS } from './stage.js';

/** Milliseconds between timelines that are measured again and again. */
const BETWEEN = 400;
/** Ticks of the clock in a step below which its pieces are coarse. */
const COARSE = 20;

/** The worker of schedules: one request at a time, the last of those that wait. */
class Schedules {
  #worker: Worker | undefined;
  #next = 1;

  ask(mechanism: string, processors: number, measure: boolean): Promise<ScheduleReply> {
    this.#worker ??= new Worker(new URL('../physics/schedule-worker.ts', import.meta.url), { type: 'module' });
    const worker = this.#worker;
    const id = this.#next++;
    return new Promise((done) => {
      const answered = ({ data }: MessageEvent<ScheduleReply>): void => {
        if (data.id !== id) return;
        worker.removeEventListener('message', answered);
        done(data);
      };
      worker.addEventListener('message', answered);
      const request: ScheduleRequest = { id, mechanism, processors, measure };
      worker.postMessage(request);
    });
  }
}

export function processorsPanel(panel: HTMLElement, store: Store, physics: Physics): void {
  const schedules = new Schedules();
  const count = element('input', { type: 'number', id: 'processors', min: '1', max: '64', value: '2' });
  const paint = element('input', { type: 'checkbox', checked: true });
  const live = element('input', { type: 'checkbox', id: 'live' });
  const result = element('div', { id: 'schedule', 'aria-live': 'polite' });
  let asking = false;
  const find = async (measure: boolean): Promise<void> => {
    if (asking) return;
    asking = true;
    const processors = Math.min(64, Math.max(1, Math.trunc(Number(count.value)) || 1));
    const { scene } = store.state;
    const { mechanism } = await physics.ask({ do: 'describe', member: store.state.picked?.member ?? 0 });
    if (mechanism !== undefined) {
      if (store.state.schedule === undefined) store.set({ message: 'Looking for the best schedule ...' });
      const { schedule, error } = await schedules.ask(mechanism, processors, measure);
      // Of a scene that has changed meanwhile it says nothing.
      if (store.state.scene === scene) store.set({ ...(schedule && { schedule }), message: error ?? '' });
    }
    asking = false;
  };
  const goOn = async (): Promise<void> => {
    while (live.checked) {
      if (!panel.hidden && !document.hidden) await find(true);
      await new Promise((done) => setTimeout(done, BETWEEN));
    }
  };
  count.onchange = () => void find(live.checked);
  live.onchange = () => void goOn();
  paint.onchange = () => store.set({ colourByProcessor: paint.checked && store.state.schedule !== undefined });
  panel.append(
    element(
      'p',
      { className: 'row' },
      element('label', {}, 'Processors ', count),
      button('Schedule', () => void find(false)),
      button('Run on threads', () => void find(true), 'Measure the same program on the threads of this machine'),
    ),
    element(
      'p',
      { className: 'row' },
      element('label', {}, live, ' measure all the time'),
      element('label', {}, paint, ' colour bodies by processor'),
    ),
    result,
  );
  store.subscribe(({ schedule, scene }, before) => {
    // Another structure has another schedule.
    if (scene !== before.scene && schedule !== undefined && schedule === before.schedule && !panel.hidden)
      void find(live.checked);
    if (schedule === before.schedule) return;
    if (schedule === undefined) {
      result.replaceChildren();
      return;
    }
    store.set({ colourByProcessor: paint.checked });
    draw(result, schedule);
  });
}

function draw(into: HTMLElement, view: ScheduleView): void {
  const { makespan, serial, optimal, depth, predicted, measured, predictedNs, measuredNs, reason, svg } = view;
  const { tickNs = 0, disturbed } = view;
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  const picture = element('img', {
    src: url,
    alt: 'The schedule tree and what every processor does',
    className: 'schedule',
  });
  picture.onload = () => URL.revokeObjectURL(url);
  into.replaceChildren(
    element(
      'p',
      {},
      `${view.processors} processors take ${short(makespan)} us by the costs of the paper, one ${short(serial)} us (${short(serial / makespan)} times faster, ${optimal ? 'proved to be the best' : 'the best found'}); tree of depth ${depth}.`,
    ),
  );
  const suffix = predictedNs === undefined ? '' : `: ${short(predictedNs / 1000)} us`;
  into.append(element('h3', {}, `Predicted${suffix}`), timeline(predicted, view.processors, 'Predicted timeline'));
  if (measuredNs !== undefined) {
    into.append(
      element('h3', {}, `Measured: ${short(measuredNs / 1000)} us`),
      timeline(measured, view.processors, 'Measured timeline'),
    );
    const limits = [
      ...(measuredNs < COARSE * tickNs
        ? [`The browser's clock ticks every ${short(tickNs / 1000)} us: nothing finer is to be seen.`]
        : []),
      ...(disturbed ? ['Threads came late: this machine has other work, too.'] : []),
    ];
    if (limits.length > 0) into.append(element('p', {}, limits.join(' ')));
  }
  if (reason !== undefined) into.append(element('p', {}, `Threads did not run: ${reason}`));
  into.append(element('h3', {}, 'Tree'), picture);
}

/** A row for each processor, a bar for each piece of work. */
function timeline(spans: readonly Span[], processors: number, title: string): HTMLCanvasElement {
  const [width, row] = [640, 26];
  const canvas = element('canvas', { width, height: row * processors + 4, className: 'timeline', 'aria-label': title });
  canvas.setAttribute('role', 'img');
  const context = canvas.getContext('2d')!;
  const end = spans.reduce((most, span) => Math.max(most, span.end), 0) || 1;
  for (const { processor, start, end: stop } of spans) {
    context.fillStyle = PROCESSOR_COLOURS[processor % PROCESSOR_COLOURS.length];
    context.fillRect(
      (start / end) * width,
      row * processor + 3,
      Math.max(1, ((stop - start) / end) * width - 1),
      row - 4,
    );
  }
  canvas.onmousemove = ({ offsetX, offsetY }) => {
    const x = (offsetX / canvas.clientWidth) * end;
    const lane = Math.trunc((offsetY / canvas.clientHeight) * processors);
    canvas.title = spans.find((span) => span.processor === lane && span.start <= x && x <= span.end)?.label ?? '';
  };
  return canvas;
}
