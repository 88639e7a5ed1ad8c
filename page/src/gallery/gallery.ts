// The gallery: things to see beside the scenes, each with its own controls. Loaded when it is opened.

import 'uplot/dist/uPlot.min.css';
import type { Replay } from 'manikin/plot';
import type { Store } from '../store.js';
import { element } from '../views/dom.js';
import { replayPanel } from '../views/replay-panel.js';
import { assemblyView } from './assembly-view.js';
import { countsView } from './counts-view.js';
import { motionView } from './motion-view.js';
import { GALLERY, type GalleryName } from './names.js';
import type { GalleryView, Host } from './views.js';
import { walkerView } from './walker-view.js';

const VIEWS: Readonly<Record<GalleryName, GalleryView>> = {
  compass: walkerView('compass'),
  kneed: walkerView('kneed'),
  motion: motionView,
  counts: countsView,
  assembly: assemblyView,
};

/** What the page lends to the gallery. */
export interface Page {
  play(replay: Replay): void;
  load(scene: string): void;
  /** Motors follow a captured motion; without files, the made-up one. */
  follow(files: Host['files']): void;
  seek(time: number): void;
  /** What there is to choose from. */
  list(panel: HTMLElement): void;
}

export class Gallery {
  readonly #panel: HTMLElement;
  readonly #store: Store;
  readonly #page: Page;
  #view: { readonly close: () => void } | undefined;
  #plots: { readonly remove: () => void } | undefined;
  #below = element('div');

  constructor(panel: HTMLElement, store: Store, page: Page) {
    this.#panel = panel;
    this.#store = store;
    this.#page = page;
  }

  open(name: GalleryName, files: Host['files'] = []): void {
    this.close();
    const { title } = GALLERY.find((entry) => entry.name === name)!;
    const controls = element('div');
    this.#below = element('div');
    this.#panel.replaceChildren(element('h3', {}, title), controls, this.#below);
    const host: Host = {
      store: this.#store,
      play: (replay) => {
        this.#plots?.remove();
        this.#page.play(replay);
        this.#plots = replayPanel(this.#below, this.#store, replay, (time) => this.#page.seek(time));
      },
      load: (scene) => this.#page.load(scene),
      follow: (own) => this.#page.follow(own),
      files,
    };
    this.#view = VIEWS[name](controls, host);
  }

  close(): void {
    this.#view?.close();
    this.#plots?.remove();
    this.#plots = undefined;
    this.#view = undefined;
    this.#page.list(this.#panel);
  }
}
