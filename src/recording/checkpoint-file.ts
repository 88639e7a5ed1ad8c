// Checkpoints of worlds as files: a line that says what it is, its version, length and checksum; then JSON. Numbers are written so that
// they are read back to the last bit.
//
// A checkpoint does not hold the mechanisms: it is restored in a world that was made the same way, and knows by their checksums whether
// it was. What has changed since then (joints cut, loops closed) is in it.

import { formatDescription } from '../formats/description.js';
import { parseDescription } from '../formats/description-reader.js';
import { quoted } from '../formats/import-log.js';
import { formatJson } from '../formats/json-writer.js';
import { ImportError } from '../mechanism/errors.js';
import { type ContactProperties, GROUND, Mechanism } from '../mechanism/mechanism.js';
import { withFreedBody } from '../mechanism/structure.js';
import type { Checkpoint, LinkForce, MemberCheckpoint } from '../simulation/world/checkpoint.js';
import type { Member } from '../simulation/world/member.js';
import type { World } from '../simulation/world/world.js';
import {
  readCheckpointData,
  type WrittenCheckpoint,
  type WrittenForce,
  type WrittenMember,
  type WrittenStructure,
} from './checkpoint-data.js';
import { crc32 } from './crc32.js';

const VERSION = 2;

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function header(body: Uint8Array, version: number): string {
  return `{"manikin":"checkpoint","version":${version},"bytes":${body.length},"crc32":"${crc32(body)}"}`;
}

/** The text of a checkpoint file: the world as it is now, and plain data of your own. */
export function formatCheckpoint(world: World, more: unknown = null): string {
  const { time, members, pairs } = world.save();
  const written: WrittenCheckpoint = {
    world: checksum(worldData(world)),
    time,
    members: members.map((saved, m) => writeMember(world.members[m], saved)),
    pairs: pairs.map(({ key, features, positions, normals, gaps, impulses, moments, modes, h }) => ({
      key,
      features: [...features],
      positions: [...positions],
      normals: [...normals],
      gaps: [...gaps],
      impulses: [...impulses],
      ...(moments !== undefined && { moments: [...moments] }),
      modes: [...modes],
      h,
    })),
    more,
  };
  const body = `${formatJson(written)}\n`;
  return `${header(bytesOf(body), VERSION)}\n${body}`;
}

/**
 * Reads a checkpoint file for a world that was made in the same way as the one that was saved; `world.restore` takes the
 * checkpoint. Anything else, and any damage, is an ImportError.
 */
