// The physics in a Web Worker: one request after the other, each answered once.

import type { Reply, Request } from './protocol.js';
import { Session } from './session.js';

const session = new Session();
let last: Promise<void> = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<{ readonly id: number; readonly request: Request }>): void => {
  last = last.then(() => answer(data.id, data.request));
};

async function answer(id: number, request: Request): Promise<void> {
  let reply: Reply;
  try {
    reply = { id, ...(await session.answer(request)) };
  } catch (error) {
    reply = { id, error: error instanceof Error ? error.message : String(error) };
  }
  const { frame, bytes } = reply;
  const buffers = [frame?.poses, frame?.q, frame?.v, frame?.contactForces, bytes].flatMap((a) => (a ? [a.buffer] : []));
  self.postMessage(reply, { transfer: buffers as ArrayBuffer[] });
}
