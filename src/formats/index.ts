export { type Description, describe } from './description.js';
export { type DescriptionOptions, parseDescription } from './description-reader.js';
export { formatJson } from './json-writer.js';
export { mergeFixedJoints } from './merge-fixed.js';
export { parseSchedule, type ScheduleData } from './schedule-file.js';
export { checkInputSize, MAX_INPUT_BYTES } from './size-limit.js';
export { formatState, type JointRecord, type JointVectors, type ParsedState, parseState } from './state-file.js';
export { parseUrdf, type UrdfOptions } from './urdf.js';
export { formatUrdf, type UrdfText } from './urdf-writer.js';
