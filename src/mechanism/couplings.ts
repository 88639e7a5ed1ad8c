import type { Coupling } from './mechanism.js';

/**
 * Couplings with chains resolved: if a follows b and b follows c, then a follows c. Joints that follow themselves come
 * as `cycles`, one for each circle. Each chain is walked once: what a joint was found to follow is kept for those that
 * follow it.
 */
export function resolveCouplings(raw: ReadonlyMap<number, Coupling>): { couplings: Coupling[]; cycles: number[] } {
  const resolved = new Map<number, Coupling>();
  const cycles: number[] = [];
  for (const start of raw.values()) {
    const path: Coupling[] = [];
    const onPath = new Set<number>();
    let at: Coupling | undefined = start;
    while (at !== undefined && !resolved.has(at.joint) && !onPath.has(at.joint)) {
      path.push(at);
      onPath.add(at.joint);
      at = raw.get(at.source);
    }
    if (at !== undefined && onPath.has(at.joint)) cycles.push(at.joint);
    for (const { joint, source, multiplier, offset } of path.reverse()) {
      const next = resolved.get(source) ?? { source, multiplier: 1, offset: 0 };
      resolved.set(joint, {
        joint,
        source: next.source,
        multiplier: multiplier * next.multiplier,
        offset: offset + multiplier * next.offset,
      });
    }
  }
  return { couplings: [...raw.keys()].map((joint) => resolved.get(joint)!), cycles };
}
