// The impulse that closes loops after each step of a world, against the assembly's, and against laws: random closed mechanisms of all
// joint types, independent loops and redundant ones, coupled joints.

import { describe, expect, it } from 'vitest';
import { LoopClosing } from '../../../src/engines/plain/assembly/closing.js';
import { State } from '../../../src/index.js';
import { Mechanism } from '../../../src/mechanism/mechanism.js';
import { createTree } from '../../../src/mechanism/tree.js';
import { Articulation } from '../../../src/simulation/world/articulation.js';
import { World } from '../../../src/simulation/world/index.js';
import { loopImpulses, solveRedundant } from '../../../src/simulation/world/loop-impulse.js';
import { nearLoops } from '../../support/near-loops.js';
import { randomVector } from '../../support/random-mechanism.js';

const KINDS = ['independent', 'redundant'] as const;

describe('the impulse of loops', () => {
  it.each(KINDS)('has the velocities and positions of the assembly: %s', (kind) => {
    let [used, asked] = [0, 0];
    for (let seed = 1; seed <= 40; seed++) {
      const where = `${kind}, seed ${seed}`;
      const { mechanism: tied, state: closed } = nearLoops(seed, kind, 10);
      // Every other one with coupled joints, where that leaves the loops closed.
      const mechanism = seed % 2 === 0 ? tied : coupled(tied, closed);
      const tree = createTree(mechanism);
      const own = loopImpulses(new Articulation(mechanism));
      const closings = [
        new LoopClosing(tree),
        new LoopClosing(tree, (q, broken, change) => {
          const done = own(q, broken, change);
          used += done ? 1 : 0;
          asked++;
          return done;
        }),
      ];
      const [expected, found] = closings.map((closing) => {
        const state = new State(mechanism);
        state.q.set(closed.q);
        state.v.set(randomVector(seed, mechanism.nv, 1));
        state.applyCouplings();
        closing.hold(state);
        expect(closing.slip(state), where).toBeLessThan(1e-10);
        const moved = state.clone();
        const change = randomVector(seed + 1, mechanism.nv, 1e-4);
        for (const { model, iq, iv } of mechanism.joints) model.integrate(moved.q, iq, change, iv, 1);
        moved.applyCouplings();
        closing.close(moved);
        expect(closing.gap(moved), where).toBeLessThan(1e-9);
        return [state.v, moved.q];
      });
      for (let k = 0; k < mechanism.nv; k++) expect(found[0][k] - expected[0][k], where).toBeCloseTo(0, 9);
      for (let k = 0; k < mechanism.nq; k++) expect(found[1][k] - expected[1][k], where).toBeCloseTo(0, 9);
    }
    // Where it is in doubt, and where coupled joints and loops leave no motion, the assembly is asked.
    expect(used / asked).toBeGreaterThan(0.7);
  });
});

/** One joint of one degree of freedom follows another, as both stand in a state. */
function coupled(mechanism: Mechanism, { q }: State): Mechanism {
  const single = mechanism.joints.flatMap(({ model }, j) => (model.nv === 1 && model.nq === 1 ? [j] : []));
  if (single.length < 4) return mechanism;
  const [source, , , joint] = single;
  const offset = q[mechanism.joints[joint].iq] - 0.7 * q[mechanism.joints[source].iq];
  return new Mechanism({ ...mechanism, couplings: [{ joint, source, multiplier: 0.7, offset }] });
}

describe('rows that others imply', () => {
  const system = (rows: readonly (readonly number[])[]) =>
    Float64Array.from(rows.flatMap((a) => rows.map((b) => a.reduce((sum, x, k) => sum + x * b[k], 0))));

  it('get nothing, and the others what they ask for', () => {
    const rows = [
      [1, 2, 0],
      [0, 1, 1],
      [1, 3, 1],
    ];
    const G = system(rows);
    const asked = Float64Array.of(3, 4, 7);
    const x = asked.slice();
    expect(solveRedundant(G.slice(), x, new Int32Array(3), Float64Array.of(5, 2, 11))).toBe(true);
    expect([...x].filter((value) => value === 0)).toHaveLength(1);
    for (let r = 0; r < 3; r++)
      expect(G.subarray(3 * r, 3 * r + 3).reduce((sum, g, k) => sum + g * x[k], 0)).toBeCloseTo(asked[r], 12);
  });

  it('are refused where that is in doubt', () => {
    const G = system([
      [1, 0, 0],
      [1, 1e-6, 0],
    ]);
    expect(solveRedundant(G, new Float64Array(2), new Int32Array(2), Float64Array.of(1, 1))).toBe(false);
  });
});

describe('loops of a state that somebody wrote', () => {
  const { mechanism, state } = nearLoops(4, 'independent', 10);
  const changed = (by: number): State => {
    const other = state.clone();
    for (const { model, iq } of mechanism.joints) if (model.nq === 1) other.q[iq] += by * Math.sin(1 + iq);
    other.v.set(randomVector(7, mechanism.nv, 1));
    return other;
  };

  it('are closed before the first step, and before a checkpoint', () => {
    const world = new World({ gravity: [0, 0, 0] });
    const member = world.add(mechanism, { state: changed(1e-5) });
    const closing = new LoopClosing(createTree(mechanism));
    expect(closing.gap(member.state)).toBeGreaterThan(1e-6);
    expect(closing.slip(member.state)).toBeGreaterThan(0.1);
    const saved = world.save();
    expect(closing.gap(member.state)).toBeLessThan(1e-11);
    expect(closing.slip(member.state)).toBeLessThan(1e-10);
    const before = world.energy().total;
    world.runUntil(0.1);
    expect(world.energy().total).toBeLessThan(before * (1 + 1e-6));
    const end = member.state.q.slice();
    world.restore(saved);
    world.runUntil(0.1);
    expect(member.state.q).toEqual(end);
  });

  it('are refused where they are wide open', () => {
    const world = new World();
    world.add(mechanism, { name: 'wide', state: changed(0.1) });
    expect(() => world.step()).toThrow(
      /^"wide": The loops are open by .* at the start; give a state that closes them\.$/,
    );
  });
});
