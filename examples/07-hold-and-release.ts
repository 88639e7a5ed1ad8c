// Structure that changes while it moves: a figure falls, a hand catches a bar, and lets go again.
import { Simulation } from 'manikin';
import { builtinMechanism } from 'manikin/models';

const simulation = new Simulation(builtinMechanism('human-34'));
simulation.runUntil(0.3);
const { t: at } = simulation.dynamics.pose(simulation.state, 'left_hand'); // where the hand is now
const { energyLost } = simulation.connect({ name: 'grip', a: 'left_hand', b: null, joint: { type: 'spherical' }, at });
console.log(`the catch takes ${energyLost.toFixed(1)} J`);
simulation.runUntil(0.8);
simulation.disconnect('grip'); // changes no velocity
simulation.runUntil(1);
console.log(`no step opened the grip by more than a micrometre: ${simulation.loopDrift < 1e-6}`);
// prints: the catch takes 177.4 J
// prints: no step opened the grip by more than a micrometre: true
