// Sweeps over a queue: workers that are killed, a server that is restarted or loses everything, jobs of strangers, passwords.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf, type RunJob } from '../../src/cli/sweep/job.js';
import { parseQueueAddress, redacted } from '../../src/cli/sweep/queue-address.js';
import { packageVersion } from '../../src/cli/version.js';
import { hasRedis, RedisServer } from '../support/redis-server.js';
import { bash, built, MAIN, until } from './process-support.js';
import { expectRefusal, json, manikin, output, read, runWith, temporaryFolder } from './support.js';

const files = temporaryFolder();
const LONG = process.env.MANIKIN_LONG === '1';
const ready = built && hasRedis;

const resultFiles = (folder: string): string[] =>
  existsSync(join(folder, 'results'))
    ? readdirSync(join(folder, 'results'), { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.json'),
      )
    : [];
const resultsIn = (folder: string): Map<string, string> =>
  new Map(
    resultFiles(folder)
      .map((name) => [name, read(join(folder, 'results', name))] as const)
      .sort(),
  );

interface Program {
  readonly child: ChildProcess;
  /** Everything that it has printed. */
  text(): string;
  readonly ended: Promise<number | null>;
}

const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

function launch(words: readonly string[], environment: Record<string, string> = {}): Program {
  const child = spawn(process.execPath, [MAIN, ...words], { env: { ...process.env, ...environment } });
  started.push(child);
  let text = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (part) => {
      text += part;
    });
  return { child, text: () => text, ended: once(child, 'close').then(([code]) => code as number | null) };
}

/** A worker in this process, until it is told to end. */
function workHere(url: string, ...words: string[]): { end: () => Promise<string> } {
  const stop = new AbortController();
  const running = runWith({ signal: stop.signal }, 'worker', '--queue', url, ...words);
  return {
    end: async () => {
      stop.abort();
      const { out, err } = await running;
      return out + err;
    },
  };
}

describe('the address of a queue', () => {
  it('is read, and shown without user and password', () => {
    expect(parseQueueAddress('redis://localhost')).toMatchObject({ host: 'localhost', port: 6379, database: 0 });
    const address = parseQueueAddress('rediss://me:p%40ss@[::1]:6380/3');
    expect(address).toMatchObject({
      host: '::1',
      port: 6380,
      database: 3,
      encrypted: true,
      username: 'me',
      password: 'p@ss',
    });
    expect(address.shown).toBe('rediss://***@[::1]:6380/3');
    expect(parseQueueAddress('redis://:secret@host').shown).toBe('redis://***@host:6379');
  });

  it('what is wrong with it is told without repeating it', async () => {
    for (const url of [
      'http://:s3cret@host',
      's3cret',
      'redis://:s3cret@host/name',
      'redis://:s3cret%@host',
      'redis://:s3cret@host?x=1',
    ])
      for (const command of [['worker'], ['sweep', files.write('s.json', { run: { simulate: 'chain-2' } })]]) {
        const outcome = await manikin(...command, '--queue', url);
        expectRefusal(outcome, 2);
        expect(outcome.err).not.toContain('s3cret');
      }
  });

  it('nothing of it is left in messages of others', () => {
    const address = parseQueueAddress('redis://me:p%40ss@host');
    const message = redacted('AUTH me p@ss failed at redis://me:p%40ss@host:6379\n\u001b[31m', address);
    expect(message).toBe('AUTH *** *** failed at redis://***@host:6379 [31m');
  });

  it('nobody there: one line, exit code 1', async () => {
    const outcome = await manikin('worker', '--queue', 'redis://:s3cret@127.0.0.1:1');
    expectRefusal(outcome, 1);
    expect(outcome.err).toBe(
      'Error: The queue redis://***@127.0.0.1:1 cannot be used: connect ECONNREFUSED 127.0.0.1:1.\n',
    );
  });
});

