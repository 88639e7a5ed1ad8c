// Sweeps over the contacts of free bodies, one contact after the other: they find most of what opens, sticks and slides in a large
// pile, where Newton's method alone takes short steps because some contact far away does not agree. Only for islands that are nothing
// but bodies of their own in contact: there the answer of a contact is that of its two bodies.

import { invertBlock } from './blocks.js';
import {
  ANSWER_A,
  ANSWER_B,
  BLOCKS,
  C,
  CHANGE,
  COMPLIANCE,
  DOF,
  FACTORS,
  FREE,
  type f64,
  type i32,
  KIND,
  KIND_CONTACT,
  KIND_SPIN,
  LAMBDA,
  LINKS,
  MU,
  NODE_OF,
  OWN_ANSWER,
  PARENT,
  S_DIAGONAL,
  SIDE_A,
  SIDE_B,
  TREE_STRUCTURE,
  U,
  WORK,
  WRENCH_A,
  WRENCH_B,
} from './layout.js';

/** Answers of all contacts; 0 where the island is not made for sweeps. */
export function prepareSweeps(F: Float64Array, N: Int32Array): i32 {
  const blocks = N[BLOCKS];
  for (let i = 0; i < N[LINKS]; i++) if (N[N[FREE] + i] === 0 || N[N[PARENT] + i] >= 0) return 0;
  for (let b = 0; b < blocks; b++) if (N[N[KIND] + b] !== KIND_CONTACT && N[N[KIND] + b] < KIND_SPIN) return 0;
  for (let b = 0; b < blocks; b++) {
    if (N[N[KIND] + b] !== KIND_CONTACT) continue;
    const own = N[OWN_ANSWER] + 18 * b;
    for (let k = 0; k < 18; k++) F[own + k] = 0;
    addAnswer(F, N, N[N[SIDE_A] + b], N[WRENCH_A] + 18 * b, N[ANSWER_A] + 18 * b, own);
    addAnswer(F, N, N[N[SIDE_B] + b], N[WRENCH_B] + 18 * b, N[ANSWER_B] + 18 * b, own);
    F[own] += F[N[COMPLIANCE] + b];
    for (let k = 0; k < 9; k++) F[own + 9 + k] = F[own + k];
    if (invertBlock(F, own + 9, 3, N[WORK]) === 0) return 0;
  }
  return 1;
}

/** answer (6 x 3) <- I^-1 wrench of a body; own (3 x 3) += wrench^T answer. */
function addAnswer(F: Float64Array, N: Int32Array, link: i32, wrench: i32, answer: i32, own: i32): void {
  if (link < 0) return;
  const inverse = N[FACTORS] + N[N[N[TREE_STRUCTURE] + S_DIAGONAL] + N[N[NODE_OF] + link]];
  for (let r = 0; r < 6; r++)
    for (let c = 0; c < 3; c++) {
      let sum: f64 = 0;
      for (let k = 0; k < 6; k++) sum += F[inverse + 6 * r + k] * F[wrench + 3 * k + c];
      F[answer + 3 * r + c] = sum;
    }
  for (let r = 0; r < 3; r++)
    for (let c = 0; c < 3; c++) {
      let sum: f64 = 0;
      for (let k = 0; k < 6; k++) sum += F[wrench + 3 * k + r] * F[answer + 3 * k + c];
      F[own + 3 * r + c] += sum;
    }
}

/** Forth and back over all contacts, moments staying as they are, `times` times: LAMBDA, and CHANGE and U with it. */
export function sweepContacts(F: Float64Array, N: Int32Array, times: i32): void {
  const blocks = N[BLOCKS];
  for (let t = 0; t < times; t++) {
    for (let b = 0; b < blocks; b++) if (N[N[KIND] + b] === KIND_CONTACT) sweepContact(F, N, b);
    for (let b = blocks - 1; b >= 0; b--) if (N[N[KIND] + b] === KIND_CONTACT) sweepContact(F, N, b);
  }
  for (let b = 0; b < blocks; b++) contactMotion(F, N, b);
}

