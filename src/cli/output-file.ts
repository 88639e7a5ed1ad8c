import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { InputError } from './errors.js';
import { atExit, interruptible } from './signals.js';

const syncAside = promisify(fsync);

/** Characters kept before they are written. */
const BUFFER = 1 << 18;

/** Where the text goes: to a new file that takes the place of another at the end, or to something that is not a file. */
interface Target {
  readonly path: string;
  /** Of the file to replace. */
  readonly old: Stats | undefined;
  /** A device or a FIFO, or standard output: written to as it is. */
  readonly stream: boolean;
}

/**
 * A file that appears whole or not at all: written under a name of its own in the same folder, flushed, and moved to its
 * place at the end; removed if anything goes wrong or a signal ends the program. Of two that write the same file, the
 * last one wins. Symbolic links are followed, as cp does; mode and owner of the old file stay.
 */
export class OutputFile {
  readonly path: string;
  readonly #target: Target;
  #temporary: string | undefined;
  #release: (() => void) | undefined;
  #descriptor: number | undefined;
  #buffer: (string | Uint8Array)[] = [];
  #buffered = 0;
  /** It stands in its place while it is written on. */
  #appeared = false;

  /** Looks whether the file can be written; it is opened when there is something to write. */
  constructor(path: string) {
    this.path = path;
    try {
      this.#target = targetOf(path);
    } catch (error) {
      throw new InputError(`The file "${path}" cannot be written: ${(error as Error).message}.`);
    }
  }

