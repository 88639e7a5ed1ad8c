// A mechanism as MJCF, the format of MuJoCo. One body there for each of ours; a joint of several degrees of freedom becomes
// several joints name:0, name:1, ..., and a floating joint on the ground a free joint.

import { MechanismError } from '../mechanism/errors.js';
import type { Joint, Mechanism } from '../mechanism/mechanism.js';
import { axisFrame, quaternionFromRotation, transpose, type Vec3 } from '../spatial/matrix3.js';

/** The least moment of inertia that MuJoCo accepts: point masses get it. */
const LEAST_INERTIA = 1e-13;

/** Helical joints have no counterpart there and are refused, as are closed loops. */
export function formatMjcf(mechanism: Mechanism): string {
  const { name, bodies, joints, gravity, loops } = mechanism;
  if (loops.length > 0)
    throw MechanismError.of('mjcf', `loop "${loops[0].name}"`, 'Closed loops are not written to MJCF; remove them.');
  const children: number[][] = bodies.map(() => []);
  const roots: number[] = [];
  joints.forEach(({ parent }, i) => {
    (parent < 0 ? roots : children[parent]).push(i);
  });
  const lines: string[] = [];
  const open = (i: number): void => {
    const { mass, com, inertia: I, name: body } = bodies[i];
    const joint = joints[i];
    const { t, E } = joint;
    lines.push(`<body name="${text(body)}" pos="${list(t)}" quat="${list(quaternionFromRotation(transpose(E)))}">`);
    lines.push(...jointElements(joint));
    const [xx, yy, zz] = [I[0], I[4], I[8]].map((moment) => Math.max(moment, LEAST_INERTIA));
    if (mass > 0)
      lines.push(`<inertial pos="${list(com)}" mass="${mass}" fullinertia="${list([xx, yy, zz, I[1], I[2], I[5]])}"/>`);
  };
  // Depth first with a stack of our own: chains are long. A negative entry closes a body.
  const stack = [...roots].reverse();
  while (stack.length > 0) {
    const i = stack.pop()!;
    if (i < 0) lines.push('</body>');
    else {
      open(i);
      stack.push(-1, ...[...children[i]].reverse());
    }
  }
  return [
    `<mujoco model="${text(name)}">`,
    '<compiler angle="radian" autolimits="false" balanceinertia="false"/>',
    `<option gravity="${list(gravity)}"/>`,
    '<worldbody>',
    ...lines,
    '</worldbody>',
    ...couplingElements(mechanism),
    '</mujoco>',
    '',
  ].join('\n');
}

/** q = offset + multiplier q_source, as a polynomial. */
function couplingElements({ couplings, joints }: Mechanism): string[] {
  if (couplings.length === 0) return [];
  const elements = couplings.map(
    ({ joint, source, multiplier, offset }) =>
      `<joint joint1="${text(joints[joint].name)}" joint2="${text(joints[source].name)}" polycoef="${list([offset, multiplier, 0, 0, 0])}"/>`,
  );
  return ['<equality>', ...elements, '</equality>'];
}

function jointElements(joint: Joint): string[] {
  const { type, name, axis, axis2, parent } = joint;
  const one = (suffix: string, kind: string, direction?: Vec3): string => {
    const along = direction === undefined ? '' : ` axis="${list(direction)}"`;
    return `<joint name="${text(name)}${suffix}" type="${kind}"${along}${properties(joint)}/>`;
  };
  const plane = axisFrame(axis);
  switch (type) {
    case 'fixed':
      return [];
    case 'revolute':
    case 'continuous':
      return [one('', 'hinge', axis)];
    case 'prismatic':
      return [one('', 'slide', axis)];
    case 'cylindrical':
      return [one(':0', 'hinge', axis), one(':1', 'slide', axis)];
    case 'universal':
      return [one(':0', 'hinge', axis), one(':1', 'hinge', axis2)];
    case 'planar':
      return [
        one(':0', 'slide', [plane[0], plane[1], plane[2]]),
        one(':1', 'slide', [plane[3], plane[4], plane[5]]),
        one(':2', 'hinge', axis),
      ];
    case 'spherical':
      return [one('', 'ball')];
    case 'floating':
      if (parent < 0) return [`<freejoint name="${text(name)}"/>`];
      return [
        one(':0', 'slide', [1, 0, 0]),
        one(':1', 'slide', [0, 1, 0]),
        one(':2', 'slide', [0, 0, 1]),
        one(':3', 'ball'),
      ];
    default:
      throw MechanismError.of('mjcf', `joint "${name}"`, `MJCF has no ${type} joint; take another type.`);
  }
}

/** What is not zero of armature, damping, friction, spring and, for joints of one degree of freedom, limits. */
function properties({ type, armature, damping, friction, stiffness, rest, limits }: Joint): string {
  const given: [string, number][] = [
    ['armature', armature],
    ['damping', damping],
    ['frictionloss', friction],
    ['stiffness', stiffness],
    ['springref', stiffness === 0 ? 0 : rest],
  ];
  const { lower, upper } = limits;
  const single = type === 'revolute' || type === 'prismatic';
  const range = single && lower !== undefined && upper !== undefined && lower < upper;
  return (
    given.map(([key, value]) => (value === 0 ? '' : ` ${key}="${value}"`)).join('') +
    (range ? ` limited="true" range="${list([lower, upper])}"` : '')
  );
}

const list = (values: readonly number[]): string => values.join(' ');

/** Letters that XML has a use for. */
const SPECIAL = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);
const text = (value: string): string => value.replace(/[&<>"]/g, (letter) => SPECIAL.get(letter)!);
