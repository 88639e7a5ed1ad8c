// The physics in a Web Worker: one request after the other, each answered once; between them time goes on. It goes by the
// clock on the wall and never waits for the page, however long that takes to draw.

import type { Reply, Request } from './protocol.js';
import { Session } from './session.js';

/** Simulated seconds that can be made up for; a scene that falls back farther runs slower than the clock. */
const LATEST = 0.1;
/** Milliseconds until there is something to do again, where everything is done. */
const REST = 4;

const session = new Session();
let last: Promise<void> = Promise.resolve();
/** Something else is to be on the stage: what takes long is not wanted any more. */
let others = 0;
const OTHERS = new Set<Request['do']>(['load', 'open', 'follow', 'restart', 'restore']);
let speed = 0;
/** A slice is under way or about to be. */
let going = false;
let owed = 0;
let since = 0;

self.onmessage = ({ data }: MessageEvent<{ readonly id: number; readonly request: Request }>): void => {
  if (OTHERS.has(data.request.do)) others++;
  last = last.then(() => answer(data.id, data.request));
};

async function answer(id: number, request: Request): Promise<void> {
  let reply: Reply;
  try {
    if (request.do === 'play') play(request.speed);
    reply = { id, ...(await session.answer(request, between)) };
  } catch (error) {
    reply = { id, error: textOf(error) };
  }
  if (OTHERS.has(request.do)) others--;
  const { frame, bytes } = reply;
  const own = [frame?.poses, frame?.q, frame?.v, frame?.contactForces, frame?.since, bytes];
  const buffers = own.flatMap((numbers) => (numbers ? [numbers.buffer] : []));
  self.postMessage(reply, { transfer: buffers as ArrayBuffer[] });
}

/** Milliseconds between words about long work. */
const TELLING = 150;
let told = 0;

/** Says how far it is, and looks whether something else was asked for. */
async function between(part: number): Promise<boolean> {
  if (performance.now() - told > TELLING) {
    told = performance.now();
    const reply: Reply = { id: 0, said: `The scene is done again: ${Math.round(100 * part)} %` };
    self.postMessage(reply);
  }
  await new Promise((done) => setTimeout(done, 0));
  return others <= 1;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function play(wanted: number): void {
  if (speed === 0) {
    owed = 0;
    since = performance.now();
  }
  speed = wanted;
  if (going || speed === 0) return;
  going = true;
  turn.port1.postMessage(0);
}

// A message to oneself: other than a timer it comes at once, behind the requests that are there already.
const turn = new MessageChannel();
turn.port2.onmessage = () => {
  last = last.then(goOn);
};

/** A slice of computing, then the next one. */
function goOn(): void {
  going = speed > 0;
  if (!going) return;
  const now = performance.now();
  owed = Math.min(LATEST, owed + ((now - since) / 1000) * speed);
  since = now;
  try {
    owed = session.advance(owed);
  } catch (error) {
    speed = 0;
    going = false;
    const reply: Reply = { id: 0, error: textOf(error) };
    self.postMessage(reply);
    return;
  }
  if (owed >= session.world.stepSize) turn.port1.postMessage(0);
  else setTimeout(() => turn.port1.postMessage(0), REST);
}
