// Answers for a replay what the physics answers for a scene: pictures of moments, by the clock on the wall. Nothing is computed.

import type { Replay, ReplayStructure } from 'manikin/plot';
import type { Answers, Frame, JointView, Reply, Request, SceneView } from '../physics/protocol.js';
import type { Store } from '../store.js';

const POSE = 12;

export class ReplaySource implements Answers {
  readonly replay: Replay;
  readonly #store: Store;
  #speed = 0;
  #time: number;
  #since = 0;
  #structure: ReplayStructure | undefined;

  constructor(store: Store, replay: Replay) {
    this.#store = store;
    this.replay = replay;
    this.#time = this.#from;
  }

  get #from(): number {
    return this.replay.times[0] ?? 0;
  }

  get #to(): number {
    return this.replay.times.at(-1) ?? 0;
  }

  ask(request: Request): Promise<Reply> {
    switch (request.do) {
      case 'play':
        this.#goOn();
        this.#speed = request.speed;
        break;
      case 'look':
        this.#goOn();
        break;
      case 'step':
        this.#time = this.replay.times[Math.min(this.#frame() + 1, this.replay.times.length - 1)];
        break;
      case 'show':
        this.#time = Math.min(this.#to, Math.max(this.#from, request.time));
        break;
      case 'restart':
        this.#time = this.#from;
        break;
      case 'watch':
        break;
      case 'replay':
        return Promise.resolve({ id: 0, replay: this.replay });
      default:
        this.#store.set({ message: 'This is a replay: it can be looked at and not be touched.' });
        return Promise.resolve({ id: 0 });
    }
    return Promise.resolve(this.show());
  }

  /** What is to be seen now, told to the page. */
  show(): Reply {
    const { structures } = this.replay;
    const k = this.#frame();
    const structure = structures.findLast(({ from }) => from <= k);
    const frame = this.#picture(k, structure);
    const changed = structure !== undefined && structure !== this.#structure;
    this.#structure = structure;
    const reply = { id: 0, frame, ...(changed && { scene: this.#scene(structure) }) };
    this.#store.set({ frame, ...(changed && { scene: reply.scene! }) });
    return reply;
  }

  /** To now; after the end it begins again. */
  #goOn(): void {
    const now = performance.now();
    this.#time += (Math.min(100, now - this.#since) / 1000) * this.#speed;
    this.#since = now;
    if (this.#time > this.#to) this.#time = this.#from;
  }

  /** The last frame that is not after the time. */
  #frame(): number {
    const { times } = this.replay;
    let [low, high] = [0, Math.max(0, times.length - 1)];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (times[middle] <= this.#time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #scene({ members }: ReplayStructure): SceneView {
    const { title, about, seenFrom, obstacles } = this.replay;
    const still = { limits: {}, nq: 0, nv: 0, iq: 0, iv: 0, locked: false, driven: false };
    return {
      title,
      about,
      ...(seenFrom !== undefined && { seenFrom }),
      members: members.map(({ name, bodies, joints }) => ({
        name,
        bodies,
        joints: joints.map((joint): JointView => ({ ...joint, ...still })),
        loops: [],
      })),
      obstacles,
      step: 0,
      inverted: [],
      warnings: [],
    };
  }

  #picture(k: number, structure: ReplayStructure | undefined): Frame {
    const { times, poses, forces } = this.replay;
    const size = poses.length / Math.max(1, times.length);
    const own = poses.subarray(k * size, (k + 1) * size);
    const none = new Float64Array(0);
    return {
      time: times[k] ?? 0,
      // Not known here; plots leave a gap.
      kinetic: Number.NaN,
      potential: Number.NaN,
      work: Number.NaN,
      contacts: Number.NaN,
      depth: Number.NaN,
      residual: Number.NaN,
      poses: own,
      q: none,
      v: none,
      contactForces: forces[k] ?? new Float32Array(0),
      com: centreOfMass(own, structure),
      momentum: [0, 0, 0],
      from: this.#from,
      to: this.#to,
      cost: 0,
      caption: this.replay.captions[k] ?? '',
    };
  }
}

function centreOfMass(poses: Float32Array, structure: ReplayStructure | undefined): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0];
  let [mass, o] = [0, 0];
  for (const { bodies } of structure?.members ?? [])
    for (const { mass: own, com } of bodies) {
      for (const k of [0, 1, 2] as const)
        sum[k] +=
          own * (poses[o + 9 + k] + poses[o + k] * com[0] + poses[o + 3 + k] * com[1] + poses[o + 6 + k] * com[2]);
      mass += own;
      o += POSE;
    }
  return sum.map((x) => x / (mass || 1)) as [number, number, number];
}
