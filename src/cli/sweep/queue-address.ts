// Where a queue is. The address may have a password in it: it is passed on to the server and shown to nobody.

import { InputError } from '../errors.js';
import { plainLine } from './job.js';

export interface QueueAddress {
  /** For messages: without user and password. */
  readonly shown: string;
  readonly host: string;
  readonly port: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  /** rediss:// */
  readonly encrypted: boolean;
}

const SCHEMES = new Map([
  ['redis:', false],
  ['rediss:', true],
  ['valkey:', false],
  ['valkeys:', true],
]);

/** Reads redis://user:password@host:port/database. What is wrong with it is told without repeating it. */
export function parseQueueAddress(text: string): QueueAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const encrypted = url === undefined ? undefined : SCHEMES.get(url.protocol);
  const database = url === undefined ? undefined : /^\/?(\d{0,4})$/.exec(url.pathname)?.[1];
  if (
    url === undefined ||
    encrypted === undefined ||
    url.hostname === '' ||
    database === undefined ||
    url.search !== ''
  )
    throw new InputError(
      '--queue expects the address of a Redis or Valkey server, redis://host:6379/0, or rediss:// for an encrypted connection.',
    );
  const port = url.port === '' ? 6379 : Number(url.port);
  // Brackets are for addresses of IPv6 in URLs only.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    shown: `${url.protocol}//${url.username === '' && url.password === '' ? '' : '***@'}${url.hostname}:${port}${database === '' ? '' : `/${database}`}`,
    host,
    port,
    username: url.username === '' ? undefined : decodedPart(url.username),
    password: url.password === '' ? undefined : decodedPart(url.password),
    database: Number(database),
    encrypted,
  };
}

function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InputError('User and password of --queue must be written as in every URL: % as %25.');
  }
}

/** A message of the server or of a library, without what belongs to nobody else, on one line. */
export function redacted(message: string, { username, password }: QueueAddress): string {
  let text = message.replace(/\b(\w+:\/\/)[^\s/@]*@/g, '$1***@');
  for (const secret of [password, username])
    if (secret !== undefined && secret !== '')
      for (const written of [secret, encodeURIComponent(secret)]) text = text.replaceAll(written, '***');
  return plainLine(text);
}
