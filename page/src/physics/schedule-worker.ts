// Schedules in a worker of its own: neither the search nor the threads keep the scene waiting.

import type { ScheduleReply, ScheduleRequest } from './protocol.js';
import { findSchedule } from './schedule.js';

let last: Promise<void> = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<ScheduleRequest>): void => {
  last = last.then(async () => {
    let reply: ScheduleReply;
    try {
      reply = { id: data.id, schedule: await findSchedule(data) };
    } catch (error) {
      reply = { id: data.id, error: (error as Error).message };
    }
    self.postMessage(reply);
  });
};
