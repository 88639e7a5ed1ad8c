export { measure, type NamedCall, type NamedTiming } from '../src/cli/bench/measure.js';
