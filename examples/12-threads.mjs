// One mechanism on several threads, and many states on all cores.
import { State } from 'manikin';
import { builtinMechanism } from 'manikin/models';
import { Batch, endThreads, ParallelDynamics } from 'manikin/parallel';

const crowd = builtinMechanism('crowd-3');
const dynamics = new ParallelDynamics(crowd, { workers: 2 });
await dynamics.ready();
console.log(dynamics.forward(State.random(crowd, 1)).slice(0, 3));
console.log(dynamics.explain());

const figure = builtinMechanism('human-34');
const batch = new Batch(figure);
const { q, v } = State.random(figure, 1);
const qdd = await batch.forward({ q, v });
console.log(`${qdd.length} accelerations`);
// prints: 34 accelerations

batch.dispose();
dynamics.dispose();
endThreads();
