// Where everything of an island stands in the memory of the kernels: numbers in F, integers in N, both over the same bytes.
//
// Files of this folder are plain TypeScript and are compiled to WebAssembly as well, by scripts/compile-kernels.mjs: functions of
// numbers on F and N, with loops and no objects. Types i32 and f64 say what a number is there.

/** An integer of 32 bits. */
export type i32 = number;
/** A number of 64 bits. */
export type f64 = number;

// Integers at the start of N: counts, then the places of arrays (in N or F, as said).
export const LINKS = 0;
export const DOFS = 1;
export const BLOCKS = 2;
export const NODES = 3;
/** N: parent of each link, -1 for none. */
export const PARENT = 4;
/** N: first velocity of each link; one more. */
export const DOF = 5;
/** N: node of each link (the last before it that can move), -1 for none. */
export const NODE_OF = 6;
/** N: 1 where a link is a free base: its velocities are those of the link. */
export const FREE = 7;
/** N: root of each link's tree. */
export const ROOT = 8;
/** N: link of each velocity. */
export const LINK_OF = 9;
/** N: parent of each node. */
export const NODE_PARENT = 10;
/** N: structure of the mass matrices, and of the island; see BlockStructure. */
export const TREE_STRUCTURE = 11;
export const ISLAND_STRUCTURE = 12;
/** N: where diagonal blocks and the blocks of each entry of the trees' structure stand in the matrix of the island. */
export const IN_DIAGONAL = 13;
export const IN_LOWER = 14;
export const IN_UPPER = 15;
/** N: kind of each block; links (contacts, wrenches) or velocities (rows of joints) that it is about, -1 for none. */
export const KIND = 16;
export const SIDE_A = 17;
export const SIDE_B = 18;
/** N: of the last block of each run over one pair of links: where the places of its blocks are listed, else -1. */
export const CROSS = 19;
/** F: 6 for each velocity, motion spaces. */
export const MOTION = 20;
/** F: 10 for each link, inertias. */
export const INERTIAS = 21;
/** F: inertia added to each velocity. */
export const ADDED = 22;
/** F: velocities without impulses. */
export const FREE_VELOCITY = 23;
/** F: coefficient of friction, or bound. */
export const MU = 24;
/** F: 18 for each block, 6 x 3 wrenches on side a, and on side b (opposite); of rows of joints two factors. */
export const WRENCH_A = 25;
export const WRENCH_B = 26;
/** F: 3 for each block: offset of velocities, impulses. */
export const OFFSET = 27;
export const LAMBDA = 28;
/** F: results: contact velocities, J^T lambda, and the change of velocities H^-1 J^T lambda. */
export const U = 29;
export const FORCE = 30;
export const CHANGE = 31;
/** F: inverse inertia of each block, and J v* + b. */
export const D = 32;
export const C = 33;
/** F: factors of the mass matrices; the matrix of the island. */
export const FACTORS = 35;
export const K = 36;
/** F: 72 for each link: inertias with contacts and subtrees as matrices, each number beside that of the transposed matrix. */
export const COMPOSITE = 38;
/** F: work: 6 for each link; 6 for each velocity; others. */
export const LINK_VECTOR = 39;
export const PATHS = 40;
export const TRIED_U = 41;
export const TRIED = 42;
export const E = 43;
export const W = 44;
export const DV = 45;
export const WORK = 46;
/** F: scale, residual. */
export const SCALARS = 47;
/** Numbers of K. */
export const K_LENGTH = 49;
/** N: one past the last velocity that moves each link. */
export const LAST = 50;
/** F: for the prediction: velocities at the start of the step, and those of the bias forces; forces on joints. */
export const START_VELOCITY = 51;
export const BIAS_VELOCITY = 52;
export const TAU = 53;
/** F: 6 for each link: external forces; accelerations of joints whose axes turn in the link; those of the links. */
export const EXTERNAL = 54;
export const OWN = 55;
export const ACCELERATION = 56;
/** F: 3 for each block: the best impulses so far. */
export const BEST = 57;
/** F: for sweeps, of each block: 6 x 3 answers of both bodies; its own 3 x 3 answer and the inverse of that. */
export const ANSWER_A = 58;
export const ANSWER_B = 59;
export const OWN_ANSWER = 60;
/** F: of each block: velocity with which its normal gives way for each unit of impulse, 0 for what is rigid. */
export const COMPLIANCE = 61;
/** F: 3 for each block: of moments, what they change with the velocity of their contact's normal; see spin.ts. */
export const NORMAL_W = 62;
export const HEADER = 64;

