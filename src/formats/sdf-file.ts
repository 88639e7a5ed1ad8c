// SDF files: the model in them, models within models, and what they include from other files.

import { decodeText } from './decode-text.js';
import { type ImportLog, quoted, quotedList } from './import-log.js';
import { filePath, folderOf, type ModelFiles } from './model-files.js';
import { nameFault } from './names.js';
import { type FrameKind, SdfScope } from './sdf-scope.js';
import { MAX_INPUT_BYTES } from './size-limit.js';
import { parseXml, type XmlElement } from './xml.js';
import { childText, textOf } from './xml-text.js';

/** Files within files within files; and in all. */
const MAX_DEPTH = 16;
const MAX_FILES = 1000;

type Version = readonly [number, number];

export interface SdfDocument {
  readonly scope: SdfScope;
  readonly isStatic: boolean;
  /** The <world> that the model stands in. */
  readonly world: XmlElement | undefined;
  readonly roots: readonly XmlElement[];
}

export class SdfReader {
  readonly #files: ModelFiles | undefined;
  readonly #log: ImportLog;
  readonly #roots: XmlElement[] = [];
  #count = 0;
  #bytes = 0;

  constructor(files: ModelFiles | undefined, log: ImportLog) {
    this.#files = files;
    this.#log = log;
  }

  read(text: string): SdfDocument | undefined {
    const root = this.#open(text, undefined);
    const version = this.#versionOf(root);
    const world = root.child('world');
    const found = [...root.children('model'), ...root.children('include')];
    const all =
      found.length > 0 || world === undefined ? found : [...world.children('model'), ...world.children('include')];
    const loaded = all.flatMap((element) => this.#model(element, version, 0) ?? []);
    this.#log.throwIfBroken();
    // The ground and furniture of a world do not move.
    const moving = loaded.filter(({ isStatic }) => !isStatic);
    const [chosen] = loaded.length === 1 ? loaded : moving;
    if (chosen === undefined || (loaded.length > 1 && moving.length !== 1)) {
      const names = quotedList(moving.map(({ name }) => name));
      root.error(
        'models',
        loaded.length === 0
          ? 'There is no <model> in this file.'
          : `A mechanism is made of one <model>, and in this file ${moving.length} can move${names === '' ? '' : `: ${names}`}.`,
      );
      return undefined;
    }
    for (const { name, element } of loaded.filter((one) => one !== chosen)) {
      element.dismiss();
      element.warn('static-model', `The model ${quoted(name)} does not move and is left out.`);
    }
    const scope = this.#scope(chosen, undefined, '');
    return { scope, isStatic: chosen.isStatic, world: found.length > 0 ? undefined : world, roots: this.#roots };
  }

  #open(text: string, path: string | undefined): XmlElement {
    const root = path === undefined ? parseXml(text, this.#log) : parseXml(text, this.#log, path);
    if (root.name !== 'sdf') {
      root.error('not-sdf', `An SDF file is an <sdf>, this one is a <${root.name}>.`);
      this.#log.throwIfBroken();
    }
    this.#roots.push(root);
    return root;
  }

  #versionOf(root: XmlElement): Version {
    const text = root.text('version') ?? '';
    const found = /^(\d+)\.(\d+)$/.exec(text.trim());
    if (found === null) root.warn('version', 'The version of SDF is not said; 1.7 is assumed.');
    const version: Version = found === null ? [1, 7] : [Number(found[1]), Number(found[2])];
    if (version[0] !== 1) root.warn('version', `SDF 1 is known here, this is ${quoted(text)}.`);
    return version;
  }

  /** The <model> that an element is or includes. */
  #model(element: XmlElement, version: Version, depth: number): Loaded | undefined {
    if (element.name === 'model') {
      const name = element.requiredName('name');
      if (name === undefined) return undefined;
      const placement = element.text('placement_frame') ?? '';
      return { element, name, version, depth, placement, isStatic: isTrue(childText(element, 'static')), merge: false };
    }
    const uri = element.requiredChild('uri');
    const included = uri && this.#included(uri, textOf(uri), depth);
    if (included === undefined) return undefined;
    const name = childText(element, 'name') ?? included.name;
    const fault = nameFault(name);
    if (fault !== undefined) element.error('name', `<include>: ${fault}.`);
    const said = childText(element, 'static');
    return {
      ...included,
      name,
      placedBy: element,
      placement: childText(element, 'placement_frame') ?? included.placement,
      isStatic: said === undefined ? included.isStatic : isTrue(said),
      merge: isTrue(element.text('merge')),
    };
  }

