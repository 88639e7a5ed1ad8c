export { measure, type Task, type Timing } from '../src/cli/bench/measure.js';
