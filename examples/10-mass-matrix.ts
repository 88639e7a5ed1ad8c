// The mass matrix by the algorithms of paper 004, what each of them costs, and its inverse.
import { dynamics, State } from 'manikin';
import { builtinMechanism } from 'manikin/models';
import { countOperationsOf, MASS_MATRIX_ALGORITHMS, massMatrixBy, simulateMassMatrix } from 'manikin/papers';

const figure = builtinMechanism('human-34');
const state = State.random(figure, 1);
const model = dynamics(figure);
const { H, n } = model.massMatrix(state);
for (const algorithm of MASS_MATRIX_ALGORITHMS) {
  const difference = Math.max(...massMatrixBy(figure, state, { algorithm }).H.map((x, k) => Math.abs(x - H[k])));
  const { multiplications, additions } = countOperationsOf(figure, state, { algorithm });
  console.log(`${algorithm}: ${multiplications} + ${additions} operations, same matrix: ${difference < 1e-10}`);
}
const { time, processors } = simulateMassMatrix(figure, state, { algorithm: 'composite-variant' });
console.log(`on ${processors} processors: ${time.multiplications} + ${time.additions}, one after the other`);

const { Hinv } = model.inverseMassMatrix(state);
let trace = 0;
for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) trace += H[i * n + k] * Hinv[k * n + i];
console.log(`trace of H H^-1: ${trace.toFixed(6)}`);
// prints: composite-variant:
// prints: same matrix: true
// prints: on 147 processors:
// prints: trace of H H^-1: 34.000000
