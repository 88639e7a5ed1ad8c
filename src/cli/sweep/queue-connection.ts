// The queue of sweeps: BullMQ on Redis or Valkey, both loaded when asked for. After an outage of the server all goes on.

import type { Redis } from 'ioredis';
import { SimulationError } from '../../mechanism/errors.js';
import { InputError } from '../errors.js';
import { type QueueAddress, redacted } from './queue-address.js';

/** One queue for all sweeps: jobs are told apart by their names. */
export const QUEUE = 'manikin-sweep';

type BullModule = typeof import('bullmq');

export interface QueueConnection {
  readonly bull: BullModule;
  readonly client: Redis;
  readonly address: QueueAddress;
}

/** The name of a job: the name of its result. */
export const jobIdOf = (key: string): string => `run-${key}`;

/** Milliseconds until the server must have answered at the start. */
const PATIENCE = 10_000;

/** Connects, or says in one sentence why not. `say` is told of outages. */
export async function openQueue(address: QueueAddress, say: (line: string) => void): Promise<QueueConnection> {
  const { bull, Redis } = await loadPackages();
  const { host, port, username, password, database, encrypted } = address;
  const client = new Redis({
    host,
    port,
    db: database,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(encrypted && { tls: { servername: host } }),
    // Commands wait for the server to come back.
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => Math.min(100 * times, 2000),
    connectTimeout: PATIENCE,
  });
  try {
    await firstAnswer(client);
  } catch (error) {
    client.disconnect();
    throw new SimulationError('queue', `The queue ${address.shown} cannot be used: ${reasonOf(error, address)}.`);
  }
  watch(client, address, say);
  return { bull, client, address };
}

function reasonOf(error: unknown, address: QueueAddress): string {
  const { message, code } = error as NodeJS.ErrnoException;
  if (/NOAUTH/.test(message)) return 'it wants a password (redis://user:password@host)';
  if (/WRONGPASS|invalid password/.test(message)) return 'it refuses this user or password';
  return redacted(message || String(code), address).replace(/\.$/, '');
}

async function loadPackages(): Promise<{ bull: BullModule; Redis: typeof Redis }> {
  try {
    const [bull, redis] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { bull, Redis: redis.Redis };
  } catch {
    throw new InputError('A queue needs the packages bullmq and ioredis: npm install bullmq ioredis.');
  }
}

function firstAnswer(client: Redis): Promise<void> {
  return new Promise((done, failed) => {
    const late = setTimeout(() => failed(new Error('it does not answer')), PATIENCE);
    const settle = (act: () => void) => (): void => {
      clearTimeout(late);
      act();
    };
    client.once('error', (error) => settle(() => failed(error))());
    // A password that is missing or wrong shows at the first command.
    client.once('ready', () => {
      client.ping().then(
        settle(() => done()),
        (error: Error) => settle(() => failed(error))(),
      );
    });
  });
}

function watch(client: Redis, { shown }: QueueAddress, say: (line: string) => void): void {
  let lost = false;
  // Told by "close"; without a listener it would be thrown.
  client.on('error', () => {});
  client.on('close', () => {
    if (!lost && client.status !== 'end') say(`The queue ${shown} is away; waiting for it.`);
    lost = true;
  });
  client.on('ready', () => {
    if (lost) say(`The queue ${shown} is back.`);
    lost = false;
  });
}

/** Waits for something no longer than some milliseconds: a server that is away must not hold up the end. */
export async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((done) => {
    timer = setTimeout(done, milliseconds);
  });
  await Promise.race([work.catch(() => {}), late]);
  clearTimeout(timer);
}
