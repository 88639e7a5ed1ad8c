// Shared by the tests of this folder: small mechanisms, and the problems of those that are refused.

import { type CreateOptions, createMechanism } from '../../src/mechanism/create.js';
import { MechanismError, type Problem } from '../../src/mechanism/errors.js';
import type { BodySpec, JointSpec, MechanismSpec } from '../../src/mechanism/spec.js';
import type { Mat3 } from '../../src/spatial/matrix3.js';

export const BALL: Mat3 = [0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1];

export const body = (name: string, more: Partial<BodySpec> = {}): BodySpec => ({
  name,
  mass: 1,
  com: [0.1, 0, 0],
  inertia: BALL,
  ...more,
});

/** A revolute joint of the same name as the body it carries, with a j in front. */
export const hinge = (child: string, parent: string | null, more: Partial<JointSpec> = {}): JointSpec => ({
  name: `j${child}`,
  parent,
  child,
  type: 'revolute',
  ...more,
});

/** Bodies a, b, c in a row on hinges. */
export function row(more: Partial<MechanismSpec> = {}): MechanismSpec {
  return {
    name: 'row',
    bodies: [body('a'), body('b'), body('c')],
    joints: [hinge('a', null), hinge('b', 'a', { t: [0.5, 0, 0] }), hinge('c', 'b', { t: [0.5, 0, 0] })],
    ...more,
  };
}

/** The row with one body or joint changed. */
export const rowWithBody = (change: Partial<BodySpec>): MechanismSpec =>
  row({ bodies: [body('a'), body('b', change), body('c')] });
export const rowWithJoint = (change: Partial<JointSpec>): MechanismSpec =>
  row({ joints: [hinge('a', null), hinge('b', 'a', change), hinge('c', 'b')] });

/** The problems of a mechanism that must be refused. */
export function problemsOf(spec: MechanismSpec, options?: CreateOptions): readonly Problem[] {
  return refusal(() => createMechanism(spec, options)).problems;
}

/** `code where` of each. */
export const codesOf = (spec: MechanismSpec, options?: CreateOptions): string[] =>
  problemsOf(spec, options).map(({ code, where }) => (where === '' ? code : `${code} ${where}`));

export function refusal(call: () => unknown): MechanismError {
  try {
    call();
  } catch (error) {
    if (error instanceof MechanismError) return error;
    throw error;
  }
  throw new Error('expected a MechanismError, but the call returned');
}

/**
 * A call for a number and for eight times that: it must take nearer to 8 times the processor time than to 64 times. Not by
 * the clock, which also counts what other programs take, and by up to ten trials, of which a loaded machine can disturb some:
 * what grows with the square fails them all.
 */
export function expectProportional(call: (n: number) => void, large: number): void {
  const time = (n: number): number => {
    const before = process.cpuUsage();
    call(n);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  call(large / 8);
  let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < 10; attempt++) {
    few = Math.min(few, time(large / 8), time(large / 8));
    many = Math.min(many, time(large));
    if (many < 24 * few) return;
  }
  throw new Error(`eight times as much takes ${many / few} times the processor time`);
}
