// A link that restores scene, moment and view: everything stands behind the # and never leaves the machine.

import type { Kept } from '../physics/protocol.js';

const MOST_BYTES = 8 * 1024 * 1024;

/** Where the camera is, and what it looks at. */
export interface View {
  readonly position: readonly number[];
  readonly target: readonly number[];
}

export interface Link {
  readonly scene?: string;
  readonly kept?: Kept;
  readonly view?: View;
}

/** Packing is loaded when a link is made or opened. */
export async function linkOf(kept: Kept | undefined, view: View): Promise<string | undefined> {
  if (kept === undefined) return undefined;
  const { deflateSync, strToU8 } = await import('fflate');
  const bytes = deflateSync(strToU8(JSON.stringify({ kept, view })), { level: 9 });
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return `#moment=${btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/** What a link says; undefined where it says nothing that can be understood. */
export async function readLink(hash: string): Promise<Link | undefined> {
  const text = hash.replace(/^#/, '');
  if (text === '') return undefined;
  try {
    if (!text.startsWith('moment=')) return { scene: decodeURIComponent(text) };
    const { inflateSync, strFromU8 } = await import('fflate');
    const packed = atob(text.slice('moment='.length).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
    const { kept, view } = JSON.parse(strFromU8(inflateSync(bytes, { out: new Uint8Array(MOST_BYTES) }))) as Link;
    const sound =
      typeof kept?.scene === 'string' &&
      Number.isSafeInteger(kept.steps) &&
      kept.steps <= 1e6 &&
      Array.isArray(kept.actions);
    return sound ? { kept, ...(view !== undefined && { view }) } : undefined;
  } catch {
    return undefined;
  }
}
