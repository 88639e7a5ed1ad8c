// An MJCF text read by MuJoCo's own compiler, to compare with what our reader makes of it.

import type { MjData, MjModel } from '@mujoco/mujoco';
import { mujoco } from '../../bench/mujoco.js';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import type { MjcfModel } from '../../src/formats/mjcf.js';
import type { ModelFiles } from '../../src/formats/model-files.js';
import { Mechanism } from '../../src/mechanism/mechanism.js';
import { State } from '../../src/mechanism/state.js';
import { apply, type Mat3, multiply, rotationFromQuaternion, transpose } from '../../src/spatial/matrix3.js';
import { randomVector, relativeError } from './random-mechanism.js';

/** Files by their paths below the root. */
export type FileSet = ReadonlyMap<string, Uint8Array>;

export function modelFiles(files: FileSet): ModelFiles {
  return { read: (path) => files.get(path) };
}

type Module = Awaited<ReturnType<typeof mujoco>>;

/** Constraints, limits, contacts, springs, dampers and actuators off; gravity stays. */
const SMOOTH = 1 | 2 | 4 | 8 | 16 | 32 | 64;
const ACTUATION = 1 << 11;

export class MujocoMjcf {
  readonly module: Module;
  readonly model: MjModel;
  readonly data: MjData;

  private constructor(module: Module, model: MjModel) {
    this.module = module;
    this.model = model;
    this.data = new module.MjData(model);
  }

  static async load(text: string, files: FileSet = new Map()): Promise<MujocoMjcf> {
    const module = await mujoco();
    const vfs = new module.MjVFS();
    for (const [path, bytes] of files) vfs.addBuffer(path, bytes);
    try {
      const model = module.MjModel.from_xml_string(text, vfs);
      return new MujocoMjcf(module, model);
    } finally {
      vfs.delete();
    }
  }

  delete(): void {
    this.data.delete();
    this.model.delete();
  }

  /** Where each moving joint of ours has its numbers there, in the order of MuJoCo's joints. */
  slots(
    model: MjcfModel,
  ): { iq: number; iv: number; qpos: number; qvel: number; type: string; nq: number; nv: number }[] {
    const { mechanism } = model;
    return model.joints.map((name, k) => {
      const { iq, iv, type, model: kind } = mechanism.joint(name);
      const { nq, nv } = kind;
      return { iq, iv, type, nq, nv, qpos: this.model.jnt_qposadr[k], qvel: this.model.jnt_dofadr[k] };
    });
  }

  setState(model: MjcfModel, { q, v }: State): void {
    const { qpos, qvel } = this.data;
    for (const slot of this.slots(model)) {
      if (slot.type !== 'floating') {
        for (let k = 0; k < slot.nq; k++) qpos[slot.qpos + k] = q[slot.iq + k];
        for (let k = 0; k < slot.nv; k++) qvel[slot.qvel + k] = v[slot.iv + k];
        continue;
      }
      const R = rotationAt(q, slot.iq);
      const linear = apply(R, [v[slot.iv + 3], v[slot.iv + 4], v[slot.iv + 5]]);
      qpos.set([...q.subarray(slot.iq + 4, slot.iq + 7), ...q.subarray(slot.iq, slot.iq + 4)], slot.qpos);
      qvel.set([...linear, ...v.subarray(slot.iv, slot.iv + 3)], slot.qvel);
    }
  }

  /** T with (MuJoCo's velocities) = T (ours), row major, and what accelerations have besides. */
  velocityMap(model: MjcfModel, { q, v }: State): { T: Float64Array; rest: Float64Array } {
    const n = this.model.nv;
    const T = new Float64Array(n * n);
    const rest = new Float64Array(n);
    for (const { iq, iv, qvel, type, nv } of this.slots(model)) {
      if (type !== 'floating') {
        for (let k = 0; k < nv; k++) T[(qvel + k) * n + iv + k] = 1;
        continue;
      }
      const R = rotationAt(q, iq);
      for (let row = 0; row < 3; row++) {
        T[(qvel + 3 + row) * n + iv + row] = 1;
        for (let column = 0; column < 3; column++) T[(qvel + row) * n + iv + 3 + column] = R[3 * row + column];
      }
      const [wx, wy, wz, x, y, z] = v.subarray(iv, iv + 6);
      rest.set(apply(R, [wy * z - wz * y, wz * x - wx * z, wx * y - wy * x]), qvel);
    }
    return { T, rest };
  }

