#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { EXIT_INTERRUPTED } from './errors.js';
import { run } from './program.js';

const interrupt = new AbortController();
process.on('SIGINT', () => {
  // The second Ctrl-C does not wait for anything.
  if (interrupt.signal.aborted) process.exit(EXIT_INTERRUPTED);
  interrupt.abort();
});
// A reader that has seen enough (head, less) closes the pipe: no reason to complain.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await run(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  // Synchronous, so that a progress bar and the error after it come in order.
  err: (text) => writeSync(2, text),
  interactive: process.stderr.isTTY === true,
  signal: interrupt.signal,
});
