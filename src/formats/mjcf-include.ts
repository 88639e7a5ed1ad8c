// <include file="..."/> anywhere in an MJCF file: the children of the other file's root take its place.

import { decodeText } from './decode-text.js';
import { type ImportLog, quoted } from './import-log.js';
import { filePath, folderOf, type ModelFiles } from './model-files.js';
import { MAX_INPUT_BYTES } from './size-limit.js';
import { parseXml, type XmlElement } from './xml.js';

/** More files than this, or more bytes in all, are not read: a mistake, or an attack. */
const MAX_FILES = 1000;

/** Puts the contents of included files where they are included, in the whole tree. Each file may come once, as in MuJoCo. */
export function expandIncludes(root: XmlElement, files: ModelFiles | undefined, main: string, log: ImportLog): void {
  const seen = new Set([main]);
  let bytes = 0;

  const open = (element: XmlElement): { root: XmlElement; path: string } | undefined => {
    const written = element.claim().requiredText('file');
    if (written === undefined) return undefined;
    const fail = (code: string, fault: string): undefined => {
      element.attributeError('file', code, fault);
      return undefined;
    };
    if (files === undefined) return fail('include', 'no folder to read included files from was given');
    const found = findFile(files, written, element.file);
    if ('expected' in found) return fail('include-path', `expected ${found.expected}, got ${quoted(written)}`);
    if (found.content === undefined) return fail('include', `there is no file ${quoted(found.path)}`);
    if (seen.has(found.path)) return fail('include-cycle', `the file ${quoted(found.path)} is already included`);
    seen.add(found.path);
    bytes += found.content.length;
    if (seen.size > MAX_FILES || bytes > MAX_INPUT_BYTES) return fail('too-large', 'too many files are included');
    return { root: parseXml(decodeText(found.content), log, found.path), path: found.path };
  };

  /** Recursion is as deep as the files are nested, and each comes once; within a file its depth has been checked. */
  const visit = (element: XmlElement): void => {
    const children = element.elements();
    if (children.some(({ name }) => name === 'include')) {
      element.replaceElements(
        children.flatMap((child) => {
          if (child.name !== 'include') return [child];
          const included = open(child);
          if (included === undefined) return [];
          visit(included.root);
          return included.root.elements();
        }),
      );
    }
    for (const child of element.elements()) visit(child);
  };
  visit(root);
}

/** MuJoCo looks in the folder of the main file, then beside the including file. */
function findFile(
  files: ModelFiles,
  written: string,
  from: string | undefined,
): { path: string; content: Uint8Array | undefined } | { expected: string } {
  const first = filePath(written, [files.folder ?? '']);
  if ('expected' in first) return first;
  const content = files.read(first.path);
  if (content !== undefined || from === undefined) return { path: first.path, content };
  const second = filePath(written, [folderOf(from)]);
  if ('expected' in second) return { path: first.path, content: undefined };
  return { path: second.path, content: files.read(second.path) };
}
