// Events: functions of the state that pass through zero, found on the dense output of one step.

import type { State } from '../mechanism/state.js';

/** Something to watch for during a simulation: a function of the state that passes zero. */
export interface SimulationEvent {
  readonly name: string;
  /** Zero where the event happens; smooth between events. */
  readonly value: (state: State) => number;
  /** Which way through zero counts: 'falling', 'rising', or 'both' (default). */
  readonly direction?: 'falling' | 'rising' | 'both';
  /**
   * How near to zero a value that turns round before it gets there must come to count as touching it; a value that touches
   * is reported as 'grazing'. Nothing is reported where left out. Passing through zero and back within one step is always
   * two crossings.
   */
  readonly grazing?: number;
  /**
   * The fastest the value can change, per second. With it nothing is missed, however fast the value comes and goes: a stretch
   * is left out only where the value cannot have got to zero. Without it a value is looked at some times in each step of the
   * integrator, and Simulation.warnings says so where that was too seldom to be sure.
   */
  readonly rate?: number;
}

/** An event that has happened. */
export interface Occurrence {
  readonly name: string;
  readonly time: number;
  readonly kind: 'crossing' | 'grazing';
}

/** One step as the search sees it: the value of event k at a part (0 to 1) of the step. */
export interface SearchedStep {
  readonly duration: number;
  value(event: number, part: number): number;
}

interface Found {
  readonly event: number;
  readonly part: number;
  readonly kind: Occurrence['kind'];
  /** The side from which it came. */
  readonly from: EventSide;
}

export type EventSide = 1 | -1;

/** Pieces of a step that are searched one by one. */
const PIECES = 4;
/** Parts of a step over which slopes are taken. */
const SLOPE = 1e-4;

/** Seconds for which an event is not looked for after it has happened: rounding would show it again. */
const BLIND = 1e-8;

const side = (value: number): EventSide => (value > 0 ? 1 : -1);

/** Zero counts as passed, whichever way the value comes: else one that is zero at the very end of a step is never seen. */
const hasPassed = (value: number, before: EventSide): boolean => before * value <= 0;

/** Seconds below which a value is not looked at more closely, also where its rate would allow it to come and go. */
const SHORTEST = 1e-7;

/**
 * The first events of a step, all that happen within `tolerance` seconds of the first, in their order in the list; none if
 * there are none. `fired`: events that have happened at the very start; they count again only after they have moved away.
 */
export function firstEvents(
  segment: SearchedStep,
  events: readonly SimulationEvent[],
  fired: ReadonlySet<number>,
  tolerance: number,
): Found[] {
  const parts = tolerance / segment.duration;
  const found = events.flatMap((event, k) => firstOf(segment, event, k, fired.has(k), parts) ?? []);
  const first = found.reduce((earliest, { part }) => Math.min(earliest, part), Number.POSITIVE_INFINITY);
  return found.filter(({ part }) => part <= first + parts);
}

function firstOf(
  segment: SearchedStep,
  event: SimulationEvent,
  k: number,
  justFired: boolean,
  tolerance: number,
): Found | undefined {
  const at = (part: number): number => segment.value(k, part);
  const slope = (part: number): number => at(part + SLOPE) - at(part - SLOPE);
  // After an event its value is zero but for rounding: which side it leaves for shows a little later.
  const atZero = justFired || at(0) === 0;
  const blind = Math.min(0.5 / PIECES, Math.max(SLOPE, BLIND / segment.duration));
  let from = atZero ? blind : 0;
  let start = at(from);
  if (event.rate === undefined && isFarFromZero(start, at((from + 1) / 2), at(1))) return undefined;
  for (let piece = 1; piece <= PIECES; piece++) {
    const to = piece / PIECES;
    const end = at(to);
    const before = side(start);
    if (event.rate !== undefined) {
      const [rate, shortest] = [event.rate * segment.duration, SHORTEST / segment.duration];
      const passage = firstPassage(at, event, { from, to, rate, shortest, tolerance });
      if (passage !== undefined) return { event: k, kind: 'crossing', ...passage };
    }
    if (hasPassed(end, before)) {
      if (counts(event, start))
        return { event: k, part: root(at, from, to, before, tolerance), kind: 'crossing', from: before };
    } else if (before * slope(from - 2 * SLOPE) < 0 && before * slope(to + 2 * SLOPE) > 0) {
      // It comes nearer to zero and goes away again (a little beyond the ends too: it may turn round right there). How near?
      const turn = leastWithin((part) => before * at(part), from - 2 * SLOPE, to + 2 * SLOPE, tolerance);
      const nearest = at(turn);
      if (side(nearest) !== before && turn > from && turn < to) {
        const [a, b] = counts(event, start) ? [from, turn] : [turn, to];
        const own = side(at(a));
        return { event: k, part: root(at, a, b, own, tolerance), kind: 'crossing', from: own };
      }
      const touches = event.grazing !== undefined && Math.abs(nearest) <= event.grazing;
      // Just before the start it belongs to the step before, unless that took it to be here.
      if (touches && turn > (atZero ? 2 * blind : -SLOPE) && turn <= 1)
        return { event: k, part: Math.max(0, turn), kind: 'grazing', from: before };
    }
    from = to;
    start = end;
  }
  return undefined;
}

