// manikin/three: mechanisms in scenes of three.js.

export { Figure } from './figure.js';
export { type DrawnMechanism, type FigureOptions, PosedFigure } from './posed-figure.js';
export { shapeMesh } from './shape-mesh.js';
