// A mechanism as an object of three.js that follows a state.
//
//     const figure = new Figure(mechanism);
//     scene.add(figure);
//     figure.follow(simulation.state);            // in every frame
//     figure.bodyOf(raycaster.intersectObject(figure)[0].object);

import type { Mechanism } from '../mechanism/mechanism.js';
import type { State } from '../mechanism/state.js';
import { createTree, type Tree } from '../mechanism/tree.js';
import { createKinematics, type KinematicsScratch, poses as linkPoses } from '../reference/kinematics.js';
import { compose, invert, TRANSFORM } from '../spatial/spatial.js';
import { PosedFigure } from './posed-figure.js';

/** A mechanism to be drawn that follows a state: a `PosedFigure` that finds the poses by itself. */
export class Figure extends PosedFigure {
  #kinematics: BodyPoses | undefined;

  /** Puts the bodies where they are in a state. */
  follow(state: State): this {
    if (this.#kinematics?.mechanism !== state.mechanism) this.#kinematics = new BodyPoses(state.mechanism);
    return this.place(this.#kinematics.at(state));
  }
}

/** Poses of all bodies by plain kinematics: a page that only draws needs no engine. */
class BodyPoses {
  readonly mechanism: Mechanism;
  readonly #tree: Tree;
  readonly #kinematics: KinematicsScratch;
  readonly #poses: Float64Array;
  readonly #toBody = new Float64Array(TRANSFORM);

  constructor(mechanism: Mechanism) {
    this.mechanism = mechanism;
    this.#tree = createTree(mechanism);
    this.#kinematics = createKinematics(this.#tree);
    this.#poses = new Float64Array(TRANSFORM * mechanism.bodies.length);
  }

  at({ q }: State): Float64Array {
    const { n, offset, body } = this.#tree;
    linkPoses(this.#tree, this.#kinematics, q);
    for (let i = 0; i < n; i++) {
      // The computation has link frames of its own.
      invert(this.#toBody, 0, offset, TRANSFORM * i);
      compose(this.#poses, TRANSFORM * body[i], this.#toBody, 0, this.#kinematics.pose, TRANSFORM * i);
    }
    return this.#poses;
  }
}
