// A crane: a turning column, a boom that lifts, a trolley that slides along it and a load on a ball joint.
import { dynamics, MechanismBuilder, State } from 'manikin';

const crane = new MechanismBuilder('crane')
  .link('column', {
    parent: null,
    joint: { type: 'revolute', axis: [0, 0, 1] },
    mass: 400,
    inertia: [90, 0, 0, 0, 90, 0, 0, 0, 30],
  })
  .link('boom', {
    parent: 'column',
    joint: { type: 'revolute', axis: [0, 1, 0] },
    at: [0, 0, 3],
    mass: 150,
    com: [2, 0, 0],
    inertia: [5, 0, 0, 0, 200, 0, 0, 0, 200],
  })
  .link('trolley', {
    parent: 'boom',
    joint: { type: 'prismatic', axis: [1, 0, 0], damping: 20 },
    at: [3, 0, 0],
    mass: 30,
    inertia: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  })
  .link('load', {
    parent: 'trolley',
    joint: { type: 'spherical' },
    mass: 500,
    com: [0, 0, -2],
    inertia: [40, 0, 0, 0, 40, 0, 0, 0, 40],
  })
  .build();

const state = new State(crane).set('trolley', 0.5).set('boom', -0.2);
const tau = dynamics(crane).inverse(state); // what holds it still
const [boom] = tau.subarray(...crane.joint('boom').v);
console.log(`the boom needs ${boom.toFixed(0)} N m`);
// prints: the boom needs -22668 N m