  /** model://name and a folder stand for the file model.sdf in it. */
  #included(uri: XmlElement, written: string, depth: number): Loaded | undefined {
    const fail = (code: string, fault: string): undefined => {
      uri.error(code, `<uri>: ${fault}.`);
      return undefined;
    };
    const files = this.#files;
    if (files === undefined) return fail('include', 'no folder to read included files from was given');
    if (depth >= MAX_DEPTH) return fail('include-cycle', 'models are included within models, too deep');
    const named = /^model:\/\/(.*)$/.exec(written);
    const path = named === null ? written : named[1];
    const whole = /\.(sdf|world|xml)$/i.test(path) ? path : `${path}/model.sdf`;
    const folders = named === null ? [folderOf(uri.file ?? ''), files.folder ?? ''] : [files.folder ?? '', ''];
    for (const folder of new Set(folders)) {
      const found = filePath(whole, [folder]);
      if ('expected' in found) return fail('include-path', `expected ${found.expected}, got ${quoted(written)}`);
      const content = files.read(found.path);
      if (content === undefined) continue;
      this.#bytes += content.length;
      if (++this.#count > MAX_FILES || this.#bytes > MAX_INPUT_BYTES)
        return fail('too-large', 'too many files are included');
      const root = this.#open(decodeText(content), found.path);
      const [model] = root.children('model');
      if (model === undefined) return fail('include', `there is no <model> in ${quoted(found.path)}`);
      return this.#model(model, this.#versionOf(root), depth + 1);
    }
    return fail('include', `there is no file ${quoted(whole)}`);
  }

  #scope({ element, version, placement, depth }: Loaded, outer: SdfScope | undefined, prefix: string): SdfScope {
    const scope = new SdfScope(element, outer, prefix, version, placement);
    this.#fill(scope, element, depth);
    return scope;
  }

  #fill(scope: SdfScope, element: XmlElement, depth: number): void {
    for (const kind of ['link', 'joint', 'frame'] as const)
      for (const child of element.children(kind)) {
        const name = child.requiredName('name');
        if (name !== undefined) this.#add(scope, kind, name, child);
      }
    for (const child of [...element.children('model'), ...element.children('include')]) {
      const loaded = this.#model(child, scope.version, depth);
      if (loaded === undefined) continue;
      if (loaded.merge) {
        child.warn('merge', 'This <include> is not merged; its parts keep the name of their model.');
      }
      const { name, placedBy } = loaded;
      const inner = this.#scope(loaded, scope, `${scope.prefix}${name}::`);
      if (!this.#add(scope, 'model', name, loaded.element, inner, placedBy)) continue;
      scope.nested.push(inner);
    }
  }

  #add(
    scope: SdfScope,
    kind: FrameKind,
    name: string,
    element: XmlElement,
    inner?: SdfScope,
    placedBy?: XmlElement,
  ): boolean {
    if (scope.frames.has(name) || name === '__model__' || name === 'world' || name.includes('::')) {
      const why = scope.frames.has(name) ? 'is already there' : 'is not allowed';
      element.error('duplicate-name', `The name ${quoted(name)} ${why}.`);
      return false;
    }
    scope.frames.set(name, { kind, element, name, scope, ...(inner && { inner }), ...(placedBy && { placedBy }) });
    return true;
  }
}

interface Loaded {
  readonly element: XmlElement;
  readonly name: string;
  readonly version: Version;
  readonly depth: number;
  readonly placement: string;
  readonly isStatic: boolean;
  readonly merge: boolean;
  readonly placedBy?: XmlElement;
}

export const isTrue = (text: string | undefined): boolean => /^(true|1)$/i.test(text ?? '');