export function parseCheckpoint(
  text: string,
  world: World,
  options: { readonly file?: string } = {},
): { readonly checkpoint: Checkpoint; readonly more: unknown } {
  const { file = 'checkpoint' } = options;
  const refuse = (message: string): ImportError => ImportError.of('checkpoint', file, message);
  const end = text.indexOf('\n');
  const [first, body] = [text.slice(0, Math.max(end, 0)), text.slice(end + 1)];
  const version = /^\{"manikin":"checkpoint","version":(\d+),/.exec(first);
  if (version === null) throw refuse('This is no checkpoint.');
  if (Number(version[1]) !== VERSION)
    throw refuse(`It is of version ${version[1]}, this program reads version ${VERSION}; start the run again.`);
  if (first !== header(bytesOf(body), VERSION))
    throw refuse('It is damaged: its checksum is wrong. Take an earlier one, or start the run again.');
  const written = readCheckpointData(body, file);
  const { members } = world;
  if (written.world !== checksum(worldData(world)))
    throw refuse('It is of another scene: step, gravity, ground or obstacles differ.');
  const [saved, present] = [written.members, members].map((list) => list.map(({ name }) => name));
  if (saved.length !== present.length || saved.some((name, m) => name !== present[m]))
    throw refuse(`It is of another scene, with ${few(saved)}; this one has ${few(present)}.`);
  return {
    checkpoint: {
      time: written.time,
      members: written.members.map((member, m) => readMember(members[m], member, refuse)),
      pairs: written.pairs.map(({ key, features, positions, normals, gaps, impulses, moments, modes, h }) => ({
        key,
        features: Int32Array.from(features),
        positions: Float64Array.from(positions),
        normals: Float64Array.from(normals),
        gaps: Float64Array.from(gaps),
        impulses: Float64Array.from(impulses),
        ...(moments !== undefined && { moments: Float64Array.from(moments) }),
        modes: Uint8Array.from(modes),
        h,
      })),
    },
    more: written.more,
  };
}

const few = (names: readonly string[]): string =>
  names.length > 4 ? `${names.length} mechanisms` : names.map((name) => `"${name}"`).join(', ') || 'no mechanism';

const checksum = (data: unknown): string => crc32(bytesOf(formatJson(data)));

function worldData({ stepSize, gravity, obstacles, sleep }: World): unknown {
  const plain = obstacles.map(({ name, shape: { geometry, E, t, ...shape } }) => ({
    name,
    geometry: Object.entries(geometry).map(([key, value]) =>
      typeof value === 'object' && 'length' in value
        ? [key, ...Array.from(value as ArrayLike<number>)]
        : [key, String(value)],
    ),
    place: [...E, ...t],
    surface: [shape.friction ?? null, shape.restitution ?? null, ...further(shape)],
  }));
  const rest = sleep === undefined ? undefined : [sleep.after, sleep.speed];
  return { stepSize, gravity: [...gravity], plain, ...(rest !== undefined && { rest }) };
}

/** What shapes say of contact besides friction and restitution: only where they do. */
function further(shape: ContactProperties): readonly (readonly [string, number])[] {
  return (['rollingFriction', 'torsionalFriction', 'compliance', 'relaxation'] as const).flatMap((key) =>
    shape[key] === undefined ? [] : [[key, shape[key]] as const],
  );
}

function writeMember({ name, original }: Member, saved: MemberCheckpoint): WrittenMember {
  const { mechanism, q, v, own, time, sleep, impulses, applied, last } = saved;
  return {
    name,
    mechanism: checksum(formatDescription(original)),
    ...(mechanism !== original && { structure: structureOf(original, mechanism) }),
    q: [...q],
    v: [...v],
    own: [...own],
    time,
    ...(sleep !== undefined && { sleep }),
    impulses,
    applied: writeForces(applied),
    last: {
      ...last,
      q0: [...last.q0],
      v0: [...last.v0],
      a: [...last.a],
      middle: [...last.middle],
      forces: writeForces(last.forces),
    },
  };
}

function readMember(
  { name, original }: Member,
  written: WrittenMember,
  refuse: (message: string) => ImportError,
): MemberCheckpoint {
  if (written.mechanism !== checksum(formatDescription(original)))
    throw refuse(`It is of another scene: the mechanism "${name}" is not the one that was saved.`);
  const { structure, q, v, own, time, sleep, impulses, applied, last } = written;
  const mechanism = structure === undefined ? original : restructured(original, structure, refuse);
  const { nq, nv, bodies } = mechanism;
  const velocities = [v, own, last.v0, last.a, last.middle];
  if (
    [q, last.q0].some(({ length }) => length !== nq) ||
    velocities.some(({ length }) => length !== nv) ||
    [...applied, ...last.forces].some(({ link }) => link >= bodies.length)
  )
    throw refuse(`What it says of "${name}" does not fit the mechanism: ${q.length} positions, ${nq} expected.`);
  return {
    mechanism,
    q: Float64Array.from(q),
    v: Float64Array.from(v),
    own: Float64Array.from(own),
    time,
    ...(sleep !== undefined && { sleep }),
    impulses,
    applied: readForces(applied),
    last: {
      ...last,
      q0: Float64Array.from(last.q0),
      v0: Float64Array.from(last.v0),
      a: Float64Array.from(last.a),
      middle: Float64Array.from(last.middle),
      forces: readForces(last.forces),
    },
  };
}

const writeForces = (forces: readonly LinkForce[]): WrittenForce[] =>
  forces.map(({ link, wrench }) => ({ link, wrench: [...wrench] }));

const readForces = (forces: readonly WrittenForce[]): LinkForce[] =>
  forces.map(({ link, wrench }) => ({ link, wrench: Float64Array.from(wrench) }));

/** What has changed; all of the mechanism where it hangs from another root. */
function structureOf(original: Mechanism, mechanism: Mechanism): WrittenStructure {
  const structure = { freed: freedJoints(original, mechanism), loops: mechanism.loops };
  const whole = (of: Mechanism) => ({ description: formatDescription(of), order: coordinateOrder(of) });
  const again = restructured(original, structure, (message) => ImportError.of('checkpoint', '', message));
  const now = whole(mechanism);
  return checksum(whole(again)) === checksum(now) ? structure : now;
}

/** Joints in the order of their coordinates: that of a tree that hung from another root, whatever order its bodies are in. */
function coordinateOrder({ joints }: Mechanism): number[] {
  return joints.map((_, j) => j).sort((a, b) => joints[a].iq - joints[b].iq || a - b);
}

function withCoordinates(mechanism: Mechanism, order: readonly number[]): Mechanism {
  let [iq, iv] = [0, 0];
  const joints = [...mechanism.joints];
  for (const j of order) {
    joints[j] = { ...joints[j], iq, iv };
    iq += joints[j].model.nq;
    iv += joints[j].model.nv;
  }
  return new Mechanism({ ...mechanism, joints });
}

/** Joints of the tree by which bodies hung that float now. */
function freedJoints(original: Mechanism, mechanism: Mechanism): string[] {
  return original.joints.flatMap(({ name, parent, type }, j) => {
    const now = mechanism.joints[j];
    return now.parent === GROUND && now.type === 'floating' && (parent !== GROUND || type !== 'floating') ? [name] : [];
  });
}

function restructured(
  original: Mechanism,
  structure: WrittenStructure,
  refuse: (message: string) => ImportError,
): Mechanism {
  if ('description' in structure) {
    const { mechanism } = parseDescription(structure.description);
    const { order } = structure;
    if (order.length !== mechanism.joints.length || new Set(order).size !== order.length)
      throw refuse('The order of its joints is none.');
    if (!order.every((j) => j in mechanism.joints)) throw refuse('It orders a joint that is not there.');
    return withCoordinates(mechanism, order);
  }
  const { freed, loops } = structure;
  const strange = freed.find((joint) => !original.hasJoint(joint));
  if (strange !== undefined) throw refuse(`It cuts the joint ${quoted(strange)}, which is not there.`);
  const { length } = original.bodies;
  if (loops.some(({ a, b }) => a.body >= length || b.body >= length))
    throw refuse('It joins a body that is not there.');
  // As often as the joints were cut: every time the parts are checked and brought into shape again.
  const mechanism = freed.reduce((cut, joint) => withFreedBody(cut, joint), original);
  return new Mechanism({ ...mechanism, loops });
}
