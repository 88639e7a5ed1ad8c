// An environment for learning, by Gymnasium's words: eight poles on carts, balanced by a law that is found by random search.
// prints: the same seed gives the same bits: true
// prints: it has learned
import type { Description } from 'manikin/formats';
import { environment } from 'manikin/scenes';

const still = [0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01];
const E = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const pole: Description = {
  name: 'pole',
  gravity: [0, 0, -9.81],
  bodies: [
    {
      name: 'cart',
      parent: null,
      joint: { name: 'rail', type: 'prismatic', axis: [1, 0, 0] },
      E,
      t: [0, 0, 0],
      mass: 1,
      com: [0, 0, 0],
      inertia: still,
    },
    {
      name: 'rod',
      parent: 'cart',
      joint: { name: 'hinge', type: 'revolute', axis: [0, 1, 0] },
      E,
      t: [0, 0, 0],
      mass: 0.2,
      com: [0, 0, 0.5],
      inertia: still,
    },
  ],
};
const balance = environment(
  { mechanisms: [{ model: pole }], step: 0.01, duration: 2 },
  {
    copies: 8,
    observations: 4,
    actions: 1,
    act: ['rail'],
    observe: ({ world }, observation) => {
      const { q, v } = world.members[0].state;
      observation.set([...q, ...v]);
    },
    reward: () => 1,
    terminated: ({ world }) => Math.abs(world.members[0].state.get('hinge').q[0]) > 0.3,
    reset: ({ world }, random) => {
      world.members[0].state.set('hinge', random.between(-0.1, 0.1));
    },
  },
);

/** Steps until the first pole has fallen. */
function played(law: readonly number[], seed: number): number {
  balance.reset(seed);
  for (let k = 0; k < 200; k++) {
    const actions = Array.from({ length: 8 }, (_, copy) =>
      law.reduce((sum, gain, i) => sum + gain * balance.observation[4 * copy + i], 0),
    );
    balance.step(actions);
    if (balance.terminated.includes(1)) return k;
  }
  return 200;
}

let law = [0, 0, 0, 0];
let best = played(law, 1);
// A small generator of our own, so that the search repeats.
let state = 1;
const random = () => {
  state = (state * 48271) % 2147483647;
  return state / 2147483647 - 0.5;
};
for (let trial = 0; trial < 60 && best < 200; trial++) {
  const other = law.map((gain) => gain + 40 * random());
  const steps = played(other, 1);
  if (steps >= best) [law, best] = [other, steps];
}
const once = [...balance.reset(5).observation];
console.log(
  'the same seed gives the same bits:',
  balance.reset(5).observation.every((x, k) => x === once[k]),
);
console.log(best === 200 ? 'it has learned' : `the best fell after ${best} steps`);
