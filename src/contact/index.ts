// manikin/contact: shapes that collide.

export type { ContactProperties, HeightField, MeshData, Shape } from '../mechanism/mechanism.js';
export { BroadPhase, neighbours, type PairFilter } from './broad-phase.js';
export { collide } from './collide.js';
export { type Collider, collider, collidersOf, placeColliders } from './collider.js';
export { convexHull, type Hull } from './hull.js';
export { CONVEX_POINTS, MANIFOLD_POINTS, Manifold } from './manifold.js';
