// Numbers of about 32 digits: the sum of two doubles (Dekker 1971). For checks of what double precision decides.

export class Wide {
  readonly hi: number;
  readonly lo: number;

  constructor(hi: number, lo = 0) {
    this.hi = hi;
    this.lo = lo;
  }

  static readonly zero = new Wide(0);
  static readonly one = new Wide(1);

  plus(b: Wide): Wide {
    const s = this.hi + b.hi;
    const v = s - this.hi;
    const e = this.hi - (s - v) + (b.hi - v) + this.lo + b.lo;
    const hi = s + e;
    return new Wide(hi, e - (hi - s));
  }

  minus(b: Wide): Wide {
    return this.plus(new Wide(-b.hi, -b.lo));
  }

  times(b: Wide): Wide {
    const p = this.hi * b.hi;
    const e = productError(this.hi, b.hi, p) + this.hi * b.lo + this.lo * b.hi;
    const hi = p + e;
    return new Wide(hi, e - (hi - p));
  }

  over(b: Wide): Wide {
    const q = this.hi / b.hi;
    const r = this.minus(b.times(new Wide(q)));
    const second = r.hi / b.hi;
    const left = r.minus(b.times(new Wide(second)));
    return new Wide(q).plus(new Wide(second)).plus(new Wide(left.hi / b.hi));
  }

  sqrt(): Wide {
    if (!(this.hi > 0)) return Wide.zero;
    const x = new Wide(Math.sqrt(this.hi));
    // Newton's step on top of the double.
    return x.plus(this.minus(x.times(x)).over(x.plus(x)));
  }

  get value(): number {
    return this.hi + this.lo;
  }
}

const SPLIT = 2 ** 27 + 1;

function productError(a: number, b: number, p: number): number {
  const x = SPLIT * a;
  const ah = x - (x - a);
  const al = a - ah;
  const y = SPLIT * b;
  const bh = y - (y - b);
  const bl = b - bh;
  return ah * bh - p + ah * bl + al * bh + al * bl;
}

/** Sine and cosine by their series, of angles of a few radians. */
export function sineCosine(angle: number): [Wide, Wide] {
  const x = new Wide(angle);
  let [sine, cosine] = [Wide.zero, Wide.zero];
  let term = Wide.one;
  for (let k = 0; k < 60; k++) {
    const sign = k % 4 < 2 ? term : new Wide(-term.hi, -term.lo);
    if (k % 2 === 0) cosine = cosine.plus(sign);
    else sine = sine.plus(sign);
    term = term.times(x).over(new Wide(k + 1));
  }
  return [sine, cosine];
}

export type WideVector = readonly [Wide, Wide, Wide];
export type WideMatrix = readonly Wide[];

export const wide = (x: ArrayLike<number>): WideVector => [new Wide(x[0]), new Wide(x[1]), new Wide(x[2])];
export const add = (a: WideVector, b: WideVector): WideVector => [a[0].plus(b[0]), a[1].plus(b[1]), a[2].plus(b[2])];
export const subtract = (a: WideVector, b: WideVector): WideVector => [
  a[0].minus(b[0]),
  a[1].minus(b[1]),
  a[2].minus(b[2]),
];
export const times = (s: Wide, a: WideVector): WideVector => [s.times(a[0]), s.times(a[1]), s.times(a[2])];
export const dot = (a: WideVector, b: WideVector): Wide =>
  a[0].times(b[0]).plus(a[1].times(b[1])).plus(a[2].times(b[2]));
export const cross = (a: WideVector, b: WideVector): WideVector => [
  a[1].times(b[2]).minus(a[2].times(b[1])),
  a[2].times(b[0]).minus(a[0].times(b[2])),
  a[0].times(b[1]).minus(a[1].times(b[0])),
];
/** R^T x. */
export const turnBack = (R: WideMatrix, x: WideVector): WideVector =>
  [0, 1, 2].map((k) =>
    R[k]
      .times(x[0])
      .plus(R[3 + k].times(x[1]))
      .plus(R[6 + k].times(x[2])),
  ) as never as WideVector;
