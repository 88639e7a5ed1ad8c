// A double pendulum for ten seconds, and what becomes of its energy.
import { Simulation, State } from 'manikin';
import { chain } from 'manikin/models';

const pendulum = chain(2);
const simulation = new Simulation(pendulum, { step: 1e-3, state: State.random(pendulum, 7) });
const before = simulation.energy();
simulation.runUntil(10);
const after = simulation.energy();
const drift = after.kinetic + after.potential - before.kinetic - before.potential;
console.log(`after ${simulation.time} s the energy has changed by less than a microjoule: ${Math.abs(drift) < 1e-6}`);
// prints: after 10 s the energy has changed by less than a microjoule: true