  write(content: string | Uint8Array): void {
    this.#buffer.push(content);
    this.#buffered += content.length;
    if (this.#buffered > BUFFER) this.#flush();
  }

  /**
   * Writes all of it so far, and puts it in its place already: what is not whole until its end, but can be read as far as it goes. The
   * old file is gone then; another program that writes the same file still has one of its own.
   */
  appear(): void {
    this.#flush();
    if (this.#appeared) return;
    if (this.#temporary !== undefined) {
      keepModeAndOwner(this.#descriptor!, this.#target.old);
      this.#takePlace();
    }
    this.#appeared = true;
  }

  finish(): void {
    try {
      this.#complete();
      if (!this.#target.stream) fsyncSync(this.#descriptor!);
      this.#close();
      if (this.#temporary !== undefined) this.#takePlace();
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  /**
   * The same, and this thread does something else while the disk works: of many files several are under way. The new name survives a
   * loss of power after syncFolderAside, once for all files of a folder.
   */
  async finishAside(): Promise<void> {
    try {
      this.#complete();
      if (!this.#target.stream) await syncAside(this.#descriptor!);
      this.#close();
      if (this.#temporary === undefined) return;
      renameSync(this.#temporary, this.#target.path);
      this.#forget();
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  #complete(): void {
    this.#flush();
    if (this.#temporary !== undefined) keepModeAndOwner(this.#descriptor!, this.#target.old);
  }

  #takePlace(): void {
    renameSync(this.#temporary!, this.#target.path);
    this.#forget();
    syncFolder(dirname(this.#target.path));
  }

  /** Also after finish, which may have failed or not. */
  abandon(): void {
    this.#buffer = [];
    try {
      this.#close();
    } catch {
      // What could not be closed is given up anyway.
    }
    if (this.#temporary !== undefined) rmSync(this.#temporary, { force: true });
    this.#forget();
  }

  #flush(): void {
    const isText = this.#buffer.every((part) => typeof part === 'string');
    const bytes = isText
      ? Buffer.from(this.#buffer.join(''), 'utf8')
      : Buffer.concat(this.#buffer.map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : part)));
    this.#buffer = [];
    this.#buffered = 0;
    try {
      this.#descriptor ??= this.#open();
      const descriptor = this.#descriptor;
      if (this.#target.stream) interruptible(() => writeAll(descriptor, bytes));
      else writeAll(descriptor, bytes);
    } catch (error) {
      throw unwritten(this.path, error, this.#appeared ? undefined : this.#target.old);
    }
  }

  #open(): number {
    const { path, old, stream } = this.#target;
    if (stream) return isStandardOutput(statSync(path)) ? 1 : interruptible(() => openSync(path, constants.O_WRONLY));
    const { O_WRONLY, O_CREAT, O_EXCL } = constants;
    const temporary = join(dirname(path), `.manikin-${randomBytes(8).toString('hex')}.tmp`);
    // Nobody else may look into it until it has the old file's mode.
    const descriptor = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL, old === undefined ? 0o666 : 0o600);
    this.#temporary = temporary;
    this.#release = atExit(() => rmSync(temporary, { force: true }));
    return descriptor;
  }

  #close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined && descriptor !== 1) closeSync(descriptor);
  }

  #forget(): void {
    this.#temporary = undefined;
    this.#release?.();
    this.#release = undefined;
  }
}

/** Of files by their options no two may be the same. */
export function refuseSameFiles(files: Readonly<Record<string, string | undefined>>): void {
  const given = new Map<string, string>();
  for (const [option, file] of Object.entries(files)) {
    if (file === undefined) continue;
    const other = given.get(resolve(file));
    if (other !== undefined) throw new InputError(`--${other} and --${option} name the same file, "${file}".`);
    given.set(resolve(file), option);
  }
}

/** One text into one file. */
export function writeOutput(path: string, text: string): void {
  const file = new OutputFile(path);
  file.write(text);
  file.finish();
}

/** A folder, and those above it. Node's own way never ends where a folder is there but takes none, as /proc. */
export function makeFolder(path: string): void {
  const exists = (): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (exists()) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another program may have made it meanwhile.
    if (!exists()) throw error;
  }
}

function targetOf(path: string): Target {
  makeFolder(dirname(path));
  const old = statSync(path, { throwIfNoEntry: false });
  if (old === undefined) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new Error('it is a symbolic link to a file that does not exist');
    if (path === '' || path.endsWith('/')) throw new Error('that is no name of a file');
    accessSync(dirname(path), constants.W_OK);
    return { path, old, stream: false };
  }
  if (old.isDirectory()) throw new Error('it is a folder');
  accessSync(path, constants.W_OK);
  if (!old.isFile() || isStandardOutput(old)) return { path, old: undefined, stream: true };
  const real = realpathSync(path);
  accessSync(dirname(real), constants.W_OK);
  return { path: real, old, stream: false };
}

function isStandardOutput({ dev, ino }: Stats): boolean {
  try {
    const own = fstatSync(1);
    return own.isFile() && own.dev === dev && own.ino === ino;
  } catch {
    // It is closed.
    return false;
  }
}

/** A disk that is nearly full takes a part of what it is given and says so only in the count. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const written = writeSync(descriptor, bytes, done);
    if (written === 0) throw Object.assign(new Error('nothing more could be written'), { syscall: 'write' });
    done += written;
  }
}

function unwritten(path: string, error: unknown, old: Stats | undefined): Error {
  const { message, code } = error as NodeJS.ErrnoException;
  const stands = old === undefined ? '' : ' The old file is as it was.';
  return Object.assign(new Error(`The file "${path}" could not be written: ${message}.${stands}`), {
    code,
    syscall: 'write',
  });
}

function keepModeAndOwner(descriptor: number, old: Stats | undefined): void {
  if (old === undefined) return;
  const { uid, gid } = fstatSync(descriptor);
  if (uid !== old.uid || gid !== old.gid) {
    try {
      fchownSync(descriptor, old.uid, old.gid);
    } catch {
      // Only root may give files away.
    }
  }
  // After the owner, whose change takes some bits away.
  fchmodSync(descriptor, old.mode & 0o7777);
}

/** So that the new name survives a loss of power; not every file system can. */
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The file itself is safe.
  }
}

export async function syncFolderAside(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // The file itself is safe.
  }
}
