// One processor or several, by measured times. They are measured again where they are too near each other, or too far from
// what was predicted, to be trusted.

/** Several threads are chosen where they take less than this part of the time: for the same time one is better. */
const GAIN = 0.98;
/** Measured again where the ratio of the times is nearer than this to where the choice changes, ... */
const NEAR = 0.06;
/** ... and where several threads take so many times longer, compared with one, than was predicted: the machine was busy. */
const ODD = 1.25;
/** Milliseconds of the first measurement; the second takes twice as long, and so on. */
const FIRST = 40;
const MOST = 4;

/** Nanoseconds of a step. */
export interface Pair {
  readonly one: number;
  readonly several: number;
}

export interface Contest {
  /** Least times in a number of milliseconds, taken in turn. */
  readonly measure: (milliseconds: number) => Pair;
  /** Lets other things of the machine come to an end, and engines their compiling. */
  readonly rest: (milliseconds: number) => Promise<void>;
  readonly predicted: Pair;
  /** Nanoseconds on one thread that are known already. */
  readonly one?: number;
}

export interface Verdict extends Pair {
  readonly parallel: boolean;
  /** How often it was measured. */
  readonly rounds: number;
  /** Threads came late to the last: the machine is busy, or not what was predicted for. */
  readonly busy: boolean;
}

export const isFaster = (several: number, one: number): boolean => several < GAIN * one;

export async function decide({
  measure,
  rest,
  predicted,
  one: known = Number.POSITIVE_INFINITY,
}: Contest): Promise<Verdict> {
  let { one, several } = measure(FIRST);
  one = Math.min(one, known);
  let rounds = 1;
  const isOdd = (): boolean =>
    isFaster(predicted.several, predicted.one) && several / one > (ODD * predicted.several) / predicted.one;
  for (; rounds < MOST; rounds++) {
    const ratio = several / one;
    const near = Math.abs(ratio - GAIN) < NEAR;
    const odd = isOdd();
    if (!near && !(odd && ratio >= GAIN)) break;
    if (odd) await rest(FIRST << rounds);
    const again = measure(FIRST << rounds);
    one = Math.min(one, again.one);
    several = Math.min(several, again.several);
  }
  return { one, several, parallel: isFaster(several, one), rounds, busy: isOdd() };
}
