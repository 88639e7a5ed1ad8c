// The scheduler (src/schedule knows integers and costs only) for a mechanism.

import { jointType } from '../../../joints/index.js';
import { GROUND, type Mechanism } from '../../../mechanism/mechanism.js';
import {
  type Schedule,
  type ScheduleOptions,
  schedule as scheduleTopology,
  type Topology,
} from '../../../schedule/index.js';

/** Who hangs on whom, with how many freedoms: all that the scheduler asks of a mechanism. */
export function topologyOf(mechanism: Mechanism): Topology {
  const { joints, loops } = mechanism;
  // To the cost of a joint it is the same whether it turns without end.
  const kind = (type: string): string => (type === 'continuous' ? 'revolute' : type);
  const roots = joints.filter(({ parent }) => parent === GROUND);
  return {
    joints: joints.length,
    parent: joints.map(({ parent }) => parent),
    dof: joints.map(({ model }) => model.nv),
    names: [...joints.map(({ name }) => name), ...loops.map(({ name }) => name)],
    kind: [...joints.map(({ type }) => kind(type)), ...loops.map(({ type }) => kind(type))],
    freeRoot:
      roots.length === 1 &&
      roots[0].type === 'floating' &&
      loops.every(({ a, b }) => a.body !== GROUND && b.body !== GROUND),
    loops: loops.map(({ a, b, type }) => ({ a: a.body, b: b.body, dof: jointType(type).nv })),
  };
}

/** The best order of assembly for a number of processors; its `tree` is what forward dynamics takes as `schedule`. */
export function schedule(mechanism: Mechanism, options: ScheduleOptions): Schedule {
  return scheduleTopology(topologyOf(mechanism), options);
}
