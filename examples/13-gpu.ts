// Two hundred figures fall for a tenth of a second, each from a posture of its own, on the GPU; without one, on the CPU.
// prints: 200 figures
// prints: not finite: none
import { dynamics, State } from 'manikin';
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
const base = mechanism.joint('root'); // where the coordinates of the free joint stand in q and v
for (let s = 0; s < many.states; s++) {
  const posture = State.random(mechanism, s + 1).q.map((x) => 0.2 * x);
  posture.set(neutral.get('root').q, base.q[0]);
  many.write('q', posture, s);
}
// Joints are drawn softly to the neutral posture; nothing holds the body.
const stiffness = new Float64Array(mechanism.nv).fill(2).fill(0, ...base.v);
await many.rollout({ steps: 20, step: 5e-3, torque: pd({ stiffness, damping: 0 }, neutral.q) });

const end = many.getState(0, new State(mechanism));
const [, , z] = dynamics(mechanism).pose(end, 'pelvis').t;
const { device, adapter } = many.report();
console.log(`${many.states} figures on the ${device === 'gpu' ? `GPU (${adapter})` : 'CPU'}`);
console.log(`the first one has fallen by ${(-z).toFixed(3)} m`);
console.log(`not finite: ${many.notFinite().join(', ') || 'none'}`);
many.dispose();
endThreads();
