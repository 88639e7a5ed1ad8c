// The links of a tree in the memory of the kernels: poses, motion spaces, inertias, velocities and books in ground axes.

import { JOINT_TYPES, PARAMETERS, SENSE } from '../../joints/index.js';
import type { Tree } from '../../mechanism/tree.js';
import { LARGEST_ANGLE, reducedAngle } from '../../spatial/trigonometry.js';
import type { LinkPlaces } from '../swept-shapes.js';
import * as at from './kernel/layout.js';
import { takeRoom, treeMachine } from './tree-memory.js';

/** Joints whose motion space changes in their own link. */
const TURNING = new Set(['universal', 'planar']);

/** Energy, inertia and momentum of a whole tree: where they stand in its books. */
export const KINETIC = 0;
export const TOTAL = 1;
export const MOMENTUM = 11;

export class PlacedTree {
  readonly #machine = treeMachine();
  readonly #tree: Tree;
  readonly #nq: number;
  /** Place of its integers. */
  readonly #at: number;
  /** The memory that the views are of. */
  #memory: Float64Array | undefined;
  #pose!: Float64Array;
  #reference!: Float64Array;
  #S!: Float64Array;
  #I!: Float64Array;
  #V!: Float64Array;
  #books!: Float64Array;
  #q!: Float64Array;
  #v!: Float64Array;
  #joint!: Float64Array;
  #local!: Float64Array;
  /** Whether velocities were found since the books were. */
  #booked = false;
  /** Links whose joints the kernels do not know; of those, links whose joint's axes turn in the link. */
  readonly #given: readonly number[];
  readonly turning: readonly number[];
  /** Positions that are angles. */
  readonly #angles: readonly number[];