describe.skipIf(!ready)('a sweep over a queue', () => {
  const sweep = LONG
    ? { run: { simulate: 'human-34', duration: 0.1 }, seeds: 1000 }
    : { run: { simulate: 'chain-3', duration: 2 }, seeds: 60 };
  const runs = sweep.seeds;
  const file = files.write('chaos.json', sweep);
  const local = files.path('local');
  beforeAll(async () => {
    await output('sweep', file, '--out', local);
    expect(resultFiles(local).length).toBe(runs);
  });

  it(`${runs} runs, workers killed one after the other, the server restarted: every result once, the same bits`, async () => {
    const server = await RedisServer.start(['--appendonly', 'yes', '--appendfsync', 'always']);
    const out = files.path('chaos');
    const work = (): Program => launch(['worker', '--queue', server.url, '--threads', '1', '--lease', '1']);
    const workers = Array.from({ length: 4 }, work);
    const main = launch(['sweep', file, '--out', out, '--queue', server.url]);
    let [ended, kills, restarts, before, killed] = [false, 0, 0, 0, 0];
    void main.ended.then(() => {
      ended = true;
    });
    try {
      while (!ended) {
        await wait(20);
        // One every second, but not while nothing comes of it: a machine may be so busy that nobody gets to work within a second.
        const there = resultFiles(out).length;
        const k = kills % 4;
        if (there > before && performance.now() - killed > 1000 && workers[k].text().includes('Worker of')) {
          [before, killed] = [there, performance.now()];
          kills++;
          workers[k].child.kill('SIGKILL');
          await workers[k].ended;
          workers[k] = work();
        }
        if (restarts === 0 && resultFiles(out).length > runs / 3) {
          restarts++;
          await server.end();
          await wait(300);
          await server.begin();
        }
        // One that came while the server was away has ended.
        workers.forEach((worker, j) => {
          if (worker.child.exitCode !== null) workers[j] = work();
        });
      }
      expect(await main.ended, main.text()).toBe(0);
      console.log(`${runs} runs over a queue: ${kills} workers killed, server restarted ${restarts} times`);
      expect(kills).toBeGreaterThan(0);
      expect(restarts).toBe(1);
      expect(main.text()).toContain(`${runs} runs, ${runs} done in`);
      expect(resultsIn(out)).toEqual(resultsIn(local));
    } finally {
      for (const { child } of [...workers, main]) child.kill('SIGKILL');
      await server.remove();
    }
  });

  describe('with a server', () => {
    let server: RedisServer;
    let client: Redis;
    let queue: Queue;
    beforeAll(async () => {
      server = await RedisServer.start();
      client = new Redis(server.port, { maxRetriesPerRequest: null });
      queue = new Queue('manikin-sweep', { connection: client });
    });
    afterAll(async () => {
      await queue.close();
      client.disconnect();
      await server.remove();
    });
    const some = { run: { simulate: 'chain-3', duration: 2 }, seeds: 6 };

    it('that loses everything: lost runs are put in again', async () => {
      const out = files.path('flushed');
      const main = launch(['sweep', files.write('flush.json', some), '--out', out, '--queue', server.url]);
      await until(() => main.child.exitCode !== null || existsSync(join(out, 'manifest.json')));
      await until(() => main.child.exitCode !== null || main.text().includes('No worker is there.'));
      expect(await queue.getWaitingCount()).toBe(6);
      await client.flushall();
      const worker = workHere(server.url, '--threads', '2');
      expect(await main.ended, main.text()).toBe(0);
      const theirs = resultsIn(local);
      for (const [name, text] of resultsIn(out)) if (!LONG) expect(text).toBe(theirs.get(name));
      expect(resultFiles(out).length).toBe(6);
      expect(await worker.end()).toContain('6 runs done');
      // Nothing is left behind.
      expect(await queue.getJobCounts('wait', 'active', 'delayed', 'completed', 'failed')).toEqual({
        wait: 0,
        active: 0,
        delayed: 0,
        completed: 0,
        failed: 0,
      });
    });

    it('stopped by Ctrl-C it takes back what nobody has begun; killed it finds the results of its runs', async () => {
      const out = files.path('resumed');
      const words = ['sweep', files.write('resume.json', some), '--out', out, '--queue', server.url];
      const stopped = launch(words);
      await until(() => stopped.child.exitCode !== null || stopped.text().includes('No worker is there.'));
      stopped.child.kill('SIGINT');
      expect(await stopped.ended).toBe(130);
      expect(stopped.text()).toContain('Stopped: 0 of 6 runs are done. Run it again for the rest.');
      expect(await queue.getWaitingCount()).toBe(0);
      const killed = launch(words);
      await until(() => killed.child.exitCode !== null || killed.text().includes('No worker is there.'));
      killed.child.kill('SIGKILL');
      await killed.ended;
      const worker = workHere(server.url, '--threads', '1');
      for (const end = Date.now() + 60_000; (await queue.getCompletedCount()) < 6 && Date.now() < end; ) await wait(50);
      await worker.end();
      expect(await json(...words)).toMatchObject({ runs: 6, done: 6, failed: 0 });
      expect(await json(...words)).toMatchObject({ runs: 6, done: 0, skipped: 6 });
    });

    it('a run that fails is told, the others go on; a result that cannot be written waits in the queue', async () => {
      const out = files.path('failing');
      const worker = workHere(server.url, '--threads', '1');
      const wrong = files.write('failing.json', {
        run: { simulate: 'chain-2', duration: 1 },
        parameters: { integrator: ['euler', 'dopri5'] },
        seeds: 1,
      });
      const { code, err } = await manikin('sweep', wrong, '--out', out, '--queue', server.url);
      expect(code).toBe(1);
      expect(err).toMatch(
        /^Failed: integrator "euler", seed 1: The energy grew by [^\n]+\nError: 1 of 2 runs failed: /,
      );
      expect(resultFiles(out).length).toBe(1);
      // A file where a folder must be.
      const blocked = files.path('blocked');
      const key = resultFiles(out)[0].slice(3, 35);
      mkdirSync(join(blocked, 'results', key.slice(0, 2), `${key}.json`), { recursive: true });
      const refused = await manikin('sweep', wrong, '--out', blocked, '--queue', server.url);
      expect(refused.code).toBe(1);
      expect(await worker.end()).toContain('Failed: The energy grew by');
    });

    it('takes data, never code: what a stranger puts in fails with a sentence, and nothing outside the root is read', async () => {
      const root = files.path('root');
      mkdirSync(root);
      files.write('secret.xml', '<mujoco/>');
      const version = packageVersion();
      const good: RunJob = {
        format: 1,
        version,
        input: { kind: 'model', model: 'chain-2', duration: 0.01 },
        files: {},
      };
      const digest = '0'.repeat(64);
      const jobs: [unknown, string][] = [
        [{}, 'The key "format" is missing.'],
        [{ ...good, format: 2 }, 'job: format: Expected a number of at most 1, got 2.'],
        [{ ...good, run: 'process.exit()' }, 'job: run: There is no such key here.'],
        [{ ...good, input: { ...good.input, kind: 'code' } }, 'Expected one of scene, model, inverse, got "code".'],
        [
          { ...good, input: { kind: 'model', model: 'chain-2', duration: 1e300 } },
          'duration: Expected a number of at most',
        ],
        [{ ...good, input: { kind: 'model', model: 'chain-2', duration: 1e9, step: 1e-9 } }, 'steps are too many'],
        [{ ...good, input: { kind: 'model', model: 'secret.xml' } }, 'There is no file "secret.xml" in the root.'],
        [
          { ...good, input: { kind: 'model', model: '../secret.xml' }, files: { '../secret.xml': digest } },
          'Expected a path that does not leave the root',
        ],
        [
          { ...good, input: { kind: 'model', model: '/etc/passwd.xml' }, files: { '/etc/passwd.xml': digest } },
          'Expected a path relative to the file',
        ],
        [
          { ...good, input: { kind: 'scene', scene: { mechanisms: [] }, folder: '' } },
          'Expected a list with at least 1, got 0.',
        ],
        [
          { ...good, input: { kind: 'scene', scene: { mechanisms: [{ model: 'a.xml' }] }, folder: '../..' } },
          'does not leave the root',
        ],
        [{ ...good, version: '9.9.9' }, `It is a run of version 9.9.9, this is ${version}.`],
        [good, 'The name of the run does not belong to what is in it.'],
      ];
      const worker = workHere(server.url, '--root', root, '--threads', '1');
      const added = await queue.addBulk(
        jobs.map(([data], k) => ({ name: 'run', data, opts: { jobId: `stranger-${k}`, removeOnFail: false } })),
      );
      for (const end = Date.now() + 60_000; (await queue.getFailedCount()) < jobs.length && Date.now() < end; )
        await wait(20);
      for (const [k, { id }] of added.entries()) {
        const job = await queue.getJob(id!);
        expect(job?.failedReason, JSON.stringify(jobs[k][0])).toContain(jobs[k][1]);
        expect(job?.failedReason).not.toContain('\n');
      }
      // A good one is made.
      const id = `run-${keyOf(good)}`;
      await queue.add('run', good, { jobId: id });
      for (const end = Date.now() + 60_000; (await queue.getJobState(id)) !== 'completed' && Date.now() < end; )
        await wait(20);
      expect((await queue.getJob(id))?.returnvalue.text).toContain('"hash"');
      expect(await worker.end()).toContain('1 runs done, 13 failed');
      await client.flushall();
    });

    it('a worker that is stopped gives its run back at once, long before the lease ends', async () => {
      const input = { kind: 'model', model: 'chain-2', duration: 100_000 } as const;
      const job: RunJob = { format: 1, version: packageVersion(), input, files: {} };
      const id = `run-${keyOf(job)}`;
      await queue.add('run', job, { jobId: id });
      const worker = launch(['worker', '--queue', server.url, '--threads', '1', '--lease', '600']);
      const state = async (expected: string): Promise<void> => {
        for (const end = Date.now() + 60_000; (await queue.getJobState(id)) !== expected; await wait(20))
          if (Date.now() > end) throw new Error(`it never was ${expected}`);
      };
      await state('active');
      worker.child.kill('SIGINT');
      expect(await worker.ended, worker.text()).toBe(130);
      await state('waiting');
      expect(worker.text()).toMatch(/^Worker of [^\n]+\n0 runs done in [^\n]+\nInterrupted\.\n$/);
      await queue.remove(id);
    });

    it('a worker that sends no result of the run is not believed', async () => {
      const main = launch([
        'sweep',
        files.write('lie.json', { ...some, seeds: 1 }),
        '--out',
        files.path('lie'),
        '--queue',
        server.url,
      ]);
      await until(() => main.child.exitCode !== null || main.text().includes('No worker is there.'));
      const { Worker } = await import('bullmq');
      const liar = new Worker('manikin-sweep', async () => ({ text: '{"key":"x"}' }), { connection: client });
      expect(await main.ended).toBe(1);
      expect(main.text()).toContain('Failed: seed 1: What a worker sent is no result of this run.');
      expect(resultFiles(files.path('lie'))).toEqual([]);
      await liar.close();
    });
  });

  it('encrypted, with a password that nobody gets to see', async () => {
    const folder = files.path('tls');
    mkdirSync(folder);
    const made = bash(
      'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost',
      folder,
    );
    if (made.status !== 0) {
      console.warn('skipped: no openssl on this machine, an encrypted connection is not tried');
      return;
    }
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const server = await RedisServer.start(
      [
        '--port',
        '0',
        '--tls-cert-file',
        cert,
        '--tls-key-file',
        key,
        '--tls-ca-cert-file',
        cert,
        '--tls-auth-clients',
        'no',
        '--requirepass',
        'p@ss-w0rd',
      ],
      '--tls-port',
    );
    try {
      const url = `rediss://:p%40ss-w0rd@localhost:${server.port}`;
      const trusted = { NODE_EXTRA_CA_CERTS: cert, MANIKIN_QUEUE: url };
      const sweepFile = files.write('tls.json', { run: { simulate: 'chain-2', duration: 0.1 }, seeds: 3 });
      const main = launch(['sweep', sweepFile, '--out', files.path('encrypted')], trusted);
      // A worker that found nothing to do would end, and the sweep wait for another one.
      await until(() => main.child.exitCode !== null || main.text().includes('No worker is there.'));
      const worker = launch(['worker', '--threads', '1', '--idle', '1'], trusted);
      // Neither in what they print nor in the list of processes.
      const listed = readFileSync(`/proc/${worker.child.pid}/cmdline`, 'utf8');
      const distrustful = launch(['worker'], { MANIKIN_QUEUE: url });
      const refused = launch(['worker'], { ...trusted, MANIKIN_QUEUE: url.replace('w0rd', 'word') });
      expect(await main.ended, main.text()).toBe(0);
      expect(await worker.ended, worker.text()).toBe(0);
      expect(await distrustful.ended).toBe(1);
      expect(await refused.ended).toBe(1);
      expect(distrustful.text()).toMatch(
        /^Error: The queue rediss:\/\/\*\*\*@localhost:\d+ cannot be used: .*self.signed certificate\.\n$/i,
      );
      expect(refused.text()).toMatch(/cannot be used: it refuses this user or password\.\n$/);
      for (const text of [listed, ...[main, worker, distrustful, refused].map((one) => one.text())])
        expect(text).not.toMatch(/p(@|%40)ss/);
      expect(resultFiles(files.path('encrypted')).length).toBe(3);
    } finally {
      await server.remove();
    }
  });
});
