// Sleeping: islands that have been at rest for some time are left out of the steps until something happens to them.
//
// An island falls asleep when all velocities of its members have been slower than `speed` for the time `after`; they are zero from
// then on. It wakes when something that is awake comes near one of its members, when a member is pushed, driven or written to, and all wake
// when the world changes: mechanisms, obstacles, joints. What has a control, or a motor that is told by a function, does not sleep: nobody
// knows what it will do.

import { MechanismError } from '../../mechanism/errors.js';
import type { Island } from './islands.js';
import type { Member } from './member.js';

/** When islands fall asleep. */
export interface SleepOptions {
  /** Seconds at rest; 0.5 where left out. */
  readonly after?: number;
  /** What counts as rest, m/s and rad/s; 1e-4 where left out. */
  readonly speed?: number;
}

/** Who sleeps in a world. */
export class Sleep {
  readonly after: number;
  readonly speed: number;

  constructor({ after = 0.5, speed = 1e-4 }: SleepOptions) {
    for (const [name, value] of Object.entries({ after, speed }))
      if (!(value > 0 && value < Number.POSITIVE_INFINITY))
        throw MechanismError.of('sleep', name, `It must be a positive number, got ${value}.`);
    this.after = after;
    this.speed = speed;
  }

  /** At the start of a step: wakes who lies with somebody that is awake. */
  wake({ members }: Island): void {
    if (members.every(sleeps)) return;
    for (const member of members) {
      if (!member.asleep) continue;
      member.wake();
      member.begin();
    }
  }

  /** After a step of length h: who has been at rest for long enough falls asleep. */
  rest(island: Island, h: number): void {
    if (!isAsleep(island)) this.#look(island, h);
  }

  #look({ members }: Island, h: number): void {
    let longest = Number.POSITIVE_INFINITY;
    for (const member of members) {
      member.still = this.#isStill(member) ? member.still + h : 0;
      longest = Math.min(longest, member.still);
    }
    if (longest < this.after) return;
    for (const member of members) member.fallAsleep();
  }

  #isStill({ v, control, motors, applied }: Member): boolean {
    if (control !== undefined || applied.length > 0) return false;
    for (let k = 0; k < v.length; k++) if (!(Math.abs(v[k]) <= this.speed)) return false;
    return motors.every(({ motor }) => Object.values(motor).every((value) => typeof value !== 'function'));
  }
}

/** Whether the step leaves an island out. */
export function isAsleep({ members }: Island): boolean {
  return members.every(({ asleep }) => asleep);
}

/** A control may be set at any time. */
function sleeps({ asleep, control }: Member): boolean {
  return asleep && control === undefined;
}
