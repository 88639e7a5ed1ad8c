import type { JointTypeName } from '../joints/index.js';
import type { Joint, Mechanism } from '../mechanism/mechanism.js';
import type { Vec3 } from '../spatial/matrix3.js';

/** What is added to the joint's name for each of its degrees of freedom: r turns, t shifts. */
const SUFFIXES: Partial<Record<JointTypeName, readonly string[]>> = {
  spherical: ['_rx', '_ry', '_rz'],
  floating: ['_rx', '_ry', '_rz', '_tx', '_ty', '_tz'],
  cylindrical: ['_r', '_t'],
  planar: ['_t1', '_t2', '_r'],
};

/** A name for each degree of freedom, in the order of v: the joint's, with what tells several of them apart. */
export function coordinateNames(mechanism: Mechanism): string[] {
  const inOrder = [...mechanism.joints].sort((a, b) => a.iv - b.iv);
  return inOrder.flatMap((joint) => {
    const { name, type, model, axis, axis2 } = joint;
    const suffixes = type === 'universal' ? [`_r${letter(axis, '1')}`, `_r${letter(axis2, '2')}`] : SUFFIXES[type];
    if (suffixes !== undefined) return suffixes.map((suffix) => name + suffix);
    return plainNames(joint, model.nv);
  });
}

function plainNames({ name }: Joint, n: number): string[] {
  return n === 1 ? [name] : Array.from({ length: n }, (_, k) => `${name}_${k + 1}`);
}

function letter(axis: Vec3, otherwise: string): string {
  const at = axis.findIndex((component) => Math.abs(component) === 1);
  return at < 0 ? otherwise : 'xyz'[at];
}
