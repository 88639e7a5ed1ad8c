// manikin/three: mechanisms in scenes of three.js.

export { type DrawnMechanism, Figure, type FigureOptions, shapeMesh } from './figure.js';
