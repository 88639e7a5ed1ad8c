// Forward dynamics by kernels: the articulated-body algorithm pass by pass, each link by the function for its kind of
// joint, which is made when the package is built (scripts/plain-kernels.mjs) from the formulas that the WebAssembly kernels
// are made of.

import { RECORD, typeFields } from '../../formulas/kernel-records.js';
import { kernelName } from '../../formulas/kernels.js';
import { type PlainPass, plainKey, takesArmature } from '../../formulas/plain-kernels.js';
import type { Plan } from '../../plan/plan.js';
import { forceToA, setZero } from '../../spatial/spatial.js';
import { anglesOf, fillRecord, keysOf } from '../link-records.js';
import { KERNELS, type PlainKernel, sineAndCosine } from './generated.js';
import { reducedAngle } from './large-angles.js';

/** What a child adds to its parent: articulated inertia and bias force. */
const FROM_BELOW = 27;

export class KernelForward {
  /** All numbers: the arrays, the record of the ground, the records of the links. */
  readonly #s: Float64Array;
  /** Where the arrays begin, and the place after the last. */
  readonly #q: number;
  readonly #v: number;
  readonly #tau: number;
  readonly #qdd: number;
  /** Places of each link: its record, that of its parent, its coordinates. */
  readonly #own: Int32Array;
  readonly #parent: Int32Array;
  readonly #iq: Int32Array;
  readonly #iv: Int32Array;
  /** 1 or -1 for each coordinate in q and in v: the author's sense against that of the axis. */
  readonly #senseOfQ: Float64Array;
  readonly #sense: Float64Array;
  readonly #move: readonly PlainKernel[];
  readonly #assemble: readonly PlainKernel[];
  readonly #accelerate: readonly PlainKernel[];
  /** Places that must be zero before the inward pass: what reaches them is added. */
  readonly #zeros: Int32Array;
  /** Angles: where the coordinate is, what is added to it, where sine and cosine go; and a place for the sum. */
  readonly #angle: Int32Array;
  readonly #offset: Float64Array;
  readonly #turn: Int32Array;
  readonly #sum: number;
  /** Degrees of freedom that take an armature, and where it goes; those that take none. */
  readonly #armed: Int32Array;
  readonly #armature: Int32Array;
  readonly #bare: Int32Array;
  /** Bodies that are not part of the ground, with the place of their link's bias force. */
  readonly #places: readonly { readonly body: number; readonly at: number; readonly X: Float64Array }[];
  readonly #force = new Float64Array(6);

