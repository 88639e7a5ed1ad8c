// Kernels for the motions of the links of one large mechanism: their orientations and angular velocities in world axes,
// from those relative to the parents, every time relative to an ancestor further up.

import type { MovingType } from './moving-links.js';
import { NONE } from './part-layout.js';

/** How a joint turns its child: about z, not at all, or by a quaternion (START). */
export const turnOf = (type: MovingType): 0 | 1 | 2 =>
  type === 'prismatic' ? 1 : type === 'universal' || type === 'spherical' || type === 'floating' ? 2 : 0;

/** Bodies whose motions are put together in the memory of one workgroup at the start. */
export const BLOCK = 256;

/**
 * Orientation and angular velocity of every link in its parent's axes, and then, within blocks of links, in the axes of
 * its first ancestor outside the block: log2 of the block's size times twice as far.
 */
export const START = `var<workgroup> orientations: array<vec4f, ${BLOCK}>;
var<workgroup> velocities: array<vec3f, ${BLOCK}>;
var<workgroup> ancestors: array<u32, ${BLOCK}>;
@compute @workgroup_size(${BLOCK}) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u) {
let n = p.n; let i = min(id.x, n - 1u); let t = local.x; let first = id.x - t;
let c = vec4f(constants[i], constants[n + i], constants[2u * n + i], constants[3u * n + i]);
let q0 = given[i]; let kind = ops[p.ops + n + i]; var turned = vec4f(1.0, 0.0, 0.0, 0.0);
let v = vec3f(given[4u * n + i], given[5u * n + i], given[6u * n + i]); var w = vec3f(0.0);
if (kind == 0u) { let s = sincos(0.5 * q0); turned = vec4f(s.y, 0.0, 0.0, s.x); w = vec3f(0.0, 0.0, v.x); }
if (kind == 2u) { turned = vec4f(q0, given[n + i], given[2u * n + i], given[3u * n + i]); turned = turned * inverseSqrt(dot(turned, turned)); w = v; }
var r = times(c, turned); w = turn(r, w); var a = ops[p.ops + i];
for (var k = 0u; k < ${Math.log2(BLOCK)}u; k++) {
orientations[t] = r; velocities[t] = w; ancestors[t] = a;
workgroupBarrier();
if (a != ${NONE}u && a >= first) { let b = orientations[a - first]; w = velocities[a - first] + turn(b, w); r = times(b, r); a = ancestors[a - first]; }
workgroupBarrier();
}
r = r * inverseSqrt(dot(r, r));
if (id.x >= n) { return; }
motion[i] = u(r.x); motion[n + i] = u(r.y); motion[2u * n + i] = u(r.z); motion[3u * n + i] = u(r.w);
motion[4u * n + i] = u(w.x); motion[5u * n + i] = u(w.y); motion[6u * n + i] = u(w.z); motion[7u * n + i] = a;
}
`;

/** From relative to an ancestor to relative to that one's ancestors: three at a time, so four times as far each time. */
export const JUMP = `var r = vec4f(f(motion[i]), f(motion[n + i]), f(motion[2u * n + i]), f(motion[3u * n + i]));
var w = vec3f(f(motion[4u * n + i]), f(motion[5u * n + i]), f(motion[6u * n + i])); var a = motion[7u * n + i];
for (var k = 0u; k < 3u; k++) { if (a == ${NONE}u) { break; }
let b = vec4f(f(motion[a]), f(motion[n + a]), f(motion[2u * n + a]), f(motion[3u * n + a]));
w = vec3f(f(motion[4u * n + a]), f(motion[5u * n + a]), f(motion[6u * n + a])) + turn(b, w); r = times(b, r); a = motion[7u * n + a]; }
r = r * inverseSqrt(dot(r, r));
other[i] = u(r.x); other[n + i] = u(r.y); other[2u * n + i] = u(r.z); other[3u * n + i] = u(r.w);
other[4u * n + i] = u(w.x); other[5u * n + i] = u(w.y); other[6u * n + i] = u(w.z); other[7u * n + i] = a;
}
`;
