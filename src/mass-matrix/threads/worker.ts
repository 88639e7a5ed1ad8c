// The program of a worker thread, in Node and in a browser: it waits for its assignment, then works.

import { type Assignment, work } from './crew.js';

interface Port {
  postMessage(message: unknown): void;
  once?(event: 'message', listener: (message: unknown) => void): void;
  addEventListener?(event: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

const inBrowser = 'addEventListener' in globalThis && 'postMessage' in globalThis;
const port = (inBrowser ? globalThis : (await import('node:worker_threads')).parentPort) as unknown as Port;

function begin(assignment: unknown): void {
  port.postMessage('ready');
  work(assignment as Assignment);
}

if (port.once !== undefined) port.once('message', begin);
else port.addEventListener!('message', ({ data }) => begin(data));
