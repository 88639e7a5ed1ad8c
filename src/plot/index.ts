export { type FigureStyle, figure, type Projection, sideView } from './figure.js';
export { type InversePicture, inversePicture } from './inverse-picture.js';
export { type LinePlotOptions, linePlot, type Series } from './line-plot.js';
export { type EnergySample, type Moment, momentsRow, motionPicture } from './motion-picture.js';
export { type MotionReplayOptions, motionReplay } from './motion-replay.js';
export {
  formatReplay,
  parseReplay,
  type Replay,
  type ReplayCurve,
  type ReplayMember,
  type ReplayPlot,
  type ReplayStructure,
} from './replay.js';
export { type ReplayMoment, ReplayRecorder, type ReplayRecorderOptions } from './replay-recorder.js';
export { sideColors } from './sides.js';
export { svgDocument } from './svg.js';
