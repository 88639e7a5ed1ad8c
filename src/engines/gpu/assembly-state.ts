// States and results of one large mechanism, from the author's coordinates to those of its kernels (STATE of part-joints.ts)
// and back. The kernels' coordinates go along z; turned axes and planes are the host's business.

import { PARAMETERS, PITCH, SENSE } from '../../joints/index.js';
import type { State } from '../../mechanism/state.js';
import { ORIGIN, TRANSFORM } from '../../spatial/spatial.js';
import type { MovingLinks } from './moving-links.js';
import { STATE } from './part-joints.js';

/** Numbers of the results of a link. */
export const RESULTS = 6;

export function packState(out: Float32Array, links: MovingLinks, { q, v }: State, tau: Float64Array | undefined): void {
  const { n, type, iq, iv, parameters, X } = links;
  // One set of functions for all links: in the loop each would be made a million times.
  let [i, a, b, at] = [0, 0, 0, 0];
  const force = (k: number): number => (tau === undefined ? 0 : tau[b + k]);
  const put = (field: number, value: number): void => {
    out[field * n + i] = value;
  };
  const three = (field: number, x: number, y: number, z: number): void => {
    put(field, x);
    put(field + 1, y);
    put(field + 2, z);
  };
  /** Where the origin is, with x, y, z in the joint's tree frame. */
  const origin = (x: number, y: number, z: number): void => {
    for (let k = 0; k < 3; k++)
      put(STATE.origin + k, X[at + ORIGIN + k] + X[at + k] * x + X[at + 3 + k] * y + X[at + 6 + k] * z);
  };
  for (i = 0; i < n; i++) {
    a = iq[i];
    b = iv[i];
    at = TRANSFORM * i;
    const sense = parameters[PARAMETERS * i + SENSE];
    switch (type[i]) {
      case 'revolute':
      case 'prismatic':
      case 'helical': {
        put(STATE.q, sense * q[a]);
        put(STATE.v, sense * v[b]);
        put(STATE.tau, sense * force(0));
        const advance = type[i] === 'prismatic' ? 1 : type[i] === 'helical' ? parameters[PARAMETERS * i + PITCH] : 0;
        origin(0, 0, advance * sense * q[a]);
        break;
      }
      case 'cylindrical':
        put(STATE.q, sense * q[a]);
        put(STATE.v, sense * v[b]);
        put(STATE.tau, sense * force(0));
        put(STATE.more, sense * v[b + 1]);
        put(STATE.moreTau, sense * force(1));
        origin(0, 0, sense * q[a + 1]);
        break;
      case 'universal': {
        const [x, y, z] = parameters.subarray(PARAMETERS * i, PARAMETERS * (i + 1));
        // Rz(q0) Ru(q1) as a product of quaternions.
        const [c0, s0] = [Math.cos(q[a] / 2), Math.sin(q[a] / 2)];
        const [c1, s1] = [Math.cos(q[a + 1] / 2), Math.sin(q[a + 1] / 2)];
        put(STATE.q, c0 * c1 - s0 * s1 * z);
        three(STATE.q + 1, s1 * (c0 * x - s0 * y), s1 * (c0 * y + s0 * x), c0 * s1 * z + s0 * c1);
        // The first axis seen from the child: Ru^T z.
        const [c, s] = [Math.cos(q[a + 1]), Math.sin(q[a + 1])];
        const first = [(1 - c) * x * z - s * y, (1 - c) * y * z + s * x, c + (1 - c) * z * z] as const;
        three(STATE.more, ...first);
        three(STATE.moreTau, v[b], v[b + 1], 0);
        three(STATE.v, first[0] * v[b] + x * v[b + 1], first[1] * v[b] + y * v[b + 1], first[2] * v[b] + z * v[b + 1]);
        three(STATE.tau, force(0), force(1), 0);
        origin(0, 0, 0);
        break;
      }
      case 'planar': {
        // The kernels move it along the child's axes.
        const [c, s] = [Math.cos(q[a + 2]), Math.sin(q[a + 2])];
        put(STATE.q, q[a + 2]);
        put(STATE.v, v[b + 2]);
        put(STATE.tau, force(2));
        three(STATE.more, c * v[b] + s * v[b + 1], c * v[b + 1] - s * v[b], 0);
        three(STATE.moreTau, c * force(0) + s * force(1), c * force(1) - s * force(0), 0);
        origin(q[a], q[a + 1], 0);
        break;
      }
      case 'spherical':
      case 'floating': {
        const floats = type[i] === 'floating';
        for (let k = 0; k < 4; k++) put(STATE.q + k, q[a + k]);
        three(STATE.v, v[b], v[b + 1], v[b + 2]);
        three(STATE.tau, force(0), force(1), force(2));
        if (floats) {
          three(STATE.more, v[b + 3], v[b + 4], v[b + 5]);
          three(STATE.moreTau, force(3), force(4), force(5));
          origin(q[a + 4], q[a + 5], q[a + 6]);
        } else origin(0, 0, 0);
        break;
      }
    }
  }
}

/** Joint accelerations in the author's order. */
export function unpackAccelerations(result: Float32Array, links: MovingLinks, { q }: State): Float64Array {
  const { n, type, iq, iv, parameters, mechanism } = links;
  const qdd = new Float64Array(mechanism.nv);
  for (let i = 0; i < n; i++) {
    const b = iv[i];
    switch (type[i]) {
      case 'revolute':
      case 'prismatic':
      case 'helical':
        qdd[b] = parameters[PARAMETERS * i + SENSE] * result[i];
        break;
      case 'cylindrical':
        qdd[b] = parameters[PARAMETERS * i + SENSE] * result[i];
        qdd[b + 1] = parameters[PARAMETERS * i + SENSE] * result[n + i];
        break;
      case 'planar': {
        const angle = q[iq[i] + 2];
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        qdd[b] = c * result[i] - s * result[n + i];
        qdd[b + 1] = s * result[i] + c * result[n + i];
        qdd[b + 2] = result[2 * n + i];
        break;
      }
      default: {
        const dof = type[i] === 'universal' ? 2 : type[i] === 'spherical' ? 3 : 6;
        for (let k = 0; k < dof; k++) qdd[b + k] = result[k * n + i];
      }
    }
  }
  return qdd;
}
