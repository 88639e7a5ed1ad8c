// BVH (Biovision hierarchy): a skeleton of joints with offsets, and their channels for every frame. This file reads what
// is written there; motion/bvh-figure.ts makes a mechanism and a motion of it.

import { ImportError, type Problem } from '../mechanism/errors.js';
import type { Vec3 } from '../spatial/matrix3.js';
import { quoted, quotedList } from './import-log.js';
import { NameGiver, nameFault } from './names.js';
import { TextLines, wordsOf } from './text-lines.js';

/** The channels that a BVH file may have. */
export const BVH_CHANNELS = ['Xposition', 'Yposition', 'Zposition', 'Xrotation', 'Yrotation', 'Zrotation'] as const;
/** A channel of a BVH file: a translation along an axis, or a rotation about one. */
export type BvhChannel = (typeof BVH_CHANNELS)[number];

/** A joint of a BVH skeleton. */
export interface BvhNode {
  readonly name: string;
  /** Index of the parent node, which comes before; -1 for the root. */
  readonly parent: number;
  /** From the parent's joint to this one, parent's axes, units of the file. */
  readonly offset: Vec3;
  /** In the order of the file; rotations are applied in this order, each about the axis as turned by those before. */
  readonly channels: readonly BvhChannel[];
  /** Where its channels begin in a frame. */
  readonly first: number;
  /** Ends of the bone that carry no joint ("End Site"), from this joint. */
  readonly ends: readonly Vec3[];
}

/** What a BVH file says: a skeleton and its frames. */
export interface BvhMotion {
  readonly nodes: readonly BvhNode[];
  /** Seconds from frame to frame. */
  readonly frameTime: number;
  readonly frameCount: number;
  /** Numbers in a frame. */
  readonly channelCount: number;
  /** frameCount x channelCount: lengths in units of the file, angles in degrees. */
  readonly values: Float64Array;
  readonly warnings: readonly Problem[];
}

/** Joints within joints; a figure needs about 20. */
const MAX_DEPTH = 256;
const MAX_NODES = 10_000;

/** Reads a BVH file; an ImportError names line and column of what is wrong. `figureFromBvh` makes a mechanism of it. */
export function parseBvh(text: string, options: { readonly file?: string } = {}): BvhMotion {
  return new Reader(text, options.file).read();
}

interface OpenNode {
  readonly name: string;
  readonly parent: number;
  readonly line: number;
  offset: Vec3 | undefined;
  channels: readonly BvhChannel[] | undefined;
  first: number;
  readonly ends: Vec3[];
}

function channelNamed(word: string): BvhChannel | undefined {
  return BVH_CHANNELS.find((known) => known.toLowerCase() === word.toLowerCase());
}

function unknownChannel(word: string): string {
  return `There is no channel ${quoted(word)}; known are ${BVH_CHANNELS.join(', ')}.`;
}

class Reader {
  readonly #lines: TextLines;
  readonly #names = new NameGiver([]);
  readonly #nodes: OpenNode[] = [];
  readonly #warnings: Problem[] = [];
  /** Words of the hierarchy that were read with a line but not used yet. */
  #words: string[] = [];
  #channelCount = 0;

  constructor(text: string, file: string | undefined) {
    this.#lines = new TextLines(text, file);
  }

  read(): BvhMotion {
    this.#expect('HIERARCHY');
    this.#expect('ROOT');
    this.#node(-1);
    if (this.#words.length === 0) this.#fill();
    if (this.#words[0]?.toUpperCase() === 'ROOT')
      this.#lines.fail('several-roots', 'The file holds more than one figure; give each a file of its own.');
    this.#expect('MOTION');
    return this.#motion();
  }

  // Hierarchy

  #fill(): void {
    while (this.#words.length === 0) {
      const line = this.#lines.nextFilled();
      if (line === undefined)
        this.#lines.fail('truncated', 'The file ends before its hierarchy and motion are complete.');
      this.#words = wordsOf(line!);
    }
  }

  #word(): string {
    if (this.#words.length === 0) this.#fill();
    return this.#words.shift()!;
  }

  #expect(keyword: string): void {
    const found = this.#word();
    if (found.toUpperCase() !== keyword)
      this.#lines.fail('keyword', `Expected ${keyword}, got ${quoted(found)}; this is not how a BVH file goes.`);
  }

