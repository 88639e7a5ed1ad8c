// A simulated array of processors. Programs are written for as many virtual processors as they like; each physical one
// plays a block of them. A program runs step by step: in a step every processor works on what it has, and the step lasts
// as long as the busiest one takes; then messages go, and the next step begins (the paper's global clock).
//
// Every operation is written down in one trace. Which of them were needed is known at the end, and only those count.
//
// Messages are timed on two interconnections of the processors of a column:
//
//   nearest   each processor is joined to the one before and the one after it: distance d takes d steps
//   shuffle   shuffle-exchange with nearest neighbours (SENN). Addresses have L bits, and one step can rotate them by
//             one bit (the shuffle). After e rotations processors at distance 2^e are neighbours, so that round e of a
//             doubling takes one step to the neighbour and one rotation; after L rounds all is back in its place.
//
// Messages to a parent take one step on both. Only messages between different physical processors are counted as such.

import type { Operations, Trace, TraceStep } from '../trace.js';

export interface Transfer {
  readonly from: number;
  readonly to: number;
}

/** What messages between processors cost. */
export interface Communication {
  /** Steps that messages take, one after the other. */
  readonly steps: number;
  /** Moves of a message from a processor to one that it is joined to. */
  readonly hops: number;
}

/** What the processors of a simulated array did. */
export interface ArrayReport {
  /** Virtual and physical processors. */
  readonly virtual: number;
  readonly processors: number;
  /** Steps of computation in which some processor has to do something. */
  readonly steps: number;
  /** Operations of the busiest processor, step after step: the time of the computation. */
  readonly time: Operations;
  /** Operations of all processors. */
  readonly work: Operations;
  /** Messages between processors, and the numbers in them. */
  readonly messages: number;
  readonly words: number;
  readonly nearest: Communication;
  readonly shuffle: Communication;
}

interface Recorded {
  readonly name: string;
  /** Size of the trace before each virtual processor, and at the end. */
  readonly bounds: Int32Array;
}

const NOTHING: Operations = { multiplications: 0, additions: 0, divisions: 0, trigonometric: 0 };

export class ProcessorArray {
  readonly trace: Trace;
  readonly virtual: number;
  readonly physical: number;
  /** Place of each virtual processor in its column. */
  readonly #place: ArrayLike<number>;
  readonly #bits: number;
  readonly #recorded: Recorded[] = [];
  #messages = 0;
  #words = 0;
  readonly #nearest = { steps: 0, hops: 0 };
  readonly #shuffle = { steps: 0, hops: 0 };

  constructor(trace: Trace, place: ArrayLike<number>, physical: number) {
    this.trace = trace;
    this.#place = place;
    this.virtual = place.length;
    this.physical = Math.min(physical, this.virtual);
    let longest = 1;
    for (let v = 0; v < place.length; v++) longest = Math.max(longest, place[v] + 1);
    this.#bits = Math.ceil(Math.log2(longest));
  }

  /** Physical processor of a virtual one. */
  ownerOf(processor: number): number {
    return Math.floor((processor * this.physical) / this.virtual);
  }

  /** One step of computation: the work of each virtual processor. */
  run(name: string, work: (processor: number) => void): void {
    const bounds = new Int32Array(this.virtual + 1);
    for (let v = 0; v < this.virtual; v++) {
      bounds[v] = this.trace.size;
      work(v);
    }
    bounds[this.virtual] = this.trace.size;
    this.#recorded.push({ name, bounds });
  }

  /** Messages of `words` numbers, all at once. `round`: that of a doubling; left out for messages between neighbours. */
  send(transfers: readonly Transfer[], words: number, round?: number): void {
    if (transfers.length === 0) return;
    let farthest = 0;
    let neighbours = true;
    for (const { from, to } of transfers) {
      if (this.ownerOf(from) !== this.ownerOf(to)) {
        this.#messages++;
        this.#words += words;
      }
      const distance = Math.abs(this.#place[from] - this.#place[to]);
      this.#nearest.hops += distance;
      farthest = Math.max(farthest, distance);
      if (Math.abs(this.#rotated(from, round) - this.#rotated(to, round)) !== 1) neighbours = false;
    }
    this.#nearest.steps += farthest;
    if (round === undefined) {
      this.#shuffle.steps += farthest;
      this.#shuffle.hops += transfers.length;
    } else if (neighbours) {
      this.#shuffle.steps += 2;
      this.#shuffle.hops += transfers.length + this.virtual;
    } else {
      // Processors of a branched tree are not at distances 2^e: any way through the shuffle takes 2 L steps at most.
      this.#shuffle.steps += 2 * this.#bits;
      this.#shuffle.hops += 2 * this.#bits * transfers.length;
    }
  }

  /** Every processor passes what it has along its column, one place in a step, until all have seen it. */
  passAlong(transfers: readonly Transfer[], words: number): void {
    let farthest = 0;
    for (const { from, to } of transfers) {
      if (this.ownerOf(from) !== this.ownerOf(to)) {
        this.#messages++;
        this.#words += words;
      }
      farthest = Math.max(farthest, Math.abs(this.#place[from] - this.#place[to]));
    }
    // Each moves on by one place where it is awaited farther on.
    for (const network of [this.#nearest, this.#shuffle]) {
      network.steps += farthest;
      network.hops += transfers.length;
    }
  }

  /** Address after as many rotations as the round has had. */
  #rotated(processor: number, round: number | undefined): number {
    const address = this.#place[processor];
    if (round === undefined || this.#bits === 0) return address;
    const by = round % this.#bits;
    return (address >> by) | ((address & ((1 << by) - 1)) << (this.#bits - by));
  }

  report(results: Iterable<TraceStep>): ArrayReport {
    const { trace, virtual, physical } = this;
    const needed = trace.needed(results);
    let time = NOTHING;
    let work = NOTHING;
    let steps = 0;
    for (const { bounds } of this.#recorded) {
      const busy: Operations[] = Array.from({ length: physical }, () => NOTHING);
      for (let v = 0; v < virtual; v++) {
        if (bounds[v] === bounds[v + 1]) continue;
        const owner = this.ownerOf(v);
        busy[owner] = plus(busy[owner], trace.count(needed, bounds[v], bounds[v + 1]));
      }
      const longest = busy.reduce((most, o) => (size(o) > size(most) ? o : most), NOTHING);
      if (size(longest) > 0) steps++;
      time = plus(time, longest);
      work = busy.reduce(plus, work);
    }
    return {
      virtual,
      processors: physical,
      steps,
      time,
      work,
      messages: this.#messages,
      words: this.#words,
      nearest: { ...this.#nearest },
      shuffle: { ...this.#shuffle },
    };
  }
}

function plus(a: Operations, b: Operations): Operations {
  return {
    multiplications: a.multiplications + b.multiplications,
    additions: a.additions + b.additions,
    divisions: a.divisions + b.divisions,
    trigonometric: a.trigonometric + b.trigonometric,
  };
}

function size(o: Operations): number {
  return o.multiplications + o.additions + o.divisions + o.trigonometric;
}
