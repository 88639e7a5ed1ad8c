// Two hundred figures fall for a tenth of a second, each from a posture of its own, on the GPU; without one, on the CPU.
// prints: 200 figures
// prints: not finite: none
import { State } from 'manikin';
import { gpuBatch } from 'manikin/gpu';
import { builtinMechanism } from 'manikin/models';

const mechanism = builtinMechanism('human-34');
const batch = await gpuBatch(mechanism, {
  states: 200,
  // One way to compute it, at once; left out, the fastest on this device is found by measuring.
  variant: 'registers, poses computed twice',
  // The CPU also goes on when the device is lost on the way.
  onLoss: 'cpu',
  onFallback: (reason) => console.log(`On the CPU: ${reason}`),
});
for (let s = 0; s < batch.states; s++) {
  const state = new State(mechanism);
  state.q.set(State.random(mechanism, s + 1).q.map((x, k) => (k < 7 ? state.q[k] : 0.2 * x)));
  batch.setState(s, state);
}
await batch.rollout({ steps: 20, step: 5e-3 });

const end = batch.getState(0, new State(mechanism));
const height = end.q[6];
console.log(`${batch.states} figures on the ${batch.where === 'gpu' ? `GPU (${batch.adapter})` : 'CPU'}`);
console.log(`the first one has fallen by ${(-height).toFixed(3)} m`);
console.log(`not finite: ${batch.notFinite().join(', ') || 'none'}`);
batch.dispose();
