// A mechanism as text, without what it looks like. Loaded when another worker is to know it.

import type { Mechanism } from 'manikin';
import { formatDescription } from 'manikin/formats';

export function describe(mechanism: Mechanism): string {
  const { bodies, ...rest } = formatDescription(mechanism);
  return JSON.stringify({ ...rest, bodies: bodies.map(({ visuals: _v, collisions: _c, ...body }) => body) });
}
