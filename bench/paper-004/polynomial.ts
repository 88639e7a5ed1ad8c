// Polynomials through operation counts, exactly: integers and fractions, no rounding.

/** A fraction in lowest terms, denominator positive. */
export class Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;

  constructor(numerator: bigint, denominator = 1n) {
    const sign = denominator < 0n ? -1n : 1n;
    const divisor = gcd(numerator < 0n ? -numerator : numerator, sign * denominator);
    this.numerator = (sign * numerator) / divisor;
    this.denominator = (sign * denominator) / divisor;
  }

  plus(other: Fraction): Fraction {
    return new Fraction(
      this.numerator * other.denominator + other.numerator * this.denominator,
      this.denominator * other.denominator,
    );
  }

  times(other: Fraction): Fraction {
    return new Fraction(this.numerator * other.numerator, this.denominator * other.denominator);
  }

  get isZero(): boolean {
    return this.numerator === 0n;
  }

  valueOf(): number {
    return Number(this.numerator) / Number(this.denominator);
  }
}

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? (a === 0n ? 1n : a) : gcd(b, a % b);
}

/** Coefficients, the constant first. */
export type Polynomial = readonly Fraction[];

export interface Fit {
  readonly polynomial: Polynomial;
  /** The smallest n from which on it is exact, up to the last one given. */
  readonly from: number;
}

/**
 * The polynomial of least degree through the values at first, first + 1, ...; the first few may be exceptions. At least
 * three values more than it has coefficients must lie on it; undefined where none does.
 */
export function fitExactly(first: number, values: readonly number[], maxDegree = 3): Fit | undefined {
  for (let skip = 0; skip < 8; skip++)
    for (let degree = 0; degree <= maxDegree; degree++) {
      if (values.length - skip < degree + 4) break;
      const polynomial = interpolate(first + skip, values.slice(skip, skip + degree + 1));
      const from = first + skip;
      if (values.slice(skip).every((value, k) => evaluate(polynomial, from + k) === value)) return { polynomial, from };
    }
  return undefined;
}

/** Newton's form by differences, then multiplied out. */
function interpolate(first: number, values: readonly number[]): Polynomial {
  let row = values.map(BigInt);
  let sum: Fraction[] = values.map(() => new Fraction(0n));
  // (n - first) (n - first - 1) ... / k!
  let basis: Fraction[] = [new Fraction(1n)];
  for (let k = 0; row.length > 0; k++) {
    const difference = new Fraction(row[0]);
    sum = sum.map((c, power) => (power < basis.length ? c.plus(basis[power].times(difference)) : c));
    const root = new Fraction(BigInt(-(first + k)));
    const shifted = [new Fraction(0n), ...basis];
    basis = shifted.map((c, power) =>
      (power < basis.length ? c.plus(basis[power].times(root)) : c).times(new Fraction(1n, BigInt(k + 1))),
    );
    row = row.slice(1).map((value, i) => value - row[i]);
  }
  return sum;
}

export function evaluate(polynomial: Polynomial, n: number): number {
  let sum = new Fraction(0n);
  for (let power = polynomial.length - 1; power >= 0; power--)
    sum = sum.times(new Fraction(BigInt(n))).plus(polynomial[power]);
  return sum.valueOf();
}

/** For people: (39/2)n^2 + 28n - 40. */
export function formatPolynomial(polynomial: Polynomial): string {
  const terms = polynomial.flatMap((c, power) => {
    if (c.isZero) return [];
    const negative = c.numerator < 0n;
    const size = negative ? -c.numerator : c.numerator;
    const unknown = power === 0 ? '' : power === 1 ? 'n' : `n^${power}`;
    const whole = size === 1n && unknown !== '' ? '' : String(size);
    const number = c.denominator === 1n ? whole : `(${size}/${c.denominator})`;
    return [{ negative, text: `${number}${unknown}` }];
  });
  if (terms.length === 0) return '0';
  return terms
    .reverse()
    .map(({ negative, text }, k) => (k === 0 ? (negative ? `-${text}` : text) : `${negative ? ' - ' : ' + '}${text}`))
    .join('');
}
