// The papers that Manikin grew out of: the mass-matrix family of paper 004, the walkers of paper 001, the search
// of paper 002, and forward dynamics in the form that papers 000 and 002 print. References and studies; the dynamics to use are those of dynamics().

export * from './astar/index.js';
export * from './mass-matrix/index.js';
export * from './printed/index.js';
export * from './walker/index.js';
