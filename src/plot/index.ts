export { type FigureStyle, figure, type Projection, sideView } from './figure.js';
export { type LinePlotOptions, linePlot, type Series } from './line-plot.js';
export { type EnergySample, type Moment, motionPicture } from './motion-picture.js';
export { svgDocument } from './svg.js';
