// MuJoCo (its official WebAssembly package) as an independent engine to compare with: loads MJCF or URDF text, takes a
// State of ours, and gives accelerations, joint forces and the mass matrix back in our coordinates.

import type { MainModule, MjData, MjModel } from '@mujoco/mujoco';
import { formatMjcf } from '#src/formats/index.js';
import type { Joint, Mechanism } from '#src/mechanism/mechanism.js';
import type { State } from '#src/mechanism/state.js';
import {
  apply,
  type Mat3,
  multiply,
  quaternionFromRotation,
  rotationFromQuaternion,
  transpose,
  type Vec3,
} from '#src/spatial/matrix3.js';

let loaded: Promise<MainModule> | undefined;

/** Fails where the package is not installed: it is not among the dependencies. */
export function mujoco(): Promise<MainModule> {
  loaded ??= import('@mujoco/mujoco').then(({ default: load }) => load());
  return loaded;
}

const DISABLED = 1 | 2 | 4 | 8 | 16 | 32 | 64; // constraints, equality, friction, limits, contacts, springs, dampers

/** A joint of ours and where its coordinates are in MuJoCo's qpos and qvel. */
interface Slot {
  readonly joint: Joint;
  readonly qpos: number;
  readonly qvel: number;
  /** How a floating joint is kept there: as a free joint in world coordinates, or as three slides and a ball. */
  readonly floating: 'free' | 'slides' | undefined;
}

export class MujocoModel {
  readonly #module: MainModule;
  readonly #model: MjModel;
  readonly #data: MjData;
  readonly #mechanism: Mechanism;
  readonly #slots: Slot[];
  readonly nv: number;

  private constructor(module: MainModule, model: MjModel, mechanism: Mechanism, slots: Slot[]) {
    this.#module = module;
    this.#model = model;
    this.#data = new module.MjData(model);
    this.#mechanism = mechanism;
    this.#slots = slots;
    this.nv = model.nv;
    model.opt.disableflags = DISABLED;
  }

  /** The mechanism written out as MJCF. Helical joints have no counterpart there. */
  static async fromMechanism(mechanism: Mechanism): Promise<MujocoModel> {
    const module = await mujoco();
    return MujocoModel.#wrap(module, module.MjModel.from_xml_string(formatMjcf(mechanism)), mechanism);
  }

  /** A URDF text read by MuJoCo's own importer; `mechanism` is what our importer made of the same text. */
  static async fromUrdf(text: string, mechanism: Mechanism): Promise<MujocoModel> {
    const module = await mujoco();
    return MujocoModel.#wrap(module, module.MjModel.from_xml_string(text), mechanism);
  }

