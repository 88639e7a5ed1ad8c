// <equality> as parts of a mechanism: connect and weld become loop joints, joint becomes a coupling.

import type { CouplingSpec, LoopFrameSpec, LoopSpec } from '../mechanism/spec.js';
import type { Quat, Vec3 } from '../spatial/matrix3.js';
import type { MjcfBody } from './mjcf-body.js';
import { AT_ORIGIN, composed, inversePose, placementOf, type RigidPose, rotationOfQuaternion } from './mjcf-frame.js';
import type { MjcfParts } from './mjcf-mechanism.js';
import type { MjcfEquality } from './mjcf-sections.js';
import { NameGiver } from './names.js';

export interface Constraints {
  readonly loops: readonly LoopSpec[];
  readonly couplings: readonly CouplingSpec[];
}

/** A frame on a body: its index, and the frame's pose in it. */
interface End {
  readonly body: number;
  readonly pose: RigidPose;
}

export class ConstraintReader {
  readonly #bodies: readonly MjcfBody[];
  readonly #parts: MjcfParts;
  readonly #poses: readonly RigidPose[];
  readonly #bodyIndex = new Map<string, number>();
  readonly #sites = new Map<string, End>();
  readonly #names: NameGiver;
  readonly #loops: LoopSpec[] = [];
  /** Joints that follow others, with what they follow. */
  readonly #couplings = new Map<string, CouplingSpec>();

  /** `poses` are those of the bodies in the pose that the file draws: constraints hold there unless they say otherwise. */
  constructor(bodies: readonly MjcfBody[], parts: MjcfParts, poses: readonly RigidPose[]) {
    this.#bodies = bodies;
    this.#parts = parts;
    this.#poses = poses;
    this.#names = new NameGiver(parts.joints.map(({ name }) => name));
    bodies.forEach(({ name, sites }, body) => {
      if (name !== '') this.#bodyIndex.set(name, body);
      for (const site of sites) if (site.name !== '') this.#sites.set(site.name, { body, pose: site.pose });
    });
  }

  read(equalities: readonly MjcfEquality[]): Constraints {
    for (const equality of equalities) {
      if (!equality.data.active) continue;
      switch (equality.kind) {
        case 'connect':
        case 'weld':
          this.#loop(equality);
          break;
        case 'joint':
          this.#coupling(equality);
          break;
        default:
          equality.element.warn('equality', 'Equality of tendons is not used.');
      }
    }
    return { loops: this.#loops, couplings: [...this.#couplings.values()] };
  }

  #loop({ kind, element, data }: MjcfEquality): void {
    const ends = data.site1 !== '' ? this.#siteEnds(data) : this.#bodyEnds(kind, element, data);
    if (ends === undefined) {
      element.error('equality', `A <${kind}> needs two bodies or two sites.`);
      return;
    }
    const [a, b] = ends;
    if (a.body === b.body) {
      element.warn('equality', `This <${kind}> connects a body with itself and is left out.`);
      return;
    }
    if (this.#bodies[a.body].mocap || this.#bodies[b.body].mocap) {
      element.warn('mocap', `This <${kind}> holds on to a mocap body, which nothing here moves; it is left out.`);
      return;
    }
    this.#loops.push({
      name: this.#names.give(data.name),
      type: kind === 'weld' ? 'fixed' : 'spherical',
      a: this.#frame(a),
      b: this.#frame(b),
    });
  }

  #frame({ body, pose }: End): LoopFrameSpec {
    return { body: this.#parts.bodyNames[body], ...placementOf(pose) };
  }

  #siteEnds({ site1, site2 }: MjcfEquality['data']): [End, End] | undefined {
    const [a, b] = [this.#sites.get(site1), this.#sites.get(site2)];
    return a && b && [a, b];
  }

  /**
   * Where the file says one side only, the other is what coincides with it in the pose of the file. The anchor of a connect
   * is in body 1; relpose is the pose of body 2 in body 1.
   */
  #bodyEnds(kind: string, element: MjcfEquality['element'], data: MjcfEquality['data']): [End, End] | undefined {
    const first = data.body1 === '' ? undefined : this.#bodyIndex.get(data.body1);
    const second = data.body2 === '' ? 0 : this.#bodyIndex.get(data.body2);
    if (first === undefined || second === undefined) return undefined;
    const between = composed(inversePose(this.#poses[second]), this.#poses[first]);
    if (kind === 'connect') {
      if (data.anchor === undefined) element.error('equality', 'A <connect> of bodies needs an anchor.');
      const pose: RigidPose = { R: AT_ORIGIN.R, p: (data.anchor ?? [0, 0, 0]) as unknown as Vec3 };
      return [
        { body: first, pose },
        { body: second, pose: composed(between, pose) },
      ];
    }
    const [x, y, z, ...quat] = data.relpose;
    const R = rotationOfQuaternion(quat as unknown as Quat);
    const pose = R === undefined ? inversePose(between) : { R, p: [x, y, z] as const };
    return [
      { body: first, pose },
      { body: second, pose: AT_ORIGIN },
    ];
  }

  /** q1 - ref1 = c0 + c1 (q2 - ref2) + c2 (q2 - ref2)^2 + ...; alone, q1 - ref1 = c0. */
  #coupling({ element, data }: MjcfEquality): void {
    const { joint1, joint2, polycoef } = data;
    const find = (name: string) => this.#parts.moving.find((moving) => moving.name === name)?.joint;
    const first = find(joint1);
    const source = joint2 !== '' ? joint2 : this.#anySource(joint1);
    const second = source === undefined ? undefined : find(source);
    if (first === undefined || second === undefined || source === undefined) {
      element.warn(
        'equality',
        `The joint "${joint1}" cannot be held: there is no other joint of one degree of freedom.`,
      );
      return;
    }
    if ([first, second].some(({ type }) => type !== 'hinge' && type !== 'slide')) {
      element.error('equality', 'Only hinges and slides can be coupled.');
      return;
    }
    const [c0, c1, ...higher] = joint2 === '' ? [polycoef[0], 0] : polycoef;
    if (higher.some((value) => value !== 0)) {
      element.warn('polynomial', 'This joint follows another by a curve, which is not used: it moves by itself.');
      return;
    }
    const coupling = { joint: joint1, source, multiplier: c1, offset: first.ref + c0 - c1 * second.ref };
    if (this.#addCoupling(coupling)) return;
    // The other way round where that is possible.
    const inverse = { joint: source, source: joint1, multiplier: 1 / c1, offset: -coupling.offset / c1 };
    if (c1 !== 0 && this.#addCoupling(inverse)) return;
    element.warn('equality', 'These joints are coupled already by way of others; this equality is left out.');
  }

  #addCoupling(coupling: CouplingSpec): boolean {
    if (this.#couplings.has(coupling.joint)) return false;
    for (let at: string | undefined = coupling.source; at !== undefined; at = this.#couplings.get(at)?.source)
      if (at === coupling.joint) return false;
    this.#couplings.set(coupling.joint, coupling);
    return true;
  }

  /** Some joint to hang a constant on: with the factor 0 any will do. */
  #anySource(except: string): string | undefined {
    return this.#parts.moving.find(
      ({ name, joint }) =>
        name !== except && (joint.type === 'hinge' || joint.type === 'slide') && !this.#couplings.has(name),
    )?.name;
  }
}
