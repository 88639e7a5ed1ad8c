// A mechanism as URDF. What URDF cannot say is refused where it changes how the mechanism moves, and noted where it is left
// out. A URDF file has no state and no gravity.

import type { JointTypeName } from '../joints/index.js';
import { MechanismError, type Problem } from '../mechanism/errors.js';
import { type Body, GROUND, type Joint, type Mechanism, type Placement, type Shape } from '../mechanism/mechanism.js';
import { IDENTITY3, rollPitchYaw, transpose, type Vec3 } from '../spatial/matrix3.js';
import { CONTACT_KEYS } from './description.js';
import { NameGiver } from './names.js';

/** A URDF file, with notes on what URDF cannot say. */
export interface UrdfText {
  readonly text: string;
  /** What was left out or had to be made up. */
  readonly notes: readonly Problem[];
}

const TYPES = new Set<JointTypeName>(['fixed', 'revolute', 'continuous', 'prismatic', 'planar', 'floating']);

/** Bounds for joints that have none but must have some in URDF: out of reach. */
const FAR = 1e9;

/**
 * The root link is the body that is fixed to the ground at its origin, where there is one and it is the only one there;
 * otherwise a massless link `world` that stands for the ground, with the joints to the ground on it.
 */
export function formatUrdf(mechanism: Mechanism): UrdfText {
  const { bodies, joints, couplings, frames } = mechanism;
  refuse(mechanism);
  const notes: Problem[] = [];
  const roots = joints.filter(({ parent }) => parent === GROUND);
  const [root] = roots;
  const bare = roots.length === 1 && root.type === 'fixed' && isIdentity(root);
  const world = bare ? undefined : new NameGiver(bodies.map(({ name }) => name)).give('world');
  const mimics = new Map(couplings.map((coupling) => [coupling.joint, coupling]));
  const lines = [`<robot name="${escaped(mechanism.name)}">`];
  if (world !== undefined) lines.push(`  <link name="${escaped(world)}"/>`);
  for (const body of bodies) lines.push(...link(body, notes));
  joints.forEach((joint, i) => {
    if (bare && joint === root) return;
    const parent = joint.parent === GROUND ? world! : bodies[joint.parent].name;
    lines.push(`  <joint name="${escaped(joint.name)}" type="${urdfType(joint)}">`);
    lines.push(`    <parent link="${escaped(parent)}"/>`, `    <child link="${escaped(bodies[i].name)}"/>`);
    lines.push(...origin(joint, '    '), ...moving(joint, notes));
    const mimic = mimics.get(i);
    if (mimic !== undefined)
      lines.push(
        `    <mimic joint="${escaped(joints[mimic.source].name)}" multiplier="${mimic.multiplier}" offset="${mimic.offset}"/>`,
      );
    lines.push('  </joint>');
  });
  lines.push('</robot>', '');
  if (frames.length > 0) note(notes, 'frames', '', `${frames.length} named frames are left out: URDF has none.`);
  return { text: lines.join('\n'), notes };
}

function note(notes: Problem[], code: string, where: string, message: string): void {
  notes.push({ code, where, message });
}

function refuse({ joints, loops }: Mechanism): void {
  const problems: Problem[] = joints
    .filter(({ type }) => !TYPES.has(type))
    .map(({ name, type }) => ({
      code: 'urdf-joint',
      where: `joint "${name}"`,
      message: `URDF has no ${type} joint, only ${[...TYPES].join(', ')}. Write the description format instead.`,
    }));
  for (const { name } of loops)
    problems.push({ code: 'urdf-loop', where: `loop "${name}"`, message: 'URDF has no loop joints.' });
  if (problems.length > 0) throw new MechanismError(problems, 'The mechanism cannot be written as URDF');
}

/** A revolute joint of URDF must have limits; one without any is what URDF calls continuous. */
function urdfType({ type, limits }: Joint): string {
  return type === 'revolute' && limits.lower === undefined && limits.upper === undefined ? 'continuous' : type;
}