  static #wrap(module: MainModule, model: MjModel, mechanism: Mechanism): MujocoModel {
    const JOINT = module.mjtObj.mjOBJ_JOINT.value;
    const slots: Slot[] = [];
    for (const joint of mechanism.joints) {
      if (joint.model.nv === 0) continue;
      let id = module.mj_name2id(model, JOINT, joint.name);
      const pieces = id < 0;
      if (pieces) id = module.mj_name2id(model, JOINT, `${joint.name}:0`);
      if (id < 0) throw new Error(`MuJoCo has no joint ${joint.name}`);
      slots.push({
        joint,
        qpos: model.jnt_qposadr[id],
        qvel: model.jnt_dofadr[id],
        floating: joint.type === 'floating' ? (pieces ? 'slides' : 'free') : undefined,
      });
    }
    return new MujocoModel(module, model, mechanism, slots);
  }

  delete(): void {
    this.#data.delete();
    this.#model.delete();
  }

  /** R: child to tree coordinates of a floating joint, and to world coordinates for a free one. */
  #rotation({ joint, floating }: Slot, q: Float64Array): Mat3 {
    const { iq } = joint;
    const R = rotationFromQuaternion([q[iq], q[iq + 1], q[iq + 2], q[iq + 3]]);
    return floating === 'free' ? multiply(transpose(joint.E), R) : R;
  }

  #setState({ q, v }: State): void {
    const { qpos, qvel } = this.#data;
    for (const slot of this.#slots) {
      const { joint, floating } = slot;
      const { iq, iv, model } = joint;
      if (floating === undefined) {
        for (let k = 0; k < model.nq; k++) qpos[slot.qpos + k] = q[iq + k];
        for (let k = 0; k < model.nv; k++) qvel[slot.qvel + k] = v[iv + k];
        continue;
      }
      const R = this.#rotation(slot, q);
      let p: Vec3 = [q[iq + 4], q[iq + 5], q[iq + 6]];
      if (floating === 'free') p = apply(transpose(joint.E), p).map((x, k) => x + joint.t[k]) as unknown as Vec3;
      const linear = apply(R, [v[iv + 3], v[iv + 4], v[iv + 5]]);
      qpos.set([...p, ...quaternionFromRotation(R)], slot.qpos);
      qvel.set([...linear, v[iv], v[iv + 1], v[iv + 2]], slot.qvel);
    }
  }

  /** T with (MuJoCo's velocities) = T (ours), and the rest of the accelerations: qacc = T qdd + rest. */
  #velocityMap({ q, v }: State): { T: Float64Array; rest: Float64Array } {
    const n = this.nv;
    const T = new Float64Array(n * n);
    const rest = new Float64Array(n);
    for (const slot of this.#slots) {
      const { joint, qvel, floating } = slot;
      const { iv, model } = joint;
      if (floating === undefined) {
        for (let k = 0; k < model.nv; k++) T[(qvel + k) * n + iv + k] = 1;
        continue;
      }
      const R = this.#rotation(slot, q);
      for (let row = 0; row < 3; row++) {
        T[(qvel + 3 + row) * n + iv + row] = 1;
        for (let column = 0; column < 3; column++) T[(qvel + row) * n + iv + 3 + column] = R[3 * row + column];
      }
      const [wx, wy, wz, x, y, z] = v.subarray(iv, iv + 6);
      const turning = apply(R, [wy * z - wz * y, wz * x - wx * z, wx * y - wy * x]);
      rest.set(turning, qvel);
    }
    return { T, rest };
  }

  /** Accelerations under tau. */
  forward(state: State, tau: Float64Array): Float64Array {
    const { T, rest } = this.#velocityMap(state);
    this.#setState(state);
    // T is orthogonal, so its inverse is its transpose, and forces map as velocities do.
    this.#data.qfrc_applied.set(times(T, this.nv, tau, false));
    this.#module.mj_forward(this.#model, this.#data);
    const qacc = Float64Array.from(this.#data.qacc as Float64Array, (x, k) => x - rest[k]);
    return times(T, this.nv, qacc, true);
  }

  /**
   * Calls for timing, in the state of the last `forward`: all of it, and the stages that forward dynamics without
   * constraints is made of.
   */
  calls(): { readonly whole: () => void; readonly stages: () => void } {
    const module = this.#module;
    const model = this.#model;
    const data = this.#data;
    return {
      whole: () => module.mj_forward(model, data),
      stages: () => {
        module.mj_fwdPosition(model, data);
        module.mj_fwdVelocity(model, data);
        module.mj_fwdAcceleration(model, data);
      },
    };
  }

  /** Joint forces for the accelerations qdd. */
  inverse(state: State, qdd: Float64Array): Float64Array {
    const { T, rest } = this.#velocityMap(state);
    this.#setState(state);
    this.#data.qfrc_applied.fill(0);
    this.#data.qacc.set(times(T, this.nv, qdd, false).map((x, k) => x + rest[k]));
    this.#module.mj_inverse(this.#model, this.#data);
    return times(T, this.nv, Float64Array.from(this.#data.qfrc_inverse as Float64Array), true);
  }

  /** T^T M T, row major, in our order. */
  massMatrix(state: State): Float64Array {
    const n = this.nv;
    const { T } = this.#velocityMap(state);
    this.#setState(state);
    this.#data.qfrc_applied.fill(0);
    this.#module.mj_forward(this.#model, this.#data);
    const buffer = new this.#module.DoubleBuffer(n * n);
    this.#module.mj_fullM(this.#model, this.#data, buffer);
    const M = Float64Array.from(buffer.GetView() as Float64Array);
    buffer.delete();
    const out = new Float64Array(n * n);
    for (let column = 0; column < n; column++) {
      const unit = new Float64Array(n);
      unit[column] = 1;
      const result = times(T, n, times(M, n, times(T, n, unit, false), false), true);
      for (let row = 0; row < n; row++) out[row * n + column] = result[row];
    }
    return out;
  }

  get mechanism(): Mechanism {
    return this.#mechanism;
  }
}

function times(A: Float64Array, n: number, x: Float64Array, transposed: boolean): Float64Array {
  const y = new Float64Array(n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) y[i] += (transposed ? A[j * n + i] : A[i * n + j]) * x[j];
  return y;
}
