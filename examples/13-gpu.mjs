// Two hundred figures fall for a tenth of a second, each from a posture of its own, on the GPU; without one, on the CPU.
// prints: 200 figures
// prints: not finite: none
import { State } from 'manikin';
import { batch, pd } from 'manikin/batch';
import { builtinMechanism } from 'manikin/models';
import { endThreads } from 'manikin/parallel';

const mechanism = builtinMechanism('human-34');
const many = await batch(mechanism, {
  states: 200,
  device: 'gpu',
  // One way to compute it, at once; left out, the fastest on this device is found by measuring.
  gpu: { variant: 'registers, poses computed twice' },
  // The CPU also goes on when the device is lost on the way.
  onFallback: (reason) => console.log(`On the CPU: ${reason}`),
});
const neutral = new State(mechanism);
for (let s = 0; s < many.states; s++) {
  const { q } = State.random(mechanism, s + 1);
  many.write(
    'q',
    neutral.q.map((x, k) => (k < 7 ? x : 0.2 * q[k])),
    s,
  );
}
// Joints are drawn softly to the neutral posture; nothing holds the body.
const stiffness = Float64Array.from({ length: mechanism.nv }, (_, k) => (k < 6 ? 0 : 2));
await many.rollout({ steps: 20, step: 5e-3, torque: pd({ stiffness, damping: 0 }, neutral.q) });

const end = many.getState(0, new State(mechanism));
const { device, adapter } = many.report();
console.log(`${many.states} figures on the ${device === 'gpu' ? `GPU (${adapter})` : 'CPU'}`);
console.log(`the first one has fallen by ${(-end.q[6]).toFixed(3)} m`);
console.log(`not finite: ${many.notFinite().join(', ') || 'none'}`);
many.dispose();
endThreads();