  /** `free`: 1 for free bases; `root`: link at the root of each link's tree. */
  constructor(tree: Tree, free: Uint8Array, root: Int32Array) {
    const { n, parent, dof, type, iq, iv, parameters, mechanism, X, inertia, armature } = tree;
    const nv = dof[n];
    this.#tree = tree;
    this.#nq = mechanism.nq;
    const links = Array.from({ length: n }, (_, i) => i);
    const kinds = links.map((i) => kindOf(JOINT_TYPES[type[i]].name, free[i] === 1));
    this.#given = links.filter((i) => kinds[i] === at.JOINT_GIVEN);
    this.turning = this.#given.filter((i) => TURNING.has(JOINT_TYPES[type[i]].name));
    const screws = links.flatMap((i) => {
      const sense = parameters[PARAMETERS * i + SENSE];
      const { name } = JOINT_TYPES[type[i]];
      if (kinds[i] !== at.JOINT_SCREW) return [0, 0];
      return name === 'prismatic' ? [0, sense] : [sense, 0];
    });
    this.#angles = links.filter((i) => kinds[i] === at.JOINT_SCREW && screws[2 * i] !== 0).map((i) => iq[i]);
    const list = new Array<number>(at.PLACE_HEADER).fill(0);
    const numbers = [
      [at.PLACE_Q, mechanism.nq],
      [at.PLACE_V, nv],
      [at.PLACE_ARMATURE, nv],
      [at.PLACE_SCREW, 2 * n],
      [at.PLACE_PLACEMENT, 12 * n],
      [at.PLACE_LOCAL, 6 * nv],
      [at.PLACE_INERTIA, 10 * n],
      [at.PLACE_JOINT, 12 * n],
      [at.PLACE_POSE, 12 * n],
      [at.PLACE_ORIGIN, 3 * n],
      [at.PLACE_REFERENCE, 3 * n],
      [at.PLACE_ABOUT, 3 * n],
      [at.PLACE_MOTION, 6 * nv],
      [at.PLACE_RIGID, 10 * n],
      [at.PLACE_VELOCITY, 6 * n],
      [at.PLACE_BOOKS, 17],
      [at.PLACE_WORK, 8],
    ] as const;
    const integers = [
      [at.PLACE_PARENT, parent],
      [at.PLACE_DOF, dof],
      [at.PLACE_ROOT, root],
      [at.PLACE_JOINT_KIND, kinds],
      [at.PLACE_IQ, iq],
    ] as const;
    const half = (list.length + 5 * n + 2) >> 1;
    const room = takeRoom(
      this,
      numbers.reduce((sum, [, count]) => sum + count, half),
    );
    this.#at = 2 * room;
    list[at.PLACE_LINKS] = n;
    for (const [header, given] of integers) {
      list[header] = this.#at + list.length;
      for (const x of given) list.push(x);
    }
    let next = room + half;
    for (const [header, count] of numbers) {
      list[header] = next;
      next += count;
    }
    const { F, N } = this.#machine;
    N.set(list, this.#at);
    F.set(X, N[this.#at + at.PLACE_PLACEMENT]);
    F.set(inertia, N[this.#at + at.PLACE_INERTIA]);
    F.set(screws, N[this.#at + at.PLACE_SCREW]);
    this.#see();
    const neutral = new Float64Array(mechanism.nq);
    for (const i of links) {
      for (let k = dof[i]; k < dof[i + 1]; k++) F[N[this.#at + at.PLACE_ARMATURE] + k] = armature[iv[i] + k - dof[i]];
      JOINT_TYPES[type[i]].neutral(neutral, iq[i]);
      // Motion spaces of joints whose axes do not turn stay what they are at any position, those of free bases in ground axes.
      this.#setLocal(i, neutral);
      if (free[i] === 1) for (let k = 0; k < 6; k++) this.#S[6 * (dof[i] + k) + k] = 1;
    }
  }

  /** n x 12: ground to link frame. */
  get pose(): Float64Array {
    this.#see();
    return this.#pose;
  }

  /** n x 3, that of roots used: the point that everything of the tree is about. */
  get reference(): Float64Array {
    this.#see();
    return this.#reference;
  }

  /** 6 for each degree of freedom: motion spaces, ground axes, about the reference point. */
  get S(): Float64Array {
    this.#see();
    return this.#S;
  }

  /** n x 10: inertias about the reference point. */
  get I(): Float64Array {
    this.#see();
    return this.#I;
  }

  /** n x 6: velocities, about the reference point. */
  get V(): Float64Array {
    this.#see();
    return this.#V;
  }

  /** Kinetic energy; inertia and momentum of the whole about the first root's reference point; after place and move. */
  get books(): Float64Array {
    this.#see();
    if (!this.#booked) this.#machine.run.bookLinks(this.#at);
    this.#booked = true;
    return this.#books;
  }

  /** Views of the memory, which is another one after it has grown. */
  #see(): void {
    const { F, N } = this.#machine;
    if (this.#memory === F) return;
    this.#memory = F;
    const { n, dof } = this.#tree;
    const view = (header: number, count: number): Float64Array => {
      const from = N[this.#at + header];
      return F.subarray(from, from + count);
    };
    this.#pose = view(at.PLACE_POSE, 12 * n);
    this.#reference = view(at.PLACE_REFERENCE, 3 * n);
    this.#S = view(at.PLACE_MOTION, 6 * dof[n]);
    this.#I = view(at.PLACE_RIGID, 10 * n);
    this.#V = view(at.PLACE_VELOCITY, 6 * n);
    this.#books = view(at.PLACE_BOOKS, 17);
    this.#q = view(at.PLACE_Q, this.#nq);
    this.#v = view(at.PLACE_V, dof[n]);
    this.#joint = view(at.PLACE_JOINT, 12 * n);
    this.#local = view(at.PLACE_LOCAL, 6 * dof[n]);
  }

  /** Where numbers of a link, and the reference point of its root, stand in the memory. */
  placesOf(link: number, root: number): LinkPlaces {
    const { N } = this.#machine;
    return {
      pose: N[this.#at + at.PLACE_POSE] + 12 * link,
      velocity: N[this.#at + at.PLACE_VELOCITY] + 6 * link,
      reference: N[this.#at + at.PLACE_REFERENCE] + 3 * root,
    };
  }

  /** Motion space of a joint in axes of its link. */
  #setLocal(i: number, q: Float64Array): void {
    const { type, dof, iq, parameters } = this.#tree;
    JOINT_TYPES[type[i]].motionSpace(this.#local, 6 * dof[i], q, iq[i], parameters, PARAMETERS * i);
  }

  /** Poses, reference points, motion spaces and inertias at q. */
  place(q: Float64Array): void {
    this.#see();
    const own = this.#q;
    for (let k = 0; k < q.length; k++) own[k] = q[k];
    for (let k = 0; k < this.#angles.length; k++) {
      const j = this.#angles[k];
      if (!(Math.abs(q[j]) <= LARGEST_ANGLE)) own[j] = reducedAngle(q[j]);
    }
    const { type, iq, parameters } = this.#tree;
    for (const i of this.#given)
      JOINT_TYPES[type[i]].transform(this.#joint, 12 * i, q, iq[i], parameters, PARAMETERS * i);
    for (const i of this.turning) this.#setLocal(i, q);
    this.#machine.run.placeLinks(this.#at);
    this.#booked = false;
  }

  /** The same where only the positions of free bases changed since. */
  translate(q: Float64Array): void {
    this.#see();
    const own = this.#q;
    for (let k = 0; k < q.length; k++) own[k] = q[k];
    this.#machine.run.translateLinks(this.#at);
    this.#booked = false;
  }

  /** Velocities V of all links; after place. */
  move(v: Float64Array): void {
    this.#see();
    const own = this.#v;
    for (let k = 0; k < v.length; k++) own[k] = v[k];
    this.#machine.run.moveLinks(this.#at);
    this.#booked = false;
  }

  /** q <- q moved along v for the time h. Velocities V are those of before. */
  integrate(q: Float64Array, v: Float64Array, h: number): void {
    this.#see();
    const { type, iq, dof } = this.#tree;
    const ownQ = this.#q;
    const ownV = this.#v;
    for (let k = 0; k < q.length; k++) ownQ[k] = q[k];
    for (let k = 0; k < v.length; k++) ownV[k] = v[k];
    this.#machine.run.integrateJoints(this.#at, h);
    for (let k = 0; k < q.length; k++) q[k] = ownQ[k];
    for (const i of this.#given) JOINT_TYPES[type[i]].integrate(q, iq[i], v, dof[i], h);
  }
}

/** How the kernels move a joint. */
function kindOf(name: string, free: boolean): number {
  if (name === 'fixed') return at.JOINT_FIXED;
  if (name === 'revolute' || name === 'continuous' || name === 'prismatic') return at.JOINT_SCREW;
  if (name === 'spherical') return at.JOINT_BALL;
  return name === 'floating' && free ? at.JOINT_FREE : at.JOINT_GIVEN;
}