  /** Accelerations, bias forces and mass matrix without constraints and passive forces, in our coordinates. */
  smooth(
    model: MjcfModel,
    state: State,
    tau: Float64Array,
  ): { qdd: Float64Array; bias: Float64Array; H: Float64Array } {
    const n = this.model.nv;
    this.model.opt.disableflags = SMOOTH | ACTUATION;
    const { T, rest } = this.velocityMap(model, state);
    this.setState(model, state);
    this.data.qfrc_applied.set(times(T, n, tau, false));
    this.module.mj_forward(this.model, this.data);
    const qacc = Float64Array.from(this.data.qacc as Float64Array, (x, k) => x - rest[k]);
    const buffer = new this.module.DoubleBuffer(n * n);
    this.module.mj_fullM(this.model, this.data, buffer);
    const M = Float64Array.from(buffer.GetView() as Float64Array);
    buffer.delete();
    const H = new Float64Array(n * n);
    for (let column = 0; column < n; column++) {
      const unit = new Float64Array(n);
      unit[column] = 1;
      const result = times(T, n, times(M, n, times(T, n, unit, false), false), true);
      for (let row = 0; row < n; row++) H[row * n + column] = result[row];
    }
    const moved = times(M, n, rest, false);
    const force = Float64Array.from(this.data.qfrc_bias as Float64Array, (x, k) => x + moved[k]);
    return { qdd: times(T, n, qacc, true), bias: times(T, n, force, true), H };
  }
}

function rotationAt(q: Float64Array, iq: number): Mat3 {
  return rotationFromQuaternion([q[iq], q[iq + 1], q[iq + 2], q[iq + 3]]);
}

export function times(A: Float64Array, n: number, x: Float64Array, transposed: boolean): Float64Array {
  const y = new Float64Array(n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) y[i] += (transposed ? A[j * n + i] : A[i * n + j]) * x[j];
  return y;
}

/** The tree alone: without loops and couplings, as MuJoCo's smooth dynamics has it. */
export function treeOf(mechanism: Mechanism): Mechanism {
  return new Mechanism({ ...mechanism, loops: [], couplings: [] });
}