  /** A node whose keyword, ROOT or JOINT, has been read; with an explicit stack, since files may be nested deep. */
  #node(parent: number): void {
    const open: number[] = [this.#open(parent)];
    while (open.length > 0) {
      const node = this.#nodes[open.at(-1)!];
      const word = this.#word().toUpperCase();
      if (word === 'OFFSET') {
        if (node.offset !== undefined) this.#lines.fail('offset', `Joint ${quoted(node.name)} has two OFFSETs.`);
        node.offset = this.#offset(node.name);
      } else if (word === 'CHANNELS') this.#channels(node);
      else if (word === 'JOINT') {
        if (open.length >= MAX_DEPTH)
          this.#lines.fail('too-deep', `Joints are nested more than ${MAX_DEPTH} deep here.`);
        open.push(this.#open(open.at(-1)!));
      } else if (word === 'END') {
        this.#expect('SITE');
        this.#restOfLine();
        this.#expect('{');
        this.#expect('OFFSET');
        node.ends.push(this.#offset('End Site'));
        this.#expect('}');
      } else if (word === '}') {
        if (node.offset === undefined)
          this.#lines.fail('offset', `Joint ${quoted(node.name)} has no OFFSET.`, node.line);
        open.pop();
      } else this.#lines.fail('keyword', `Expected OFFSET, CHANNELS, JOINT, End Site or }, got ${quoted(word)}.`);
    }
  }

  #open(parent: number): number {
    if (this.#nodes.length >= MAX_NODES) this.#lines.fail('too-large', `More than ${MAX_NODES} joints are not read.`);
    // A name reaches to the end of its line or to the bracket.
    const { line } = this.#lines;
    const name = this.#restOfLine();
    const fault = nameFault(name);
    if (fault !== undefined) this.#lines.fail('name', `The name of a joint: ${fault}.`);
    const given = this.#names.give(name);
    if (given !== name)
      this.#warn('duplicate-name', `There is another joint ${quoted(name)}; this one is called ${quoted(given)}.`);
    this.#expect('{');
    this.#nodes.push({ name: given, parent, line, offset: undefined, channels: undefined, first: 0, ends: [] });
    return this.#nodes.length - 1;
  }

  /** What stands before the bracket, or before the end of the line. */
  #restOfLine(): string {
    const bracket = this.#words.indexOf('{');
    return this.#words.splice(0, bracket === -1 ? this.#words.length : bracket).join(' ');
  }

  #offset(name: string): Vec3 {
    const what = `OFFSET of ${quoted(name)}`;
    return [0, 1, 2].map(() => this.#lines.number(this.#word(), what)) as unknown as Vec3;
  }

  #channels(node: OpenNode): void {
    const { name } = node;
    if (node.channels !== undefined) this.#lines.fail('channels', `Joint ${quoted(name)} has two lists of CHANNELS.`);
    const count = this.#lines.count(this.#word(), `CHANNELS of ${quoted(name)}`);
    if (count > BVH_CHANNELS.length)
      this.#lines.fail('channels', `Joint ${quoted(name)} declares ${count} channels; a joint has at most 6.`);
    const channels: BvhChannel[] = [];
    for (let k = 0; k < count; k++) {
      const word = this.#words.shift();
      if (word === undefined)
        this.#lines.fail('channels', `Joint ${quoted(name)} declares ${count} channels but names ${k} of them.`);
      const channel = channelNamed(word!) ?? this.#lines.fail('channels', unknownChannel(word!));
      if (channels.includes(channel)) this.#lines.fail('channels', `Joint ${quoted(name)} names ${channel} twice.`);
      channels.push(channel);
    }
    node.channels = channels;
    node.first = this.#channelCount;
    this.#channelCount += count;
  }

  // Motion

  #motion(): BvhMotion {
    const lines = this.#lines;
    const frames = this.#declared(/^\s*Frames\s*:\s*(\S+)\s*$/i, 'Frames:');
    const declared = lines.count(frames, 'The number of frames');
    const frameTime = lines.number(
      this.#declared(/^\s*Frame\s+Time\s*:\s*(\S+)\s*$/i, 'Frame Time:'),
      'The frame time',
    );
    if (!(frameTime > 0)) lines.fail('frame-time', `The frame time must be positive, got ${frameTime}.`);
    const channelCount = this.#channelCount;
    if (channelCount === 0) lines.fail('channels', 'No joint has a channel: there is nothing that could move.');
    if (declared === 0) lines.fail('no-frames', 'The file declares no frames.');
    // A number takes two characters at least, with the space before it.
    if (declared * channelCount * 2 > lines.remaining + 2)
      lines.fail(
        'truncated',
        `The file declares ${declared} frames of ${channelCount} numbers, more than the rest of it can hold.`,
      );
    const values = new Float64Array(declared * channelCount);
    for (let frame = 0; frame < declared; frame++) {
      const line = lines.nextFilled();
      if (line === undefined) lines.fail('truncated', `The file declares ${declared} frames but ends after ${frame}.`);
      lines.numbers(values, frame * channelCount, line!, channelCount, `Frame ${frame + 1}`);
    }
    if (lines.nextFilled() !== undefined)
      this.#warn('rest', `There is more after the ${declared} declared frames; it is not read.`);
    const nodes = this.#nodes.map(({ name, parent, offset, channels = [], first, ends }) => ({
      name,
      parent,
      offset: offset!,
      channels,
      first,
      ends,
    }));
    this.#warnOfChannels(nodes);
    return { nodes, frameTime, frameCount: declared, channelCount, values, warnings: this.#warnings };
  }

  #declared(pattern: RegExp, keyword: string): string {
    const line = this.#lines.nextFilled();
    const found = line === undefined ? null : pattern.exec(line);
    if (found === null)
      throw ImportError.of(
        line === undefined ? 'truncated' : 'keyword',
        this.#lines.place(),
        `Expected "${keyword}" and a number, got ${line === undefined ? 'the end of the file' : quoted(line)}.`,
      );
    return found[1];
  }

  #warnOfChannels(nodes: readonly BvhNode[]): void {
    const rigid = nodes.filter(({ channels }) => channels.length === 0).map(({ name }) => name);
    if (rigid.length > 0) this.#warn('no-channels', `Joints without channels do not move: ${quotedList(rigid)}.`);
    const missing = ['Xposition', 'Yposition', 'Zposition'].filter(
      (channel) => !nodes[0].channels.includes(channel as BvhChannel),
    );
    if (missing.length > 0)
      this.#warn('root-channels', `The root has no ${missing.join(', ')}; it stays where its OFFSET puts it.`);
  }

  #warn(code: string, message: string): void {
    this.#warnings.push({ code, where: this.#lines.place(), message });
  }
}
