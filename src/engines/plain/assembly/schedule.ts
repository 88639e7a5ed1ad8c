// The scheduler (src/schedule knows integers and costs only) for a mechanism.

import { jointType } from '../../../joints/index.js';
import { GROUND, type Mechanism } from '../../../mechanism/mechanism.js';
import {
  type Schedule,
  type ScheduleOptions,
  schedule as scheduleTopology,
  type Topology,
} from '../../../schedule/index.js';

/** To the cost of a joint it is the same whether it turns without end. */
const costKind = (type: string): string => (type === 'continuous' ? 'revolute' : type);

/** Who hangs on whom, with how many freedoms: all that the scheduler asks of a mechanism. */
export function topologyOf(mechanism: Mechanism): Topology {
  const { joints, loops } = mechanism;
  const parent = new Int32Array(joints.length);
  const dof = new Int32Array(joints.length);
  const names = new Array<string>(joints.length + loops.length);
  const kind = new Array<string>(joints.length + loops.length);
  let roots = 0;
  let floats = false;
  for (let i = 0; i < joints.length; i++) {
    const joint = joints[i];
    parent[i] = joint.parent;
    dof[i] = joint.model.nv;
    names[i] = joint.name;
    kind[i] = costKind(joint.type);
    if (joint.parent !== GROUND) continue;
    roots++;
    floats = joint.type === 'floating';
  }
  for (const [l, { name, type }] of loops.entries()) {
    names[joints.length + l] = name;
    kind[joints.length + l] = costKind(type);
  }
  return {
    joints: joints.length,
    parent,
    dof,
    names,
    kind,
    freeRoot: roots === 1 && floats && loops.every(({ a, b }) => a.body !== GROUND && b.body !== GROUND),
    loops: loops.map(({ a, b, type }) => ({ a: a.body, b: b.body, dof: jointType(type).nv })),
  };
}

/** The best order of assembly for a number of processors; its `tree` is what forward dynamics takes as `schedule`. */
export function schedule(mechanism: Mechanism, options: ScheduleOptions): Schedule {
  const started = performance.now();
  return scheduleTopology(topologyOf(mechanism), options, started);
}
