// A URDF with its loops: the frames that close them stand in a YAML file beside it.

import { searchClosed } from '../engines/plain/assembly/closing-search.js';
import { type ClosingFrames, parseClosingFrames } from '../formats/closing-frames.js';
import { decodeText } from '../formats/decode-text.js';
import { mergeFixedJoints } from '../formats/merge-fixed.js';
import type { ModelFiles } from '../formats/model-files.js';
import { createMechanism } from '../mechanism/create.js';
import { ImportError, type Problem } from '../mechanism/errors.js';
import { Mechanism } from '../mechanism/mechanism.js';
import { nearNames } from '../mechanism/near-names.js';
import type { LoopSpec } from '../mechanism/spec.js';
import { State } from '../mechanism/state.js';
import { mechanismSpec } from '../mechanism/variants.js';
import type { Model } from './adapted.js';

/** The closing frames beside a file: robot.yaml beside robot.urdf; undefined where there are none. */
export function closingFramesBeside(name: string, files: ModelFiles | undefined): ClosingFrames | undefined {
  if (files === undefined) return undefined;
  const path = [files.folder, name.replace(/\.urdf$/i, '.yaml')].filter(Boolean).join('/');
  const bytes = files.read(path);
  const text = bytes && decodeText(bytes);
  // Other programs have YAML files of that name, too.
  if (text === undefined || !/^closed_loop\s*:/m.test(text)) return undefined;
  const found = parseClosingFrames(text, { file: path });
  return found.pairs.length > 0 ? found : undefined;
}

/**
 * The tree with its loop joints, in a state that closes them: found from the neutral one by a search over the joints without
 * motors. Where it ends short of closed the warning says by how much.
 */
export function withClosedLoops(tree: Mechanism, frames: ClosingFrames, file: string, merge: boolean): Model {
  const frame = (name: string): string => {
    if (tree.hasBody(name)) return name;
    if (tree.hasJoint(name)) return tree.bodies[tree.jointIndex(name)].name;
    const names = [...tree.bodies, ...tree.joints].map((part) => part.name);
    throw ImportError.of('closing-frames', file, `There is no link or joint "${name}". ${nearNames(name, names)}`);
  };
  const loops = frames.pairs.map(
    ({ a, b, type }, k): LoopSpec => ({ name: `loop${k + 1}`, type, a: { body: frame(a) }, b: { body: frame(b) } }),
  );
  const spec = { ...mechanismSpec(tree), loops };
  // What is wrong with the bodies has been said of the tree.
  const made = createMechanism(merge ? mergeFixedJoints(spec) : spec, { inertia: 'warn' });
  const found = new State(made);
  const motors = new Set(frames.motors);
  const passive = new Set(made.joints.flatMap(({ name }) => (motors.has(name) ? [] : [name])));
  const { before, after } = searchClosed(found, passive);
  const mechanism = new Mechanism({ ...made, warnings: [...tree.warnings, ...remarks(before, after, file)] });
  const state = new State(mechanism);
  state.q.set(found.q);
  return { mechanism, state };
}

const CLOSED = 1e-9;

function remarks(before: number, after: number, file: string): Problem[] {
  if (before < CLOSED) return [];
  const was = `In the neutral pose the loops are open by ${before.toPrecision(3)} (metres or radians)`;
  return after < CLOSED
    ? [{ code: 'loops-closed', where: file, message: `${was}; joints without motors are moved to close them.` }]
    : [
        {
          code: 'loops-open',
          where: file,
          message: `${was}, and moving the joints without motors leaves ${after.toPrecision(3)}; look at the frames, or use --loops open.`,
        },
      ];
}
