export { type FigureStyle, figure, type Projection, sideView } from './figure.js';
export { type InversePicture, inversePicture } from './inverse-picture.js';
export { type LinePlotOptions, linePlot, type Series } from './line-plot.js';
export { type MotionPage, motionPage } from './motion-page.js';
export { type EnergySample, type Moment, momentsRow, motionPicture } from './motion-picture.js';
export { type Sticks, stickPositions, sticks } from './sticks.js';
export { svgDocument } from './svg.js';
