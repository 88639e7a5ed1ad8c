// A jump, by trajectory optimisation: a leg with a trunk crouches on its foot, and iterative LQR on the exact derivatives of its
// steps finds the joint forces with which it takes off. Drawn into out/examples/jump.svg.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dynamics, type LinkOptions, MechanismBuilder, Simulation, State } from 'manikin';
import { momentsRow, svgDocument } from 'manikin/plot';
import { centroidalMotion, numericalDerivative, stepDerivatives } from 'manikin/toolbox';

type Matrix = readonly (readonly number[])[];

const hinge: LinkOptions['joint'] = { type: 'revolute', axis: [0, 1, 0], damping: 0.5 };
const part = (mass: number, length: number): Partial<LinkOptions> => ({
  mass,
  com: [0, 0, length / 2],
  visuals: [
    {
      geometry: { kind: 'capsule', radius: mass / 600 + 0.03, length },
      t: [0, 0, length / 2],
      E: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    },
  ],
  inertia: [(mass * length ** 2) / 12, 0, 0, 0, (mass * length ** 2) / 12, 0, 0, 0, 0.01],
});
/** On the ground it turns about its ankle; in the air it is free. */
const jumper = (standing: boolean) =>
  new MechanismBuilder('jumper')
    .link('shank', { parent: null, joint: standing ? hinge : { type: 'floating' }, ...part(4, 0.45) })
    .link('thigh', { parent: 'shank', joint: hinge, at: [0, 0, 0.45], ...part(8, 0.45) })
    .link('trunk', { parent: 'thigh', joint: hinge, at: [0, 0, 0.45], ...part(40, 0.7) })
    .build();

const mechanism = jumper(true);
const model = dynamics(mechanism);
const [step, steps] = [0.005, 70];
const [n, m] = [2 * mechanism.nv, mechanism.nv];
const [height, gravity] = [1.5, 9.81];
const effort = 1e-7;

// What is wanted at take-off, each number zero: the height to which the centre of mass will fly, that above the foot and straight
// up, no turning, joints stretched and not too fast.
function wishes(state: State): Float64Array {
  const { position, velocity, momentum } = centroidalMotion(model, state);
  const flight = position[2] + velocity[2] ** 2 / (2 * gravity);
  const whole = [10 * (flight - height), position[0], velocity[0], 0.2 * momentum[1]];
  return Float64Array.of(...whole, ...state.q.map((angle) => 0.5 * angle), ...state.v.map((rate) => 0.02 * rate));
}

// Begin crouched, and with the forces that hold it there.
const crouched = new State(mechanism);
crouched.q.set([0.6, -1.5, 1.3]);
let forces = range(steps).map(() => model.inverse(crouched));
let path = range(steps + 1).map(() => crouched);
path = follow(forces);
let cost = costOf(path, forces);
let caution = 1e-6;
for (let round = 0; round < 100 && caution < 1; round++) {
  const answers = backwards(caution);
  let better = false;
  for (let share = 1; share > 0.01 && !better; share /= 2) {
    // The forces answer to where the path is left, too.
    const changed: Float64Array[] = [];
    const tried = follow(forces, (k, state) => {
      const { open, closed } = answers[k];
      const away = [...state.q.map((q, i) => q - path[k].q[i]), ...state.v.map((v, i) => v - path[k].v[i])];
      changed[k] = forces[k].map((force, i) => force + share * open[i] + dot(closed[i], away));
      return changed[k];
    });
    const now = costOf(tried, changed);
    better = now < cost;
    if (better) [path, forces, cost] = [tried, changed, now];
  }
  caution *= better ? 0.25 : 10;
}

const takeOff = path[steps];
const { position, velocity } = centroidalMotion(model, takeOff);
const apex = position[2] + velocity[2] ** 2 / (2 * gravity);
console.log(`takes off at ${velocity[2].toFixed(1)} m/s, enough for ${apex.toFixed(2)} m`);
const pushes = forces.every((tau, k) => {
  const qdd = model.forward(path[k], tau);
  return centroidalMotion(model, path[k], { qdd }).acceleration[2] > -gravity;
});
console.log(`the ground only pushes: ${pushes}`);

// In the air: from the pose and the velocity of take-off, the joints held softly.
const free = jumper(false);
const joints = [free.joint('thigh'), free.joint('trunk')];
const flight = new Simulation(free, {
  control: (tau, { q, v }) => {
    for (const { iq, iv } of joints) tau[iv] = -60 * q[iq] - 8 * v[iv];
  },
});
const half = takeOff.q[0] / 2;
const { angular, linear } = model.velocity(takeOff, 'shank', { in: 'frame' });
const foot = model.pose(takeOff, 'shank').t;
flight.state.set('shank', [Math.cos(half), 0, Math.sin(half), 0, ...foot], [...angular, ...linear]);
for (const { name } of joints) {
  const { iq, iv } = mechanism.joint(name);
  flight.state.set(name, [takeOff.q[iq]], [takeOff.v[iv]]);
}
const inAir = dynamics(free);
const moments = [0, 25, 45, 60, 70].map((k) => ({ time: k * step, poses: model.poses(path[k]) }));
let highest = 0;
for (let time = 0.02; time < 0.5; time += 0.02) {
  flight.runUntil(time);
  highest = Math.max(highest, inAir.energy(flight.state).com[2]);
  if (Math.round(time * 50) % 5 === 0) moments.push({ time: steps * step + time, poses: inAir.poses(flight.state) });
}
console.log(`in the air its centre of mass rises to ${highest.toFixed(2)} m`);
mkdirSync('out/examples', { recursive: true });
const row = momentsRow(free, moments, { width: 960, height: 400, azimuth: 0, elevation: 0 });
writeFileSync('out/examples/jump.svg', svgDocument(960, 400, row));

