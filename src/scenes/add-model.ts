// A model in a World, with all that its file says about contact: shapes on the ground, pairs, exclusions.

import { collider } from '../contact/collider.js';
import type { Model } from '../files/adapted.js';
import { MechanismError, type Problem } from '../mechanism/errors.js';
import { GROUND, Mechanism, type Shape } from '../mechanism/mechanism.js';
import { carriedOver } from '../mechanism/structure.js';
import type { Member } from '../simulation/world/member.js';
import { type AddOptions, World } from '../simulation/world/world.js';

/** A model that was added to a world. */
export interface AddedModel {
  readonly member: Member;
  /** What of it cannot be used in contact. */
  readonly warnings: readonly Problem[];
}

/**
 * Adds a model to a world: its mechanism, the shapes that its file puts on the ground, the pairs and exclusions of an MJCF file, whose
 * friction is the larger of two. Shapes that cannot collide, such as meshes that were not read, are left out with a warning, and so are,
 * where the file has no rules of contact, pairs of its bodies that are in each other where it stands: hulls about neighbouring links.
 */
export function addModel(world: World, model: Model, options: AddOptions = {}): AddedModel {
  const warnings: Problem[] = [];
  const { contacts, ground } = model;
  const mechanism = touching(model.mechanism, warnings);
  const state = carriedOver(options.state ?? model.state, mechanism);
  const name = options.name ?? mechanism.name;
  const member = world.add(mechanism, { ...options, name, state });
  if (contacts === undefined && options.selfCollision !== false)
    excludeOverlaps(world, member, mechanism, model, warnings);
  const obstacles = addGround(world, member.name, ground?.collisions ?? [], warnings);
  const bodies = (body: string | null): (string | readonly [Member, string])[] =>
    body === null ? [...obstacles.values()] : [[member, body]];
  for (const { body1, body2 } of contacts?.exclusions ?? [])
    for (const a of bodies(body1)) for (const b of bodies(body2)) world.exclude(a, b);
  const own = new Set(mechanism.bodies.flatMap(({ collisions }) => collisions.flatMap((shape) => shape.name ?? [])));
  const shape = (given: string): string | readonly [Member, string] | undefined =>
    own.has(given) ? [member, given] : obstacles.get(given);
  for (const { shape1, shape2, friction, condim } of contacts?.pairs ?? []) {
    const [a, b] = [shape(shape1), shape(shape2)];
    if (a === undefined || b === undefined) continue;
    // Fewer dimensions of contact have less friction.
    world.pair(a, b, {
      friction: condim >= 3 ? friction[0] : 0,
      torsionalFriction: condim >= 4 ? friction[2] : 0,
      rollingFriction: condim >= 6 ? friction[3] : 0,
    });
  }
  return { member, warnings };
}

/** Fingers that close are less than this (m) in each other, and are parted. */
const PARTED = 1e-3;

/** Bodies that are in each other in the model's own state do not touch: they could never be parted. */
function excludeOverlaps(world: World, member: Member, mechanism: Mechanism, model: Model, warnings: Problem[]): void {
  const alone = new World();
  alone.add(mechanism, { state: carriedOver(model.state, mechanism) });
  const told = new Set<string>();
  for (const { a, b, depth } of alone.overlaps()) {
    const key = JSON.stringify([a.body, b.body]);
    if (depth < PARTED || told.has(key)) continue;
    told.add(key);
    world.exclude([member, a.body], [member, b.body]);
    const where = `bodies "${a.body}" and "${b.body}" of "${member.name}"`;
    const message = 'They do not touch each other: where the model stands by itself they are in each other.';
    warnings.push({ code: 'overlap', where, message });
  }
}

/** Shapes on the ground become obstacles: name in the file -> name in the world. */
function addGround(world: World, member: string, shapes: readonly Shape[], warnings: Problem[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(world.obstacles.map(({ name }) => name));
  shapes.forEach((shape, k) => {
    if (!canCollide(GROUND, shape, `the ground of "${member}"`, warnings)) return;
    const own = shape.name ?? `ground ${k + 1}`;
    const name = taken.has(own) ? `${member} ${own}` : own;
    taken.add(name);
    names.set(own, name);
    world.obstacle({ ...shape, name });
  });
  return names;
}

/** The mechanism without shapes that cannot collide. */
function touching(mechanism: Mechanism, warnings: Problem[]): Mechanism {
  const bodies = mechanism.bodies.map((body, b) => {
    const collisions = body.collisions.filter((shape) => canCollide(b, shape, `body "${body.name}"`, warnings));
    return collisions.length === body.collisions.length ? body : { ...body, collisions };
  });
  return bodies.every((body, b) => body === mechanism.bodies[b]) ? mechanism : new Mechanism({ ...mechanism, bodies });
}

function canCollide(body: number, shape: Shape, where: string, warnings: Problem[]): boolean {
  try {
    collider(body, shape);
    return true;
  } catch (error) {
    if (!(error instanceof MechanismError)) throw error;
    const [{ message }] = error.problems;
    warnings.push({ code: 'contact', where, message: `A shape is left out of contact. ${message}` });
    return false;
  }
}
