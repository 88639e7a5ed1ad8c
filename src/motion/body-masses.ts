// Masses of a captured skeleton: the table of de Leva (models/anthropometry.ts) laid onto its bones in the rest pose.
//
// Thighs, shanks, upper arms and forearms reach from joint to joint, and their centres of mass divide that length as in
// the table. The trunk reaches from the middle of the hips to the neck; each of its three parts belongs to the bone of
// the spine at the height of its centre of mass. Hands and feet begin at wrist and ankle; fingers and toes get a share.
// Head and neck are cylinders along their bones. Radii of gyration are those of the table at the figure's height.

import {
  type BodySize,
  DE_LEVA_MALE,
  PROPORTIONS,
  REFERENCE_SIZE,
  type TableSegment,
} from '../models/anthropometry.js';
import { type MassProperties, solidCylinder, solidSphere, weld } from '../models/mass-properties.js';
import { add, cross, dot, type Mat3, norm, scale, subtract, type Vec3 } from '../spatial/matrix3.js';
import type { BodySide, Named, SegmentPart } from './segments.js';

/** A skeleton in its rest pose, where the frames of all bones are parallel to the ground's. Metres. */
export interface RestSkeleton {
  readonly nodes: readonly RestNode[];
  readonly up: Vec3;
  readonly size: BodySize;
}

export interface RestNode extends Named {
  readonly parent: number;
  /** Where its joint is. */
  readonly at: Vec3;
  /** Ends of the bone that carry no joint. */
  readonly ends: readonly Vec3[];
}

/** Shares of the whole part: toes, each bone of a finger, each shoulder girdle (of the upper trunk), a bone beside. */
const TOE_SHARE = 0.12;
const FINGER_SHARE = 0.03;
const FINGERS_AT_MOST = 0.4;
const GIRDLE_SHARE = 0.08;
const SPARE_SHARE = 0.02;
/** The ankle's place along the foot, from the heel. */
export const ANKLE_SHARE = 0.25;

/** What a side of the body has one of. */
const LIMBS: readonly { readonly part: SegmentPart; readonly next: SegmentPart; readonly table: TableSegment }[] = [
  { part: 'thigh', next: 'shank', table: DE_LEVA_MALE.thigh },
  { part: 'shank', next: 'foot', table: DE_LEVA_MALE.shank },
  { part: 'upperArm', next: 'forearm', table: DE_LEVA_MALE.upperArm },
  { part: 'forearm', next: 'hand', table: DE_LEVA_MALE.forearm },
];

/** Where the parts of the trunk begin and end, from the middle of the hips (0) to the neck (1). */
const TRUNK = (() => {
  const { lowerTrunk, middleTrunk, upperTrunk } = DE_LEVA_MALE;
  const length = lowerTrunk.length + middleTrunk.length + upperTrunk.length;
  const navel = lowerTrunk.length / length;
  const xiphoid = navel + middleTrunk.length / length;
  return [
    { table: lowerTrunk, top: navel, length: navel },
    { table: middleTrunk, top: xiphoid, length: xiphoid - navel },
    { table: upperTrunk, top: 1, length: 1 - xiphoid },
  ];
})();

export interface AssignedMasses {
  /** For each node, in its own frame; undefined for none. */
  readonly masses: readonly (MassProperties | undefined)[];
  /** Share of the table's mass that found a bone; 0 where the bones were not recognised and length alone decided. */
  readonly recognised: number;
}

export function assignMasses(skeleton: RestSkeleton): AssignedMasses {
  const assignment = new Assignment(skeleton);
  const known = ['head', 'upperArm', 'thigh', 'shank', 'spine'].filter((part) =>
    skeleton.nodes.some((node) => node.part === part),
  );
  return known.length >= 3 ? assignment.byTable() : assignment.byLength();
}

class Assignment {
  readonly #skeleton: RestSkeleton;
  readonly #nodes: readonly RestNode[];
  readonly #children: number[][];
  readonly #pieces: MassProperties[][];
  readonly #forward: Vec3;
  /** Lengths of the table at this figure's height. */
  readonly #scale: number;