/** The first passage in a stretch that counts, of a value whose rate is known: there may be several in it, one behind the other. */
function firstPassage(
  at: (part: number) => number,
  event: SimulationEvent,
  stretch: { from: number; to: number; rate: number; shortest: number; tolerance: number },
): { readonly part: number; readonly from: EventSide } | undefined {
  const { to, rate, shortest, tolerance } = stretch;
  for (let a = stretch.from; a < to; ) {
    const start = at(a);
    const own = side(start);
    const beyond = hasPassed(at(to), own) ? to : hiddenPassage(at, a, to, rate, shortest);
    if (beyond === undefined) return undefined;
    // A change of side is between; there may be others before it.
    let part = root(at, a, beyond, own, tolerance);
    for (let k = 0; k < 1000 && part - tolerance > a; k++) {
      const earlier = hiddenPassage(at, a, part - tolerance, rate, shortest);
      if (earlier === undefined) break;
      part = root(at, a, earlier, own, tolerance);
    }
    if (counts(event, start)) return { part, from: own };
    a = part;
  }
  return undefined;
}

/**
 * Where between two values on one side the value is on the other, if it can have got there: it changes by at most `rate` a
 * part. undefined where it has not, down to stretches of `shortest`.
 */
function hiddenPassage(
  at: (part: number) => number,
  from: number,
  to: number,
  rate: number,
  shortest: number,
): number | undefined {
  const stretches: [from: number, start: number, to: number, end: number][] = [[from, at(from), to, at(to)]];
  const before = side(stretches[0][1]);
  if (hasPassed(stretches[0][3], before)) return undefined;
  for (let next = stretches.pop(); next !== undefined; next = stretches.pop()) {
    const [a, start, b, end] = next;
    // To zero and back takes |start| + |end| at least.
    if (Math.abs(start) + Math.abs(end) > rate * (b - a) || b - a < shortest) continue;
    const middle = (a + b) / 2;
    const value = at(middle);
    if (hasPassed(value, before)) return middle;
    // The earlier half is looked at first.
    stretches.push([middle, value, b, end], [a, start, middle, value]);
  }
  return undefined;
}

/** Whether a value turns round more than once in a step, as far as some looks can tell: then it may do so between them. */
export function isRestless(segment: SearchedStep, k: number): boolean {
  const values = Array.from({ length: PIECES + 1 }, (_, n) => segment.value(k, n / PIECES));
  const slopes = values.slice(1).map((value, n) => value - values[n]);
  return slopes.slice(1).filter((slope, n) => slope * slopes[n] < 0).length > 1;
}

/**
 * Whether a value that a bounce should have sent back to the side it came from goes on instead: it bounces faster than can be
 * told, or rests.
 */
export function goesThrough(segment: SearchedStep, k: number, from: EventSide): boolean {
  const early = segment.value(k, Math.min(0.5, Math.max(SLOPE, BLIND / segment.duration)));
  const late = segment.value(k, 1);
  return from * early < 0 && from * late < 0 && Math.abs(late) > 2 * Math.abs(early);
}

/** Values on one side, much farther from zero than from each other. */
function isFarFromZero(a: number, b: number, c: number): boolean {
  const least = Math.min(a, b, c);
  const most = Math.max(a, b, c);
  const nearest = Math.min(Math.abs(least), Math.abs(most));
  return least * most > 0 && nearest > 2 * (most - least);
}

function counts({ direction = 'both' }: SimulationEvent, before: number): boolean {
  return direction === 'both' || (direction === 'falling') === before > 0;
}

/** Where the side changes: false position with halving (Illinois), the point returned being past the change. */
function root(at: (part: number) => number, from: number, to: number, before: EventSide, tolerance: number): number {
  let [a, b] = [from, to];
  let [fa, fb] = [at(a), at(b)];
  for (let k = 0; k < 100 && b - a > tolerance; k++) {
    const guess = b - (fb * (b - a)) / (fb - fa);
    // Close to an end the guess would creep: then halve.
    const middle = guess > a + tolerance / 4 && guess < b - tolerance / 4 && k % 3 !== 2 ? guess : (a + b) / 2;
    const value = at(middle);
    if (!hasPassed(value, before)) {
      a = middle;
      fa = value;
      fb /= 2;
    } else {
      b = middle;
      fb = value;
      fa /= 2;
    }
  }
  return b;
}

/** Where a function with one valley is least: golden section. */
function leastWithin(f: (x: number) => number, from: number, to: number, tolerance: number): number {
  const golden = (Math.sqrt(5) - 1) / 2;
  let [a, b] = [from, to];
  let [x, y] = [b - golden * (b - a), a + golden * (b - a)];
  let [fx, fy] = [f(x), f(y)];
  // A valley is flat: its place is found to the root of the rounding, its depth to rounding.
  while (b - a > Math.max(tolerance, 1e-9)) {
    if (fx < fy) {
      b = y;
      y = x;
      fy = fx;
      x = b - golden * (b - a);
      fx = f(x);
    } else {
      a = x;
      x = y;
      fx = fy;
      y = a + golden * (b - a);
      fy = f(y);
    }
  }
  return (a + b) / 2;
}
