// A controller that computes the forces it needs: inverse dynamics of the motion that a spring would make.
import { dynamics, Simulation, State } from 'manikin';
import { chain } from 'manikin/models';

const arm = chain(6);
const model = dynamics(arm);
const target = State.random(arm, 3).q;
const wanted = new Float64Array(arm.nv);

const simulation = new Simulation(arm, {
  control: (tau, state) => {
    for (let k = 0; k < arm.nv; k++) wanted[k] = 25 * (target[k] - state.q[k]) - 10 * state.v[k];
    model.inverse(state, wanted, { out: tau });
  },
});
simulation.runUntil(3);
const miss = Math.max(...simulation.state.q.map((q, k) => Math.abs(q - target[k])));
console.log(`after 3 s the joints are within ${miss < 1e-4 ? '1e-4' : miss} rad of the target`);
// prints: after 3 s the joints are within 1e-4 rad of the target
