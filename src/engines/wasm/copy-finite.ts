/** Copies, and tells whether all numbers are finite. */
export function copyFinite(to: Float64Array, from: Float64Array): boolean {
  to.set(from);
  let sum = 0;
  let other = 0;
  const even = to.length & -2;
  // Products with zero: zero again, or not a number for what is not finite.
  for (let k = 0; k < even; k += 2) {
    sum += to[k] * 0;
    other += to[k + 1] * 0;
  }
  if (even < to.length) sum += to[even] * 0;
  return sum + other === 0;
}
