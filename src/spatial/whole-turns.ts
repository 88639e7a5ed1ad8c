// The angle between -pi and pi that looks like a very large one, exactly and with the same bits in every JavaScript engine: as
// integers, with as many digits of pi as the largest double needs (1021 bits for the turns, 60 more for how near a double can come
// to a whole number of them, 53 for the result).

const BITS = 1200n;
/** Digits below these are of no use to a double. */
const SPARE = 1000n;

/** atan(1 / n) in units of 2^-BITS. */
function arctangentOfInverse(n: bigint): bigint {
  let power = (1n << BITS) / n;
  let sum = 0n;
  for (let k = 1n; power !== 0n; k += 2n) {
    sum += k % 4n === 1n ? power / k : -power / k;
    power /= n * n;
  }
  return sum;
}

let turn = 0n;
const number = new Float64Array(1);
const bits = new BigUint64Array(number.buffer);

/** x less whole turns, between -pi and pi; for finite x of size 1 and more. */
export function withoutWholeTurns(x: number): number {
  // Machin: pi = 16 atan(1/5) - 4 atan(1/239)
  if (turn === 0n) turn = 2n * (16n * arctangentOfInverse(5n) - 4n * arctangentOfInverse(239n));
  number[0] = Math.abs(x);
  const exponent = (bits[0] >> 52n) - 1075n;
  const mantissa = (bits[0] & ((1n << 52n) - 1n)) | (1n << 52n);
  let rest = (mantissa << (BITS + exponent)) % turn;
  if (2n * rest > turn) rest -= turn;
  const near = Number(rest >> SPARE) * 2 ** -Number(BITS - SPARE);
  return x < 0 ? -near : near;
}
