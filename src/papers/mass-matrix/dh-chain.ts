// The paper's case study: a serial chain of revolute joints in Denavit-Hartenberg form, with general numbers. Link i
// turns about its z axis; the next axis stands at (a, -d sin(alpha), d cos(alpha)), turned by alpha about x.

import { createMechanism } from '../../mechanism/create.js';
import type { Mechanism } from '../../mechanism/mechanism.js';
import { Random } from '../../mechanism/random.js';
import type { BodySpec, JointSpec } from '../../mechanism/spec.js';

/** n links, none of whose numbers is special. */
export function denavitHartenbergChain(n: number, seed = 4): Mechanism {
  const random = new Random(seed);
  const bodies: BodySpec[] = [];
  const joints: JointSpec[] = [];
  for (let i = 0; i < n; i++) {
    const [a, d, alpha] = [random.between(0.1, 0.5), random.between(0.1, 0.3), random.between(0.2, 1.3)];
    const [c, s] = [Math.cos(alpha), Math.sin(alpha)];
    const mass = random.between(0.5, 3);
    const [x, y, z] = [random.between(0.1, 0.2), random.between(0.1, 0.2), random.between(0.1, 0.2)];
    const product = 0.1 * mass * 0.01;
    bodies.push({
      name: `link_${i + 1}`,
      mass,
      com: [random.between(0.05, 0.2), random.between(0.05, 0.2), random.between(0.05, 0.2)],
      inertia: [
        mass * (y * y + z * z),
        -product,
        1.1 * product,
        -product,
        mass * (x * x + z * z),
        1.2 * product,
        1.1 * product,
        1.2 * product,
        mass * (x * x + y * y),
      ],
    });
    joints.push({
      name: `joint_${i + 1}`,
      parent: i === 0 ? null : `link_${i}`,
      child: `link_${i + 1}`,
      type: 'revolute',
      axis: [0, 0, 1],
      E: [1, 0, 0, 0, c, s, 0, -s, c],
      t: [a, -d * s, d * c],
    });
  }
  return createMechanism({ name: `dh-chain-${n}`, gravity: [0, 0, -9.81], bodies, joints });
}
