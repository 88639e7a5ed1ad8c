/** Whether all numbers are finite: zero times a number is zero, unless it is not. Four sums, since each waits for itself. */
export function allFinite(numbers: Float64Array): boolean {
  const n = numbers.length;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let k = 0;
  for (; k + 3 < n; k += 4) {
    a += numbers[k] * 0;
    b += numbers[k + 1] * 0;
    c += numbers[k + 2] * 0;
    d += numbers[k + 3] * 0;
  }
  for (; k < n; k++) a += numbers[k] * 0;
  return a + b + c + d === 0;
}
