// Forward dynamics of one block as formulas. A block is a connected piece of a mechanism, computed as a whole: its roots
// hang from one link outside, its base, and other blocks hang from its links. What passes between blocks stands in
// records in memory, so blocks of the same shape share their code, whoever runs it and wherever they are.
//
// The three passes of aba.ts become six phases, since a block may have to wait for others in between:
//
//   spin           positions of the links on the way to blocks of other segments, and the angular velocity there;
//                  where the segment must wait for its own angular velocity, all other positions as well
//   move           reference motions and bias forces
//   gather         articulated inertias of all links that wait for nobody
//   complete       the others, after the blocks of other segments that hang from them
//   lead           accelerations on the way to those
//   follow         all other accelerations
//   finish         what a ball joint at which segments meet needs from both of them
//
// The only thing of the outside world that the motion of a segment needs is the angular velocity w of its base: the
// reference motion, from which accelerations are counted, starts from rest there (as it does after a ball joint), and
// what the base really has is added where the segments meet. So no segment waits long for another.

import type { ScaledPlan } from '../plan/length-units.js';
import {
  type Articulated,
  accelerate,
  assemble,
  type EliminatedColumn,
  type Lag,
  move,
  rigidInertia,
  SYM6,
} from './aba.js';
import {
  BASE,
  BASE_RECORD,
  type BallPlace,
  type Block,
  CHILD_BASE,
  CHILD_Q,
  CHILD_TAU,
  CHILD_UP,
  childArray,
  FORCE,
  UP,
} from './block-records.js';
import { finishSource, sourceForce } from './block-source.js';
import { type SpinWalk, spinDirect, spinRelative } from './block-spin.js';
import { Sum } from './forward.js';
import type { Node } from './graph.js';
import { alongJoint, type Pose, poseNumbers, poseOf, quaternionMatrix } from './joints.js';
import { pairedUnits, singleUnits, type Unit } from './lanes.js';
import { QDD, readUnit, TAU, type UnitFormulas, unitFormulas, writeUnit } from './links.js';
import {
  type Couplings,
  openBallPort,
  openPort,
  type Port,
  passJoints,
  portShare,
  readGroups,
  readPort,
  writePort,
} from './mixed.js';
import { groundMotion, inertialForce, type LinkMotion, pointAcceleration } from './motion.js';
import { partLayout } from './part-record.js';
import { matrixRotation } from './rotation.js';
import type { NodeVec3, Vec6, VectorGraph } from './vectors.js';

/** `other`: a block of the same structure with other numbers, for the second lane of a graph whose lanes are taken (`wide`). */
export function blockFormulas(g: VectorGraph, block: Block, other?: Block): void {
  new BlockWriter(g, block, other).write();
}

/** How a joint is read: in the author's direction, against it, or one in each lane. */
type Reading = 'forwards' | 'backwards' | { readonly sign: Node; readonly forwards: Node; readonly backwards: Node };

class BlockWriter {
  readonly #g: VectorGraph;
  readonly #block: Block;
  readonly #plan: ScaledPlan;
  readonly #other: Block | undefined;
  readonly #units: readonly Unit[];
  readonly #links: readonly UnitFormulas[];
  readonly #unitOf: Int32Array;
  /** Units that are needed in the first phase, and units that wait for other segments. */
  readonly #early: Uint8Array;
  readonly #waiting: Uint8Array;
  readonly #poses: Pose[] = [];
  readonly #motions: LinkMotion[] = [];
  readonly #lags: Lag[] = [];
  readonly #bodies: Sum[] = [];
  readonly #columns: EliminatedColumn[][] = [];
  readonly #deltas: Vec6[] = [];
  readonly #couplings: (Couplings | undefined)[] = [];
  /** The port, at the link of the first of the units through whose joints it is still to be taken, or at unit #portAt. */
  #port: Port | undefined;
  #portAt = -1;
  #toPass: number[] = [];
  readonly #up: Sum;

