// Functions of one coordinate by which OpenSim's joints move: value, slope and curvature.

/** out[0..2] <- f, f', f'' at x. */
export interface CoordinateFunction {
  evaluate(out: Float64Array, x: number): void;
  /** Its value where it does not depend on x. */
  readonly constant?: number;
  /** Its slope and value at zero where it is a straight line. */
  readonly line?: readonly [number, number];
}

export function constantFunction(value: number): CoordinateFunction {
  return {
    constant: value,
    evaluate: (out) => {
      out[0] = value;
      out[1] = out[2] = 0;
    },
  };
}

/** slope x + intercept. */
export function linearFunction(slope: number, intercept: number): CoordinateFunction {
  return {
    ...(slope === 0 ? { constant: intercept } : { line: [slope, intercept] as const }),
    evaluate: (out, x) => {
      out[0] = slope * x + intercept;
      out[1] = slope;
      out[2] = 0;
    },
  };
}

/** Coefficients of the highest power first. */
export function polynomialFunction(coefficients: readonly number[]): CoordinateFunction {
  return {
    ...(coefficients.length === 1 && { constant: coefficients[0] }),
    // Horner's scheme for the polynomial and its first two derivatives.
    evaluate: (out, x) => {
      let [f, f1, f2] = [0, 0, 0];
      for (const c of coefficients) {
        f2 = f2 * x + 2 * f1;
        f1 = f1 * x + f;
        f = f * x + c;
      }
      out[0] = f;
      out[1] = f1;
      out[2] = f2;
    },
  };
}

export function scaledFunction(scale: number, inner: CoordinateFunction): CoordinateFunction {
  return {
    ...(inner.constant !== undefined && { constant: scale * inner.constant }),
    ...(inner.line !== undefined && { line: [scale * inner.line[0], scale * inner.line[1]] as const }),
    evaluate: (out, x) => {
      inner.evaluate(out, x);
      out[0] *= scale;
      out[1] *= scale;
      out[2] *= scale;
    },
  };
}

/** Straight lines between the points, and on beyond the ends with the last slope. */
export function piecewiseLinearFunction(x: readonly number[], y: readonly number[]): CoordinateFunction {
  return {
    evaluate: (out, at) => {
      const k = intervalOf(x, at);
      const slope = (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
      out[0] = y[k] + slope * (at - x[k]);
      out[1] = slope;
      out[2] = 0;
    },
  };
}

/** What a cubic spline does at its ends: 'natural' has no curvature there; 'simm' see simmSpline. */
type EndCondition = 'natural' | 'simm';

/**
 * OpenSim's SimmSpline: the cubic spline of Forsythe, Malcolm and Moler ("Computer methods for mathematical
 * computations", 1977, chapter 4). Its third derivative at either end is that of the cubic through the four points next
 * to that end (three points: a parabola; two: a straight line). Beyond the ends it goes on straight.
 */
export function simmSpline(x: readonly number[], y: readonly number[]): CoordinateFunction {
  return cubicSpline(x, y, 'simm');
}

export function naturalCubicSpline(x: readonly number[], y: readonly number[]): CoordinateFunction {
  return cubicSpline(x, y, 'natural');
}

/**
 * Second derivatives M at the points make the slope continuous: with h_k = x_k+1 - x_k and s_k the slope of chord k,
 *   h_k-1 M_k-1 + 2 (h_k-1 + h_k) M_k + h_k M_k+1 = 6 (s_k - s_k-1),
 * and one condition at either end.
 */
function cubicSpline(x: readonly number[], y: readonly number[], ends: EndCondition): CoordinateFunction {
  const last = x.length - 1;
  const h = Array.from({ length: last }, (_, k) => x[k + 1] - x[k]);
  const chord = h.map((width, k) => (y[k + 1] - y[k]) / width);
  const below = new Float64Array(last + 1);
  const diagonal = new Float64Array(last + 1);
  const above = new Float64Array(last + 1);
  const M = new Float64Array(last + 1);
  for (let k = 1; k < last; k++) {
    below[k] = h[k - 1];
    diagonal[k] = 2 * (h[k - 1] + h[k]);
    above[k] = h[k];
    M[k] = 6 * (chord[k] - chord[k - 1]);
  }
  diagonal[0] = diagonal[last] = 1;
  if (ends === 'simm' && last >= 2) {
    // M_1 - M_0 = h_0 f''' with f''' = 6 times the third divided difference; likewise at the other end.
    const third = (k: number): number =>
      last < 3
        ? 0
        : (6 / (x[k + 3] - x[k])) *
          ((chord[k + 2] - chord[k + 1]) / (x[k + 3] - x[k + 1]) - (chord[k + 1] - chord[k]) / (x[k + 2] - x[k]));
    // Signs and factors that keep the elimination stable: multiplied by h, and negative on the diagonal.
    diagonal[0] = -h[0];
    above[0] = h[0];
    M[0] = h[0] * h[0] * third(0);
    diagonal[last] = -h[last - 1];
    below[last] = h[last - 1];
    M[last] = -h[last - 1] * h[last - 1] * third(last - 3);
  }
  for (let k = 1; k <= last; k++) {
    const factor = below[k] / diagonal[k - 1];
    diagonal[k] -= factor * above[k - 1];
    M[k] -= factor * M[k - 1];
  }
  M[last] /= diagonal[last];
  for (let k = last - 1; k >= 0; k--) M[k] = (M[k] - above[k] * M[k + 1]) / diagonal[k];
  /** Slope at point k, seen from the interval to its right; at the last point, from its left. */
  const slopeAt = (k: number): number =>
    k < last
      ? chord[k] - (h[k] * (2 * M[k] + M[k + 1])) / 6
      : chord[last - 1] + (h[last - 1] * (M[last - 1] + 2 * M[last])) / 6;
  const slopes = x.map((_, k) => slopeAt(k));
  return {
    evaluate: (out, at) => {
      if (at < x[0] || at > x[last]) {
        const end = at < x[0] ? 0 : last;
        out[0] = y[end] + slopes[end] * (at - x[end]);
        out[1] = slopes[end];
        out[2] = 0;
        return;
      }
      const k = intervalOf(x, at);
      const t = at - x[k];
      const third = (M[k + 1] - M[k]) / h[k];
      out[0] = y[k] + t * (slopes[k] + t * (M[k] / 2 + (t * third) / 6));
      out[1] = slopes[k] + t * (M[k] + (t * third) / 2);
      out[2] = M[k] + t * third;
    },
  };
}

/** The interval that holds x, or the one next to it. */
function intervalOf(x: readonly number[], at: number): number {
  let low = 0;
  let high = x.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle] <= at) low = middle;
    else high = middle;
  }
  return low;
}
