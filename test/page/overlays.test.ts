// What is drawn over the figures: arrows are as long as the laws of mechanics say, without a browser.

import { Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import type { Frame } from '../../page/src/physics/protocol.js';
import { Session } from '../../page/src/physics/session.js';
import { Arrow } from '../../page/src/views/arrow.js';
import { type OverlayName, Overlays } from '../../page/src/views/overlays.js';

interface Drawn {
  readonly at: Vector3;
  readonly way: Vector3;
}

/** The arrows that are shown, by their shafts and tips. */
function arrows(overlays: Overlays): Drawn[] {
  return overlays.children
    .filter((child): child is Arrow => child instanceof Arrow && child.visible)
    .map((arrow) => ({
      at: arrow.position.clone(),
      // The shaft ends where the tip begins, which has a length of its own.
      way: new Vector3(0, arrow.shaft.scale.y + arrow.tip.scale.y, 0).applyQuaternion(arrow.quaternion),
    }));
}
const sum = (all: readonly Drawn[]): Vector3 => all.reduce((total, { way }) => total.add(way), new Vector3());

async function shown(
  scene: string,
  names: readonly OverlayName[],
  act: (session: Session) => void,
): Promise<[Frame, Drawn[], Overlays['lengths']]> {
  const session = new Session();
  await session.load(scene);
  act(session);
  const overlays = new Overlays();
  overlays.shown.clear();
  for (const name of names) overlays.shown.add(name);
  overlays.arrange(session.scene());
  overlays.fit(2, 0.3);
  const frame = session.frame();
  overlays.update(frame);
  return [frame, arrows(overlays), overlays.lengths];
}

describe('overlays', () => {
  it('contact forces carry the weight of what rests, and stand on the points of contact', async () => {
    let weight = 0;
    const [frame, all, { force }] = await shown('boxes', ['contacts'], (session) => {
      for (let k = 0; k < 60; k++) session.step();
      const [lowest] = session.world.members;
      // What the ground carries: all boxes; the stone still flies.
      weight = 9.81 * 8 * lowest.state.mechanism.bodies[0].mass;
    });
    expect(all.length).toBe(frame.contactForces.length / 6);
    const ground = all.filter(({ at }) => Math.abs(at.z) < 0.01);
    expect(ground.length).toBeGreaterThan(2);
    expect(sum(ground).z / (weight * force)).toBeCloseTo(1, 2);
    expect(Math.hypot(sum(ground).x, sum(ground).y)).toBeLessThan(0.02 * weight * force);
  });

  it('momentum: an arrow at the centre of mass, after a push what the push gave', async () => {
    const [frame, [arrow, ...others], { momentum }] = await shown('human-34', ['momentum'], (session) => {
      session.act({ do: 'push', member: 0, body: 0, impulse: [20, 0, 5] });
      session.step();
    });
    expect(others).toEqual([]);
    expect(arrow.at.distanceTo(new Vector3(...frame.com))).toBeLessThan(1e-6);
    // Gravity takes its part of a step of 2 ms, and bodies turn within it.
    expect(Math.abs(arrow.way.x / momentum - 20)).toBeLessThan(0.1);
    expect(Math.abs(arrow.way.y / momentum)).toBeLessThan(0.1);
    expect(arrow.way.z / momentum).toBeLessThan(5);
  });

  it('the force in a joint, and its six components, which are its parts', async () => {
    const watch = (session: Session): void => {
      void session.answer({ do: 'watch', member: 0, joint: 'left_elbow' });
      // Sideways, too: no component is nothing.
      session.act({ do: 'push', member: 0, body: 2, impulse: [10, 15, 5] });
      for (let k = 0; k < 20; k++) session.step();
    };
    const [frame, whole, scale] = await shown('bar', ['joint-force'], watch);
    const [, parts] = await shown('bar', ['components'], watch);
    const { force, moment, at } = frame.jointForce!;
    // Moments have two heads: two arrows each.
    expect(whole).toHaveLength(3);
    expect(parts).toHaveLength(9);
    for (const arrow of [...whole, ...parts]) expect(arrow.at.distanceTo(new Vector3(...at))).toBeLessThan(1e-6);
    expect(whole[0].way.distanceTo(new Vector3(...force).multiplyScalar(scale.force))).toBeLessThan(1e-6);
    expect(whole[1].way.distanceTo(new Vector3(...moment).multiplyScalar(scale.moment))).toBeLessThan(1e-6);
    const forces = parts.filter((_, k) => k % 3 === 0);
    const moments = parts.filter((_, k) => k % 3 === 1);
    expect(sum(forces).distanceTo(whole[0].way)).toBeLessThan(1e-6);
    expect(sum(moments).distanceTo(whole[1].way)).toBeLessThan(1e-6);
    for (const three of [forces, moments])
      expect(Math.abs(three[0].way.clone().normalize().dot(three[1].way.clone().normalize()))).toBeLessThan(1e-6);
  });

  it('are as long for a figure of ants as for one of giants: forces go by its weight, all else by its size', async () => {
    const session = new Session();
    await session.load('fall');
    const { members, ...rest } = session.scene();
    const length = (size: number, mass: number): number => {
      const overlays = new Overlays();
      const grown = members.map(({ bodies, ...own }) => ({
        ...own,
        bodies: bodies.map((body) => ({ ...body, mass: mass * body.mass })),
      }));
      overlays.arrange({ ...rest, members: grown });
      overlays.fit(size, 0.2 * size);
      const weight = 9.81 * grown[0].bodies.reduce((sum, body) => sum + body.mass, 0);
      overlays.update({ ...session.frame(), contactForces: Float32Array.of(0, 0, 0, 0, 0, weight) });
      return arrows(overlays)[0].way.z / size;
    };
    expect(length(2, 1)).toBeCloseTo(0.25, 6);
    expect(length(0.002, 1e-9)).toBeCloseTo(0.25, 6);
    expect(length(500, 1e7)).toBeCloseTo(0.25, 6);
  });

  it('a cross for every body, an axis for every joint that has one, and nothing that was not asked for', async () => {
    const [, none] = await shown('bar', [], () => undefined);
    expect(none).toEqual([]);
    const [, axes] = await shown('bar', ['axes'], () => undefined);
    expect(axes).toHaveLength(28);
  });
});
