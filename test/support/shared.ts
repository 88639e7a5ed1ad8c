// Files that other people made live beside the project, not in it. Tests that need them say so where they are missing.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SHARED = fileURLToPath(new URL('../../../shared/', import.meta.url));

export function sharedPath(path: string): string {
  return SHARED + path;
}

/** Whether that folder or file is there; prints a line where it is not. */
export function hasShared(path: string): boolean {
  if (existsSync(SHARED + path)) return true;
  console.warn(`skipped: ../shared/${path} is not there`);
  return false;
}

export function readShared(path: string): string {
  return readFileSync(SHARED + path, 'utf8');
}

/** Names of the files in a shared folder with that ending; none where the folder is missing. */
export function listShared(folder: string, ending: string): string[] {
  if (!hasShared(folder)) return [];
  return readdirSync(SHARED + folder)
    .filter((name) => name.endsWith(ending))
    .sort();
}