// Integers of a tree whose links are placed, from its first one on: a count, then places in N and F.
export const PLACE_LINKS = 0;
/** N: parent of each link, first velocity (one more), root, how its joint moves (below), first of its positions. */
export const PLACE_PARENT = 1;
export const PLACE_DOF = 2;
export const PLACE_ROOT = 3;
export const PLACE_JOINT_KIND = 4;
export const PLACE_IQ = 5;
/** F: given: positions, velocities, rotor inertia of each velocity. */
export const PLACE_Q = 6;
export const PLACE_V = 7;
export const PLACE_ARMATURE = 8;
/** F: given: angle and distance for each unit of a screw's position (2), transforms of the places of joints (12). */
export const PLACE_SCREW = 9;
export const PLACE_PLACEMENT = 10;
/** F: given: motion spaces (6) and inertias (10) in link axes. */
export const PLACE_LOCAL = 11;
export const PLACE_INERTIA = 12;
/** F: transforms of joints (12), given where the kernels do not know them. */
export const PLACE_JOINT = 13;
/** F: found: poses (12), origins from that of the root (3), reference points (3) and where they lie from the root's origin (3). */
export const PLACE_POSE = 14;
export const PLACE_ORIGIN = 15;
export const PLACE_REFERENCE = 16;
export const PLACE_ABOUT = 17;
/** F: found: motion spaces (6), inertias (10) and velocities (6) in ground axes about the reference points. */
export const PLACE_MOTION = 18;
export const PLACE_RIGID = 19;
export const PLACE_VELOCITY = 20;
/** F: found: kinetic energy, inertia (10) and momentum (6) of the whole, about the reference point of the first root. */
export const PLACE_BOOKS = 21;
/** F: work, 8 numbers. */
export const PLACE_WORK = 22;
export const PLACE_HEADER = 23;

/** How joints move: not at all; a screw of one position; a ball; a free base; as the caller says. */
export const JOINT_FIXED = 0;
export const JOINT_SCREW = 1;
export const JOINT_BALL = 2;
export const JOINT_FREE = 3;
export const JOINT_GIVEN = 4;

// Integers of the shapes of a broad phase, from the first one on: counts, then places in N and F.
export const SHAPES = 0;
/** Shapes that are no planes, and room for pairs. */
export const SHAPE_BOUNDED = 1;
export const SHAPE_CAPACITY = 2;
/** N: bounded shapes in the order of their least coordinate, then planes. */
export const SHAPE_ORDER = 3;
/** N: bit a n + b is set where a pair is allowed, a < b. */
export const SHAPE_ALLOWED = 4;
/** N: places in F of the pose, velocity and reference point of the link that carries each shape (3); -1: nothing moves it. */
export const SHAPE_LINK = 5;
/** N: lists of pairs: first of each shape a; next and b of each entry. Then the pairs, sorted (2). */
export const SHAPE_FIRST = 6;
export const SHAPE_NEXT = 7;
export const SHAPE_OTHER = 8;
export const SHAPE_PAIRS = 9;
/** F: link to shape (12), ground to shape (12). */
export const SHAPE_PLACEMENT = 10;
export const SHAPE_POSE = 11;
/** F: middle and half edges of a box along the shape's axes, and what is round about it (7). */
export const SHAPE_BOX = 12;
/** F: of a ball about the origin. */
export const SHAPE_REACH = 13;
/** F: how far each shape looks beyond its surface; its bounds with that, least then most (6). */
export const SHAPE_MARGIN = 14;
export const SHAPE_BOUNDS = 15;
/** F: how far apart the shapes of each pair are still looked at. */
export const SHAPE_PAIR_MARGIN = 16;
export const SHAPE_HEADER = 17;

// Integers of a structure: its nodes, then the places in N of its arrays; see BlockStructure.
export const S_NODES = 0;
export const S_SIZE = 1;
export const S_START = 2;
export const S_NODE = 3;
export const S_FIRST = 4;
export const S_COLUMN = 5;
export const S_DIAGONAL = 6;
export const S_LOWER = 7;
export const S_UPPER = 8;
export const S_PAIRS = 9;
export const S_TARGET = 10;
export const S_HEADER = 11;

/** Kinds of blocks. A wrench is one row between two links that must hold: loop joints. */
export const KIND_CONTACT = 0;
export const KIND_LIMIT = 1;
export const KIND_BOX = 2;
export const KIND_WRENCH = 3;
/** Moments of the contact that stands one block before; KIND_SPIN + k: 1 + k blocks before. */
export const KIND_SPIN = 4;
