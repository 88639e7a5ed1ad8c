// What dist/cli/main.js does (scripts/bundle-command.mjs).
import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { EXIT_FAILED, EXIT_GOOD } from './errors.js';
import { writeAll } from './output-file.js';
import { run } from './program.js';
import { interruption } from './signals.js';

/** A reader that has seen enough (head, less) closes the pipe: no reason to complain. */
function giveUp({ code, message }: NodeJS.ErrnoException): never {
  if (code === 'EPIPE') process.exit(EXIT_GOOD);
  process.stderr.write(`Error: Standard output cannot be written: ${message}.\n`);
  process.exit(EXIT_FAILED);
}

/** Node's own stream writes a file once and does not look whether all of it was taken. */
function printer(): (text: string) => void {
  if (isatty(1)) return (text) => process.stdout.write(text);
  const to = fstatSync(1);
  if (!to.isFile() && !to.isCharacterDevice()) return (text) => process.stdout.write(text);
  return (text) => {
    try {
      writeAll(1, Buffer.from(text));
    } catch (error) {
      giveUp(error as NodeJS.ErrnoException);
    }
  };
}

process.stdout.on('error', giveUp);
process.stderr.on('error', () => {});

process.exitCode = await run(process.argv.slice(2), {
  out: printer(),
  err: (text) => process.stderr.write(text),
  interactive: process.stderr.isTTY === true,
  get signal() {
    return interruption();
  },
});
