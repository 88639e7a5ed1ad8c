// One scene that moves: everything that can be done to it, its past, and what the page draws of it. Nothing here knows of
// workers or of the page. Whatever is done is remembered with the number of the step, so that a scene can be done again.

import { type Dynamics, dynamics, type Energy, type Mechanism, type State, type Vec3 } from 'manikin';
import { type Checkpoint, type Member, World } from 'manikin/world';
import { controllerNamed } from './controllers.js';
import { Drag } from './drag.js';
import { History, type Moment } from './history.js';
import type { Frame, JointView, Kept, MemberView, Reply, Request, SceneView } from './protocol.js';
import { plainRun, type Run, SCENES, sceneNamed } from './scenes.js';

/** Seconds of simulated time between moments that are kept. */
const BETWEEN_MOMENTS = 1 / 60;
/** Milliseconds that one request to advance may take; what is left of it is dropped, and the scene runs slower than the clock. */
const PATIENCE = 30;
const MOST_ACTIONS = 20_000;
/** 1/s: how fast a joint follows its slider. */
const FOLLOW = 15;

type Body = readonly [Member, string];

export class Session {
  #run: Run = plainRun(new World());
  #name = '';
  #title = '';
  #about = '';
  #steps = 0;
  #owed = 0;
  #work = 0;
  #cost = 0;
  #drag: Drag | undefined;
  #actions: (readonly [number, Request])[] = [];
  readonly #history = new History();
  #shown: Moment | undefined;
  /** A recording plays: where it is, seconds. */
  #playing = false;
  #played = 0;
  #inverted: readonly string[] = [];
  #warnings: readonly string[] = [];
  #watched: { readonly member: number; readonly joint: string } | undefined;
  readonly #locked = new Map<string, boolean>();
  readonly #targets = new Map<string, number>();
  readonly #dynamics = new WeakMap<Mechanism, Dynamics>();

  get world(): World {
    return this.#run.world;
  }

  /** Does what is asked; the answer carries a picture, and the scene where its structure has changed. */
  async answer(request: Request): Promise<Omit<Reply, 'id'>> {
    switch (request.do) {
      case 'list':
        return { scenes: SCENES.map(({ name, title, group }) => ({ name, title, group })) };
      case 'load':
        await this.load(request.scene);
        return { scene: this.scene(), frame: this.frame() };
      case 'open': {
        const { openFiles } = await import('./open.js');
        const opened = openFiles(request.name, request.files);
        this.#start('', opened.title, opened.about, opened.run, opened.warnings);
        if (opened.moments !== undefined) this.#playBack(opened.moments);
        return { scene: this.scene(), frame: this.frame(), said: `${opened.title} is open.` };
      }
      case 'advance': {
        const before = this.world.members.map(({ state }) => state.mechanism);
        this.advance(request.seconds);
        const changed = this.world.members.some(({ state }, m) => state.mechanism !== before[m]);
        return { frame: this.frame(), ...(changed && { scene: this.scene() }) };
      }
      case 'step':
        this.#goOnFromShown();
        this.step();
        return { frame: this.frame() };
      case 'show': {
        const changed = this.#show(request.time);
        return { frame: this.frame(), ...(changed && { scene: this.scene() }) };
      }
      case 'schedule': {
        const { scheduleView } = await import('./schedule.js');
        const { mechanism } = this.#member(request.member).state;
        return { schedule: await scheduleView(mechanism, request.processors, request.measure) };
      }
      case 'watch':
        this.#watched = request.joint === null ? undefined : { member: request.member, joint: request.joint };
        return { frame: this.frame() };
      case 'record': {
        const { record } = await import('./record.js');
        return { bytes: await record(this.#run, this.#history) };
      }
      case 'keep':
        return { kept: this.keep() };
      case 'restore':
        await this.restore(request.kept);
        return {
          scene: this.scene(),
          frame: this.frame(),
          said: `The scene is back at ${this.world.time.toFixed(3)} s.`,
        };
      default: {
        const said = this.act(request);
        const silent = request.do === 'drag' || request.do === 'push';
        return { frame: this.frame(), ...(!silent && { scene: this.scene() }), ...(said !== undefined && { said }) };
      }
    }
  }

  async load(name: string): Promise<void> {
    const { title, about, build } = sceneNamed(name);
    const run = await build();
    this.#start(
      name,
      title,
      about,
      run,
      run.warnings.map(({ message }) => message),
    );
  }

  #start(name: string, title: string, about: string, run: Run, warnings: readonly string[]): void {
    [this.#name, this.#title, this.#about, this.#warnings] = [name, title, about, warnings];
    this.#run = run;
    this.#steps = 0;
    this.#owed = 0;
    this.#work = 0;
    this.#drag = undefined;
    this.#actions = [];
    this.#shown = undefined;
    this.#playing = false;
    this.#inverted = [];
    this.#watched = undefined;
    this.#locked.clear();
    this.#targets.clear();
    this.#history.clear();
    this.#remember();
  }

  /** A past that was recorded elsewhere: it is shown, until somebody does something. */
  #playBack(moments: readonly Checkpoint[]): void {
    this.#history.clear();
    for (const world of moments)
      this.#history.add({ time: world.time, steps: 0, actions: 0, work: 0, checkpoint: { world, events: 0 } });
    this.#show(this.#history.from);
    this.#playing = true;
  }

