// Files that are dropped on the page or chosen: they go to the physics as bytes and nowhere else.

import type { Store } from '../store.js';
import { byId } from './dom.js';

const MOST_FILES = 2000;
const MOST_BYTES = 256 * 1024 * 1024;

type Named = readonly [string, Uint8Array];

/** Opens files under their paths; the first name is that of the model. */
export type Open = (name: string, files: readonly Named[]) => Promise<void>;

export function openDropped(store: Store, open: Open): void {
  const openFiles = async (files: readonly (readonly [string, File])[]): Promise<void> => {
    const bytes = files.reduce((sum, [, { size }]) => sum + size, 0);
    if (files.length === 0) return;
    if (files.length > MOST_FILES || bytes > MOST_BYTES) {
      store.set({
        message: `Too much: ${files.length} files, ${Math.round(bytes / 2 ** 20)} MB. At most ${MOST_FILES} files and ${MOST_BYTES / 2 ** 20} MB.`,
      });
      return;
    }
    const read = await Promise.all(
      files.map(async ([path, file]): Promise<Named> => [path, new Uint8Array(await file.arrayBuffer())]),
    );
    await open(read[0][0], read);
  };
  const orSay = (work: Promise<void>): void => {
    void work.catch((error: unknown) => store.set({ message: `The files cannot be read: ${String(error)}` }));
  };
  const input = byId<HTMLInputElement>('files');
  input.onchange = () => {
    orSay(openFiles([...(input.files ?? [])].map((file) => [file.name, file])));
    input.value = '';
  };
  const drop = byId('drop');
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    drop.hidden = false;
  });
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) drop.hidden = true;
  });
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    drop.hidden = true;
    const items = [...(event.dataTransfer?.items ?? [])];
    const entries = items.flatMap((item) => item.webkitGetAsEntry() ?? []);
    const loose = [...(event.dataTransfer?.files ?? [])].map((file) => [file.name, file] as const);
    orSay(entries.some(({ isDirectory }) => isDirectory) ? walk(entries).then(openFiles) : openFiles(loose));
  });
}

/** Files that the command `manikin view` was given; false where there are none; on a server of plain files that list is empty. */
export async function openGiven(open: Open): Promise<boolean> {
  const names = await fetch('./opened.json')
    .then((list) => list.json() as Promise<readonly string[]>)
    .catch(() => []);
  if (names.length === 0) return false;
  const read = await Promise.all(
    names.map(
      async (name, k): Promise<Named> => [name, new Uint8Array(await (await fetch(`./opened/${k}`)).arrayBuffer())],
    ),
  );
  await open(names[0], read);
  return true;
}

/** All files of folders, under their paths. */
async function walk(entries: readonly FileSystemEntry[]): Promise<(readonly [string, File])[]> {
  const found: (readonly [string, File])[] = [];
  const visit = async (entry: FileSystemEntry): Promise<void> => {
    if (found.length > MOST_FILES) return;
    if (entry.isFile) {
      const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
      found.push([entry.fullPath.replace(/^\//, ''), file]);
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
      if (some.length === 0) return;
      for (const inner of some) await visit(inner);
    }
  };
  for (const entry of entries) await visit(entry);
  return found;
}
