// Captured motions of other people: loaded, carried by their feet, in balance with their weight.

import { describe, expect, it } from 'vitest';
import { PlainDynamics } from '../../src/engines/plain/plain-dynamics.js';
import { parseBvh } from '../../src/formats/bvh.js';
import { parseExternalLoads } from '../../src/formats/external-loads.js';
import { parseOsim } from '../../src/formats/osim.js';
import { parseStorage } from '../../src/formats/storage.js';
import { State } from '../../src/mechanism/state.js';
import { figureFromBvh } from '../../src/motion/bvh-figure.js';
import { CoordinateModel, coordinateMotion } from '../../src/motion/coordinate-motion.js';
import { inverseOfMotion, type MotionForces } from '../../src/motion/inverse.js';
import { AppliedLoads } from '../../src/motion/loads.js';
import { feetByName } from '../../src/motion/support.js';
import { derivatives, differentiated, smoothed, type Trajectory } from '../../src/motion/trajectory.js';
import { addToBody, movedTo, type Wrench } from '../../src/motion/wrench.js';
import { relativeError } from '../support/random-mechanism.js';
import { hasShared, listShared, readShared } from '../support/shared.js';

/** The unit of the CMU database: 1 / 0.45 inches. */
const CMU_UNIT = 0.0254 / 0.45;

function stateOf({ mechanism, q, v }: Trajectory, frame: number): State {
  const { nq, nv } = mechanism;
  const state = new State(mechanism);
  state.q.set(q.subarray(frame * nq, (frame + 1) * nq));
  state.v.set(v.subarray(frame * nv, (frame + 1) * nv));
  return state;
}

/** Forces of the feet on the bodies in a frame. */
function externalOf({ mechanism, frames, poses }: MotionForces, frame: number): Float64Array {
  const external = new Float64Array(6 * mechanism.bodies.length);
  for (const { body, point, ...wrench } of frames[frame].feet) {
    const b = mechanism.bodyIndex(body);
    addToBody(external, 6 * b, poses[frame], b, movedTo(wrench as Wrench, point, [0, 0, 0]));
  }
  return external;
}

/** tau . v and the power of the feet's forces: what the energy must grow by. */
function powers(trajectory: Trajectory, result: MotionForces): { joints: number[]; feet: number[]; energy: number[] } {
  const { mechanism, count } = trajectory;
  const dynamics = new PlainDynamics(mechanism);
  const [joints, feet, energy]: number[][] = [[], [], []];
  for (let frame = 0; frame < count; frame++) {
    const state = stateOf(trajectory, frame);
    const velocities = dynamics.velocities(state);
    joints.push(result.frames[frame].tau.reduce((sum, tau, k) => sum + tau * state.v[k], 0));
    feet.push(externalOf(result, frame).reduce((sum, force, k) => sum + force * velocities[k], 0));
    const { kinetic, potential } = dynamics.energy(state);
    energy.push(kinetic + potential);
  }
  return { joints, feet, energy };
}

/** Root mean square of what is missing in the balance of power, as a share of the power of the joints. */
function imbalance(trajectory: Trajectory, result: MotionForces): number {
  const { joints, feet, energy } = powers(trajectory, result);
  const { first: rate } = derivatives(Float64Array.from(energy), 1, energy.length, trajectory.interval);
  let [missing, all] = [0, 0];
  for (let k = 5; k < energy.length - 5; k++) {
    missing += (joints[k] + feet[k] - rate[k]) ** 2;
    all += joints[k] ** 2 + feet[k] ** 2;
  }
  return Math.sqrt(missing / all);
}

/** Inverse, then forward: the accelerations that we began with. */
function expectForwardToAgree(trajectory: Trajectory, result: MotionForces): void {
  const { mechanism, count, qdd } = trajectory;
  const { nv } = mechanism;
  const dynamics = new PlainDynamics(mechanism);
  for (let frame = 0; frame < count; frame += 13) {
    const got = dynamics.forward(stateOf(trajectory, frame), result.frames[frame].tau, {
      external: externalOf(result, frame),
    });
    expect(relativeError(got, qdd.subarray(frame * nv, (frame + 1) * nv))).toBeLessThan(1e-6);
  }
}

