/** Automatic scheduling: the best assembly order of a mechanism for any number of processors (paper 002). */
export type { CostModel, EngineConstants, JointInstructions, PaperConstants } from './cost.js';
export { ENGINE_CONSTANTS, engineCost, PAPER_CONSTANTS, paperCost } from './cost.js';
export type { DrawSvgOptions } from './draw-svg.js';
export { drawSvg } from './draw-svg.js';
export type { DrawTextOptions } from './draw-text.js';
export { drawText } from './draw-text.js';
export type { ScheduleErrorCode, ScheduleErrorFields } from './errors.js';
export { ScheduleError } from './errors.js';
export type { InspectOptions, TreeNode } from './inspect.js';
export { describeTree, treeDepth, treeMakespan, treeSerialCost, validateTree } from './inspect.js';
export type { ClosingJoints } from './loop-exact.js';
export type { Schedule, ScheduleOptions } from './schedule.js';
export { schedule } from './schedule.js';
export type { Phase, TimelineEntry } from './timeline.js';
export type { LoopEnds, Topology } from './topology.js';
export type { ScheduleTree } from './tree.js';
export { stringifyTree } from './tree.js';
