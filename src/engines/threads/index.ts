// One mechanism on many cores is the engine 'threads' of dynamics(), many states are batch(); both share their threads.

export type { SegmentSpan } from '../../schedule/segment-timeline.js';
export { measureTimeline, type ThreadTimelines, type TimelineRequest } from './measured-timeline.js';
export { endThreads } from './pool.js';
