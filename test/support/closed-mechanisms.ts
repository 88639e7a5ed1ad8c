// Mechanisms with closed loops, for tests: random ones, and those of the shared folder.

import { parseUrdf } from '../../src/formats/index.js';
import { createMechanism } from '../../src/mechanism/create.js';
import type { Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import type { LoopSpec, MechanismSpec } from '../../src/mechanism/spec.js';
import { mechanismSpec } from '../../src/mechanism/variants.js';
import { rotationFromQuaternion } from '../../src/spatial/matrix3.js';
import { ALL_JOINT_TYPES, randomSpec } from './random-mechanism.js';
import { readShared } from './shared.js';

/** Random loop joints of all types between random bodies of a random tree. */
export function closedSpec(seed: number, bodies: number, loops: number): MechanismSpec {
  const random = new Random(seed);
  const spec = randomSpec(seed, { bodies, armature: true });
  const types = ALL_JOINT_TYPES.filter((type) => type !== 'floating');
  const frame = (body: string | null) => ({
    body,
    E: rotationFromQuaternion(random.quaternion()),
    t: [random.between(-0.3, 0.3), random.between(-0.3, 0.3), random.between(-0.3, 0.3)] as const,
  });
  const closing: LoopSpec[] = Array.from({ length: loops }, (_, k) => {
    const b = random.below(bodies);
    let a = random.below(bodies + 1) - 1;
    while (a === b) a = random.below(bodies + 1) - 1;
    return {
      name: `l${k}`,
      type: random.pick(types),
      axis: random.direction(),
      axis2: random.direction(),
      pitch: 0.1,
      a: frame(a < 0 ? null : `b${a}`),
      b: frame(`b${b}`),
    };
  });
  return { ...spec, loops: closing };
}

/** The URDF of a shared folder with the welds or pins that its yaml names ('6d': welded, '3d': origins coincide). */
export function sharedLoop(folder: string): Mechanism {
  const tree = parseUrdf(readShared(`data/loops/${folder}/robot.urdf`));
  const yaml = readShared(`data/loops/${folder}/robot.yaml`);
  const pairs = [...yaml.matchAll(/\['([^']+)', *'([^']+)'\]/g)].slice(0, (yaml.match(/'[36]d'/g) ?? []).length);
  const kinds = yaml.match(/'[36]d'/g) ?? [];
  // A frame is that of a link, or of the link that a joint carries.
  const bodyOf = (name: string): string => (tree.hasBody(name) ? name : tree.bodies[tree.jointIndex(name)].name);
  const loops = pairs.map(
    ([, a, b], k): LoopSpec => ({
      name: `loop${k}`,
      type: kinds[k] === "'6d'" ? 'fixed' : 'spherical',
      a: { body: bodyOf(a) },
      b: { body: bodyOf(b) },
    }),
  );
  return createMechanism({ ...mechanismSpec(tree), loops }, { inertia: 'warn' });
}
