// A mechanism, a state, and the three questions of dynamics.
import { forwardDynamics, inverseDynamics, massMatrix, State } from 'manikin';
import { builtinMechanism } from 'manikin/models';

const mechanism = builtinMechanism('human-34');
const state = State.random(mechanism, 1);
const qdd = forwardDynamics(mechanism, state); // accelerations without joint forces
const tau = inverseDynamics(mechanism, state, qdd); // joint forces for those accelerations: none
const { H, n } = massMatrix(mechanism, state);

console.log(`${n} degrees of freedom, ${H.length} entries of the mass matrix`);
console.log(`largest joint force: ${Math.max(...tau.map(Math.abs)) < 1e-9 ? 'rounding' : 'something is wrong'}`);
// prints: 34 degrees of freedom, 1156 entries of the mass matrix
// prints: largest joint force: rounding
