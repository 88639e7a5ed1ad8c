// A box is held on a slope by friction, a ball bounces beside it, and both come back to where they were saved.
// prints: the box moved less than a nanometre
// prints: the ball touched the ground
// prints: the same bits again: true
import { ball, box, World } from 'manikin/world';

// A slope of 0.45 for friction of 0.5, as gravity that leans.
const world = new World({ step: 0.002, gravity: [9.81 * 0.41, 0, -9.81 * 0.91], ground: true });
const crate = world.add(box([0.4, 0.4, 0.2], { friction: 0.5 }), { at: [0, 0, 0.1] });
const bouncing = world.add(ball(0.1, { restitution: 0.7 }), { at: [1, 0, 0.5] });

world.runUntil(0.1);
const before = world.pose(crate, 'box').t;
let touched = false;
world.runUntil(1, ({ events }) => {
  touched ||= events.some(({ kind, b }) => kind === 'touch' && b.body === 'ball');
});
const slid = Math.abs(world.pose(crate, 'box').t[0] - before[0]);
console.log(slid < 1e-9 ? 'the box moved less than a nanometre' : 'the box slid');
console.log(touched ? 'the ball touched the ground' : 'the ball is still in the air');
for (const { b, force, mode } of world.contacts()) console.log(b.body, mode, `${force[2].toFixed(2)} N`);

const saved = world.save();
world.runUntil(1.5);
const end = bouncing.state.q.slice();
world.restore(saved);
world.runUntil(1.5);
console.log(
  'the same bits again:',
  end.every((x, k) => x === bouncing.state.q[k]),
);
