// Which part of the human body a bone of a skeleton is, by its name. Skeletons are named after bones (LeftUpLeg) or after
// the joints where they begin (LeftHip); left and right in words or letters, with or without a prefix (mixamorig:).

export type SegmentPart =
  | 'pelvis'
  | 'spine'
  | 'girdle'
  | 'head'
  | 'upperArm'
  | 'forearm'
  | 'hand'
  | 'finger'
  | 'thigh'
  | 'shank'
  | 'foot'
  | 'toe';

export type BodySide = 'left' | 'right' | '';

export interface Named {
  readonly part: SegmentPart | undefined;
  readonly side: BodySide;
}

// Tried in this order: what is more special comes first.
const PATTERNS: readonly (readonly [RegExp, SegmentPart])[] = [
  [/thumb|index|middle|ring|pinky|little|finger|digit|knuckle/, 'finger'],
  [/toe|ball(?!oon)/, 'toe'],
  [/foot|ankle|calcn|calcaneus|heel/, 'foot'],
  [/hipjoint/, 'pelvis'],
  [/up(per)?_?leg|thigh|femur|hip(?!s)$/, 'thigh'],
  [/leg|shin|knee|calf|shank|tibia/, 'shank'],
  [/fore_?arm|low(er)?_?arm|elbow|radius/, 'forearm'],
  [/clavicle|collar|shoulder/, 'girdle'],
  [/hand|wrist/, 'hand'],
  [/arm|humerus/, 'upperArm'],
  [/head|neck|skull|jaw|eye/, 'head'],
  [/spine|back|chest|thorax|torso|trunk|abdomen|waist|stomach/, 'spine'],
  [/hips|pelvis|root/, 'pelvis'],
];

export function namedPart(name: string): Named {
  // Without a prefix such as "mixamorig:", and with words apart: LeftUpLeg -> left_up_leg.
  const words = name
    .slice(name.lastIndexOf(':') + 1)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/^([LR])([A-Z])/, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
  const side: BodySide = /left|^l_|_l$|_l_/.test(words) ? 'left' : /right|^r_|_r$|_r_/.test(words) ? 'right' : '';
  const plain = words.replace(/left|right|^[lr]_|_[lr]$|_/g, '');
  const part = PATTERNS.find(([pattern]) => pattern.test(plain))?.[1];
  return { part, side };
}

/**
 * The part of every bone of a skeleton, parents before children. Names that mean two things are settled by what hangs
 * below: a shoulder that carries no upper arm is the upper arm. A bone without a known name is part of its parent.
 */
export function skeletonParts(nodes: readonly { readonly name: string; readonly parent: number }[]): Named[] {
  const named = nodes.map(({ name }) => namedPart(name));
  const hasBelow = (top: number, part: SegmentPart): boolean => {
    const below = new Set([top]);
    return nodes.some((node, i) => {
      if (!below.has(node.parent)) return false;
      below.add(i);
      return named[i].part === part;
    });
  };
  const settled: Named[] = [];
  nodes.forEach(({ parent }, i) => {
    let { part, side } = named[i];
    const above = parent < 0 ? undefined : settled[parent];
    const lastGirdle = part === 'girdle' && side !== '' && !hasBelow(i, 'girdle') && !hasBelow(i, 'upperArm');
    if (lastGirdle && hasBelow(i, 'forearm')) part = 'upperArm';
    if (part === 'upperArm' && above?.part === 'upperArm' && !hasBelow(i, 'forearm') && hasBelow(i, 'hand'))
      part = 'forearm';
    if (part === 'pelvis' && side !== '' && !hasBelow(i, 'thigh') && hasBelow(i, 'shank')) part = 'thigh';
    // Where the ankle has a name of its own, the foot that hangs from it begins at the ball.
    if (/foot/i.test(nodes[i].name) && parent >= 0 && /ankle/i.test(nodes[parent].name) && !hasBelow(i, 'toe'))
      part = 'toe';
    // The root is the pelvis whatever its name, and nothing else is called so that lies above it.
    if (parent < 0) part = 'pelvis';
    if (side === '' && above !== undefined) side = above.side;
    settled.push({ part: part ?? above?.part, side });
  });
  return settled;
}

/** The joint that a part hangs by, in everyday words; those that a skeleton may have several of are left out. */
const JOINTS = new Map<SegmentPart, string>([
  ['thigh', 'hip'],
  ['shank', 'knee'],
  ['foot', 'ankle'],
  ['upperArm', 'shoulder'],
  ['forearm', 'elbow'],
  ['hand', 'wrist'],
]);

/** Names that people know for what a skeleton's joints turn about: "left hip x" for LeftUpLeg_rx, "left knee" for LeftLeg; others stay. */
export function everydayNames(coordinates: readonly string[]): string[] {
  const names = coordinates.map((coordinate) => {
    // Of a ball about three axes, of a hinge by the name alone; coordinates of OpenSim have words of their own.
    const [, bone, axis = ''] = /^(.*)_r([xyz])$/.exec(coordinate) ?? /^([^_]*)$/.exec(coordinate) ?? [];
    const { part, side } = namedPart(bone ?? '');
    const joint = part && JOINTS.get(part);
    return side === '' || joint === undefined ? coordinate : `${side} ${joint} ${axis}`.trim();
  });
  return names.map((name, k) => (names.indexOf(name) === names.lastIndexOf(name) ? name : coordinates[k]));
}

/** "left foot" for LeftFoot or calcn_l; others stay. */
export function everydayBody(name: string): string {
  const { part, side } = namedPart(name);
  return side !== '' && (part === 'foot' || part === 'hand') ? `${side} ${part}` : name;
}