  constructor(plan: Plan) {
    const { nq, nv, links } = plan;
    const exact = keysOf(plan, true);
    const keys = exact.map(plainKey);
    const fields = keys.map(({ type, rotation }) => typeFields(type, rotation === 'any'));
    let top = 0;
    const take = (numbers: number): number => {
      const at = top;
      top += numbers;
      return at;
    };
    this.#q = take(nq);
    this.#v = take(nv);
    this.#tau = take(nv);
    this.#qdd = take(nv);
    this.#sum = take(1);
    const ground = take(RECORD.own);
    this.#own = Int32Array.from(fields, ({ size }) => take(size));
    this.#s = new Float64Array(top);
    this.#parent = Int32Array.from(links, ({ parent }) => (parent < 0 ? ground : this.#own[parent]));
    this.#iq = Int32Array.from(links, ({ iq }) => iq);
    this.#iv = Int32Array.from(links, ({ iv }) => iv);
    this.#senseOfQ = new Float64Array(nq).fill(1);
    this.#sense = new Float64Array(nv).fill(1);
    links.forEach((link, i) => {
      fillRecord(this.#s, this.#own[i], link, fields[i], keys[i]);
      this.#senseOfQ.fill(link.sense, link.iq, link.iq + link.nq);
      this.#sense.fill(link.sense, link.iv, link.iv + link.nv);
    });
    plan.gravity.forEach((x, k) => {
      this.#s[ground + RECORD.a + k] = -x;
    });
    const kernels = (pass: PlainPass): PlainKernel[] => keys.map((key) => KERNELS.get(kernelName(pass, key))!);
    this.#move = kernels('move');
    this.#assemble = kernels('assemble');
    this.#accelerate = kernels('accelerate');
    // The ground takes no part: what adds up there is never read, but must not grow.
    const added = links.flatMap(({ parent }, i) => (exact[i].first && !keys[i].first ? [this.#own[parent]] : []));
    this.#zeros = Int32Array.from([ground, ...added], (record) => record + RECORD.fromBelow);
    const angles = anglesOf(links, keys);
    this.#angle = Int32Array.from(angles, ({ q }) => this.#q + q);
    this.#offset = Float64Array.from(angles, ({ offset }) => offset);
    this.#turn = Int32Array.from(angles, ({ link, turn }) => this.#own[link] + turn);
    const degrees = links.flatMap(({ type, iv, nv }, i) =>
      Array.from({ length: nv }, (_, k) => ({
        takes: takesArmature(type),
        dof: iv + k,
        at: this.#own[i] + fields[i].armature + k,
      })),
    );
    const armed = degrees.filter(({ takes }) => takes);
    this.#armed = Int32Array.from(armed, ({ dof }) => dof);
    this.#armature = Int32Array.from(armed, ({ at }) => at);
    this.#bare = Int32Array.from(degrees.flatMap(({ takes, dof }) => (takes ? [] : dof)));
    this.#places = plan.bodies.flatMap(({ link, X }, body) =>
      link < 0 ? [] : [{ body, at: this.#own[link] + fields[link].force, X: Float64Array.from(X) }],
    );
  }

  /**
   * qdd <- forward dynamics. `external`: 6 numbers for each body, body coordinates, or null. `armature`: inertia added to
   * each degree of freedom. False, and nothing done, where a spherical or floating joint has one: there is no kernel for it.
   */
  run(
    qdd: Float64Array,
    q: Float64Array,
    v: Float64Array,
    tau: Float64Array,
    external: Float64Array | null,
    armature: Float64Array,
  ): boolean {
    const bare = this.#bare;
    for (let k = 0; k < bare.length; k++) if (armature[bare[k]] !== 0) return false;
    const s = this.#s;
    const sense = this.#sense;
    const senseOfQ = this.#senseOfQ;
    const atQ = this.#q;
    const atV = this.#v;
    const atTau = this.#tau;
    const atQdd = this.#qdd;
    for (let k = 0; k < q.length; k++) s[atQ + k] = senseOfQ[k] * q[k];
    for (let k = 0; k < v.length; k++) {
      s[atV + k] = sense[k] * v[k];
      s[atTau + k] = sense[k] * tau[k];
    }
    const armed = this.#armed;
    const atArmature = this.#armature;
    for (let k = 0; k < armed.length; k++) s[atArmature[k]] = armature[armed[k]];
    const angle = this.#angle;
    const offset = this.#offset;
    const turn = this.#turn;
    const sum = this.#sum;
    for (let k = 0; k < angle.length; k++) {
      s[sum] = reducedAngle(s[angle[k]]) + offset[k];
      sineAndCosine(s, sum, turn[k]);
    }
    const own = this.#own;
    const parent = this.#parent;
    const iq = this.#iq;
    const iv = this.#iv;
    const n = own.length;
    const move = this.#move;
    for (let i = 0; i < n; i++) move[i](s, own[i], parent[i], atQ + iq[i], atV + iv[i]);
    if (external !== null) this.#addExternal(external);
    const zeros = this.#zeros;
    for (let k = 0; k < zeros.length; k++) setZero(s, zeros[k], FROM_BELOW);
    const assemble = this.#assemble;
    for (let i = n - 1; i >= 0; i--) assemble[i](s, own[i], parent[i], atTau + iv[i]);
    const accelerate = this.#accelerate;
    for (let i = 0; i < n; i++) accelerate[i](s, own[i], parent[i], atQdd + iv[i]);
    for (let k = 0; k < v.length; k++) qdd[k] = sense[k] * s[atQdd + k];
    return true;
  }

  /** Takes forces from outside off the bias forces of the links that their bodies are part of. */
  #addExternal(external: Float64Array): void {
    const s = this.#s;
    const force = this.#force;
    for (const { body, at, X } of this.#places) {
      forceToA(force, 0, X, 0, external, 6 * body);
      for (let k = 0; k < 6; k++) s[at + k] -= force[k];
    }
  }
}