  /** What a person did, done now and remembered. Says what came of it. */
  act(request: Request): string | undefined {
    this.#goOnFromShown();
    if (this.#actions.length >= MOST_ACTIONS) this.#actions.shift();
    this.#actions.push([this.#steps, request]);
    return this.#do(request);
  }

  #do(request: Request): string | undefined {
    switch (request.do) {
      case 'drag':
        return this.#dragTo(request);
      case 'push': {
        const [member, body] = this.#body(request.member, request.body);
        const { t } = this.world.pose(member, body);
        const h = this.world.stepSize;
        member.push(body, request.impulse.map((x) => x / h) as unknown as Vec3, t);
        return undefined;
      }
      case 'connect':
        return this.#connect(request);
      case 'release':
        return this.#release(request.member, request.joint);
      case 'lock':
        return this.#lock(request.member, request.joint, request.locked);
      case 'target':
        return this.#target(request.member, request.joint, request.position);
      case 'controller':
        return this.#control(request.name);
      case 'reroot':
        return this.#reroot(request.member, request.body);
      default:
        return undefined;
    }
  }

  /** Whole steps for so many seconds; what is left counts next time. */
  advance(seconds: number): void {
    if (this.#playing) {
      this.#played = Math.min(this.#history.to, Math.max(this.#played, this.#history.from) + seconds);
      this.#show(this.#played);
      return;
    }
    this.#goOnFromShown();
    this.#owed += seconds;
    const began = performance.now();
    let steps = 0;
    while (this.#owed >= this.world.stepSize) {
      this.#owed -= this.world.stepSize;
      this.step();
      steps++;
      if (performance.now() - began > PATIENCE) this.#owed = Math.min(this.#owed, 0);
    }
    if (steps > 0) {
      const now = (performance.now() - began) / (steps * this.world.stepSize);
      this.#cost += 0.2 * (now - this.#cost);
    }
  }

