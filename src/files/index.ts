// Files of other programs, whatever their kind: from bytes to mechanisms and motions. Reading them from disk or from a
// server is up to you.

export { type AdaptOptions, adapted, type Model } from './adapted.js';
export { MODEL_FILES, MOTION_FILES } from './kinds.js';
export { type ReadModelOptions, readModel } from './read-model.js';
export { type Motion, type ReadMotionOptions, readMotion, readMotionModel } from './read-motion.js';
