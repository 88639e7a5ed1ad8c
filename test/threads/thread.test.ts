// Threads of Node: messages, ends of all kinds, and whether they keep a process alive. (Those of pages: test/browser.)

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { openThread, type Thread } from '../../src/threads/thread.js';
import { PATIENCE } from '../support/patience.js';

const program = (text: string): URL => new URL(`data:text/javascript,${encodeURIComponent(text)}`);
const start = (text: string): Thread =>
  openThread({
    name: 'program',
    file: () => program(text),
    inPage: () => {
      throw new Error('this is no page');
    },
  });
const end = (thread: Thread): Promise<string> => new Promise((resolve) => thread.listen(() => {}, resolve));

const ECHO = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', (message) => {
  if (message === 'throw') throw new Error('as it was told');
  if (message === 'hang') for (;;);
  parentPort.postMessage(message + 1);
});`;

describe('a thread', () => {
  it('answers', async () => {
    const thread = start(ECHO);
    const answer = new Promise((resolve) => thread.listen(resolve, () => {}));
    thread.send(41);
    expect(await answer).toBe(42);
    await thread.end();
  });

  it('tells its end once, with the reason', async () => {
    const thrown = start(ECHO);
    thrown.send('throw');
    expect(await end(thrown)).toBe('as it was told');
    expect(await end(start('process.exit(0)'))).toBe('it has ended');
    expect(await end(start('import "./nowhere.js"'))).toMatch(/nowhere/);
  });

  it('can be ended while it hangs', async () => {
    const thread = start(ECHO);
    const ended = end(thread);
    thread.send('hang');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await thread.end();
    expect(await ended).toBe('it has ended');
  });

  it('keeps its process alive while it is held, and no longer', () => {
    const module = new URL('../../dist/threads/thread.js', import.meta.url);
    const text = (held: boolean): string => `
      import { openThread } from ${JSON.stringify(module.href)};
      const url = new URL(${JSON.stringify(program('setTimeout(() => {}, 300)').href)});
      const thread = openThread({ name: 'program', file: () => url, inPage: () => {} });
      thread.listen(() => {}, () => console.log('the thread has ended'));
      thread.hold(${held});`;
    const run = (held: boolean) =>
      spawnSync(process.execPath, ['--input-type=module', '-e', text(held)], { encoding: 'utf8', timeout: PATIENCE });
    const held = run(true);
    expect(held).toMatchObject({ status: 0, stdout: 'the thread has ended\n', stderr: '' });
    expect(run(false)).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });
});
