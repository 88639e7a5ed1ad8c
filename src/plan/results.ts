// Sizes of the results that compiled functions leave in memory.

/** Rotation of coordinates (9, row major) and origin (3) of a body. */
export const BODY_POSE = 12;
/** Angular, then linear. */
export const BODY_VELOCITY = 6;
/** Kinetic energy; first moment of mass about the ground's origin (3); angular and linear momentum there (6). */
export const ENERGY = { kinetic: 0, moment: 1, momentum: 4, size: 10 };
