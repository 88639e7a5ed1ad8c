// One mechanism on several threads, and many states on all cores.
import { dynamics, State } from 'manikin';
import { batch } from 'manikin/batch';
import { builtinMechanism } from 'manikin/models';
import { endThreads } from 'manikin/parallel';

const crowd = builtinMechanism('crowd-3');
const people = dynamics(crowd, { threads: 2 });
await people.ready();
console.log(people.forward(State.random(crowd, 1)).slice(0, 3));
console.log(people.report().text);

const figure = builtinMechanism('human-34');
const many = await batch(figure, { states: 1000 });
for (let s = 0; s < many.states; s++) many.setState(s, State.random(figure, s));
await many.forward();
console.log(`${many.read('qdd').length} accelerations, one state per row`);
// prints: 34000 accelerations, one state per row
console.log(many.report().text);

many.dispose();
people.dispose();
endThreads();
