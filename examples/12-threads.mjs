// One mechanism on several threads, and many states on all cores.
import { dynamics, State } from 'manikin';
import { builtinMechanism } from 'manikin/models';
import { Batch, endThreads } from 'manikin/parallel';

const crowd = builtinMechanism('crowd-3');
const people = dynamics(crowd, { threads: 2 });
await people.ready();
console.log(people.forward(State.random(crowd, 1)).slice(0, 3));
console.log(people.report().text);

const figure = builtinMechanism('human-34');
const batch = new Batch(figure);
const { q, v } = State.random(figure, 1);
const qdd = await batch.forward({ q, v });
console.log(`${qdd.length} accelerations`);
// prints: 34 accelerations

batch.dispose();
people.dispose();
endThreads();