/** Largest relative differences, of sizes and of dynamics over some random states; sizes that differ throw. */
export function differences(theirs: MujocoMjcf, ours: MjcfModel, states = 2): Map<string, number> {
  const worst = new Map<string, number>();
  const note = (what: string, error: number): void => {
    worst.set(what, Math.max(worst.get(what) ?? 0, error));
  };
  const { model } = theirs;
  const mechanism = treeOf(ours.mechanism);
  const sizes = { nbody: ours.bodies.length, njnt: ours.joints.length, nq: mechanism.nq, nv: mechanism.nv };
  for (const [name, size] of Object.entries(sizes)) {
    const there = (model as unknown as Record<string, number>)[name];
    if (there !== size) throw new Error(`${name}: ${size} here, ${there} in MuJoCo`);
  }
  ours.bodies.forEach((name, k) => {
    if (name === null) return;
    const body = mechanism.body(name);
    const at = (array: unknown, count: number): number[] => [
      ...(array as Float64Array).subarray(count * k, count * (k + 1)),
    ];
    const R = rotationFromQuaternion(at(model.body_iquat, 4) as unknown as [number, number, number, number]);
    const [x, y, z] = at(model.body_inertia, 3);
    const I = multiply(multiply(R, [x, 0, 0, 0, y, 0, 0, 0, z]), transpose(R));
    // MuJoCo turns to principal axes until products of inertia are below 1e-12, m^5 for a mesh, and stops there.
    const slack = 3e-12;
    note('mass', Math.abs(body.mass - model.body_mass[k]) / Math.max(1e-12, model.body_mass[k]));
    if (body.mass > 0)
      note('com', Math.max(...at(model.body_ipos, 3).map((value, c) => Math.abs(value - body.com[c]))));
    if (body.mass > 0) {
      const off = Math.max(...I.map((value, c) => Math.abs(value - body.inertia[c])));
      note('inertia', Math.max(0, off - slack) / Math.max(x, y, z));
    }
  });
  const qpos0 = new Float64Array(mechanism.nq);
  for (const slot of theirs.slots(ours)) {
    const values = [...(model.qpos0 as Float64Array).subarray(slot.qpos, slot.qpos + slot.nq)];
    qpos0.set(slot.type === 'floating' ? [...values.slice(3), ...values.slice(0, 3)] : values, slot.iq);
  }
  for (const slot of theirs.slots(ours))
    if (slot.type === 'floating' && qpos0[slot.iq] < 0) for (let k = 0; k < 4; k++) qpos0[slot.iq + k] *= -1;
  note('qpos0', Math.max(0, ...qpos0.map((value, k) => Math.abs(value - ours.state.q[k]))));
  ours.joints.forEach((name, k) => {
    const joint = mechanism.joint(name);
    const dof = model.jnt_dofadr[k];
    note('damping', Math.abs(joint.damping - model.dof_damping[dof]) / Math.max(1, joint.damping));
    note('armature', Math.abs(joint.armature - model.dof_armature[dof]));
    note('friction', Math.abs(joint.friction - model.dof_frictionloss[dof]));
    if (joint.model.nv !== 1) return;
    note('stiffness', Math.abs(joint.stiffness - model.jnt_stiffness[k]) / Math.max(1, joint.stiffness));
    note('rest', Math.abs(joint.rest - model.qpos_spring[model.jnt_qposadr[k]]));
    // Whether a range is in force cannot be read there: those of ours must be the same.
    const { lower, upper } = joint.limits;
    if (lower !== undefined) note('lower', Math.abs(lower - model.jnt_range[2 * k]));
    if (upper !== undefined) note('upper', Math.abs(upper - model.jnt_range[2 * k + 1]));
  });
  if (ours.actuators.length !== model.nu) throw new Error(`nu: ${ours.actuators.length} here, ${model.nu} in MuJoCo`);
  ours.actuators.forEach(({ gain, bias, dynamics: law, gear, controlRange, forceRange }, k) => {
    const compare = (what: string, here: readonly number[], there: unknown, count: number): void => {
      for (let c = 0; c < Math.min(count, here.length); c++) {
        const value = (there as Float64Array)[count * k + c];
        note(what, Math.abs(here[c] - value) / Math.max(1, Math.abs(value)));
      }
    };
    compare('gear', gear, model.actuator_gear, 6);
    compare('gainprm', gain.parameters, model.actuator_gainprm, model.actuator_gainprm.length / model.nu);
    if (bias.kind !== 'none')
      compare('biasprm', bias.parameters, model.actuator_biasprm, model.actuator_biasprm.length / model.nu);
    compare('dynprm', law.parameters, model.actuator_dynprm, model.actuator_dynprm.length / model.nu);
    compare('ctrlrange', controlRange ?? [], model.actuator_ctrlrange, 2);
    compare('forcerange', forceRange ?? [], model.actuator_forcerange, 2);
  });
  if (mechanism.nv === 0) return worst;
  const dynamics = new PlainDynamics(mechanism);
  for (let seed = 1; seed <= states; seed++) {
    const state = State.random(mechanism, seed);
    const tau = randomVector(seed + 100, mechanism.nv, 5);
    const there = theirs.smooth(ours, state, tau);
    note('qdd', relativeError(dynamics.forward(state, tau), there.qdd));
    note('bias', relativeError(dynamics.inverse(state, new Float64Array(mechanism.nv)), there.bias));
    note('H', relativeError(dynamics.massMatrix(state).H, there.H));
  }
  return worst;
}
