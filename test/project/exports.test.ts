import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as batches from '../../src/batch/index.js';
import * as contact from '../../src/contact/index.js';
import * as gpu from '../../src/engines/gpu/index.js';
import * as mpi from '../../src/engines/mpi/index.js';
import * as parallel from '../../src/engines/threads/index.js';
import * as files from '../../src/files/index.js';
import * as formats from '../../src/formats/index.js';
import * as core from '../../src/index.js';
import * as models from '../../src/models/index.js';
import * as motion from '../../src/motion/index.js';
import * as papers from '../../src/papers/index.js';
import * as plot from '../../src/plot/index.js';
import * as recording from '../../src/recording/index.js';
import * as scenes from '../../src/scenes/index.js';
import * as schedule from '../../src/schedule/index.js';
import * as worlds from '../../src/simulation/world/index.js';
import * as three from '../../src/three/index.js';
import * as toolbox from '../../src/toolbox/index.js';

// What users can import. A change here is a change of the public interface: say so in the CHANGELOG.
describe('public exports', () => {
  it.each([
    [
      'manikin',
      core,
      [
        'ActuatorForces',
        'GROUND',
        'ImportError',
        'MechanismBuilder',
        'MechanismError',
        'Random',
        'RerootableMechanism',
        'Simulation',
        'SimulationError',
        'State',
        'connect',
        'createMechanism',
        'disconnect',
        'dynamics',
        'forwardDynamics',
        'impact',
        'inverseDynamics',
        'inverseMassMatrix',
        'massMatrix',
        'mechanicalEnergy',
        'mechanismSpec',
        'plainDynamics',
        'reroot',
        'schedule',
        'topologyOf',
        'withBase',
        'withoutCouplings',
      ],
    ],
    ['manikin/batch', batches, ['batch', 'held', 'pd', 'sequence', 'spline']],
    [
      'manikin/toolbox',
      toolbox,
      [
        'INERTIAL_PARAMETERS',
        'InverseKinematics',
        'biasForces',
        'centroidalMotion',
        'constrainedInverse',
        'coriolisMatrix',
        'criterionSplit',
        'gravityForces',
        'identify',
        'inertialDerivatives',
        'inertialParameters',
        'operationalInertia',
        'regressor',
        'difference',
        'differenceDerivatives',
        'integrate',
        'integrateDerivatives',
        'interpolate',
        'interpolateDerivatives',
        'inverseKinematics',
        'numericalDerivative',
        'stepDerivatives',
        'trackMarkers',
      ],
    ],
    [
      'manikin/scenes',
      scenes,
      [
        'BUNDLED_SCENES',
        'Environment',
        'ParallelEnvironment',
        'RunSummary',
        'SCENE_SCHEMA',
        'addModel',
        'bundledScene',
        'environment',
        'fitStart',
        'formatScene',
        'isScene',
        'parallelEnvironment',
        'parseScene',
        'sceneWorld',
      ],
    ],
    ['manikin/world', worlds, ['World', 'ball', 'box', 'capsule', 'cylinder']],
    [
      'manikin/contact',
      contact,
      [
        'BroadPhase',
        'CONVEX_POINTS',
        'MANIFOLD_POINTS',
        'Manifold',
        'collide',
        'collider',
        'collidersOf',
        'convexHull',
        'neighbours',
        'placeColliders',
      ],
    ],
    ['manikin/files', files, ['MODEL_FILES', 'MOTION_FILES', 'adapted', 'readModel', 'readMotion', 'readMotionModel']],
    [
      'manikin/formats',
      formats,
      [
        'BVH_CHANNELS',
        'MAX_INPUT_BYTES',
        'checkInputSize',
        'decodeText',
        'formatDescription',
        'formatJson',
        'formatState',
        'formatStorage',
        'formatUrdf',
        'mergeFixedJoints',
        'parseBvh',
        'parseDescription',
        'parseExternalLoads',
        'parseOsim',
        'isOpensimSetup',
        'parseC3d',
        'parseClosingFrames',
        'parseOpensimSetup',
        'parseSchedule',
        'parseSdf',
        'parseState',
        'parseTrc',
        'parseStorage',
        'parseUrdf',
        'formatMjcf',
        'MESH_FILES',
        'meshMass',
        'parseMesh',
        'parseMjcf',
      ],
    ],
    [
      'manikin/papers',
      papers,
      [
        'ARRAY_ALGORITHMS',
        'FRAMES',
        'MASS_MATRIX_ALGORITHMS',
        'WALKERS',
        'Walker',
        'basinHints',
        'bifurcationPlot',
        'countOperationsOf',
        'denavitHartenbergChain',
        'energyPlot',
        'findGait',
        'frameOf',
        'gaitOf',
        'makeWalker',
        'massMatrixBy',
        'phasePortrait',
        'printedForwardDynamics',
        'recordWalk',
        'repeatsAfter',
        'scheduleByAStar',
        'sectionOf',
        'simulateMassMatrix',
        'standingAt',
        'stickFigure',
        'sweep',
        'walk',
        'walkReplay',
      ],
    ],
    ['manikin/models', models, ['BUILTIN_MODELS', 'builtinMechanism', 'chain', 'compass', 'crowd', 'human', 'kneed']],
    ['manikin/gpu', gpu, ['GpuError', 'gpuAssembly', 'openGpu']],
    [
      'manikin/schedule',
      schedule,
      [
        'ENGINE_CONSTANTS',
        'PAPER_CONSTANTS',
        'ScheduleError',
        'describeTree',
        'drawSvg',
        'drawText',
        'engineCost',
        'paperCost',
        'schedule',
        'stringifyTree',
        'treeDepth',
        'treeMakespan',
        'treeSerialCost',
        'validateTree',
      ],
    ],
    [
      'manikin/motion',
      motion,
      [
        'AppliedLoads',
        'CoordinateModel',
        'applyLowPass',
        'coordinateMotion',
        'coordinateNames',
        'differentiated',
        'feetByName',
        'figureFromBvh',
        'gaitCycles',
        'givenSupport',
        'inverseOfMotion',
        'leastNormSplit',
        'lowPass',
        'opensimRates',
        'smoothed',
        'strideFrames',
        'upOf',
      ],
    ],
    [
      'manikin/plot',
      plot,
      [
        'ReplayRecorder',
        'figure',
        'formatReplay',
        'inversePicture',
        'linePlot',
        'momentsRow',
        'motionPicture',
        'motionReplay',
        'parseReplay',
        'sideColors',
        'sideView',
        'svgDocument',
      ],
    ],
    ['manikin/recording', recording, ['Recorder', 'formatCheckpoint', 'parseCheckpoint', 'readRecording']],
    ['manikin/parallel', parallel, ['endThreads', 'measureTimeline']],
    ['manikin/mpi', mpi, ['MpiRanks', 'RANK_CONSTANTS', 'mpi']],
    ['manikin/three', three, ['Figure', 'PosedFigure', 'shapeMesh']],
  ])('%s', (_name, module, expected) => {
    expect(Object.keys(module).sort()).toEqual([...expected].sort());
  });

  it('every entry of package.json leads to a source file', () => {
    const { exports: entries } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      exports: Record<string, string | { types: string; default: string }>;
    };
    for (const entry of Object.values(entries)) {
      if (typeof entry === 'string') continue;
      const source = entry.default.replace('./dist/', '../../src/').replace(/\.js$/, '.ts');
      expect(() => readFileSync(new URL(source, import.meta.url))).not.toThrow();
      expect(entry.types).toBe(entry.default.replace(/\.js$/, '.d.ts'));
    }
  });
});
