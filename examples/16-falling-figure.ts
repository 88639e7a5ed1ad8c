// A figure falls over and comes to rest. Scenes that come with the package are plain data: change what you like.
// prints: it lies still
import { bundledScene, sceneWorld } from 'manikin/scenes';

const fall = bundledScene('fall');
if (fall === undefined) throw new Error('there is no scene "fall"');
const run = sceneWorld({ ...fall, step: 0.004, duration: 2.5 });
const start = run.world.energy().total;
let most = 0;
run.runUntil(run.duration, ({ world }) => {
  most = Math.max(most, world.report.contacts);
});
const { kinetic, total } = run.world.energy();
console.log(`${(start - total).toFixed(0)} J lost in joints and contacts, ${most} contact points at most`);
console.log(kinetic < 1e-6 ? 'it lies still' : `it still moves: ${kinetic} J`);
