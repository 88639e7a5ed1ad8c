// One scene that moves: its time, its past, and what was done to it. Nothing here knows of workers or of the page. Whatever is
// done is remembered with the number of the step, so that a scene can be done again.

import { World } from 'manikin/world';
import { Hands } from './hands.js';
import { History, type Moment } from './history.js';
import { jointForce, memberView, upOf, type Watched, worldPicture } from './picture.js';
import type { Action, Frame, JointForce, Kept, Reply, Request, SceneView } from './protocol.js';
import { packed, type Sample, sampleOf } from './protocol-sample.js';
import { type Opened, plainRun, SCENES, sceneNamed } from './scenes.js';

/** Seconds of simulated time between moments that are kept. */
const BETWEEN_MOMENTS = 1 / 60;
/** Milliseconds of computing, and the step that is under way, before others get their turn: a picture waits no longer than that. */
const SLICE = 3;
/** What a slice still counts after the next one. */
const FADING = 0.98;
/** Steps of doing a scene again before something is told. */
const STEPS_BETWEEN = 200;
/** What plots can show of a past that nobody has looked at yet. */
const MOST_SAMPLES = 3600;
/** A link with more would be too long. */
const MOST_ACTIONS = 20_000;

/** Told how much of a long work is done, from 0 to 1; false where it is not wanted any more. */
export type Between = (part: number) => Promise<boolean>;
const goOn: Between = async () => true;

export class Session {
  #opened: Opened = { name: '', title: '', about: '', run: plainRun(new World()), warnings: [] };
  #hands = new Hands(this.world);
  #steps = 0;
  /** Milliseconds and simulated seconds of the last slices, older ones for less and less. */
  readonly #spent = { computing: 0, simulated: 0 };
  #actions: (readonly [number, Action])[] = [];
  readonly #history = new History();
  /** How it was before its first step. */
  #first: Moment = this.#moment();
  #shown: Moment | undefined;
  /** A recording plays: where it is, seconds. */
  #playing = false;
  #played = 0;
  #watched: Watched | undefined;
  /** Noted since the last picture. */
  #since: Sample[] = [];
  /** What the page knows of the structure. */
  #told: readonly unknown[] = [];

  get world(): World {
    return this.#opened.run.world;
  }