  step(): void {
    const { world } = this;
    const h = world.stepSize;
    if (this.#drag !== undefined) {
      const before = this.#drag.work;
      this.#drag.pull(h);
      this.#work += this.#drag.work - before;
    }
    this.#run.step();
    this.#steps++;
    if (world.time - this.#history.to >= BETWEEN_MOMENTS - 1e-9) this.#remember();
  }

  #remember(): void {
    this.#history.add({
      time: this.world.time,
      steps: this.#steps,
      actions: this.#actions.length,
      work: this.#work,
      checkpoint: this.#run.save(),
    });
  }

  /** Back to a moment of the past; true where the structure was another one then. */
  #show(time: number): boolean {
    this.#played = time;
    const moment = this.#history.at(time);
    if (moment === undefined) return false;
    const before = this.world.members.map(({ state }) => state.mechanism);
    this.#run.restore(moment.checkpoint);
    this.#shown = moment;
    return this.world.members.some(({ state }, m) => state.mechanism !== before[m]);
  }

  /** Time goes on from the moment that is shown; what came after it never happened. */
  #goOnFromShown(): void {
    this.#playing = false;
    const moment = this.#shown;
    if (moment === undefined) return;
    this.#history.cutAfter(moment);
    this.#actions.length = Math.min(this.#actions.length, moment.actions);
    this.#steps = moment.steps;
    this.#work = moment.work;
    this.#drag = undefined;
    this.#shown = undefined;
  }

  #member(index: number): Member {
    const member = this.world.members[index];
    if (member === undefined) throw new Error(`There is no mechanism number ${index + 1}.`);
    return member;
  }

  #body(index: number, body: number): Body {
    const member = this.#member(index);
    const found = member.state.mechanism.bodies[body];
    if (found === undefined) throw new Error(`"${member.name}" has no body number ${body + 1}.`);
    return [member, found.name];
  }

  #dragTo({ grip, to }: Extract<Request, { do: 'drag' }>): undefined {
    if (grip === null || to === undefined) {
      this.#drag = undefined;
      return;
    }
    const [member, body] = this.#body(grip.member, grip.body);
    if (this.#drag?.member === member && this.#drag.body === body) this.#drag.target = to;
    else this.#drag = new Drag(member, body, grip.point, to);
  }

  #connect({ grip, to, joint }: Extract<Request, { do: 'connect' }>): string {
    const [member, a] = this.#body(grip.member, grip.body);
    const b = to === null ? null : this.#partner(member, to);
    const { E, t } = this.world.pose(member, a);
    const [x, y, z] = grip.point;
    const at = [0, 1, 2].map((k) => t[k] + E[k] * x + E[3 + k] * y + E[6 + k] * z) as unknown as Vec3;
    const taken = new Set([...member.state.mechanism.loops, ...member.state.mechanism.joints].map(({ name }) => name));
    let name = `${a} on ${b ?? 'ground'}`;
    for (let k = 2; taken.has(name); k++) name = `${a} on ${b ?? 'ground'} ${k}`;
    const { energyLost, impulse } = this.world.connect(member, { name, a, b, joint, at });
    this.#work -= energyLost;
    this.#drag = undefined;
    const size = Math.hypot(impulse[3], impulse[4], impulse[5]);
    return `${a} and ${b ?? 'the ground'} are joined (${joint.type}): impulse ${size.toPrecision(3)} N s, ${energyLost.toPrecision(3)} J lost.`;
  }

  #partner(member: Member, to: { readonly member: number; readonly body: number }): string {
    const [other, body] = this.#body(to.member, to.body);
    if (other !== member)
      throw new Error(`"${member.name}" and "${other.name}" cannot be joined: they are two mechanisms.`);
    return body;
  }

  #release(index: number, joint: string): string {
    const member = this.#member(index);
    this.world.disconnect(member, joint);
    this.#drag = undefined;
    return `${joint} is released.`;
  }

  #lock(index: number, name: string, locked: boolean): string {
    const member = this.#member(index);
    const joint = member.state.mechanism.joint(name);
    const key = `${index}/${name}`;
    this.#targets.delete(key);
    this.#locked.set(key, locked);
    if (!locked) member.drive(name, undefined);
    else if (joint.model.nv === 1) member.drive(name, { kind: 'velocity', velocity: 0 });
    else {
      const position = member.state.q.slice(...joint.q);
      const inertia = this.#felt(member, joint.v[0]);
      member.drive(name, { kind: 'position', position, stiffness: 4e4 * inertia, damping: 400 * inertia });
    }
    return `${name} is ${locked ? 'locked' : 'free'}.`;
  }

  #target(index: number, name: string, position: number): undefined {
    const member = this.#member(index);
    const joint = member.state.mechanism.joint(name);
    const inertia = this.#felt(member, joint.v[0]);
    this.#locked.delete(`${index}/${name}`);
    this.#targets.set(`${index}/${name}`, position);
    member.drive(name, {
      kind: 'position',
      position,
      stiffness: FOLLOW * FOLLOW * inertia,
      damping: 2 * FOLLOW * inertia,
    });
  }

  /** Inertia that a degree of freedom feels where everything else stands still. */
  #felt(member: Member, k: number): number {
    const { H, n } = this.#dynamicsOf(member.state.mechanism).massMatrix(member.state);
    return H[k * n + k];
  }

  #control(name: string): string {
    const { title, apply } = controllerNamed(name);
    this.#locked.clear();
    this.#targets.clear();
    for (const member of this.world.members) apply(member, this.#dynamicsOf(member.state.mechanism));
    return `${title}.`;
  }

  /** The same motion, seen from another root: nothing moves. */
  #reroot(index: number, body: number): string {
    const [member, top] = this.#body(index, body);
    const { state } = member;
    const { t } = this.world.pose(member, top);
    const before = state.mechanism;
    if (before.joints[body].parent < 0) return `${top} is the root already.`;
    this.world.reroot(member, { top, at: t, joint: 'floating' });
    this.#inverted = wayToRoot(before, body);
    return `${top} is the root now; ${this.#inverted.length} bodies are read from their other sides, nothing moved.`;
  }

  #dynamicsOf(mechanism: Mechanism): Dynamics {
    let known = this.#dynamics.get(mechanism);
    if (known === undefined) {
      known = dynamics(mechanism, { engine: 'plain' });
      this.#dynamics.set(mechanism, known);
    }
    return known;
  }

  poses(member: Member): Float64Array {
    return this.#dynamicsOf(member.state.mechanism).poses(member.state);
  }

  keep(): Kept {
    this.#goOnFromShown();
    if (this.#name === '') throw new Error('A file that was opened is not part of a link; save a recording instead.');
    return { scene: this.#name, steps: this.#steps, actions: this.#actions.slice() };
  }

  /** Does a scene again, step by step, with all that was done to it: the same bits. */
  async restore({ scene, steps, actions }: Kept): Promise<void> {
    await this.load(scene);
    let next = 0;
    for (;;) {
      for (; next < actions.length && actions[next][0] <= this.#steps; next++) this.act(actions[next][1]);
      if (this.#steps >= steps) break;
      this.step();
    }
  }

  scene(): SceneView {
    const { members, obstacles, stepSize } = this.world;
    return {
      title: this.#title,
      about: this.#about,
      members: members.map((member, m) => this.#memberView(member, m)),
      obstacles: obstacles.map(({ shape }) => shape),
      step: stepSize,
      inverted: this.#inverted,
      warnings: this.#warnings,
    };
  }

  #memberView({ name, state: { mechanism } }: Member, m: number): MemberView {
    return {
      name,
      bodies: mechanism.bodies.map(({ name: body, mass, com, visuals, collisions }) => ({
        name: body,
        mass,
        com,
        visuals,
        collisions,
      })),
      joints: mechanism.joints.map(({ name: joint, parent, t, E, axis, type, limits, model, iq, iv }): JointView => {
        const target = this.#targets.get(`${m}/${joint}`);
        const locked = this.#locked.get(`${m}/${joint}`) ?? false;
        const own = { name: joint, parent, t, E, axis, type, limits, nq: model.nq, nv: model.nv, iq, iv, locked };
        return target === undefined ? own : { ...own, target };
      }),
      loops: mechanism.loops.map(({ name: loop, type }) => ({ name: loop, type })),
    };
  }

  frame(): Frame {
    const { members, report, time } = this.world;
    const contacts = this.world.contacts().filter(({ mode }) => mode !== 'open');
    const [com, momentum] = [
      [0, 0, 0],
      [0, 0, 0],
    ];
    let mass = 0;
    for (const { state } of members) {
      const energy: Energy = this.#dynamicsOf(state.mechanism).energy(state);
      mass += energy.mass;
      for (const k of [0, 1, 2]) {
        com[k] += energy.mass * energy.com[k];
        momentum[k] += energy.momentum.linear[k];
      }
    }
    const { kinetic, potential } = this.world.energy();
    const jointForce = this.#jointForce();
    return {
      time,
      kinetic,
      potential,
      work: this.#work,
      contacts: report.contacts,
      depth: report.depth,
      residual: report.residual,
      poses: Float32Array.from(members.flatMap((member) => [...this.poses(member)])),
      q: joined(members, ({ q }) => q),
      v: joined(members, ({ v }) => v),
      contactForces: Float32Array.from(contacts.flatMap(({ position, force }) => [...position, ...force])),
      com: com.map((x) => x / (mass || 1)) as unknown as Vec3,
      momentum: momentum as unknown as Vec3,
      from: this.#history.from,
      to: this.#history.to,
      cost: this.#cost,
      ...(jointForce !== undefined && { jointForce }),
    };
  }

  /** The force through the watched joint in the last step: on the body it carries, ground axes. */
  #jointForce(): Frame['jointForce'] {
    const watched = this.#watched;
    const member = watched && this.world.members[watched.member];
    if (watched === undefined || member === undefined || this.#steps === 0) return undefined;
    const { mechanism } = member.state;
    if (!mechanism.hasJoint(watched.joint)) return undefined;
    const body = mechanism.jointIndex(watched.joint);
    const { jointForces } = this.world.solved(member);
    const { E, t } = this.world.pose(member, mechanism.bodies[body].name);
    const turned = (o: number): Vec3 =>
      [0, 1, 2].map(
        (k) => E[k] * jointForces[o] + E[3 + k] * jointForces[o + 1] + E[6 + k] * jointForces[o + 2],
      ) as unknown as Vec3;
    return { at: t, moment: turned(6 * body), force: turned(6 * body + 3) };
  }
}

/** Bodies from the one that hung from the ground down to this one. */
function wayToRoot({ bodies, joints }: Mechanism, body: number): string[] {
  const names: string[] = [];
  for (let b = body; b >= 0; b = joints[b].parent) names.push(bodies[b].name);
  return names.reverse();
}

function joined(members: readonly Member[], of: (state: State) => Float64Array): Float64Array {
  const parts = members.map(({ state }) => of(state));
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
