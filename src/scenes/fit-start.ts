// Where a model begins that nobody has placed: not beyond the limits of its joints, and not in the ground.

import type { Problem } from '../mechanism/errors.js';
import { GROUND } from '../mechanism/mechanism.js';
import type { Member } from '../simulation/world/member.js';
import { DEEP } from '../simulation/world/recovery.js';
import type { World } from '../simulation/world/world.js';
import { add, apply, scale, type Vec3 } from '../spatial/matrix3.js';

/**
 * Brings a member from where its file puts it to where contact can begin from, and says what it did: joints into their limits, a
 * free base out of planes that carry everything. Fixed bases and `given` joints stay where they are; what is then in each other
 * `world.overlaps()` tells.
 */
export function fitStart(world: World, member: Member, given: ReadonlySet<string> = NONE): Problem[] {
  return [...fitJoints(member, given), ...leaveGround(world, member, given)];
}

const NONE: ReadonlySet<string> = new Set();

/** The neutral positions of many robots are beyond some limit. Loops would have to be closed again: their joints stay. */
function fitJoints(member: Member, given: ReadonlySet<string>): Problem[] {
  const { state } = member;
  const { joints, couplings, loops } = state.mechanism;
  if (loops.length > 0) return [];
  const followers = new Set(couplings.map(({ joint }) => joint));
  const problems: Problem[] = [];
  joints.forEach(({ name, model, iq, limits }, j) => {
    const { lower = Number.NEGATIVE_INFINITY, upper = Number.POSITIVE_INFINITY } = limits;
    const own = state.q[iq];
    if (model.nv !== 1 || given.has(name) || followers.has(j) || (own >= lower && own <= upper)) return;
    const limit = own < lower ? lower : upper;
    state.q[iq] = limit;
    const message = `It starts at its limit ${limit}, since ${own}, where the model stands by itself, is beyond it.`;
    problems.push({ code: 'start', where: `joint "${name}"`, message });
  });
  if (problems.length > 0) {
    state.applyCouplings();
    member.changed();
  }
  return problems;
}

function leaveGround(world: World, member: Member, given: ReadonlySet<string>): Problem[] {
  const { joints } = member.state.mechanism;
  const base = joints.find(({ type, parent }) => type === 'floating' && parent === GROUND);
  if (base === undefined || given.has(base.name)) return [];
  const where = `"${member.name}"`;
  let lifted = 0;
  for (const { name, shape } of world.obstacles) {
    if (shape.geometry.kind !== 'plane') continue;
    const [deepest] = world
      .overlaps()
      .filter(
        ({ a, b, depth }) => a.member === undefined && a.body === name && b.member === member.name && depth > DEEP,
      )
      .sort((x, y) => y.depth - x.depth);
    if (deepest === undefined) continue;
    lift(member, scale(-deepest.depth, deepest.normal));
    lifted += deepest.depth;
  }
  if (lifted === 0) return [];
  return [
    {
      code: 'start',
      where,
      message: `It starts ${millimetres(lifted)} higher than it stands by itself, out of the ground.`,
    },
  ];
}

/** Moves the free bases of a member by a vector of the ground. */
function lift(member: Member, by: Vec3): void {
  const { state } = member;
  for (const { name, type, parent, E } of state.mechanism.joints) {
    if (type !== 'floating' || parent !== GROUND) continue;
    const { q } = state.get(name);
    q.set(add([q[4], q[5], q[6]], apply(E, by)), 4);
  }
  member.changed();
}

const millimetres = (depth: number): string => `${Number((1000 * depth).toPrecision(3))} mm`;