/** U of a contact. */
function contactMotion(F: Float64Array, N: Int32Array, b: i32): void {
  const u = N[U] + 3 * b;
  for (let k = 0; k < 3; k++) F[u + k] = F[N[C] + 3 * b + k];
  addMotion(F, N, N[N[SIDE_A] + b], N[WRENCH_A] + 18 * b, u, 1);
  addMotion(F, N, N[N[SIDE_B] + b], N[WRENCH_B] + 18 * b, u, -1);
  F[u] += F[N[COMPLIANCE] + b] * F[N[LAMBDA] + 3 * b];
}

function addMotion(F: Float64Array, N: Int32Array, link: i32, wrench: i32, u: i32, sign: f64): void {
  if (link < 0) return;
  const v = N[CHANGE] + N[N[DOF] + link];
  let a: f64 = 0;
  let b: f64 = 0;
  let c: f64 = 0;
  for (let r = 0; r < 6; r++) {
    const x = F[v + r];
    const w = wrench + 3 * r;
    a += F[w] * x;
    b += F[w + 1] * x;
    c += F[w + 2] * x;
  }
  F[u] += sign * a;
  F[u + 1] += sign * b;
  F[u + 2] += sign * c;
}

function addChange(F: Float64Array, N: Int32Array, link: i32, answer: i32, a: f64, b: f64, c: f64): void {
  if (link < 0) return;
  const v = N[CHANGE] + N[N[DOF] + link];
  for (let r = 0; r < 6; r++) {
    const w = answer + 3 * r;
    F[v + r] += F[w] * a + F[w + 1] * b + F[w + 2] * c;
  }
}

/** Sticks where it can; else its normal velocity is stopped, and then its slip as far as friction goes. */
function sweepContact(F: Float64Array, N: Int32Array, b: i32): void {
  const m = F[N[MU] + b];
  const l = N[LAMBDA] + 3 * b;
  const u = N[U] + 3 * b;
  const own = N[OWN_ANSWER] + 18 * b;
  const inverse = own + 9;
  contactMotion(F, N, b);
  const u0 = F[u];
  const u1 = F[u + 1];
  const u2 = F[u + 2];
  const l0 = F[l];
  const l1 = F[l + 1];
  const l2 = F[l + 2];
  let n0 = l0 - F[inverse] * u0 - F[inverse + 1] * u1 - F[inverse + 2] * u2;
  let n1 = l1 - F[inverse + 3] * u0 - F[inverse + 4] * u1 - F[inverse + 5] * u2;
  let n2 = l2 - F[inverse + 6] * u0 - F[inverse + 7] * u1 - F[inverse + 8] * u2;
  if (!(n1 * n1 + n2 * n2 <= m * m * n0 * n0) || !(n0 >= 0)) {
    n0 = Math.max(0, l0 - u0 / F[own]);
    const g = Math.max(F[own + 4], F[own + 8]) + Math.abs(F[own + 5]);
    n1 = l1 - (u1 + F[own + 3] * (n0 - l0)) / g;
    n2 = l2 - (u2 + F[own + 6] * (n0 - l0)) / g;
    const t = Math.sqrt(n1 * n1 + n2 * n2);
    if (t > m * n0) {
      n1 = n1 * ((m * n0) / t);
      n2 = n2 * ((m * n0) / t);
    }
  }
  F[l] = n0;
  F[l + 1] = n1;
  F[l + 2] = n2;
  addChange(F, N, N[N[SIDE_A] + b], N[ANSWER_A] + 18 * b, n0 - l0, n1 - l1, n2 - l2);
  addChange(F, N, N[N[SIDE_B] + b], N[ANSWER_B] + 18 * b, l0 - n0, l1 - n1, l2 - n2);
}
