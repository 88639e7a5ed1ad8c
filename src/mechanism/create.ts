// From plain data to a checked, immutable Mechanism. Every problem is found and reported at once.

import { findJointType, type JointType } from '../joints/index.js';
import {
  cross,
  IDENTITY3,
  type Mat3,
  norm,
  orthonormalised,
  rotationDefect,
  scale,
  type Vec3,
  ZERO3,
} from '../spatial/matrix3.js';
import { resolveCouplings } from './couplings.js';
import { MechanismError, type Problem } from './errors.js';
import { inertiaFault, repairedInertia, symmetricPart } from './inertia-check.js';
import {
  type Body,
  type Coupling,
  type Frame,
  GROUND,
  type Joint,
  type JointKind,
  type LoopFrame,
  type LoopJoint,
  Mechanism,
  type Placement,
} from './mechanism.js';
import { nearNames } from './near-names.js';
import { findRings, sumsOverSubtrees } from './parents.js';
import type { BodySpec, JointKindSpec, JointSpec, LoopFrameSpec, MechanismSpec } from './spec.js';

/** What to do about an inertia that no real body has: refuse it, let it pass with a warning, or change it and warn. */
export type InertiaMode = 'reject' | 'warn' | 'repair';

/** How strict `createMechanism` is. */
export interface CreateOptions {
  readonly inertia?: InertiaMode;
  /** Warnings of whoever read the data, kept in front of our own. */
  readonly warnings?: readonly Problem[];
}

/** More bodies than this are refused: the memory they would take is a mistake or an attack, not a mechanism. */
export const MAX_BODIES = 2_000_000;

export const STANDARD_GRAVITY: Vec3 = [0, 0, -9.81];

/** How far a rotation matrix may be from orthonormal: files print few digits. It is made exact. */
const ROTATION_TOLERANCE = 1e-4;

/**
 * Checks a specification and makes a mechanism of it; a MechanismError lists all that is wrong with it.
 *
 *     const pendulum = createMechanism({
 *       bodies: [{ name: 'rod', mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.01] }],
 *       joints: [{ name: 'pivot', type: 'revolute', axis: [0, 1, 0], parent: null, child: 'rod' }],
 *     });
 */
export function createMechanism(spec: MechanismSpec, options: CreateOptions = {}): Mechanism {
  return new Creation(spec, options.inertia ?? 'reject').run(options.warnings ?? []);
}

class Creation {
  readonly #spec: MechanismSpec;
  readonly #inertiaMode: InertiaMode;
  readonly #problems: Problem[] = [];
  readonly #warnings: Problem[] = [];
  readonly #bodyIndex = new Map<string, number>();

  constructor(spec: MechanismSpec, inertiaMode: InertiaMode) {
    this.#spec = spec;
    this.#inertiaMode = inertiaMode;
  }

  run(earlierWarnings: readonly Problem[]): Mechanism {
    const spec = this.#spec;
    if (spec.bodies.length === 0) this.#report('empty', '', 'A mechanism needs at least one body.');
    if (spec.bodies.length > MAX_BODIES)
      this.#report('too-large', '', `${spec.bodies.length} bodies are more than the ${MAX_BODIES} that are allowed.`);
    this.#throwIfBroken();
    this.#index();
    const gravity = copy3(spec.gravity ?? STANDARD_GRAVITY);
    this.#finite('', 'Gravity', gravity);
    const bodies = spec.bodies.map((body) => this.#body(body));
    const joints = this.#joints();
    const loops = this.#loops();
    const frames = this.#frames();
    const couplings = this.#couplings(joints);
    this.#checkCycles(joints);
    this.#checkMovingMass(bodies, joints);
    this.#throwIfBroken();
    return new Mechanism({
      name: spec.name ?? 'mechanism',
      gravity,
      bodies,
      joints: joints as Joint[],
      loops,
      frames,
      couplings,
      warnings: [...earlierWarnings, ...this.#warnings],
    });
  }

  #report(code: string, where: string, message: string): void {
    this.#problems.push({ code, where, message });
  }

  #throwIfBroken(): void {
    if (this.#problems.length > 0)
      throw new MechanismError(this.#problems, `The mechanism "${this.#spec.name ?? 'mechanism'}" is not valid`);
  }

  #index(): void {
    this.#spec.bodies.forEach((body, i) => {
      const where = `body "${body.name}"`;
      if (body.name === '') this.#report('empty-name', `body ${i}`, 'A body needs a name.');
      else if (this.#bodyIndex.has(body.name))
        this.#report('duplicate-name', where, 'Another body has this name; give each its own.');
      else this.#bodyIndex.set(body.name, i);
    });
    const seen = new Set<string>();
    for (const { name } of [...this.#spec.joints, ...(this.#spec.loops ?? [])]) {
      if (seen.has(name))
        this.#report('duplicate-name', `joint "${name}"`, 'Another joint has this name; give each its own.');
      seen.add(name);
    }
  }

  #finite(where: string, what: string, values: readonly (number | undefined)[]): boolean {
    const bad = values.find((value) => value !== undefined && !Number.isFinite(value));
    if (bad === undefined) return true;
    this.#report('not-finite', where, `${what} must be finite numbers, got ${bad}.`);
    return false;
  }

