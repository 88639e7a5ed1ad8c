// Code of a mechanism is made once, whoever computes it; memory is each one's own.

import { describe, expect, it } from 'vitest';
import { dynamics } from '../../../src/dynamics/dynamics.js';
import { madeOnce } from '../../../src/engines/wasm/made-once.js';
import { State } from '../../../src/mechanism/state.js';
import { builtinMechanism } from '../../../src/models/index.js';
import { Simulation } from '../../../src/simulation/simulation.js';
import { relativeError } from '../../support/random-mechanism.js';

describe('what is made once', () => {
  it('is made for each thing and each key', () => {
    let made = 0;
    const make = (): number => ++made;
    const [a, b] = [{}, {}];
    expect([madeOnce(a, 'x', make), madeOnce(a, 'y', make), madeOnce(b, 'x', make)]).toEqual([1, 2, 3]);
    expect([madeOnce(a, 'x', make), madeOnce(a, 'y', make), madeOnce(b, 'x', make)]).toEqual([1, 2, 3]);
  });

  it('two engines of one mechanism, called in turn and in another order of functions, have the bits of one alone', () => {
    const mechanism = builtinMechanism('human-34');
    const states = [1, 2].map((seed) => State.random(mechanism, seed));
    const alone = (k: number) => {
      const engine = dynamics(builtinMechanism('human-34'), { engine: 'compiled' });
      const state = State.random(engine.mechanism, k + 1);
      return [engine.forward(state), engine.inverse(state), engine.massMatrix(state).H];
    };
    const engines = [0, 1].map(() => dynamics(mechanism, { engine: 'compiled' }));
    const forward = engines.map((engine, k) => engine.forward(states[k]));
    // The second makes the mass matrix before inverse dynamics: its memory is laid out in another way.
    const first = engines[0].inverse(states[0]);
    const matrix = engines[1].massMatrix(states[1]).H;
    expect([forward[0], first, engines[0].massMatrix(states[0]).H]).toEqual(alone(0));
    expect([forward[1], engines[1].inverse(states[1]), matrix]).toEqual(alone(1));
    const plain = dynamics(mechanism, { engine: 'plain' });
    expect(relativeError(forward[1], plain.forward(states[1]))).toBeLessThan(1e-11);
    expect(relativeError(first, plain.inverse(states[0]))).toBeLessThan(1e-11);
    expect(relativeError(matrix, plain.massMatrix(states[1]).H)).toBeLessThan(1e-11);
  });

  it('two simulations of one mechanism do not meet', () => {
    const mechanism = builtinMechanism('human-34');
    const end = (simulation: Simulation): Float64Array => {
      for (let step = 0; step < 20; step++) simulation.step();
      return simulation.state.q.slice();
    };
    const begin = (seed: number, of = mechanism): Simulation =>
      new Simulation(of, { integrator: 'rk4', step: 1e-3, state: State.random(of, seed) });
    const [a, b] = [begin(1), begin(2)];
    for (let step = 0; step < 10; step++) {
      a.step();
      b.step();
    }
    for (let step = 0; step < 10; step++) {
      b.step();
      a.step();
    }
    expect(a.state.q).toEqual(end(begin(1, builtinMechanism('human-34'))));
    expect(b.state.q).toEqual(end(begin(2, builtinMechanism('human-34'))));
  });
});
