// Places the links of a tree by the kernels: poses, reference points, motion spaces and inertias in ground axes.

import * as at from './kernel/layout.js';
import { placingKernels } from './kernels.js';

/** A tree of links in their own axes; see Tree. */
export interface PlacedTree {
  readonly n: number;
  readonly parent: Int32Array;
  readonly dof: Int32Array;
  readonly X: Float64Array;
  readonly inertia: Float64Array;
}

/** What is found for each link (pose 12, reference 3, inertia 10) and each velocity (motion space 6). */
export interface Places {
  readonly pose: Float64Array;
  readonly reference: Float64Array;
  readonly S: Float64Array;
  readonly I: Float64Array;
}

export class Placer {
  readonly #tree: PlacedTree;
  readonly #integers: Int32Array;
  readonly #end: number;
  readonly #nv: number;
  /** To be filled before a call: transforms of the joints, 12 for each link; motion spaces in link axes, 6 for each velocity. */
  readonly joint: Float64Array;
  readonly local: Float64Array;

  constructor(tree: PlacedTree, free: Uint8Array, root: Int32Array) {
    const { n, parent, dof } = tree;
    const nv = dof[n];
    this.#tree = tree;
    this.#nv = nv;
    this.joint = new Float64Array(12 * n);
    this.local = new Float64Array(6 * nv);
    const list = new Array<number>(at.PLACE_RIGID + 1).fill(0);
    list[at.PLACE_LINKS] = n;
    for (const [header, numbers] of [
      [at.PLACE_PARENT, parent],
      [at.PLACE_DOF, dof],
      [at.PLACE_FREE, free],
      [at.PLACE_ROOT, root],
    ] as const) {
      list[header] = list.length;
      for (const x of numbers) list.push(x);
    }
    let next = (list.length + 1) >> 1;
    for (const [header, count] of [
      [at.PLACE_JOINT, 12 * n],
      [at.PLACE_PLACEMENT, 12 * n],
      [at.PLACE_LOCAL, 6 * nv],
      [at.PLACE_INERTIA, 10 * n],
      [at.PLACE_POSE, 12 * n],
      [at.PLACE_REFERENCE, 3 * n],
      [at.PLACE_MOTION, 6 * nv],
      [at.PLACE_RIGID, 10 * n],
    ] as const) {
      list[header] = next;
      next += count;
    }
    this.#integers = Int32Array.from(list);
    this.#end = next;
  }

  place({ pose, reference, S, I }: Places): void {
    const machine = placingKernels();
    const { n, X, inertia } = this.#tree;
    const nv = this.#nv;
    machine.ensure(8 * this.#end);
    const { F, N } = machine;
    if (machine.holds !== this) {
      machine.holds = this;
      N.set(this.#integers);
      copy(F, N[at.PLACE_PLACEMENT], X, 0, 12 * n);
      copy(F, N[at.PLACE_INERTIA], inertia, 0, 10 * n);
    }
    copy(F, N[at.PLACE_JOINT], this.joint, 0, 12 * n);
    copy(F, N[at.PLACE_LOCAL], this.local, 0, 6 * nv);
    machine.run.placeLinks();
    copy(pose, 0, F, N[at.PLACE_POSE], 12 * n);
    copy(reference, 0, F, N[at.PLACE_REFERENCE], 3 * n);
    copy(S, 0, F, N[at.PLACE_MOTION], 6 * nv);
    copy(I, 0, F, N[at.PLACE_RIGID], 10 * n);
  }
}

function copy(to: Float64Array, o: number, from: Float64Array, f: number, count: number): void {
  for (let k = 0; k < count; k++) to[o + k] = from[f + k];
}
