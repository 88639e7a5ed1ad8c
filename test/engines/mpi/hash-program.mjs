// For ranks: a hash over all states of so many steps of each model that is named, by rank 0. The first words are the number of
// threads inside each rank and the number of steps.

import { mpi } from '../../../dist/engines/mpi/index.js';
import { dynamics, State } from '../../../dist/index.js';
import { builtinMechanism } from '../../../dist/models/index.js';

const [threads, steps, ...models] = process.argv.slice(2);
const ranks = await mpi({ threads: Number(threads) });
const hashes = {};
for (const name of models) {
  const mechanism = builtinMechanism(name);
  const spread = dynamics(mechanism, { ranks, deterministic: true });
  const state = State.random(mechanism, 1);
  const tau = Float64Array.from({ length: mechanism.nv }, (_, k) => 1e-3 * Math.sin(k + 1));
  const out = new Float64Array(mechanism.nv);
  let hash = 0x811c9dc5;
  for (let step = 0; step < Number(steps); step++) {
    spread.forward(state, tau, { out });
    for (let k = 0; k < out.length; k++) state.v[k] += 1e-6 * out[k];
    for (const { model, iq, iv } of mechanism.joints) model.integrate(state.q, iq, state.v, iv, 1e-6);
    for (const array of [state.q, state.v])
      for (const word of new Uint32Array(array.buffer, array.byteOffset, 2 * array.length))
        hash = Math.imul(hash ^ word, 0x01000193) >>> 0;
  }
  hashes[name] = hash;
  if (spread.report().functions[0].engine !== 'mpi') throw new Error('nothing was spread');
  spread.dispose();
}
// Every rank has the same state in the end.
const [own] = Object.values(hashes);
if (ranks.gather(Float64Array.of(own)).some((other) => other !== own)) throw new Error('ranks differ');
if (ranks.rank === 0) {
  const { implementation, sharesMemory } = ranks;
  console.log(JSON.stringify({ hashes, ranks: ranks.ranks, implementation, sharesMemory }));
}
