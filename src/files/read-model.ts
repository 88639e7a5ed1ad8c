import { parseBvh } from '../formats/bvh.js';
import { decodeText } from '../formats/decode-text.js';
import { parseDescription } from '../formats/description-reader.js';
import { parseMjcf } from '../formats/mjcf.js';
import type { ModelFiles } from '../formats/model-files.js';
import { osimMechanism, parseOsim } from '../formats/osim.js';
import { parseSdf } from '../formats/sdf.js';
import { checkInputSize } from '../formats/size-limit.js';
import { parseUrdf, type UrdfOptions } from '../formats/urdf.js';
import { ImportError } from '../mechanism/errors.js';
import { Mechanism } from '../mechanism/mechanism.js';
import { State } from '../mechanism/state.js';
import { figureFromBvh } from '../motion/bvh-figure.js';
import { type AdaptOptions, adapted, type Model } from './adapted.js';
import { closingFramesBeside, withClosedLoops } from './closed-urdf.js';
import { baseName, extensionOf, MODEL_FILES, stemOf } from './kinds.js';

export interface ReadModelOptions extends AdaptOptions {
  /** URDF: whether links on fixed joints stay bodies of their own (default) or become part of their parents. */
  readonly fixedJoints?: 'keep' | 'merge';
  /** What becomes of inertias that no real body has (default: 'warn'). */
  readonly inertia?: 'reject' | 'warn' | 'repair';
  /** Where the files of a package:// are. */
  readonly packages?: UrdfOptions['packages'];
  /** URDF, SDF: joints that carry nothing that weighs are locked with a warning (default), or an error. */
  readonly massless?: 'lock' | 'error';
  /**
   * MJCF, SDF: where included files and meshes come from; nothing else is ever read. URDF: robot.yaml beside robot.urdf, with
   * the frames that close loops.
   */
  readonly files?: ModelFiles;
}

/**
 * A model from the bytes of a file, whatever its kind: URDF, MJCF (.xml), SDF, the JSON description, BVH (a figure of average
 * proportions on the skeleton) or OpenSim. The end of the name says which; in an .xml file the root element does.
 *
 *     const { mechanism, state } = readModel(await readFile('panda.urdf'), 'panda.urdf', { base: 'floating' });
 */
export function readModel(source: Uint8Array | string, name: string, options: ReadModelOptions = {}): Model {
  checkInputSize(source.length, baseName(name));
  return adapted(parse(decodeText(source), name, options), options);
}

/** Files of other kinds that come with the ending .xml. */
const ROOTS = new Map([
  ['robot', '.urdf'],
  ['OpenSimDocument', '.osim'],
  ['sdf', '.sdf'],
]);

/** The name of the root element. */
function rootOf(text: string): string {
  const start = /^(?:\s|<\?[^>]*>|<!--(?:(?!-->)[\s\S])*-->)*<([A-Za-z]\w*)/.exec(text.slice(0, 1 << 16));
  return start?.[1] ?? '';
}

function parse(text: string, name: string, options: ReadModelOptions): Model {
  const { base, mimic, fixedJoints = 'keep', inertia, packages, files, massless } = options;
  const file = baseName(name);
  const common = { file, ...(inertia !== undefined && { inertia }) };
  const withPackages = { ...common, ...(packages !== undefined && { packages }) };
  const extension = extensionOf(name);
  switch (extension === '.xml' ? (ROOTS.get(rootOf(text)) ?? extension) : extension) {
    case '.xml':
      return parseMjcf(text, { ...common, ...(files !== undefined && { files }) });
    // Some are finished files; others are named as templates.
    case '.xacro':
    case '.urdf': {
      const own = {
        fixedJoints,
        ...(base !== undefined && { base }),
        ...(mimic !== undefined && { mimic }),
        ...(massless !== undefined && { massless }),
      };
      const closing = options.loops === 'open' ? undefined : closingFramesBeside(file, files);
      if (closing !== undefined) {
        const tree = parseUrdf(text, { ...withPackages, ...own, fixedJoints: 'keep' });
        return withClosedLoops(tree, closing, file, fixedJoints === 'merge');
      }
      const mechanism = parseUrdf(text, { ...withPackages, ...own });
      return { mechanism, state: new State(mechanism) };
    }
    case '.sdf':
      return parseSdf(text, {
        ...withPackages,
        ...(files !== undefined && { files }),
        ...(base !== undefined && { base }),
        ...(mimic !== undefined && { mimic }),
        ...(massless !== undefined && { massless }),
      });
    case '.json':
      return parseDescription(text, withPackages);
    case '.bvh': {
      const { positions, warnings } = figureFromBvh(parseBvh(text, { file }), { name: stemOf(name) });
      const mechanism = new Mechanism({ ...positions.mechanism, warnings });
      const state = new State(mechanism);
      state.q.set(positions.q.subarray(0, mechanism.nq));
      return { mechanism, state };
    }
    case '.osim': {
      const model = parseOsim(text, common);
      const mechanism = osimMechanism(model);
      const state = new State(mechanism);
      for (const { name: joint, defaultValue } of model.coordinates)
        if (mechanism.hasJoint(joint)) state.set(joint, defaultValue);
      return { mechanism, state: state.applyCouplings() };
    }
    default:
      throw ImportError.of('kind', file, `It is not a model of a known kind (${MODEL_FILES.join(', ')}).`);
  }
}