  constructor(skeleton: RestSkeleton) {
    this.#skeleton = skeleton;
    this.#nodes = skeleton.nodes;
    this.#children = skeleton.nodes.map(() => []);
    skeleton.nodes.forEach(({ parent }, i) => {
      if (parent >= 0) this.#children[parent].push(i);
    });
    this.#pieces = skeleton.nodes.map(() => []);
    this.#scale = skeleton.size.height / REFERENCE_SIZE.height;
    this.#forward = forwardOf(skeleton);
  }

  byTable(): AssignedMasses {
    this.#trunk();
    this.#head();
    for (const side of ['left', 'right'] as const) {
      for (const { part, next, table } of LIMBS) this.#limb(side, part, next, table);
      this.#hand(side);
      this.#foot(side);
    }
    this.#spares();
    return this.#result();
  }

  /** Nothing is known of the bones: cylinders of equal density, a seventh as thick as long. */
  byLength(): AssignedMasses {
    const bones = this.#nodes.map((node, i) => [node.at, this.#tip(i)] as const);
    const sizes = bones.map(([from, to]) => norm(subtract(to, from)) ** 3);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    bones.forEach(([from, to], i) => {
      const share = total > 0 ? sizes[i] / total : 1 / bones.length;
      this.#put(i, cylinderOrBall(share, from, to, norm(subtract(to, from)) / 7));
    });
    this.#spares();
    return { ...this.#result(), recognised: 0 };
  }

  /** Masses that were put as fractions become kilograms, and so do what adds up to less or more than one. */
  #result(): AssignedMasses {
    const { mass } = this.#skeleton.size;
    const recognised = this.#pieces.flat().reduce((sum, piece) => sum + piece.mass, 0);
    const masses = this.#pieces.map((pieces, i) => {
      if (pieces.length === 0) return undefined;
      const whole = weld(pieces);
      const factor = mass / recognised;
      return {
        mass: factor * whole.mass,
        com: subtract(whole.com, this.#nodes[i].at),
        inertia: whole.inertia.map((value) => factor * value) as unknown as Mat3,
      };
    });
    return { masses, recognised };
  }

  /** A piece in rest coordinates, its mass a fraction of the body's. */
  #put(node: number, piece: MassProperties): void {
    if (piece.mass > 0) this.#pieces[node].push(piece);
  }

  /** A share of a table segment between two points, by table lengths where the points do not tell. */
  #segment(table: TableSegment, share: number, com: Vec3, along: Vec3): MassProperties {
    const mass = share * table.mass;
    const length = table.length * this.#scale;
    const l = along;
    const s = perpendicular(this.#forward, l) ?? perpendicular(this.#skeleton.up, l)!;
    const t = cross(l, s);
    const [ks, kt, kl] = [table.sagittal, table.transverse, table.longitudinal].map((k) => mass * (k * length) ** 2);
    const inertia = Array.from({ length: 9 }, (_, e) => {
      const [i, j] = [Math.floor(e / 3), e % 3];
      return ks * s[i] * s[j] + kt * t[i] * t[j] + kl * l[i] * l[j];
    }) as unknown as Mat3;
    return { mass, com, inertia };
  }

  #find(part: SegmentPart, side?: BodySide): number {
    return this.#nodes.findIndex((node) => node.part === part && (side === undefined || node.side === side));
  }

  #limb(side: BodySide, part: SegmentPart, next: SegmentPart, table: TableSegment): void {
    const node = this.#find(part, side);
    if (node < 0) return;
    const from = this.#nodes[node].at;
    const end = this.#find(next, side);
    const to = end < 0 ? this.#tip(node) : this.#nodes[end].at;
    const along = unit(subtract(to, from)) ?? scale(-1, this.#skeleton.up);
    this.#put(node, this.#segment(table, 1, add(from, scale(table.com, subtract(to, from))), along));
  }

  #trunk(): void {
    const { up } = this.#skeleton;
    const hips = this.#nodes.filter(({ part }) => part === 'thigh').map(({ at }) => at);
    const low = hips.length > 0 ? scale(1 / hips.length, hips.reduce(add)) : this.#nodes[0].at;
    const neck = this.#find('head');
    const spine = this.#nodes.flatMap(({ part }, i) => (part === 'spine' ? [i] : []));
    const high = neck >= 0 ? this.#nodes[neck].at : this.#tip(spine.at(-1) ?? 0);
    const axis = subtract(high, low);
    const along = unit(axis) ?? up;
    // The bones from the pelvis to the neck, lowest first.
    const chain: number[] = [];
    for (let i = neck >= 0 ? this.#nodes[neck].parent : (spine.at(-1) ?? 0); i >= 0; i = this.#nodes[i].parent)
      chain.unshift(i);
    for (const { table, top, length } of TRUNK) {
      const com = add(low, scale(top - table.com * length, axis));
      const height = dot(subtract(com, low), along);
      const owner =
        table === DE_LEVA_MALE.lowerTrunk
          ? 0
          : (chain.findLast((i) => dot(subtract(this.#nodes[i].at, low), along) <= height + 1e-9) ?? 0);
      let share = 1;
      if (table === DE_LEVA_MALE.upperTrunk) for (const side of ['left', 'right'] as const) share -= this.#girdle(side);
      this.#put(owner, this.#segment(table, share, com, scale(-1, along)));
    }
  }

  #girdle(side: BodySide): number {
    const node = this.#find('girdle', side);
    const arm = this.#find('upperArm', side);
    if (node < 0 || arm < 0) return 0;
    const mass = GIRDLE_SHARE * DE_LEVA_MALE.upperTrunk.mass;
    this.#put(node, cylinderOrBall(mass, this.#nodes[node].at, this.#nodes[arm].at, 0.04 * this.#scale));
    return GIRDLE_SHARE;
  }

  #head(): void {
    const { headAndNeck } = DE_LEVA_MALE;
    const nodes = this.#nodes.flatMap(({ part }, i) => (part === 'head' ? [i] : []));
    const bones = nodes.map((i) => [i, this.#nodes[i].at, this.#tip(i)] as const);
    const total = bones.reduce((sum, [, from, to]) => sum + norm(subtract(to, from)), 0);
    // A solid cylinder of this radius has the table's radius of gyration about the long axis.
    const radius = Math.SQRT2 * headAndNeck.longitudinal * headAndNeck.length * this.#scale;
    for (const [i, from, to] of bones) {
      const share = total > 0 ? norm(subtract(to, from)) / total : 1 / bones.length;
      this.#put(i, cylinderOrBall(share * headAndNeck.mass, from, to, radius));
    }
  }

  #hand(side: BodySide): void {
    const node = this.#find('hand', side);
    if (node < 0) return;
    const { hand } = DE_LEVA_MALE;
    const fingers = this.#nodes.flatMap((finger, i) => (finger.part === 'finger' && finger.side === side ? [i] : []));
    const share = Math.min(FINGERS_AT_MOST, FINGER_SHARE * fingers.length);
    for (const i of fingers)
      this.#put(
        i,
        cylinderOrBall((share / fingers.length) * hand.mass, this.#nodes[i].at, this.#tip(i), 0.008 * this.#scale),
      );
    const from = this.#nodes[node].at;
    const arm = this.#find('forearm', side);
    const along =
      unit(subtract(this.#tip(node), from)) ??
      (arm < 0 ? undefined : unit(subtract(from, this.#nodes[arm].at))) ??
      scale(-1, this.#skeleton.up);
    const com = add(from, scale(hand.com * hand.length * this.#scale, along));
    this.#put(node, this.#segment(hand, 1 - share, com, along));
  }

  #foot(side: BodySide): void {
    const node = this.#find('foot', side);
    if (node < 0) return;
    const { foot } = DE_LEVA_MALE;
    const toe = this.#find('toe', side);
    if (toe >= 0)
      this.#put(toe, cylinderOrBall(TOE_SHARE * foot.mass, this.#nodes[toe].at, this.#tip(toe), 0.015 * this.#scale));
    const { forward, down } = footAxes(this.#skeleton, node);
    const length = foot.length * this.#scale;
    const com = add(
      this.#nodes[node].at,
      add(
        scale((foot.com - ANKLE_SHARE) * length, forward),
        scale((PROPORTIONS.ankleHeight * this.#skeleton.size.height) / 2, down),
      ),
    );
    this.#put(node, this.#segment(foot, toe < 0 ? 1 : 1 - TOE_SHARE, com, forward));
  }

  /**
   * Bones that got nothing get a little, or forward dynamics would not know how they turn between two ball joints. Taken
   * as extra, then shared by all.
   */
  #spares(): void {
    this.#nodes.forEach(({ parent, at }, i) => {
      if (this.#pieces[i].length > 0) return;
      let above = parent;
      while (above >= 0 && this.#pieces[above].length === 0) above = this.#nodes[above].parent;
      const mass = SPARE_SHARE * (this.#pieces[above]?.[0].mass ?? 0.1);
      this.#put(i, cylinderOrBall(mass, at, this.#tip(i), 0.02 * this.#scale));
    });
  }

  /** Where the bone ends: at the farthest joint or end that belongs to it. */
  #tip(i: number): Vec3 {
    return boneTip(this.#nodes, this.#children[i], i);
  }
}

function boneTip(nodes: readonly RestNode[], children: readonly number[], i: number): Vec3 {
  const { at, ends } = nodes[i];
  const candidates = [...children.map((child) => nodes[child].at), ...ends];
  return candidates.reduce((far, end) => (norm(subtract(end, at)) > norm(subtract(far, at)) ? end : far), at);
}

/** Where a foot points and where its sole is, in the rest pose: across the shank, and along it. */
export function footAxes(skeleton: RestSkeleton, foot: number): { forward: Vec3; down: Vec3 } {
  const { nodes, up } = skeleton;
  const { at, side } = nodes[foot];
  const knee = nodes.find((node) => node.part === 'shank' && node.side === side);
  const down = (knee === undefined ? undefined : unit(subtract(at, knee.at))) ?? scale(-1, up);
  let far = at;
  const below = new Set([foot]);
  nodes.forEach((node, i) => {
    if (!below.has(i) && !below.has(node.parent)) return;
    below.add(i);
    for (const end of [node.at, ...node.ends]) if (norm(subtract(end, at)) > norm(subtract(far, at))) far = end;
  });
  // A shank that lies along the way the body faces leaves only the axes to choose from: one of them is across it.
  const ways: readonly Vec3[] = [subtract(far, at), forwardOf(skeleton), [1, 0, 0], [0, 1, 0]];
  const forward = ways.map((way) => perpendicular(way, down)).find((way) => way !== undefined)!;
  return { forward, down };
}

/** The way the body faces: across the line from right to left hip or arm, and level. */
function forwardOf({ nodes, up }: RestSkeleton): Vec3 {
  for (const part of ['thigh', 'upperArm', 'girdle'] as const) {
    const left = nodes.find((node) => node.part === part && node.side === 'left');
    const right = nodes.find((node) => node.part === part && node.side === 'right');
    if (left === undefined || right === undefined) continue;
    const forward = unit(cross(subtract(left.at, right.at), up));
    if (forward !== undefined) return forward;
  }
  return perpendicular([1, 0, 0], up) ?? perpendicular([0, 1, 0], up)!;
}

function unit(a: Vec3): Vec3 | undefined {
  const length = norm(a);
  return length > 1e-9 ? scale(1 / length, a) : undefined;
}

/** The part of a across l, of unit length; undefined where a points along l. */
function perpendicular(a: Vec3, l: Vec3): Vec3 | undefined {
  const size = norm(a);
  const across = subtract(a, scale(dot(a, l), l));
  return norm(across) > 1e-6 * size ? unit(across) : undefined;
}

function cylinderOrBall(mass: number, from: Vec3, to: Vec3, radius: number): MassProperties {
  const length = norm(subtract(to, from));
  // A cylinder of no length is a disc without direction; and a bone of no thickness would have no inertia about itself.
  const thick = Math.max(radius, 1e-3);
  return length > 1e-6 ? solidCylinder(mass, from, to, thick) : solidSphere(mass, from, Math.max(thick, 0.01));
}