describe.skipIf(!hasShared('data/bvh')).each(listShared('data/bvh', '.bvh'))('%s', (file) => {
  const motion = hasShared('data/bvh') ? parseBvh(readShared(`data/bvh/${file}`), { file }) : undefined!;
  const running = file.startsWith('09');

  describe.each([undefined, CMU_UNIT])('at a scale of %s', (scale) => {
    const figure = figureFromBvh(motion, scale === undefined ? {} : { scale });
    const trajectory = differentiated(smoothed(figure.positions, 6));
    const result = inverseOfMotion(trajectory, {
      feet: figure.feet,
      height: figure.size.height,
      doubleSupport: 'split',
    });

    it('loads: every bone recognised, the reference pose left out', () => {
      expect(figure.positions.mechanism.bodies).toHaveLength(31);
      expect(figure.coordinates).toHaveLength(96);
      expect(figure.warnings.map(({ code }) => code)).toEqual([
        ...(scale === undefined ? ['unit'] : []),
        'reference-pose',
      ]);
      expect(result.mass).toBeCloseTo(73, 9);
      expect(figure.size.height).toBeGreaterThan(1.6);
      expect(figure.size.height).toBeLessThan(1.8);
    });

    it('steps from foot to foot', () => {
      const kinds = result.supports.map(({ kind }) => kind).filter((kind, k, all) => kind !== all[k - 1]);
      const other = running ? 'none' : 'double';
      // Left, other, right, other, ...: steps with flights between them, or with both feet down.
      kinds.forEach((kind, k) => {
        if (k > 0) expect(kind === other).toBe(kinds[k - 1] !== other);
        if (k > 1 && kind !== other) expect(kind).not.toBe(kinds[k - 2]);
      });
      expect(kinds.length).toBeGreaterThanOrEqual(7);
      expect(new Set(kinds)).toEqual(new Set(['left', 'right', other]));
    });

    it('the ground carries the weight over whole strides, to 2 %', () => {
      const { strides } = result;
      console.log(
        `${file}: stride ${strides!.duration.toFixed(3)} s, mean vertical force ${(100 * strides!.mean).toFixed(2)} % of the weight`,
      );
      expect(strides!.duration).toBeCloseTo(running ? 0.733 : 1.083, 2);
      expect(Math.abs(strides!.mean - 1)).toBeLessThan(0.02);
    });

    it('nothing is left at the root while a foot is down; in flight little', () => {
      for (const { support, residual } of result.frames) {
        const share = Math.hypot(...residual.force) / result.weight;
        expect(share).toBeLessThan(support === 'none' ? 0.35 : 1e-10);
      }
    });

    it('power is in balance, and forward dynamics gives the motion back', () => {
      expect(imbalance(trajectory, result)).toBeLessThan(running ? 0.02 : 0.01);
      expectForwardToAgree(trajectory, result);
    });

    it('in single support the ground presses under the foot', () => {
      let [near, all] = [0, 0];
      result.frames.forEach(({ support, centreOfPressure, point }, k) => {
        if (support === 'double' || support === 'none' || k < 12 || k > trajectory.count - 12) return;
        all++;
        if (Math.hypot(centreOfPressure![0] - point[0], centreOfPressure![2] - point[2]) < 0.2) near++;
      });
      // The filter smears the short steps of a run.
      expect(near / all).toBeGreaterThan(running ? 0.7 : 0.9);
    });
  });
});

