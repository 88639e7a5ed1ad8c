// manikin/three: mechanisms in scenes of three.js.

export { type DrawnMechanism, Figure, type FigureOptions } from './figure.js';
export { shapeMesh } from './shape-mesh.js';
