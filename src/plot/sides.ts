// Curves of the left and the right in two families of colours.

import { COLORS } from './svg.js';

/** Names that people know: knee_angle_r and RightLeg are of the right. */
function sideOf(name: string): 'left' | 'right' | undefined {
  if (/left|(?:^|_)l(?:_|$)/i.test(name)) return 'left';
  return /right|(?:^|_)r(?:_|$)/i.test(name) ? 'right' : undefined;
}

/** They stay apart for colour-blind readers. */
const FAMILIES = {
  left: ['#0072b2', '#56b4e9', '#3a5ba9', '#00a3a3'],
  right: ['#d55e00', '#e69f00', '#b03060', '#8c564b'],
} as const;
/** Of curves that belong to no side, where others do. */
const BETWEEN_SIDES = ['#777777', '#009e73', '#cc79a7', '#9a7f00'];

/** A colour for each of the names. */
export function sideColors(names: readonly string[]): string[] {
  const used = { left: 0, right: 0, other: 0 };
  const others: readonly string[] = names.some((name) => sideOf(name) !== undefined) ? BETWEEN_SIDES : COLORS;
  return names.map((name) => {
    const side = sideOf(name);
    const family = side === undefined ? others : FAMILIES[side];
    return family[used[side ?? 'other']++ % family.length];
  });
}
