export { bifurcationPlot, energyPlot, phasePortrait, type StickFigureOptions, stickFigure } from './figures.js';
export { findGait, type Gait, type Section, sectionOf, standingAt, walk } from './gait.js';
export { WALKERS, type WalkerModelName, type WalkerSizes } from './models.js';
export { type WalkReplayOptions, walkReplay } from './replay.js';
export {
  type BasinHint,
  basinHints,
  gaitOf,
  makeWalker,
  recordWalk,
  repeatsAfter,
  type SweepPoint,
  sweep,
  type WalkerRequest,
  type WalkSample,
} from './study.js';
export { type Fall, type Standing, Walker, type WalkerOptions, type WalkerStep } from './walker.js';
