// What the views of the gallery share.

import type { Replay } from 'manikin/plot';
import type { Store } from '../store.js';
import { element, short } from '../views/dom.js';

/** What a view can do to the page. */
export interface Host {
  readonly store: Store;
  /** What was dropped on the page for it. */
  readonly files: readonly (readonly [string, Uint8Array])[];
  /** Puts a replay on the stage; its plots go below the view. */
  play(replay: Replay): void;
  /** Puts a scene on the stage. */
  load(scene: string): void;
  /** Motors follow a captured motion; without files, the made-up one. */
  follow(files: readonly (readonly [string, Uint8Array])[]): void;
}

/** A view fills its panel, and can be closed. */
export type GalleryView = (panel: HTMLElement, host: Host) => { readonly close: () => void };

/** A slider with its name and its number; `changed` is told while it moves. */
export function slider(
  name: string,
  {
    min,
    max,
    step,
    value,
  }: { readonly min: number; readonly max: number; readonly step: number; readonly value: number },
  changed: (value: number) => void,
): HTMLLabelElement {
  const out = element('output', { className: 'slider-value', 'aria-live': 'off' }, short(value));
  const input = element('input', {
    type: 'range',
    min: String(min),
    max: String(max),
    step: String(step),
    value: String(value),
    'aria-label': name,
  });
  input.oninput = () => {
    out.textContent = short(Number(input.value));
    changed(Number(input.value));
  };
  return element('label', { className: 'slider' }, name, input, out);
}

/** Calls once things are quiet. */
export function afterwards(work: () => void, milliseconds = 150): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, milliseconds);
  };
}