const FOLDER = 'data/opensim';
describe.skipIf(!hasShared(FOLDER))('the OpenSim walking trial', () => {
  const there = hasShared(FOLDER);
  const parsed = there ? parseOsim(readShared(`${FOLDER}/subject01.osim`)) : undefined!;
  const model = there ? CoordinateModel.ofOsim(parsed) : undefined!;
  const table = there ? parseStorage(readShared(`${FOLDER}/subject01_walk_IK.mot`)) : undefined!;
  const { motion } = there ? coordinateMotion(table, model.coordinates, 6) : { motion: undefined! };
  const trajectory = there ? model.trajectory(motion) : undefined!;
  const loads = there
    ? new AppliedLoads(
        parseExternalLoads(readShared(`${FOLDER}/subject01_walk_grf.xml`)),
        parseStorage(readShared(`${FOLDER}/subject01_walk_grf.mot`)),
        parsed.mechanism,
      )
    : undefined!;
  const feet = there ? feetByName(parsed.mechanism) : [];
  const measured = there ? inverseOfMotion(trajectory, { feet, loads }) : undefined!;
  const forces = (result: MotionForces): number[][] =>
    result.frames.map(({ tau }, frame) => {
      const out = new Float64Array(10);
      model.generalised(out, motion.s, 10 * frame, tau);
      return [...out];
    });

  it('has ten coordinates, in the order of the motion', () => {
    expect(model.coordinates.map(({ name }) => name)).toEqual(table.labels.slice(1));
    expect(model.coordinates.filter(({ rotational }) => !rotational).map(({ name }) => name)).toEqual([
      'pelvis_tx',
      'pelvis_ty',
    ]);
    expect(parsed.mechanism.warnings.map(({ code }) => code)).toEqual(['forces']);
  });

  it('gives ten forces for every row of the motion', () => {
    const rows = forces(measured);
    expect(rows).toHaveLength(table.rowCount);
    expect(rows.flat().every(Number.isFinite)).toBe(true);
    // What walking takes: ankles push with a hundred newton metres and more, knees and hips with some fifty.
    const largest = (c: number): number => Math.max(...rows.slice(10, -10).map((row) => Math.abs(row[c])));
    const column = (name: string): number => model.coordinates.findIndex((coordinate) => coordinate.name === name);
    for (const side of ['r', 'l']) {
      expect(largest(column(`ankle_angle_${side}`))).toBeGreaterThan(80);
      expect(largest(column(`ankle_angle_${side}`))).toBeLessThan(160);
      expect(largest(column(`knee_angle_${side}`))).toBeLessThan(90);
      expect(largest(column(`hip_flexion_${side}`))).toBeLessThan(90);
    }
  });

  it('motion and force plates agree: little is left at the pelvis', () => {
    const rows = forces(measured).slice(6, -6);
    const rms = (c: number): number => Math.sqrt(rows.reduce((sum, row) => sum + row[c] ** 2, 0) / rows.length);
    const [tilt, tx, ty] = [rms(0), rms(1), rms(2)];
    console.log(
      `left at the pelvis: ${tilt.toFixed(1)} N m, ${tx.toFixed(1)} N level, ${ty.toFixed(1)} N vertical (rms)`,
    );
    expect(tilt).toBeLessThan(20);
    expect(tx / measured.weight).toBeLessThan(0.04);
    expect(ty / measured.weight).toBeLessThan(0.05);
    expect(Math.abs(measured.strides!.mean - 1)).toBeLessThan(0.02);
  });

  it('power is in balance, and forward dynamics gives the motion back', () => {
    expect(imbalance(trajectory, measured)).toBeLessThan(0.01);
    expectForwardToAgree(trajectory, measured);
    // Of the coordinates as of the joints: s' . forces = q' . tau.
    const rows = forces(measured);
    rows.forEach((row, frame) => {
      const ofCoordinates = row.reduce((sum, force, c) => sum + force * motion.sd[10 * frame + c], 0);
      const { nv } = parsed.mechanism;
      const ofJoints = measured.frames[frame].tau.reduce((sum, tau, k) => sum + tau * trajectory.v[frame * nv + k], 0);
      expect(ofCoordinates).toBeCloseTo(ofJoints, 8);
    });
  });

  it('without the plates the support found is that which they measured, to two frames; and nothing is left at the pelvis', () => {
    const found = inverseOfMotion(trajectory, { feet });
    found.supports.forEach(({ kind }, frame) => {
      const around = measured.supports.slice(Math.max(0, frame - 2), frame + 3).map((support) => support.kind);
      expect(around, `frame ${frame}`).toContain(kind);
    });
    for (const row of forces(found)) for (const c of [0, 1, 2]) expect(Math.abs(row[c])).toBeLessThan(1e-8);
    expect(Math.abs(found.strides!.mean - 1)).toBeLessThan(0.02);
  });
});
