// Where the numbers of one large mechanism stand in its arrays. Numbers stand side by side: number k of link i at k * n + i,
// of part i at k * parts + i.

/** Numbers of a link that do not change; the last ones only where a joint needs them. */
export const CONSTANTS = {
  rotation: 0,
  mass: 4,
  inverseMass: 5,
  com: 6,
  inertia: 9,
  inverseInertia: 15,
  size: 21,
  /** Pitch of a helical joint, second axis of a universal one (3), and the root of the armature. */
  parameters: 21,
  gear: 24,
  largeSize: 25,
} as const;
/** Numbers of a link's motion: orientation, angular velocity, the ancestor that they are relative to. */
export const MOTION = { orientation: 0, w: 4, ancestor: 7, size: 8 } as const;
/**
 * The array of forces: what disassembly needs of each joint, then the forces at the two handles of each part (of a link
 * that is kept as an inertia: its acceleration), then what each link gives to the one that takes it in.
 */
export const FORCES = 12;
export const TAKEN = 27;
export const NONE = 0xffffffff;
