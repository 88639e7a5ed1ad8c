// One MJCF file with what it includes: its settings, default classes and assets. Models to attach are further such files.

import { ImportError } from '../mechanism/errors.js';
import type { HeightField } from '../mechanism/mechanism.js';
import { decodeText } from './decode-text.js';
import { type ImportLog, quoted } from './import-log.js';
import type { MjcfFile } from './mjcf-body.js';
import { readCompiler } from './mjcf-compiler.js';
import { DefaultClasses, MATERIAL_FIELDS } from './mjcf-defaults.js';
import { readFields } from './mjcf-fields.js';
import { readHeights } from './mjcf-heights.js';
import { expandIncludes } from './mjcf-include.js';
import { MESH_FIELDS, MeshAssets } from './mjcf-mesh.js';
import { filePath, folderOf, type ModelFiles } from './model-files.js';
import { parseXml, type XmlElement } from './xml.js';

/** Models within models within models. */
const MAX_MODEL_DEPTH = 8;

export function openMjcf(
  text: string,
  path: string,
  files: ModelFiles | undefined,
  log: ImportLog,
  depth = 0,
): MjcfFile {
  const root = parseXml(text, log, depth === 0 ? log.file : path);
  if (root.name !== 'mujoco') {
    root.error('not-mjcf', `An MJCF file is a <mujoco>, this one is a <${root.name}>.`);
    log.throwIfBroken();
  }
  expandIncludes(root, files, path, log);
  log.throwIfBroken();
  const compiler = readCompiler(root.children('compiler'));
  const classes = new DefaultClasses(root.children('default'), log);
  const meshes = new MeshAssets(files);
  const heights = new Map<string, HeightField | undefined>();
  const colors = new Map<string, readonly number[]>();
  const models = new Map<string, () => MjcfFile | undefined>();
  for (const asset of root.children('asset')) {
    for (const element of asset.elements()) {
      const defaults = classes.of(element, classes.main);
      if (element.name === 'mesh')
        meshes.add(element, readFields(element.claim(), MESH_FIELDS, defaults.mesh), compiler);
      else if (element.name === 'material') {
        const { name, rgba } = readFields(element.claim(), MATERIAL_FIELDS, defaults.material);
        colors.set(name, rgba);
        for (const layer of element.children('layer')) layer.dismiss();
      } else if (element.name === 'hfield') {
        const { name, field } = readHeights(element.claim(), compiler.meshdir, files);
        heights.set(name, field);
      } else if (element.name === 'model') addModel(element.claim(), models, files, log, depth);
    }
  }
  return { root, compiler, classes, meshes, heights, colors, models };
}

/** The model is read when it is attached, once. */
function addModel(
  element: XmlElement,
  models: Map<string, () => MjcfFile | undefined>,
  files: ModelFiles | undefined,
  log: ImportLog,
  depth: number,
): void {
  const written = element.requiredText('file');
  element.text('content_type');
  if (written === undefined) return;
  const name = element.text('name') ?? '';
  let opened: { file: MjcfFile | undefined } | undefined;
  const open = (): MjcfFile | undefined => {
    const found = filePath(written, [files?.folder ?? '']);
    const fail = (fault: string): undefined => {
      element.attributeError('file', 'model-file', fault);
      return undefined;
    };
    if ('expected' in found) return fail(`expected ${found.expected}, got ${quoted(written)}`);
    if (depth >= MAX_MODEL_DEPTH) return fail('models are within models within models, too deep');
    const content = files?.read(found.path);
    if (files === undefined || content === undefined) return fail(`there is no file ${quoted(found.path)}`);
    // Files that it names are found beside it.
    const beside = { folder: folderOf(found.path), read: (path: string) => files.read(path) };
    try {
      return openMjcf(decodeText(content), found.path, beside, log, depth + 1);
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      for (const { code, where, message } of error.problems) log.error(code, where, message);
      log.throwIfBroken();
      return undefined;
    }
  };
  const once = (): MjcfFile | undefined => {
    opened ??= { file: open() };
    return opened.file;
  };
  models.set(name !== '' ? name : written.replace(/^.*[\\/]/, '').replace(/\.[^.]*$/, ''), once);
}
