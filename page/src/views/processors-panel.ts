// How processors share the work: the schedule, its predicted timeline, and what the threads of this machine really do.

import type { Physics } from '../physics/client.js';
import type { SceneView, ScheduleReply, ScheduleRequest, ScheduleView, Span } from '../physics/protocol.js';
import type { PageState, Store } from '../store.js';
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
  const [numbers, tree] = [element('div'), element('div')];
  const result = element('div', { id: 'schedule', 'aria-live': 'polite' }, numbers, tree);
  const picture = new TreePicture(tree);
  let asking = false;
  /** What was asked for meanwhile: whether it is to be measured. */
  let waiting: boolean | undefined;
  /** For what a schedule was looked for by itself. */
  let asked: SceneView | undefined;
  const find = async (measure: boolean): Promise<void> => {
    if (asking) {
      waiting = waiting === true || measure;
      return;
    }
    asking = true;
    const processors = Math.min(64, Math.max(1, Math.trunc(Number(count.value)) || 1));
    const { scene } = store.state;
    const member = store.state.picked?.member ?? 0;
    const { mechanism } = await physics.ask({ do: 'describe', member });
    if (mechanism !== undefined) {
      if (store.state.schedule === undefined) store.set({ message: 'Looking for the best order ...' });
      const { schedule, error } = await schedules.ask(mechanism, processors, measure);
      // Of a scene that has changed meanwhile it says nothing.
      if (store.state.scene === scene)
        store.set({ ...(schedule && { schedule: { ...schedule, member } }), message: error ?? '' });
    }
    asking = false;
    const next = waiting ?? (store.state.scene !== scene && mayAsk(store.state) ? measure : undefined);
    waiting = undefined;
    if (next !== undefined) void find(next);
  };
  /** What is only played again has no mechanism to be cut. */
  const mayAsk = ({ scene }: Pick<PageState, 'scene'>): boolean => !panel.hidden && (scene?.step ?? 0) > 0;
  const goOn = async (): Promise<void> => {
    while (live.checked) {
      if (!panel.hidden && !document.hidden) await find(true);
      await new Promise((done) => setTimeout(done, BETWEEN));
    }
  };
  count.onchange = () => void find(live.checked);
  live.onchange = () => void goOn();
  /** Bodies have the colours of processors as long as these are looked at. */
  const coloured = ({ schedule }: Pick<PageState, 'schedule'>): boolean =>
    paint.checked && schedule !== undefined && !panel.hidden;
  paint.onchange = () => store.set({ colourByProcessor: coloured(store.state) });
  panel.append(
    element(
      'p',
      {},
      'Several processors can share one step of a mechanism: each assembles some of its joints, and parts that are ready are put together (paper 002). Here is the order that takes them the least time.',
    ),
    element(
      'p',
      { className: 'row' },
      element('label', {}, 'Processors ', count),
      button('Schedule', () => void find(false), 'The best order, by the costs of the paper'),
      button('Run on threads', () => void find(true), 'Measure it on the threads of this machine'),
    ),
    element(
      'p',
      { className: 'row' },
      element('label', {}, live, ' measure all the time'),
      element('label', {}, paint, ' colour bodies by processor'),
    ),
    result,
  );
  store.subscribe((state, before) => {
    const { schedule, scene } = state;
    // Another structure has another schedule.
    if (scene !== before.scene && schedule !== undefined && schedule === before.schedule && !panel.hidden)
      void find(live.checked);
    // Who looks here for the first time sees something.
    if (schedule === undefined && mayAsk(state) && asked !== scene) {
      asked = scene;
      void find(live.checked);
    }
    if (schedule !== before.schedule) {
      picture.show(schedule?.svg);
      if (schedule === undefined) numbers.replaceChildren();
      else draw(numbers, schedule);
    }
    if (state.colourByProcessor !== coloured(state)) store.set({ colourByProcessor: coloured(state) });
  });
}

function draw(into: HTMLElement, view: ScheduleView): void {
  const { makespan, serial, optimal, depth, predicted, measured, predictedNs, measuredNs, reason } = view;
  const { tickNs = 0, disturbed } = view;
  into.replaceChildren(
    element(
      'p',
      {},
      `${view.processors} processors take ${short(makespan)} us by the costs of the paper, one ${short(serial)} us (${short(serial / makespan)} times faster, ${optimal ? 'proved to be the best' : 'the best found'}); tree of depth ${depth}.`,
    ),
  );
  const suffix = predictedNs === undefined ? '' : ` for this machine: ${short(predictedNs / 1000)} us`;
  into.append(
    element('h3', {}, `Predicted${suffix}`),
    timeline(predicted, view.processors, 'Predicted timeline'),
    element('p', { className: 'hint' }, 'A row for each processor, in its colour. Hover a bar: its joint.'),
  );
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
}

/** The schedule tree, which stays where it is while its timelines are measured again and again. */
class TreePicture {
  readonly #into: HTMLElement;
  #svg: string | undefined;
  #url = '';

  constructor(into: HTMLElement) {
    this.#into = into;
  }

  show(svg: string | undefined): void {
    if (svg === this.#svg) return;
    this.#svg = svg;
    URL.revokeObjectURL(this.#url);
    this.#into.replaceChildren();
    if (svg === undefined) return;
    this.#url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
    const picture = element('img', {
      src: this.#url,
      alt: 'The schedule tree and what every processor does',
      className: 'schedule',
    });
    const larger = button('Larger', () => enlarge(picture), 'With names that can be read');
    larger.setAttribute('aria-label', 'The tree, larger');
    this.#into.append(element('h3', {}, 'Tree'), picture, element('p', {}, larger));
  }
}

function enlarge({ src, alt }: HTMLImageElement): void {
  const close = button('Close', () => dialog.close());
  const dialog = element(
    'dialog',
    { 'aria-label': alt },
    close,
    element('img', { src, alt, className: 'schedule large' }),
  );
  dialog.onclose = () => dialog.remove();
  document.body.append(dialog);
  dialog.showModal();
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
