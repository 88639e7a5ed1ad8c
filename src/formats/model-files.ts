// Files that a model names: meshes, included files. They come from strangers, so a reader asks for them by a path within
// the root that the caller chose, and never gets to see anything else.

/** Paths have forward slashes and are relative to the root; none leads out of it. */
export interface ModelFiles {
  /** Folder of the model within the root, which relative paths start from; the root itself where left out. */
  readonly folder?: string;
  /** The contents of a file, or undefined where there is none. */
  read(path: string): Uint8Array | undefined;
}

/** A path within the root, or why it is refused: goes after the word "expected". */
export type FilePath = { readonly path: string } | { readonly expected: string };

/** A path as a file writes it, in one of the model's folders, without `.` and `..`. */
export function filePath(written: string, folders: readonly string[]): FilePath {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to keep out
  if (/[\u0000-\u001f\u007f]/.test(written)) return { expected: 'a path without control characters' };
  if (/^[a-z][a-z0-9+.-]+:/i.test(written)) return { expected: 'a path relative to the file' };
  if (/^(?:[\\/]|[a-z]:)/i.test(written)) return { expected: 'a path relative to the file' };
  const parts: string[] = [];
  for (const part of [...folders, written].join('/').split(/[\\/]/)) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined)
      return { expected: 'a path that does not leave the root by ".." (choose a root further up, --root)' };
  }
  if (parts.length === 0) return { expected: 'the path of a file' };
  return { path: parts.join('/') };
}

/** The folder of a path; empty for one without. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
