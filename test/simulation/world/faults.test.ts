import { describe, expect, it } from 'vitest';
import { SimulationError } from '../../../src/mechanism/errors.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { Recorder, readRecording } from '../../../src/recording/index.js';
import { sceneWorld } from '../../../src/scenes/make-scene.js';
import { box } from '../../../src/simulation/world/bodies.js';
import type { Member } from '../../../src/simulation/world/member.js';
import { World } from '../../../src/simulation/world/world.js';

/** A figure and boxes that lie in contact, with limits at work. */
function lying(): { world: World; figure: Member } {
  const world = new World({ step: 0.004 });
  world.ground({ friction: 0.6 });
  const figure = world.add(builtinMechanism('human-34'), { name: 'figure', at: [0, 0, 0.9] });
  for (let k = 0; k < 2; k++) world.add(box([0.3, 0.3, 0.2]), { at: [1, 0, 0.1 + 0.2 * k] });
  world.runUntil(0.1);
  return { world, figure };
}

describe('a step that fails', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('out of ideas');
      },
      /^The control of "figure" failed at time 0\.1\d*: out of ideas$/,
    ],
    [
      'gives NaN',
      (tau: Float64Array) => {
        tau[10] = Number.NaN;
      },
      /^The control gives NaN for joint "[a-z_]+" \(body "[a-z_]+"\) of "figure" at time 0\.1/,
    ],
    [
      'gives infinity',
      (tau: Float64Array) => {
        tau[2] = -1 / 0;
      },
      /^The control gives -Infinity for joint "root" \(body "pelvis"\) of "figure"/,
    ],
  ])('since a control %s leaves everything as it was, warm starts and pushes too', (_, control, said) => {
    const [failing, fine] = [lying(), lying()];
    for (const { figure } of [failing, fine]) figure.push('torso', [30, 0, 0]);
    const before = failing.world.save();
    failing.figure.control = control;
    for (let k = 0; k < 2; k++) {
      let caught: unknown;
      try {
        failing.world.step();
      } catch (error) {
        caught = error;
      }
      expect(caught).toBeInstanceOf(SimulationError);
      expect((caught as SimulationError).message).toMatch(said);
      expect((caught as SimulationError).time).toBe(failing.world.time);
      expect(failing.world.save()).toEqual(before);
    }
    failing.figure.control = undefined;
    for (const { world } of [failing, fine]) world.runUntil(0.2);
    expect(failing.world.save()).toEqual(fine.world.save());
  });

  it('names the joint of a motor that is told nonsense', () => {
    const { world, figure } = lying();
    figure.drive('left_knee', {
      kind: 'position',
      position: (time) => (time > 0.1 ? Number.NaN : 0),
      stiffness: 10,
      damping: 1,
    });
    expect(() => world.runUntil(0.3)).toThrow(
      /The motor is to go to NaN for joint "left_knee" \(body "left_shank"\) of "figure"/,
    );
    figure.drive('left_knee', { kind: 'torque', torque: () => Number.NaN });
    expect(() => world.step()).toThrow(/The motor gives NaN for joint "left_knee"/);
  });

  it('leaves a recording that can be read', async () => {
    const { world, figure } = lying();
    const chunks: Uint8Array[] = [];
    const recorder = await Recorder.begin(world, { write: async (bytes) => void chunks.push(bytes.slice()) });
    figure.control = (tau, { time }) => {
      if (time > 0.11) tau[7] = Number.NaN;
    };
    const run = async (): Promise<void> => {
      for (;;) {
        world.step();
        await recorder.record();
      }
    };
    await expect(run()).rejects.toThrow('NaN');
    await recorder.end();
    const recording = readRecording(Buffer.concat(chunks));
    expect(recording.complete).toBe(true);
    expect(recording.moments.at(-1)!.time).toBeCloseTo(world.time, 9);
  });
});

describe('a checkpoint', () => {
  it('gives the same bits at random times, with contacts, events, pushes and changed structure', () => {
    const scene = {
      mechanisms: [
        { model: 'human-34', at: [0, 0, 0.95] as const, state: { left_knee: 0.4, left_hip_y: -0.3 } },
        { model: { kind: 'box', size: [0.3, 0.3, 0.3] } as const, name: 'box', at: [0.5, 0, 0.16] as const },
      ],
      ground: true,
      connect: [{ name: 'grip', mechanism: 'human-34', a: 'left_hand', joint: { type: 'spherical' } as const }],
      events: [
        { at: 0.1, push: { mechanism: 'human-34', body: 'torso', force: [100, 0, 0] as const, duration: 0.1 } },
        { at: 0.15, disconnect: 'grip' },
        { at: 0.2, control: { kind: 'position', stiffness: 100, damping: 5 } as const, mechanism: 'human-34' },
        { at: 0.25, disconnect: 'left_elbow' },
      ],
      step: 0.004,
      duration: 0.4,
    };
    const whole = sceneWorld(scene);
    const saved: ReturnType<typeof whole.save>[] = [];
    whole.runUntil(0.4, (run) => {
      saved.push(run.save());
      return true;
    });
    const end = whole.save();
    for (const k of [3, 40, 70]) {
      const other = sceneWorld(scene);
      other.restore(saved[k]);
      other.runUntil(0.4);
      expect(other.save(), `after ${k + 1} steps`).toEqual(end);
    }
  });
});

describe('a run in pieces', () => {
  it('has the bits of one that is not stopped', () => {
    const [whole, pieces] = [lying().world, lying().world];
    whole.runUntil(0.5);
    for (let k = 1; k <= 10; k++) pieces.runUntil(0.1 + 0.04 * k);
    expect(pieces.save()).toEqual(whole.save());
  });
});
