#!/usr/bin/env node
import { EXIT_INTERRUPTED } from './errors.js';
import { run } from './program.js';

const interrupt = new AbortController();
function onInterrupt(): void {
  // The second Ctrl-C does not wait for anything.
  if (interrupt.signal.aborted) process.exit(EXIT_INTERRUPTED);
  interrupt.abort();
}
// A reader that has seen enough (head, less) closes the pipe: no reason to complain.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.stderr.on('error', () => {});

process.exitCode = await run(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  interactive: process.stderr.isTTY === true,
  // Ctrl-C ends the program at once, as usual, unless a command asks to be told of it.
  get signal() {
    if (process.listenerCount('SIGINT') === 0) process.on('SIGINT', onInterrupt);
    return interrupt.signal;
  },
});