  constructor(g: VectorGraph, block: Block, other: Block | undefined) {
    this.#g = g;
    this.#block = block;
    this.#other = other;
    const { plan, children, source } = block;
    this.#plan = plan;
    const { links } = plan;
    const path = (from: readonly number[]): Set<number> => {
      const found = new Set<number>();
      for (const link of from) for (let i = link; i >= 0 && !found.has(i); i = links[i].parent) found.add(i);
      return found;
    };
    const ends = [...children.map(({ link }) => link), ...(source === undefined ? [] : [source.link])];
    const alone = path([...ends, ...block.reversed, ...(block.base === 'free' ? [0] : [])]);
    this.#units = g.wide ? singleUnits(plan) : pairedUnits(plan, alone);
    this.#unitOf = new Int32Array(links.length);
    this.#units.forEach((unit, k) => {
      for (const link of unit.links) this.#unitOf[link] = k;
    });
    const mark = (set: ReadonlySet<number>): Uint8Array =>
      Uint8Array.from(this.#units, (unit) => (unit.links.some((link) => set.has(link)) ? 1 : 0));
    const leading = children.filter(({ leads }) => leads).map(({ link }) => link);
    const early = [...leading, ...(source === undefined ? [] : [source.link])];
    this.#early = mark(path(block.spin === 'none' ? [] : early));
    this.#waiting = mark(path(children.filter(({ waits }) => waits).map(({ link }) => link)));
    this.#links = this.#formulas();
    this.#up = new Sum(g, new Array<Node>(27).fill(g.zero), 1);
  }

  write(): void {
    const g = this.#g;
    const count = this.#units.length;
    const all = Array.from({ length: count }, (_, k) => k);
    const { spin, early } = this.#block;
    if (spin !== 'none') this.#spin();
    if (early)
      for (const k of all) {
        this.#pose(k);
        g.mark();
      }
    // Without a first phase of its own, what has been made so far belongs to the second one.
    if (spin === 'none' && !early) g.phases.push({ node: 0, output: 0 });
    else g.endPhase();
    for (const k of all) {
      this.#move(k);
      g.mark();
    }
    this.#handOnMotion();
    g.endPhase();
    const waits = this.#waiting.includes(1);
    // Where nobody is waited for there is one sweep, in the phases that others have for those who wait.
    const later = (k: number): boolean => !waits || this.#waiting[k] === 1;
    for (const k of [...all].reverse()) if (!later(k)) this.#assemble(k);
    this.#passPort();
    g.endPhase();
    for (const k of [...all].reverse()) if (later(k)) this.#assemble(k);
    this.#passPort();
    this.#writeUp();
    g.endPhase();
    for (const k of all) if (later(k)) this.#accelerate(k);
    this.#handDown(later);
    g.endPhase();
    for (const k of all) if (!later(k)) this.#accelerate(k);
    this.#handDown((k) => !later(k));
    const { source } = this.#block;
    if (source !== undefined) {
      const k = this.#unitOf[source.link];
      finishSource(g, source, this.#plan.length, this.#motions[k], this.#deltas[k]);
    }
    g.endPhase();
    this.#finishBall();
    g.endPhase();
  }

  /** Links read backwards see other coordinates (src/joints, `reverse`). */
  #formulas(): UnitFormulas[] {
    const g = this.#g;
    const other = this.#other?.plan;
    const made = unitFormulas(g, this.#plan, this.#units, { twoStates: g.wide, ...(other && { other }) });
    return made.map((link) => {
      const reading = this.#reading(link.unit);
      if (reading === 'forwards') return link;
      const [w, x, y, z] = link.q;
      if (link.type === 'universal') return { ...link, q: [link.q[1], link.q[0]], v: [link.v[1], link.v[0]] };
      const q = [
        w,
        ...[x, y, z].map((component) => g.mul(reading === 'backwards' ? g.constant(-1) : reading.sign, component)),
      ];
      const [vx, vy, vz] = link.v;
      return { ...link, q, v: this.#read(reading, [vx, vy, vz], (v) => this.#negated(q, v)) };
    });
  }

  /**
   * How the joint of a unit is read. In the lanes of two blocks one may be read backwards and the other forwards: then both
   * readings are computed, and factors of 0 and 1 choose for each lane.
   */
  #reading({ links: [link] }: Unit): Reading {
    const g = this.#g;
    const first = this.#block.reversed.includes(link);
    const second = this.#other === undefined ? first : this.#other.reversed.includes(link);
    if (first === second) return first ? 'backwards' : 'forwards';
    const [a, b] = [first, second].map(Number);
    return { sign: g.constant(1 - 2 * a, 1 - 2 * b), forwards: g.constant(1 - a, 1 - b), backwards: g.constant(a, b) };
  }

  #read(reading: Reading, x: NodeVec3, backwards: (x: NodeVec3) => NodeVec3): NodeVec3 {
    const g = this.#g;
    if (reading === 'forwards') return x;
    const turned = backwards(x);
    if (reading === 'backwards') return turned;
    return g.plus(g.times(reading.forwards, x), g.times(reading.backwards, turned));
  }

  /** -E(q) x */
  #negated(q: readonly Node[], x: NodeVec3): NodeVec3 {
    const g = this.#g;
    const turned = g.apply(quaternionMatrix(g, q), x);
    return g.vec((k) => g.neg(turned[k]));
  }

  #isFree(k: number): boolean {
    return this.#block.base === 'free' && this.#units[k].parent < 0;
  }

  /** A root of the segment. */
  #isHandle(k: number): boolean {
    return this.#block.top && this.#units[k].parent < 0;
  }

  #pose(k: number): Pose {
    const g = this.#g;
    if (this.#poses[k] === undefined) {
      const link = this.#links[k];
      if (this.#isFree(k)) {
        // No joint at all: six free directions, and no parent.
        const { zero3 } = g;
        const S = [0, 1, 2, 3, 4, 5].map((c) => [0, 1, 2, 3, 4, 5].map((i) => (i === c ? g.one : g.zero)));
        const one = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => (i % 4 === 0 ? g.one : g.zero));
        this.#poses[k] = { turn: [], matrix: [], axis: [], r: zero3, rotation: matrixRotation(g, one), S };
      } else {
        const pose = poseOf(g, link, poseNumbers(g, link));
        // The handle of a segment that hangs by a ball joint is the joint.
        this.#poses[k] = this.#isHandle(k) && this.#block.handle === 3 ? { ...pose, r: g.zero3 } : pose;
      }
    }
    return this.#poses[k];
  }

  // ---- spin

  #spin(): void {
    for (let k = 0; k < this.#units.length; k++) if (this.#early[k] === 1) this.#pose(k);
    const walk: SpinWalk = {
      g: this.#g,
      block: this.#block,
      parents: this.#units.map(({ parent }) => parent),
      unitOf: this.#unitOf,
      early: this.#early,
      isFree: (k) => this.#isFree(k),
      rotation: (k) => this.#pose(k).rotation,
      spin: (k) => this.#jointSpin(k),
    };
    if (this.#block.spin === 'direct') spinDirect(walk);
    else spinRelative(walk);
  }

  /** Angular velocity over that of the parent, link coordinates. */
  #jointSpin(k: number): NodeVec3 {
    return alongJoint(this.#g, this.#pose(k).S, this.#links[k].v)[0];
  }

  // ---- move

  #baseMotion(): LinkMotion {
    const g = this.#g;
    const { base } = this.#block;
    if (base === 'ground')
      return groundMotion(
        g,
        g.vec((k) => g.constant(this.#plan.gravity[k])),
      );
    const read = (at: number): NodeVec3 => g.vec((i) => g.input(BASE, at + i));
    const w = read(BASE_RECORD.w);
    const moving = base === 'moving';
    const alpha = moving ? read(BASE_RECORD.alpha) : g.zero3;
    return { w, alpha, a: moving ? read(BASE_RECORD.a) : g.zero3, W: pointAcceleration(g, w, alpha) };
  }

  #move(k: number): void {
    const g = this.#g;
    const link = this.#links[k];
    const { parent } = link.unit;
    const from = parent < 0 ? this.#baseMotion() : this.#motions[parent];
    let force: Vec6;
    if (this.#isFree(k)) {
      // Its pose does not matter: what falls freely does not feel gravity (added at the source).
      this.#pose(k);
      this.#motions[k] = from;
      this.#lags[k] = { angular: g.zero3, linear: g.zero3, origin: g.zero3 };
      force = inertialForce(g, link, from);
    } else {
      const moved = move(g, link, this.#pose(k), from);
      this.#motions[k] = moved.motion;
      this.#lags[k] = moved.lag;
      force = moved.force;
    }
    const { source } = this.#block;
    if (source !== undefined && this.#unitOf[source.link] === k) {
      const outside = sourceForce(g, source, this.#plan.length);
      force = force.map((component, i) => g.sub(component, outside[i]));
    }
    this.#bodies[k] = new Sum(g, [...rigidInertia(g, link), ...force], link.unit.links.length);
  }

  #handOnMotion(): void {
    const g = this.#g;
    this.#block.children.forEach(({ kind, link }, c) => {
      if (kind !== 'inner') return;
      const { w, alpha, a } = this.#motions[this.#unitOf[link]];
      const put = (at: number, x: NodeVec3): void =>
        x.forEach((node, i) => {
          g.output(childArray(c, CHILD_BASE), at + i, node);
        });
      put(BASE_RECORD.w, w);
      // A child whose base rests knows.
      if (alpha === g.zero3) return;
      put(BASE_RECORD.alpha, alpha);
      put(BASE_RECORD.a, a);
    });
  }

  #reference(k: number): Vec6 {
    const { alpha, a } = this.#motions[k];
    return [...alpha, ...a];
  }

  // ---- gather, complete

  #assemble(k: number): void {
    const g = this.#g;
    const link = this.#links[k];
    const { unit } = link;
    const { children } = this.#block;
    children.forEach(({ kind, link: carrier, passesPort, ball }, c) => {
      if (this.#unitOf[carrier] !== k) return;
      if (kind === 'port') {
        this.#portAt = k;
        this.#port = ball === undefined ? openPort(g, this.#reference(k)) : this.#openBall(k, c, ball);
        return;
      }
      const array = childArray(c, CHILD_UP);
      const layout = partLayout(6, passesPort ? this.#block.port : 0);
      const I = g.inputs(array, layout.I, 21);
      const p = g.inputs(array, layout.p, 6);
      // Another segment counts from rest: what this link's reference motion has is added here.
      const at = kind === 'segment' ? this.#reference(k) : undefined;
      const bias = at === undefined || g.isZero(at) ? p : g.addAll(p, timesSymmetric(g, I, at));
      this.#bodies[k].add([...I, ...bias], 1);
      if (passesPort) {
        this.#portAt = k;
        this.#port = readPort(g, layout, array);
      }
    });
    const body = articulated(this.#bodies[k].total());
    const pose = this.#pose(k);
    const { columns, up } = assemble(g, this.#armature(k), pose, this.#lags[k], body, this.#tau(k));
    this.#columns[k] = columns;
    if (this.#portAt === k) {
      this.#toPass.push(k);
      this.#portAt = unit.parent;
    }
    if (unit.parent >= 0) {
      this.#bodies[unit.parent].add([...up.I, ...up.p], unit.links.length);
    } else {
      this.#up.add([...up.I, ...up.p], unit.links.length);
    }
    g.mark();
  }

  /** Takes the port through the joints of all units on its way that have been assembled. */
  #passPort(): void {
    if (this.#port === undefined || this.#toPass.length === 0) return;
    const joints = this.#toPass.map((k) => ({ ...this.#pose(k), lag: this.#lags[k], columns: this.#columns[k] }));
    const { port, couplings } = passJoints(this.#g, joints, this.#port);
    this.#toPass.forEach((k, j) => {
      this.#couplings[k] = couplings[j];
    });
    this.#port = port;
    this.#toPass = [];
  }

  /** The port at a ball joint of link k; the moment of its motor acts on the link. */
  #openBall(k: number, child: number, { E, t, reversed }: BallPlace): Port {
    const g = this.#g;
    const [w, x, y, z] = g.inputs(childArray(child, CHILD_Q), 0, 4);
    const tau = g.vec((i) => g.input(childArray(child, CHILD_TAU), i));
    const q = reversed ? [w, g.neg(x), g.neg(y), g.neg(z)] : [w, x, y, z];
    const inTree = g.applyT(quaternionMatrix(g, q), reversed ? this.#negated(q, tau) : tau);
    const moment = g.applyT(
      E.map((entry) => g.constant(entry)),
      inTree,
    );
    const none = new Array<Node>(21).fill(g.zero);
    this.#bodies[k].add([...none, ...moment, ...g.zero3], 1);
    const r = g.vec((i) => g.constant(t[i]));
    const { a, W } = this.#motions[k];
    return openBallPort(g, r, g.plus(a, g.apply(W, r)));
  }

  #armature(k: number): { readonly armature: readonly Node[] } {
    return this.#isFree(k) ? { armature: new Array<Node>(6).fill(this.#g.zero) } : this.#links[k];
  }

  #tau(k: number): Node[] {
    const g = this.#g;
    const link = this.#links[k];
    if (this.#isFree(k)) return new Array<Node>(6).fill(g.zero);
    const { plan } = this.#other ?? {};
    const tau = readUnit(g, this.#plan, link.unit, TAU, (l) => l.iv, link.v.length, plan).map((x, c) =>
      g.mul(link.forces[c], x),
    );
    const reading = this.#reading(link.unit);
    if (reading === 'forwards') return tau;
    if (link.type === 'universal') return [tau[1], tau[0]];
    return [...this.#read(reading, [tau[0], tau[1], tau[2]], (x) => this.#negated(link.q, x))];
  }

  #writeUp(): void {
    const g = this.#g;
    const { handle, port } = this.#block;
    const layout = partLayout(handle, port);
    const up = articulated(this.#up.total());
    // A ball joint hands on forces alone: the last three of six dimensions.
    const first = 6 - handle;
    for (let i = 0; i < handle; i++) {
      for (let j = i; j < handle; j++) g.output(UP, layout.inertia(i, j), up.I[SYM6[first + i][first + j]]);
      g.output(UP, layout.p + i, up.p[first + i]);
    }
    if (this.#port !== undefined) writePort(g, this.#port, layout, UP, first);
  }

  // ---- lead, follow

  #accelerate(k: number): void {
    const g = this.#g;
    const link = this.#links[k];
    const { unit } = link;
    const { handle, port } = this.#block;
    const atBase = (): Node[] => [
      ...new Array<Node>(6 - handle).fill(g.zero),
      ...g.inputs(BASE, BASE_RECORD.delta, handle),
    ];
    const from = unit.parent < 0 ? atBase() : this.#deltas[unit.parent];
    const couplings = this.#couplings[k];
    const share = couplings === undefined ? undefined : portShare(g, couplings, readGroups(g, FORCE, 0, port));
    const columns =
      share === undefined
        ? this.#columns[k]
        : this.#columns[k].map((column, c) => ({ ...column, y: g.sub(column.y, share[c]) }));
    const { qdd, delta } = accelerate(g, this.#armature(k), this.#pose(k), this.#lags[k], columns, from);
    this.#deltas[k] = delta;
    if (handle === 3 && this.#isHandle(k)) {
      // Without what the angular acceleration above takes off: that comes at the end.
      [...qdd, ...this.#pose(k).matrix].forEach((node, i) => {
        g.output(BASE, BASE_RECORD.ball + i, node);
      });
    } else if (!this.#isFree(k)) this.#writeAcceleration(k, qdd);
    g.mark();
  }

  #writeAcceleration(k: number, qdd: readonly Node[]): void {
    const g = this.#g;
    const link = this.#links[k];
    const { unit } = link;
    const reading = this.#reading(unit);
    const result =
      reading === 'forwards'
        ? qdd
        : link.type === 'universal'
          ? [qdd[1], qdd[0]]
          : this.#read(reading, [qdd[0], qdd[1], qdd[2]], (x) => this.#negatedBack(link.q, x));
    result.forEach((value, c) => {
      // The inverse of a rate's factor is a force's, since the sense is 1 or -1.
      writeUnit(g, this.#plan, unit, QDD, c, g.mul(link.forces[c], value), this.#other?.plan);
    });
  }

  /** The ball joint that the segment hangs by turns against the link above it, whose segment has told how that turns. */
  #finishBall(): void {
    const g = this.#g;
    if (this.#block.handle !== 3) return;
    const read = (at: number): NodeVec3 => g.vec((i) => g.input(BASE, at + i));
    const rotation = g.inputs(BASE, BASE_RECORD.rotation, 9);
    this.#writeAcceleration(0, g.minus(read(BASE_RECORD.ball), g.apply(rotation, read(BASE_RECORD.turn))));
  }

  /** -E(q)^T x */
  #negatedBack(q: readonly Node[], x: NodeVec3): NodeVec3 {
    const g = this.#g;
    const turned = g.applyT(quaternionMatrix(g, q), x);
    return g.vec((k) => g.neg(turned[k]));
  }

  #handDown(from: (unit: number) => boolean): void {
    const g = this.#g;
    this.#block.children.forEach(({ kind, link, ball }, c) => {
      const k = this.#unitOf[link];
      if (!from(k)) return;
      const own = this.#deltas[k];
      // The one at the port is told when the forces between the segments are found, but for this.
      if (ball !== undefined)
        g.plus(this.#motions[k].alpha, [own[0], own[1], own[2]]).forEach((node, i) => {
          g.output(childArray(c, CHILD_BASE), BASE_RECORD.turn + i, node);
        });
      if (kind === 'port') return;
      const delta = kind === 'segment' ? g.addAll(own, this.#reference(k)) : own;
      delta.forEach((node, i) => {
        g.output(childArray(c, CHILD_BASE), BASE_RECORD.delta + i, node);
      });
    });
  }
}

function articulated(nodes: readonly Node[]): Articulated {
  return { I: nodes.slice(0, 21), p: nodes.slice(21) };
}

/** I x of a symmetric 6 x 6 matrix, upper triangle row by row. */
export function timesSymmetric(g: VectorGraph, I: readonly Node[], x: Vec6): Node[] {
  const at = (i: number, j: number): Node => {
    const [row, column] = i < j ? [i, j] : [j, i];
    return I[(row * (11 - row)) / 2 + column];
  };
  return [0, 1, 2, 3, 4, 5].map((i) =>
    g.sum(...[0, 1, 2, 3, 4, 5].map((j) => (g.is(x[j], 0) ? g.zero : g.mul(at(i, j), x[j])))),
  );
}