function moving(joint: Joint, notes: Problem[]): string[] {
  const { type, axis, damping, friction, armature, stiffness, limits, name } = joint;
  const lines: string[] = [];
  if (joint.model.axes === 1) lines.push(`    <axis xyz="${list(axis)}"/>`);
  if (damping !== 0 || friction !== 0) lines.push(`    <dynamics damping="${damping}" friction="${friction}"/>`);
  const where = `joint "${name}"`;
  for (const [what, value] of [
    ['armature', armature],
    ['spring', stiffness],
  ] as const)
    if (value !== 0) note(notes, what, where, `Its ${what} is left out: URDF has none.`);
  const written = urdfType(joint);
  const { effort = FAR, velocity = FAR } = limits;
  if (written === 'revolute' || written === 'prismatic') {
    const { lower = -FAR, upper = FAR } = limits;
    if (limits.lower === undefined || limits.upper === undefined)
      note(notes, 'limits', where, `URDF wants limits of a ${type} joint; it got bounds out of reach, ${FAR}.`);
    lines.push(
      `    <limit lower="${bound(lower)}" upper="${bound(upper)}" effort="${bound(effort)}" velocity="${bound(velocity)}"/>`,
    );
  } else if (written === 'continuous' && (limits.effort !== undefined || limits.velocity !== undefined)) {
    lines.push(`    <limit effort="${bound(effort)}" velocity="${bound(velocity)}"/>`);
  }
  return lines;
}

function bound(value: number): number {
  return Math.max(-FAR, Math.min(FAR, value));
}

function link({ name, mass, com, inertia: I, visuals, collisions }: Body, notes: Problem[]): string[] {
  const lines = [`  <link name="${escaped(name)}">`];
  if (mass !== 0)
    lines.push(
      '    <inertial>',
      ...(com.some((x) => x !== 0) ? [`      <origin xyz="${list(com)}"/>`] : []),
      `      <mass value="${mass}"/>`,
      `      <inertia ixx="${I[0]}" ixy="${I[1]}" ixz="${I[2]}" iyy="${I[4]}" iyz="${I[5]}" izz="${I[8]}"/>`,
      '    </inertial>',
    );
  visuals.forEach((visual, k) => {
    lines.push(...shape('visual', visual, `${name}_${k}`, name, notes));
  });
  collisions.forEach((collision) => {
    lines.push(...shape('collision', collision, '', name, notes));
  });
  lines.push('  </link>');
  return lines;
}

function shape(
  element: 'visual' | 'collision',
  { name, geometry, color, E, t, ...rest }: Shape,
  material: string,
  body: string,
  notes: Problem[],
): string[] {
  const written = geometryElement(geometry);
  const where = `body "${body}"`;
  if (written === undefined) {
    note(notes, 'geometry', where, `Its ${element} shape (${geometry.kind}) is left out: URDF has no such geometry.`);
    return [];
  }
  if (CONTACT_KEYS.some((key) => rest[key] !== undefined))
    note(notes, 'contact', where, `The contact properties of its ${element} shape are left out: URDF has none.`);
  const named = name === undefined ? '' : ` name="${escaped(name)}"`;
  const colored =
    color === undefined || element === 'collision'
      ? []
      : [`      <material name="${escaped(material)}"><color rgba="${list(color)}"/></material>`];
  return [
    `    <${element}${named}>`,
    ...origin({ E, t }, '      '),
    `      <geometry>${written}</geometry>`,
    ...colored,
    `    </${element}>`,
  ];
}

function geometryElement(geometry: Shape['geometry']): string | undefined {
  switch (geometry.kind) {
    case 'box':
      return `<box size="${list(geometry.size)}"/>`;
    case 'sphere':
      return `<sphere radius="${geometry.radius}"/>`;
    case 'cylinder':
    case 'capsule':
      return `<${geometry.kind} radius="${geometry.radius}" length="${geometry.length}"/>`;
    case 'mesh':
      return `<mesh filename="${escaped(geometry.path)}" scale="${list(geometry.scale)}"/>`;
    default:
      return undefined;
  }
}

function isIdentity({ E, t }: Placement): boolean {
  return t.every((x) => x === 0) && E.every((x, k) => x === IDENTITY3[k]);
}

function origin({ E, t }: Placement, indent: string): string[] {
  if (isIdentity({ E, t })) return [];
  const rpy: Vec3 = rollPitchYaw(transpose(E));
  return [`${indent}<origin xyz="${list(t)}" rpy="${list(rpy)}"/>`];
}

function list(values: readonly number[]): string {
  return values.map((value) => String(value)).join(' ');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