/** The states under these forces, or under what is made of them on the way. */
function follow(given: readonly Float64Array[], change?: (k: number, state: State) => Float64Array): State[] {
  const states = [crouched];
  for (const [k, tau] of given.entries())
    states.push(stepDerivatives(model, states[k], change?.(k, states[k]) ?? tau, { step }).end);
  return states;
}

function costOf(states: readonly State[], tau: readonly Float64Array[]): number {
  const squares = (x: Float64Array): number => x.reduce((sum, value) => sum + value * value, 0);
  return squares(wishes(states[steps])) + effort * tau.reduce((sum, one) => sum + squares(one), 0);
}

/**
 * How the forces of each step change, and how they answer to its state, from the last step to the first. About the path the
 * cost of all that follows is slope^T x + x^T bend x / 2.
 */
function backwards(cautious: number): { readonly open: number[]; readonly closed: Matrix }[] {
  const wish = wishes(path[steps]);
  const [byQ, byV] = (['q', 'v'] as const).map((by) => numericalDerivative(mechanism, path[steps], by, wishes));
  const J = range(wish.length).map((i) => [...byQ.slice(m * i, m * (i + 1)), ...byV.slice(m * i, m * (i + 1))]);
  let slope = transposed(J).map((column) => 2 * dot(column, wish));
  let bend: Matrix = transposed(J).map((x) => transposed(J).map((y) => 2 * dot(x, y)));
  const answers: { open: number[]; closed: Matrix }[] = [];
  for (let k = steps - 1; k >= 0; k--) {
    const derivatives = stepDerivatives(model, path[k], forces[k], { step });
    const A = range(n).map((i) => Array.from(derivatives.A.slice(n * i, n * (i + 1))));
    const B = range(n).map((i) => Array.from(derivatives.B.slice(m * i, m * (i + 1))));
    const toForces = transposed(B);
    const R = add(product(toForces, product(bend, B)), diagonal(2 * effort + cautious));
    const r = toForces.map((column, i) => 2 * effort * forces[k][i] + dot(column, slope));
    const open = solve(
      R,
      r.map((x) => [-x]),
    ).map(([x]) => x);
    const closed = solve(R, scaled(-1, product(toForces, product(bend, A))));
    // What the next step's cost is in terms of this one's state, with the answer in it.
    const along = add(A, product(B, closed));
    const next = slope.map(
      (x, i) =>
        x +
        dot(
          bend[i],
          product(
            B,
            open.map((force) => [force]),
          ).flat(),
        ),
    );
    const own = open.map((x, i) => 2 * effort * (x + forces[k][i]));
    slope = transposed(along).map(
      (column, j) => dot(column, next) + closed.reduce((sum, gain, i) => sum + gain[j] * own[i], 0),
    );
    bend = add(
      product(transposed(along), product(bend, along)),
      scaled(2 * effort, product(transposed(closed), closed)),
    );
    answers[k] = { open, closed };
  }
  return answers;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
function dot(x: ArrayLike<number>, y: ArrayLike<number>): number {
  return range(x.length).reduce((sum, i) => sum + x[i] * y[i], 0);
}
function transposed(X: Matrix): number[][] {
  return X[0].map((_, j) => X.map((row) => row[j]));
}
function product(X: Matrix, Y: Matrix): number[][] {
  const columns = transposed(Y);
  return X.map((row) => columns.map((column) => dot(row, column)));
}
function add(X: Matrix, Y: Matrix): number[][] {
  return X.map((row, i) => row.map((x, j) => x + Y[i][j]));
}
function scaled(factor: number, X: Matrix): number[][] {
  return X.map((row) => row.map((x) => factor * x));
}
function diagonal(value: number): number[][] {
  return range(m).map((i) => range(m).map((j) => (i === j ? value : 0)));
}
/** X with A X = B for a positive definite A, by elimination. */
function solve(A: Matrix, B: Matrix): number[][] {
  const rows = A.map((row, i) => [...row, ...B[i]]);
  for (const [k, row] of rows.entries()) {
    for (let j = row.length - 1; j >= k; j--) row[j] /= row[k];
    for (const other of rows)
      if (other !== row) for (let j = row.length - 1; j >= k; j--) other[j] -= other[k] * row[j];
  }
  return rows.map((row) => row.slice(A.length));
}
// prints: takes off at 3.0 m/s, enough for 1.49 m
// prints: the ground only pushes: true
// prints: in the air its centre of mass rises to 1.49 m
