// Random closed mechanisms whose loops are independent, redundant, nearly redundant or contradicting, closed in a given state.

import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { createMechanism } from '../../src/mechanism/create.js';
import { GROUND, type Mechanism } from '../../src/mechanism/mechanism.js';
import { Random } from '../../src/mechanism/random.js';
import type { LoopSpec, MechanismSpec } from '../../src/mechanism/spec.js';
import { State } from '../../src/mechanism/state.js';
import {
  add,
  apply,
  axisFrame,
  cross,
  type Mat3,
  multiply,
  norm,
  scale,
  subtract,
  transpose,
  type Vec3,
} from '../../src/spatial/matrix3.js';
import { randomSpec } from './random-mechanism.js';

export type LoopKind = 'independent' | 'redundant' | 'nearly' | 'contradicting';
export const LOOP_KINDS: readonly LoopKind[] = ['independent', 'redundant', 'nearly', 'contradicting'];

export interface NearLoops {
  readonly kind: LoopKind;
  readonly mechanism: Mechanism;
  /** The same without loops. */
  readonly open: Mechanism;
  readonly state: State;
  /** By how much the loops are askew: radians. */
  readonly askew: number;
}

const LOOP_TYPES = ['revolute', 'prismatic', 'spherical', 'fixed'] as const;

/** `spread`: masses between 1 / sqrt(spread) and sqrt(spread) kg. */
export function nearLoops(seed: number, kind: LoopKind, spread: number): NearLoops {
  const random = new Random(seed);
  const bodies = 3 + random.below(4);
  const types = ['revolute', 'revolute', 'prismatic'] as const;
  const drawn = randomSpec(seed, { bodies, types, base: random.pick(types) });
  const decade = Math.log10(spread) / 2;
  const spec: MechanismSpec = {
    ...drawn,
    bodies: drawn.bodies.map((body) => {
      const factor = 10 ** random.between(-decade, decade) / body.mass!;
      return { ...body, mass: body.mass! * factor, inertia: body.inertia!.map((x) => x * factor) as never as Mat3 };
    }),
  };
  const open = createMechanism(spec);
  const state = State.random(open, seed);
  if (kind !== 'contradicting') state.v.fill(0);
  const poses = new PlainDynamics(open).poses(state);
  const askew = kind === 'nearly' ? 10 ** -random.between(3, 12) : 0;
  // Body coordinates from those of the ground: E (x - t).
  const pose = (body: number): { E: Mat3; t: Vec3 } =>
    body === GROUND
      ? { E: [1, 0, 0, 0, 1, 0, 0, 0, 1], t: [0, 0, 0] }
      : {
          E: Array.from(poses.subarray(12 * body, 12 * body + 9)) as never as Mat3,
          t: Array.from(poses.subarray(12 * body + 9, 12 * body + 12)) as never as Vec3,
        };
  const loop = (name: string, type: (typeof LOOP_TYPES)[number], a: number, b: number, P: Vec3, z: Vec3): LoopSpec => {
    const W = axisFrame(z);
    const frame = (body: number) => {
      const { E, t } = pose(body);
      return {
        body: body === GROUND ? null : open.bodies[body].name,
        E: multiply(W, transpose(E)),
        t: apply(E, subtract(P, t)),
      };
    };
    return { name, type, axis: [0, 0, 1], a: frame(a), b: frame(b) };
  };
  const tilted = (z: Vec3): Vec3 => {
    const x = cross(z, random.direction());
    const y = add(z, scale(askew / norm(x), x));
    return scale(1 / norm(y), y);
  };
  const anywhere = (name: string): { loop: LoopSpec; again: (name: string) => LoopSpec } => {
    const b = random.below(bodies);
    let a = random.below(bodies + 1) - 1;
    while (a === b) a = random.below(bodies + 1) - 1;
    const P: Vec3 = add(pose(b).t, scale(0.3, random.direction()));
    const z = random.direction();
    const type = random.pick(LOOP_TYPES);
    // A hinge or a ball joint again in the same place, or along its axis; a rail or a weld anywhere.
    const again = (other: string): LoopSpec => {
      const away = type === 'revolute' ? scale(random.between(-0.5, 0.5), z) : scale(0.4, random.direction());
      return loop(other, type, a, b, type === 'spherical' ? P : add(P, away), tilted(z));
    };
    return { loop: loop(name, type, a, b, P, z), again };
  };
  const loops: LoopSpec[] = [];
  if (kind === 'independent' || kind === 'contradicting') {
    loops.push(anywhere('one').loop);
    if (random.below(2) === 0) loops.push(anywhere('two').loop);
  } else if (random.below(2) === 0) {
    const { loop: first, again } = anywhere('one');
    loops.push(first, again('two'));
  } else {
    // A second hinge or rail beside a joint of the tree.
    const i = random.below(bodies);
    const { type, axis, parent } = open.joints[i];
    const { E, t } = pose(i);
    const z = apply(transpose(E), axis);
    const P = add(t, type === 'revolute' ? scale(random.between(-0.5, 0.5), z) : scale(0.4, random.direction()));
    loops.push(loop('second', type as 'revolute' | 'prismatic', parent, i, P, tilted(z)));
  }
  const mechanism = createMechanism({ ...spec, loops });
  return { kind, mechanism, open, state: new State(mechanism).copy(state), askew };
}
