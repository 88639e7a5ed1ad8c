// Torques beyond what people can do, and ground that would have to pull: of a captured motion they mean that something is
// wrong with it, with its scale, its filter, or with what is taken to carry the figure.

import type { Problem } from '../mechanism/errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { stretches } from './carriers.js';
import { namedPart, type SegmentPart } from './segments.js';

/**
 * N m for each kilogram of the body, in the joint that carries a part: what strong people reach in sprints and jumps, and
 * half as much again.
 */
const ABILITY = new Map<SegmentPart, number>([
  ['thigh', 6],
  ['shank', 5.5],
  ['foot', 5.5],
  ['toe', 1.5],
  ['spine', 8],
  ['head', 1.5],
  ['girdle', 3],
  ['upperArm', 2.5],
  ['forearm', 2],
  ['hand', 0.8],
  ['finger', 0.15],
]);

/** One warning for each joint whose torque is beyond that in some frame; frames that `skip` names do not count. */
export function beyondAbility(
  mechanism: Mechanism,
  mass: number,
  frames: readonly { readonly time: number; readonly tau: Float64Array }[],
  skip: (frame: number) => boolean,
): Problem[] {
  return mechanism.joints.flatMap(({ name, iv, model, type }, j): Problem[] => {
    const ability = ABILITY.get(namedPart(mechanism.bodies[j].name).part ?? 'pelvis');
    const turns =
      type === 'spherical' ? 3 : type === 'universal' ? 2 : type === 'revolute' || type === 'continuous' ? 1 : 0;
    if (ability === undefined || turns === 0 || model.nv === 0) return [];
    let [worst, at] = [0, 0];
    frames.forEach(({ tau }, k) => {
      const torque = Math.hypot(...tau.subarray(iv, iv + turns));
      if (skip(k) || torque <= worst) return;
      worst = torque;
      at = k;
    });
    const limit = ability * mass;
    if (worst <= limit) return [];
    return [
      {
        code: 'beyond-ability',
        where: `joint "${name}"`,
        message: `The torque reaches ${worst.toPrecision(4)} N m at ${Number(frames[at].time.toFixed(3))} s, and people of ${Math.round(mass)} kg can do about ${limit.toPrecision(3)} there; look at the support, the scale and the frames around it.`,
      },
    ];
  });
}

/** The ground pulls by more than this share of the weight, for so many seconds. */
const PULLED = 0.1;
const PULLED_FOR = 0.04;

/** A warning where somebody falls faster than by gravity with feet on the ground. `pull` is the share of the weight, by frame. */
export function pulledDown(pull: readonly number[], weight: number, time: (frame: number) => number): Problem[] {
  const long = stretches(pull.length, (k) => pull[k] > PULLED).filter(
    ([from, to]) => time(to) - time(from) > PULLED_FOR,
  );
  if (long.length === 0) return [];
  const [first] = long;
  const most = Math.max(...long.flatMap(([from, to]) => pull.slice(from, to + 1))) * weight;
  const [from, to] = first.map((k) => Number(time(k).toFixed(3)));
  const more = long.length > 1 ? ` and ${long.length - 1} more times` : '';
  return [
    {
      code: 'pulled',
      where: '',
      message: `Between ${from} and ${to} s${more} the ground would have to pull, by up to ${most.toPrecision(3)} N, which it cannot: look at the filter (--cutoff), the scale and the frames around it.`,
    },
  ];
}
