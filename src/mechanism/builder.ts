import { IDENTITY3, type Mat3, rotationFromRollPitchYaw, transpose, type Vec3 } from '../spatial/matrix3.js';
import { type CreateOptions, createMechanism } from './create.js';
import type { Mechanism } from './mechanism.js';
import type { BodySpec, CouplingSpec, FrameSpec, JointSpec, LoopSpec, MechanismSpec } from './spec.js';

/** A body together with the joint that carries it: what most mechanisms are written down as. */
export interface LinkOptions extends Omit<BodySpec, 'name'> {
  /** Name of the body it hangs from; null is the ground. */
  readonly parent: string | null;
  readonly joint: Omit<JointSpec, 'name' | 'parent' | 'child' | 'E' | 't'> & {
    /** The body's name where left out. */
    readonly name?: string;
  };
  /** Where the joint sits, in the parent's frame. */
  readonly at?: Vec3;
  /** How the joint is turned in the parent's frame: fixed-axis roll, pitch, yaw in radians ... */
  readonly rpy?: Vec3;
  /** ... or as a matrix that maps parent to joint coordinates. */
  readonly E?: Mat3;
}

/** Collects the parts of a mechanism; build() checks them all and makes it. */
export class MechanismBuilder {
  readonly #name: string;
  #gravity: Vec3 | undefined;
  readonly #bodies: BodySpec[] = [];
  readonly #joints: JointSpec[] = [];
  readonly #loops: LoopSpec[] = [];
  readonly #frames: FrameSpec[] = [];
  readonly #couplings: CouplingSpec[] = [];

  constructor(name = 'mechanism') {
    this.#name = name;
  }

  /** Sets gravity; [0, 0, -9.81] where it is not called. */
  gravity(gravity: Vec3): this {
    this.#gravity = gravity;
    return this;
  }

  /** Adds a body and the joint that carries it. */
  link(name: string, options: LinkOptions): this {
    const { parent, joint, at, rpy, E, ...body } = options;
    this.#bodies.push({ ...body, name });
    this.#joints.push({
      ...joint,
      name: joint.name ?? name,
      parent,
      child: name,
      E: E ?? (rpy === undefined ? IDENTITY3 : transpose(rotationFromRollPitchYaw(...rpy))),
      ...(at !== undefined && { t: at }),
    });
    return this;
  }

  /** Adds a joint that closes a loop. */
  loop(loop: LoopSpec): this {
    this.#loops.push(loop);
    return this;
  }

  /** Adds a named frame on a body. */
  frame(frame: FrameSpec): this {
    this.#frames.push(frame);
    return this;
  }

  /** Makes a joint follow another one (mimic). */
  couple(coupling: CouplingSpec): this {
    this.#couplings.push(coupling);
    return this;
  }

  /** The collected parts as plain data. */
  spec(): MechanismSpec {
    return {
      name: this.#name,
      ...(this.#gravity !== undefined && { gravity: this.#gravity }),
      bodies: [...this.#bodies],
      joints: [...this.#joints],
      loops: [...this.#loops],
      frames: [...this.#frames],
      couplings: [...this.#couplings],
    };
  }

  /** Checks everything and makes the mechanism. */
  build(options?: CreateOptions): Mechanism {
    return createMechanism(this.spec(), options);
  }
}
