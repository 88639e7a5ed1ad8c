// "manikin inverse": joint forces of a captured motion.

import { basename, dirname, extname, isAbsolute, join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { MOTION_FILES } from '../../files/kinds.js';
import { DEFAULT_CUTOFF, type Motion, readMotion, readMotionModel } from '../../files/read-motion.js';
import { parseExternalLoads } from '../../formats/external-loads.js';
import { formatJson } from '../../formats/json-writer.js';
import { isOpensimSetup } from '../../formats/opensim-setup.js';
import { parseStorage } from '../../formats/storage.js';
import { edgeFrames, framesOf, withinLoads } from '../../motion/frames-within.js';
import { AppliedLoads, givenSupport, inverseOfMotion, type Trajectory } from '../../motion/index.js';
import { criterionSplit, type SplitOptions } from '../../toolbox/load-split.js';
import { InputError } from '../errors.js';
import { readInput, readInputText } from '../input-file.js';
import { loadModel, positive, printWarnings } from '../model-argument.js';
import { formatNumber, type Terminal } from '../terminal.js';
import { asJson, asText, hertz, type InverseArguments, InverseFiles, type InverseOutcome } from './inverse-report.js';
import { readSetup } from './setup-argument.js';

export function configureInverseMotion(command: Command, terminal: Terminal): void {
  command
    .argument('<motion>', "a file: .bvh; .mot or .sto with --model; or a set-up of OpenSim's inverse dynamics (.xml)")
    .option('--model <model>', 'for .mot and .sto: an .osim file, or any model whose joints are the coordinates')
    .option('--loads <file>', "measured forces: OpenSim's ExternalLoads (.xml)")
    .option('--loads-data <file>', 'the table of these forces, where it is not beside the .xml')
    .option(
      '--cutoff <hertz>',
      `of the low-pass filter for positions (zero-phase Butterworth), or none (default: ${DEFAULT_CUTOFF}, or what a set-up says)`,
      cutoff,
    )
    .option('--mass <kilograms>', 'of the figure, for .bvh (default: 73)', positive)
    .option('--height <metres>', 'of the figure, for .bvh (default: 1.741)', positive)
    .option(
      '--scale <metres>',
      'a unit of the .bvh file (CMU: 0.056444); default: legs as long as the height tells',
      positive,
    )
    .addOption(
      new Option(
        '--up <axis>',
        'for .bvh: the axis that points up (default: y, unless the figure stands along another)',
      ).choices(['x', 'y', 'z']),
    )
    .option(
      '--support <foot>',
      'left, right, both, none or bodies (LeftHand+right); or from times on: 0:left,0.5:both,0.6:right',
    )
    .addOption(
      new Option('--supports <bodies>', 'as --support, for --criterion (least-norm where that is left out)').conflicts(
        'support',
      ),
    )
    .addOption(
      new Option(
        '--criterion <name>',
        'all that carries shares the load by forces of least norm, or least effort of joints',
      )
        .choices(['least-norm', 'least-effort'])
        .conflicts('double'),
    )
    .option('--friction <mu>', 'with --criterion: feet push within this coefficient (default: they hold)', positive)
    .addOption(
      new Option('--double <how>', 'both feet down: handed over smoothly, all on one foot, or the split of least norm')
        .choices(['smooth', 'one', 'split'])
        .default('smooth'),
    )
    .option('--out <file>', 'write the forces: .csv or .sto')
    .option('--svg <file>', 'draw the motion, the force of the ground and joint forces')
    .option('--html <file>', 'a page that plays the motion')
    .option('--root <folder>', 'for a set-up file: its files are read from here and below (default: its folder)')
    .option('--json', 'print JSON')
    .option('--quiet', 'do not print warnings')
    .addHelpText(
      'after',
      `
Which foot carries the figure is found frame by frame, and where hands or a seat do. While both feet do, how they share the load cannot be known from the
motion: the whole is given, marked "double", and shared by where it acts, without jumps; --json has the torques if either foot
carried all. Frames near the ends, where the filter has no neighbours, are marked.

Examples:
  manikin inverse walk.bvh --height 1.8 --mass 75 --out out/walk.csv --html out/walk.html
  manikin inverse walk.mot --model subject.osim --loads grf.xml --out out/walk.sto
  manikin inverse climb.bvh --supports 0:left+LeftHand,0.6:both --criterion least-effort --json
  manikin inverse walk_Setup_ID.xml --out out/walk_ID.sto`,
    )
    .action((motion: string, options: Asked) => inverse(motion, options, terminal));
}

function cutoff(text: string): number | 'none' {
  if (text === 'none') return text;
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a positive number, or none.');
  return value;
}

/** As the words of the command are: a set-up may say the rest. */
type Asked = Omit<InverseArguments, 'cutoff'> & Partial<Pick<InverseArguments, 'cutoff'>>;

async function inverse(given: string, asked: Asked, terminal: Terminal): Promise<void> {
  const writers = new InverseFiles(asked);
  const { file, options } =
    extname(given).toLowerCase() === '.xml'
      ? fromSetup(given, asked)
      : { file: given, options: { ...asked, cutoff: asked.cutoff ?? DEFAULT_CUTOFF } };
  const criterion = criterionOf(options);
  const whole = await load(file, options, terminal);
  const loads = loadLoads(options, whole.trajectory);
  const timed = options.setup === undefined ? whole.trajectory : withinTimes(whole.trajectory, options.setup.timeRange);
  const { trajectory, warnings } =
    loads === undefined ? { trajectory: timed, warnings: [] } : withinLoads(timed, loads);
  const loaded: Motion = { ...whole, warnings: [...whole.warnings, ...warnings] };
  const first = Math.round((trajectory.start - whole.trajectory.start) / trajectory.interval);
  if (options.quiet !== true) printWarnings(loaded.warnings, 'grouped', terminal);
  const times = Array.from({ length: trajectory.count }, (_, k) => trajectory.start + k * trajectory.interval);
  if (options.support !== undefined && loads !== undefined)
    throw new InputError(
      '--support and --loads exclude each other: measured forces say which foot carries the figure.',
    );
  const named = options.supports ?? options.support;
  const chosen = named === undefined ? undefined : givenSupport(named, loaded.feet, trajectory.mechanism, times);
  const result = inverseOfMotion(trajectory, {
    feet: chosen?.feet ?? loaded.feet,
    doubleSupport: options.double,
    ...(criterion !== undefined && { split: criterionSplit(trajectory.mechanism, criterion) }),
    ...(chosen !== undefined && { supports: chosen.supports }),
    ...(loads !== undefined && { loads }),
    ...(loaded.height !== undefined && { height: loaded.height }),
    edge: edgeFrames(hertz(options), trajectory.interval),
  });
  if (options.quiet !== true) printWarnings(result.warnings, 'grouped', terminal);
  const torques = result.frames.map(({ tau }, k) => loaded.forces(first + k, tau));
  const outcome: InverseOutcome = { file, options, loaded, result, torques, measured: loads !== undefined, first };
  try {
    writers.write(outcome);
  } catch (error) {
    writers.abandon();
    throw error;
  }
  if (options.json === true) terminal.out(`${formatJson(asJson(outcome, writers.files))}\n`);
  else terminal.out(`${asText(outcome, writers.files)}\n`);
}

// Input

/** Undefined where none is asked for. */
function criterionOf({ supports, criterion, friction, loads }: InverseArguments): SplitOptions | undefined {
  if (criterion === undefined && supports === undefined) {
    if (friction !== undefined) throw new InputError('--friction goes with --criterion.');
    return undefined;
  }
  if (loads !== undefined)
    throw new InputError('--criterion and --loads exclude each other: measured forces are not to be found.');
  return { criterion: criterion ?? 'least-norm', ...(friction !== undefined && { friction }) };
}

/** What a set-up file of OpenSim says, but for the options that are given. */
function fromSetup(file: string, asked: Asked): { file: string; options: InverseArguments } {
  if (!isOpensimSetup(readInputText(file)))
    throw new InputError(
      `"${file}" is not a set-up of OpenSim's inverse dynamics; a motion is ${MOTION_FILES.join(', ')}.`,
    );
  const { setup, named } = readSetup(file, 'inverse-dynamics', asked.root);
  return {
    file: named(setup.coordinatesFile, 'coordinates_file'),
    options: {
      ...asked,
      model: asked.model ?? named(setup.modelFile, 'model_file'),
      ...(asked.loads === undefined &&
        setup.loadsFile !== '' && { loads: named(setup.loadsFile, 'external_loads_file') }),
      cutoff: asked.cutoff ?? setup.cutoff ?? 'none',
      setup: { file, timeRange: setup.timeRange, outputFile: setup.outputFile },
    },
  };
}

async function load(file: string, options: InverseArguments, terminal: Terminal): Promise<Motion> {
  const extension = extname(file).toLowerCase();
  if (!(MOTION_FILES as readonly string[]).includes(extension))
    throw new InputError(`"${file}" is not a motion of a known kind (${MOTION_FILES.join(', ')}).`);
  const { mass, height, scale, up, model } = options;
  if (extension === '.bvh') {
    if (model !== undefined) throw new InputError('A .bvh file brings its own skeleton; leave --model out.');
    return readMotion(readInput(file), file, {
      cutoff: hertz(options),
      ...(mass !== undefined && { mass }),
      ...(height !== undefined && { height }),
      ...(scale !== undefined && { scale }),
      ...(up !== undefined && { up }),
    });
  }
  for (const option of ['mass', 'height', 'scale', 'up'] as const)
    if (options[option] !== undefined)
      throw new InputError(`--${option} goes with .bvh files; a model has its own size.`);
  if (model === undefined) throw new InputError(`"${file}" needs a model: --model FILE.osim.`);
  const whose =
    extname(model).toLowerCase() === '.osim'
      ? readMotionModel(readInput(model), model)
      : (await loadModel(model, { quiet: true }, terminal)).mechanism;
  return readMotion(readInput(file), file, {
    model: whose,
    cutoff: hertz(options),
    ...(options.setup !== undefined && { filter: 'opensim' }),
  });
}

function loadLoads(options: InverseArguments, { mechanism }: Trajectory): AppliedLoads | undefined {
  const { loads: file, loadsData } = options;
  if (file === undefined) {
    if (loadsData !== undefined) throw new InputError('--loads-data goes with --loads.');
    return undefined;
  }
  const loads = parseExternalLoads(readInputText(file), { file: basename(file) });
  // A file must not send us anywhere in the system: the table is beside it, or the user names it.
  const inside = !isAbsolute(loads.dataFile) && !loads.dataFile.split(/[/\\]/).includes('..');
  if (loadsData === undefined && !inside)
    throw new InputError(
      `"${file}" names the table "${loads.dataFile}", which is elsewhere; give it with --loads-data.`,
    );
  const data = loadsData ?? join(dirname(file), loads.dataFile);
  return new AppliedLoads(
    loads,
    parseStorage(readInputText(data), { file: basename(data) }),
    mechanism,
    basename(data),
  );
}

/** The frames within a range of times. */
function withinTimes(trajectory: Trajectory, [from, to]: readonly [number, number]): Trajectory {
  const { start, interval, count } = trajectory;
  const slack = 1e-3;
  const first = Math.max(0, Math.ceil((from - start) / interval - slack));
  const last = Math.min(count - 1, Math.floor((to - start) / interval + slack));
  if (!(last >= first))
    throw new InputError(`The motion has no frames between ${formatNumber(from)} and ${formatNumber(to)} s.`);
  return framesOf(trajectory, first, last);
}