  /** Does what is asked; the answer carries a picture, and the scene where the page does not know it yet. */
  async answer(request: Request, between: Between = goOn): Promise<Omit<Reply, 'id'>> {
    switch (request.do) {
      case 'list':
        return { scenes: SCENES.map(({ name, title, group }) => ({ name, title, group })) };
      case 'load':
        await this.load(request.scene);
        return this.#picture();
      case 'open': {
        const { openFiles } = await import('./open.js');
        const opened = await openFiles(request.name, request.files, this.#opened);
        if ('problems' in opened) return opened;
        this.#start(opened);
        return { ...this.#picture(), said: `${opened.title} is open.` };
      }
      case 'follow': {
        const { followed } = await import('./follow.js');
        const run = followed(new Map(request.files));
        const about = 'Motors follow the captured motion, the root is assisted. Push it.';
        this.#start({ name: '', title: `${request.files[0][0]}, followed`, about, run, warnings: run.warnings });
        return this.#picture();
      }
      case 'restart':
        this.#opened.run.restore(this.#first.checkpoint);
        this.#hands.marks = this.#first.marks;
        this.#start(this.#opened);
        return this.#picture();
      // Who has a clock plays; here it is seen.
      case 'play':
      case 'look':
        return this.#picture();
      case 'step':
        this.#goOnFromShown();
        this.step();
        return this.#picture();
      case 'show':
        this.#show(request.time);
        return this.#picture();
      case 'describe': {
        const { describe } = await import('./describe.js');
        return { mechanism: describe(this.#hands.member(request.member).state.mechanism) };
      }
      case 'watch':
        this.#watched = request.joint === null ? undefined : { member: request.member, joint: request.joint };
        return this.#picture();
      case 'record': {
        const { record } = await import('./record.js');
        const { driven } = this.#hands.marks;
        const bytes = await record(this.#opened.run, this.#history);
        this.#hands.driveAgain(driven);
        return { bytes };
      }
      case 'checkpoint': {
        const { checkpointOf } = await import('./checkpoint.js');
        return { bytes: checkpointOf(this.#opened) };
      }
      case 'replay': {
        const { replayOf } = await import('./replay.js');
        const { driven } = this.#hands.marks;
        const replay = replayOf(this.#opened, this.#history);
        this.#hands.driveAgain(driven);
        return { replay };
      }
      case 'keep':
        return { kept: this.keep() };
      case 'restore':
        await this.restore(request.kept, between);
        return { ...this.#picture(), said: `The scene is back at ${this.world.time.toFixed(3)} s.` };
      default: {
        const said = this.act(request);
        // The page marks the slider that is held by itself: with all of them made anew it would slip from the hand.
        if (request.do === 'target') this.#told = this.#structure();
        return { ...this.#picture(), ...(said !== undefined && { said }) };
      }
    }
  }

  async load(name: string): Promise<void> {
    const { title, about, build } = sceneNamed(name);
    const run = await build();
    this.#start({ name, title, about, run, warnings: run.warnings });
  }

  #start(opened: Opened): void {
    this.#opened = opened;
    this.#hands = new Hands(this.world);
    this.#steps = 0;
    this.#actions = [];
    this.#shown = undefined;
    this.#playing = false;
    this.#since = [];
    this.#first = this.#moment();
    if (opened.moments === undefined) this.#history.fill([this.#first]);
    else this.#playBack(opened.moments);
  }

  /** A past that was recorded elsewhere: it is shown, until somebody does something. */
  #playBack(moments: NonNullable<Opened['moments']>): void {
    this.#history.fill(
      moments.map((world) => ({ ...this.#first, time: world.time, checkpoint: { world, events: 0 } })),
    );
    this.#show(this.#history.from);
    this.#playing = true;
  }

  /** What a person did, done now and remembered. Says what came of it. */
  act(action: Action): string | undefined {
    // Nothing is held that could be let go: the past stays as it is.
    if (action.do === 'drag' && action.grip === null && !this.#hands.dragging) return undefined;
    this.#goOnFromShown();
    const said = this.#hands.do(action);
    const before = this.#actions.at(-1);
    // Of the places where the mouse was during one step the last one counts.
    if (before?.[0] === this.#steps && drags(before[1]) && drags(action)) this.#actions.pop();
    if (this.#actions.length < MOST_ACTIONS) this.#actions.push([this.#steps, action]);
    return said;
  }

  /** Whole steps for so many seconds, unless that takes too long. Returns the seconds that are left. */
  advance(seconds: number): number {
    if (this.#playing) {
      this.#show(Math.min(this.#history.to, Math.max(this.#played, this.#history.from) + seconds));
      return 0;
    }
    this.#goOnFromShown();
    const h = this.world.stepSize;
    const began = performance.now();
    let [left, steps, passed] = [seconds, 0, 0];
    while (left >= h && passed < SLICE) {
      this.step();
      left -= h;
      steps++;
      passed = performance.now() - began;
    }
    const { computing, simulated } = this.#spent;
    Object.assign(this.#spent, { computing: FADING * computing + passed, simulated: FADING * simulated + steps * h });
    return left;
  }

  step(): void {
    this.#hands.step(() => this.#opened.run.step());
    this.#steps++;
    if (this.world.time - this.#history.to < BETWEEN_MOMENTS - 1e-9) return;
    this.#history.add(this.#moment());
    this.#since.push(sampleOf(this.frame()));
    if (this.#since.length > MOST_SAMPLES) this.#since.shift();
  }

  #moment(): Moment {
    return {
      time: this.world.time,
      steps: this.#steps,
      actions: this.#actions.length,
      marks: this.#hands.marks,
      checkpoint: this.#opened.run.save(),
    };
  }

  /** Back to a moment of the past. */
  #show(time: number): void {
    this.#played = time;
    // One can come back to where time has arrived.
    if (this.#shown === undefined && this.world.time > this.#history.to) this.#history.add(this.#moment());
    const moment = this.#history.at(time);
    if (moment === undefined || moment === this.#shown) return;
    this.#opened.run.restore(moment.checkpoint);
    this.#hands.marks = moment.marks;
    this.#shown = moment;
  }

  /** Time goes on from the moment that is shown; what came after it never happened. */
  #goOnFromShown(): void {
    this.#playing = false;
    const moment = this.#shown;
    if (moment === undefined) return;
    this.#history.cutAfter(moment);
    this.#actions = this.#actionsUntil(moment);
    this.#steps = moment.steps;
    this.#shown = undefined;
  }

  /** What was done before a moment. A body that was dragged then is not held any more. */
  #actionsUntil({ steps, actions }: Moment): (readonly [number, Action])[] {
    const done = this.#actions.slice(0, actions);
    const [, last] = done.findLast(([, action]) => action.do === 'drag') ?? [];
    if (last !== undefined && drags(last)) done.push([steps, { do: 'drag', grip: null }]);
    return done;
  }

  /** The moment that is shown, in the words of a link. */
  keep(): Kept {
    const { name } = this.#opened;
    if (name === '') throw new Error('A file that was opened is not part of a link; save a recording instead.');
    const actions = this.#shown === undefined ? this.#actions : this.#actionsUntil(this.#shown);
    if (actions.length >= MOST_ACTIONS)
      throw new Error('Too much was done to this scene for a link; save a recording instead.');
    return { scene: name, steps: this.#shown?.steps ?? this.#steps, actions: actions.slice() };
  }

  /** Does a scene again, step by step, with all that was done to it: the same bits. */
  async restore({ scene, steps, actions }: Kept, between: Between = goOn): Promise<void> {
    await this.load(scene);
    let next = 0;
    for (;;) {
      if (this.#steps % STEPS_BETWEEN === STEPS_BETWEEN - 1 && !(await between(this.#steps / steps)))
        throw new Error('The scene was not done again to its end.');
      for (; next < actions.length && actions[next][0] <= this.#steps; next++) this.act(actions[next][1]);
      if (this.#steps >= steps) break;
      this.step();
    }
  }

  /** A frame, with the scene where the page does not know it as it is. */
  #picture(): Pick<Reply, 'frame' | 'scene'> {
    const now = this.#structure();
    const known = now.length === this.#told.length && now.every((part, k) => part === this.#told[k]);
    this.#told = now;
    const since = packed(this.#since.splice(0));
    return { frame: { ...this.frame(), since }, ...(!known && { scene: this.scene() }) };
  }

  /** All that `scene` follows from; each is another object after it has changed. */
  #structure(): readonly unknown[] {
    const { locked, targets, inverted } = this.#hands.marks;
    return [this.#opened, locked, targets, inverted, ...this.world.members.map(({ state }) => state.mechanism)];
  }

  scene(): SceneView {
    const { members, obstacles, stepSize, gravity } = this.world;
    const { title, about, warnings } = this.#opened;
    const { marks } = this.#hands;
    return {
      title,
      about,
      up: upOf(gravity),
      members: members.map((member, m) => memberView(member, m, marks)),
      obstacles: obstacles.map(({ shape }) => shape),
      step: stepSize,
      inverted: marks.inverted,
      warnings,
    };
  }

  /** Of the last step; of a moment of the past, of the step that followed it. */
  #force(watched: Watched): JointForce | undefined {
    if (this.#shown === undefined) return this.#steps > 0 ? jointForce(this.world, watched) : undefined;
    const { run } = this.#opened;
    const { driven } = this.#hands.marks;
    run.step();
    const force = jointForce(this.world, watched);
    run.restore(this.#shown.checkpoint);
    this.#hands.driveAgain(driven);
    return force;
  }

  frame(): Frame {
    const force = this.#watched && this.#force(this.#watched);
    return {
      ...worldPicture(this.world),
      work: this.#hands.marks.work,
      from: this.#history.from,
      to: this.#history.to,
      cost: this.#spent.computing / (this.#spent.simulated || 1),
      ...(force !== undefined && { jointForce: force }),
    };
  }
}

/** Whether a body is held and moved by the mouse. */
function drags(action: Action): boolean {
  return action.do === 'drag' && action.grip !== null;
}
