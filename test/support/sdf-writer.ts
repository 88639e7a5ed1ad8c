// Mechanisms written as SDF, in as many ways as the format has.

import { AT_ORIGIN, composed, inversePose, type RigidPose } from '../../src/formats/mjcf-frame.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import {
  apply,
  type Mat3,
  multiply,
  quaternionFromRotation,
  rollPitchYaw,
  rotationFromQuaternion,
  transpose,
  type Vec3,
} from '../../src/spatial/matrix3.js';

const NAMES = new Map([
  ['spherical', 'ball'],
  ['helical', 'screw'],
]);

/** Writes a mechanism as SDF: links anywhere on their bodies, poses relative to whatever comes up. */
export class SdfWriter {
  readonly #random: Random;
  readonly #mechanism: Mechanism;
  /** Bodies and links in the world, with all joints at zero. */
  readonly #bodies: RigidPose[] = [];
  readonly #known = new Map<string, RigidPose>([['__model__', AT_ORIGIN]]);

  constructor(mechanism: Mechanism, seed: number) {
    this.#mechanism = mechanism;
    this.#random = new Random(seed);
    mechanism.joints.forEach(({ parent, E, t }, i) => {
      const own = { R: transpose(E), p: t };
      this.#bodies[i] = parent < 0 ? own : composed(this.#bodies[parent], own);
    });
  }

  #pose(): RigidPose {
    const R = rotationFromQuaternion(this.#random.quaternion());
    const p: Vec3 = [this.#random.between(-1, 1), this.#random.between(-1, 1), this.#random.between(-1, 1)];
    return { R, p };
  }

  /** As it stands in the file, relative to some frame that there is already. */
  #written(pose: RigidPose, relativeTo = this.#random.pick([...this.#known.keys()])): string {
    const { R, p } = composed(inversePose(this.#known.get(relativeTo)!), pose);
    const [w, x, y, z] = quaternionFromRotation(R);
    const to = relativeTo === '__model__' ? '' : `relative_to="${relativeTo}"`;
    return this.#random.below(2) === 0
      ? `<pose ${to} rotation_format="quat_xyzw">${[...p, x, y, z, w].join(' ')}</pose>`
      : `<pose ${to}>${[...p, ...rollPitchYaw(R)].join(' ')}</pose>`;
  }

  text(): string {
    const { bodies, joints } = this.#mechanism;
    const parts: string[] = [];
    const frame = this.#pose();
    parts.push(`<frame name="somewhere">${this.#written(frame)}</frame>`);
    this.#known.set('somewhere', frame);
    bodies.forEach(({ name, mass, com, inertia }, i) => {
      // The coordinates of a ball joint are along the axes of its link.
      const { R: turn, p: shift } = this.#pose();
      const moved = { R: joints[i].type === 'spherical' ? AT_ORIGIN.R : turn, p: shift };
      const link = this.#random.below(2) === 0 ? this.#bodies[i] : composed(this.#bodies[i], moved);
      const { R, p } = composed(inversePose(link), this.#bodies[i]);
      const c = apply(R, com).map((value, k) => value + p[k]);
      const I = multiply(multiply(R, inertia), transpose(R));
      parts.push(`<link name="${name}">${this.#written(link)}<inertial><pose>${c.join(' ')} 0 0 0</pose>
        <mass>${mass}</mass><inertia><ixx>${I[0]}</ixx><ixy>${I[1]}</ixy><ixz>${I[2]}</ixz><iyy>${I[4]}</iyy>
        <iyz>${I[5]}</iyz><izz>${I[8]}</izz></inertia></inertial></link>`);
      this.#known.set(name, link);
    });
    joints.forEach(({ name, type, parent, axis, axis2, pitch, damping, model }, i) => {
      const turned: RigidPose = { R: rotationFromQuaternion(this.#random.quaternion()), p: [0, 0, 0] };
      const at = composed(this.#bodies[i], turned);
      const own = bodies[i].name;
      const choice = this.#random.pick([undefined, '__model__', 'somewhere']);
      this.#known.set(name, at);
      const expressed = (along: Vec3, R: Mat3): string => {
        const inWorld = apply(this.#bodies[i].R, along);
        const from = choice === undefined ? R : this.#known.get(choice)!.R;
        const xyz = apply(transpose(from), inWorld).join(' ');
        return `<xyz ${choice === undefined ? '' : `expressed_in="${choice}"`}>${xyz}</xyz>`;
      };
      const axes =
        (model.axes >= 1
          ? `<axis>${expressed(axis, at.R)}<dynamics><damping>${damping}</damping></dynamics></axis>`
          : '') + (model.axes === 2 ? `<axis2>${expressed(axis2, at.R)}</axis2>` : '');
      parts.push(`<joint name="${name}" type="${NAMES.get(type) ?? type}">
        ${this.#written(at, own)}
        <parent>${parent < 0 ? 'world' : bodies[parent].name}</parent><child>${own}</child>
        ${type === 'helical' ? `<screw_thread_pitch>${pitch * 2 * Math.PI}</screw_thread_pitch>` : ''}${axes}</joint>`);
    });
    const { gravity } = this.#mechanism;
    return `<?xml version="1.0"?><sdf version="1.9"><world name="w"><gravity>${gravity.join(' ')}</gravity><model name="m">
      ${parts.join('\n')}</model></world></sdf>`;
  }
}