  #notNegative(where: string, what: string, value: number): void {
    if (this.#finite(where, what, [value]) && value < 0)
      this.#report('negative', where, `${what} must not be negative, got ${value}.`);
  }

  #body(spec: BodySpec): Body {
    const where = `body "${spec.name}"`;
    const mass = spec.mass ?? 0;
    const com = copy3(spec.com ?? ZERO3);
    const given: Mat3 = [...(spec.inertia ?? ([0, 0, 0, 0, 0, 0, 0, 0, 0] as const))];
    if (this.#finite(where, 'Mass', [mass]) && mass < 0)
      this.#report('negative-mass', where, `Mass must not be negative, got ${mass}.`);
    this.#finite(where, 'The centre of mass', com);
    let inertia: Mat3 = given;
    if (this.#finite(where, 'The inertia', given)) inertia = this.#inertia(where, given, mass);
    const { visuals = [], collisions = [] } = spec;
    return { name: spec.name, mass, com, inertia, ...structuredClone({ visuals, collisions }) };
  }

  #inertia(where: string, given: Mat3, mass: number): Mat3 {
    const found = inertiaFault(given);
    const massless = mass === 0 && given.some((value) => value !== 0);
    if (found === undefined && !massless) return symmetricPart(given);
    const moments = found?.moments.map((moment) => Number(moment.toPrecision(4))).join(', ');
    const text = {
      asymmetric: 'The inertia matrix is not symmetric.',
      'not-positive-definite': `The inertia matrix is not positive definite: its principal moments are ${moments}.`,
      'triangle-inequality': `No real body has this inertia: of its principal moments ${moments} the two smaller must add up to the largest or more.`,
      massless: 'A body of zero mass has a rotational inertia.',
    }[found?.fault ?? 'massless'];
    const code = found?.fault ?? 'inertia-without-mass';
    if (this.#inertiaMode === 'reject' && found !== undefined) {
      this.#report(code, where, text);
      return given;
    }
    const repair = this.#inertiaMode === 'repair' && found !== undefined;
    this.#warnings.push({
      code,
      where,
      message: repair ? `${text} It was changed to the nearest possible one.` : text,
    });
    return repair ? repairedInertia(given) : symmetricPart(given);
  }

  #kind(where: string, spec: JointKindSpec): { model: JointType; kind: JointKind } | undefined {
    const model = findJointType(spec.type);
    if (model === undefined) {
      this.#report('unknown-joint-type', where, `There is no joint type "${spec.type}".`);
      return undefined;
    }
    const axis = this.#unit(where, 'axis', spec.axis ?? [0, 0, 1], model.axes >= 1);
    const axis2 = this.#unit(where, 'axis2', spec.axis2 ?? [0, 1, 0], model.axes === 2);
    const pitch = spec.pitch ?? 0;
    this.#finite(where, 'Pitch', [pitch]);
    if (model.axes === 2 && norm(cross(axis, axis2)) < 1e-6)
      this.#report('parallel-axes', where, 'The two axes of a universal joint must not be parallel.');
    return { model, kind: { type: model.name, axis, axis2, pitch } };
  }

  #unit(where: string, what: string, axis: Vec3, used: boolean): Vec3 {
    if (!used || !this.#finite(where, `The ${what}`, axis)) return copy3(axis);
    const length = norm(axis);
    if (length < 1e-9) {
      this.#report('zero-axis', where, `The ${what} must not be zero.`);
      return copy3(axis);
    }
    return Math.abs(length - 1) < 1e-15 ? copy3(axis) : scale(1 / length, axis);
  }

  #placement(where: string, spec: { readonly E?: Mat3; readonly t?: Vec3 }): Placement {
    const E: Mat3 = [...(spec.E ?? IDENTITY3)];
    const t = copy3(spec.t ?? ZERO3);
    this.#finite(where, 'The position t', t);
    if (!this.#finite(where, 'The rotation E', E)) return { E, t };
    const defect = rotationDefect(E);
    if (defect > ROTATION_TOLERANCE)
      this.#report('not-a-rotation', where, `E must be a rotation matrix; it is off by ${defect.toPrecision(3)}.`);
    return { E: defect > 1e-15 ? orthonormalised(E) : E, t };
  }

  /** Joints in the order of the bodies they carry; undefined where a body has none that makes sense. */
  #joints(): (Joint | undefined)[] {
    const carrier = new Array<JointSpec | undefined>(this.#spec.bodies.length).fill(undefined);
    for (const joint of this.#spec.joints) {
      const where = `joint "${joint.name}"`;
      const child = this.#bodyIndex.get(joint.child);
      if (child === undefined)
        this.#report('unknown-child', where, `There is no body "${joint.child}" to carry. ${this.#near(joint.child)}`);
      else if (carrier[child] !== undefined)
        this.#report(
          'two-parents',
          `body "${joint.child}"`,
          `Both "${carrier[child].name}" and "${joint.name}" carry it. Keep one of them and make the other a loop joint.`,
        );
      else carrier[child] = joint;
      if (joint.parent !== null && !this.#bodyIndex.has(joint.parent))
        this.#report(
          'unknown-parent',
          where,
          `There is no body "${joint.parent}" to hang from. ${this.#near(joint.parent)}`,
        );
      if (joint.parent === joint.child) this.#report('cycle', where, 'A body cannot be its own parent.');
    }
    let iq = 0;
    let iv = 0;
    // A joint with a misspelt child leaves a body without one: then the misspelling is all that there is to say.
    const misspelt = this.#problems.some((problem) => problem.code === 'unknown-child');
    return carrier.map((spec, i) => {
      if (spec === undefined) {
        const name = this.#spec.bodies[i].name;
        if (this.#bodyIndex.get(name) === i && !misspelt)
          this.#report(
            'no-joint',
            `body "${name}"`,
            'It hangs from nothing; give it a joint, at least a floating one.',
          );
        return undefined;
      }
      const joint = this.#joint(spec, iq, iv);
      iq += joint?.model.nq ?? 0;
      iv += joint?.model.nv ?? 0;
      return joint;
    });
  }

  #joint(spec: JointSpec, iq: number, iv: number): Joint | undefined {
    const where = `joint "${spec.name}"`;
    const found = this.#kind(where, spec);
    const placement = this.#placement(where, spec);
    const { damping = 0, friction = 0, armature = 0, stiffness = 0, rest = 0, limits = {} } = spec;
    this.#notNegative(where, 'Damping', damping);
    this.#notNegative(where, 'Friction', friction);
    this.#notNegative(where, 'Armature', armature);
    this.#notNegative(where, 'Stiffness', stiffness);
    this.#finite(where, 'The rest position', [rest]);
    if (Object.values(limits).some(Number.isNaN)) this.#report('not-finite', where, 'A limit is not a number.');
    if (limits.lower !== undefined && limits.upper !== undefined && limits.lower > limits.upper)
      this.#report('limits', where, `The lower limit ${limits.lower} is above the upper limit ${limits.upper}.`);
    if (found === undefined) return undefined;
    if (stiffness !== 0 && found.model.nv !== 1)
      this.#report('spring', where, `A spring needs a joint of one degree of freedom, not a ${spec.type} joint.`);
    const parent = spec.parent === null ? GROUND : (this.#bodyIndex.get(spec.parent) ?? GROUND);
    return {
      name: spec.name,
      parent,
      model: found.model,
      ...found.kind,
      ...placement,
      iq,
      iv,
      damping,
      friction,
      armature,
      stiffness,
      rest,
      limits: { ...limits },
    };
  }

  #loops(): LoopJoint[] {
    const loops: LoopJoint[] = [];
    for (const spec of this.#spec.loops ?? []) {
      const where = `loop "${spec.name}"`;
      const found = this.#kind(where, spec);
      const a = this.#loopFrame(where, spec.a);
      const b = this.#loopFrame(where, spec.b);
      if (spec.a.body === spec.b.body)
        this.#report('loop-on-one-body', where, 'A loop joint must connect two different bodies.');
      if (found !== undefined) loops.push({ name: spec.name, ...found.kind, a, b });
    }
    return loops;
  }

  #near(name: string): string {
    return nearNames(name, [...this.#bodyIndex.keys()]);
  }

  #loopFrame(where: string, spec: LoopFrameSpec): LoopFrame {
    const body = spec.body === null ? GROUND : this.#bodyIndex.get(spec.body);
    if (body === undefined)
      this.#report('unknown-body', where, `There is no body "${spec.body}" to connect. ${this.#near(spec.body!)}`);
    return { body: body ?? GROUND, ...this.#placement(where, spec) };
  }

  #frames(): Frame[] {
    const names = new Set<string>();
    return (this.#spec.frames ?? []).map((spec) => {
      const where = `frame "${spec.name}"`;
      if (names.has(spec.name)) this.#report('duplicate-name', where, 'Another frame has this name.');
      names.add(spec.name);
      const body = this.#bodyIndex.get(spec.body);
      if (body === undefined)
        this.#report('unknown-body', where, `There is no body "${spec.body}". ${this.#near(spec.body)}`);
      return { name: spec.name, body: body ?? GROUND, ...this.#placement(where, spec) };
    });
  }

  /** Couplings with chains resolved: if a follows b and b follows c, then a follows c. */
  #couplings(joints: readonly (Joint | undefined)[]): Coupling[] {
    const index = new Map(joints.map((joint, i) => [joint?.name, i]));
    const raw = new Map<number, Coupling>();
    for (const spec of this.#spec.couplings ?? []) {
      const where = `coupling of joint "${spec.joint}"`;
      const [joint, source] = [index.get(spec.joint), index.get(spec.source)];
      for (const [name, found] of [
        [spec.joint, joint],
        [spec.source, source],
      ] as const) {
        if (found === undefined) this.#report('unknown-joint', where, `There is no joint "${name}".`);
        else if (joints[found]?.model.nv !== 1)
          this.#report('coupling', where, `Joint "${name}" must have one degree of freedom to be coupled.`);
      }
      const { multiplier = 1, offset = 0 } = spec;
      if (joint === undefined || source === undefined) continue;
      if (raw.has(joint)) this.#report('coupling', where, 'The joint follows two others.');
      raw.set(joint, { joint, source, multiplier, offset });
    }
    const { couplings, cycles } = resolveCouplings(raw);
    for (const joint of cycles)
      this.#report('coupling-cycle', `joint "${joints[joint]?.name}"`, 'The joint follows itself.');
    for (const { joint, multiplier, offset } of couplings)
      this.#finite(`coupling of joint "${joints[joint]?.name}"`, 'Multiplier and offset', [multiplier, offset]);
    return couplings;
  }

  #checkCycles(joints: readonly (Joint | undefined)[]): void {
    for (const ring of findRings(joints.map((joint) => joint?.parent ?? GROUND))) {
      // A body that is its own parent has been reported with its joint.
      if (ring.length === 1) continue;
      const names = ring.map((k) => this.#spec.bodies[k].name);
      const way = [...names, names[0]].slice(0, 12).join(' -> ');
      this.#report(
        'cycle',
        `body "${names[0]}"`,
        `The parents go round in a circle: ${way}. Cut it with a loop joint.`,
      );
    }
  }

  /** Every joint that moves must move some mass, or have an armature, or its acceleration would be undefined. */
  #checkMovingMass(bodies: readonly Body[], joints: readonly (Joint | undefined)[]): void {
    const parents = joints.map((joint) => joint?.parent ?? GROUND);
    const own = bodies.map(
      (body) => Math.abs(body.mass) + Math.abs(body.inertia[0] + body.inertia[4] + body.inertia[8]),
    );
    sumsOverSubtrees(parents, own).forEach((beyond, i) => {
      const joint = joints[i];
      if (joint === undefined || joint.model.nv === 0 || joint.armature !== 0 || beyond !== 0) return;
      this.#report(
        'massless-leaf',
        `body "${bodies[i].name}"`,
        `It moves by joint "${joint.name}" but neither it nor what it carries has mass. Give it mass, or fix the joint.`,
      );
    });
  }
}

function copy3([x, y, z]: Vec3): Vec3 {
  return [x, y, z];
}
