// manikin bench gpu: forward and inverse dynamics of many states, and one large mechanism, on the GPU.

import type { Command } from 'commander';
import { InputError } from '#src/cli/errors.js';
import { type ModelOptions, namedModels, positive } from '#src/cli/model-argument.js';
import { type Terminal, table } from '#src/cli/terminal.js';
import { type OpenGpu, openGpu } from '#src/engines/gpu/device.js';
import { GpuError } from '#src/engines/gpu/errors.js';
import { formatJson } from '#src/formats/json-writer.js';
import type { Mechanism } from '#src/mechanism/mechanism.js';
import { benchAssembly, benchBatch, type GpuTiming } from '../gpu.js';

interface Options extends ModelOptions {
  readonly batch?: string;
  readonly variant?: string;
  readonly assembly?: boolean;
  readonly budget?: number;
  readonly json?: boolean;
}

const DEFAULT_BATCHES = [1024, 16384, 65536, 262144, 1048576];
/** Mechanisms with more joints are computed one at a time, by assembly. */
const LARGE = 512;

function batchesOf(text: string | undefined): readonly number[] {
  if (text === undefined) return DEFAULT_BATCHES;
  const numbers = text.split(',').map(Number);
  if (!numbers.every((n) => Number.isInteger(n) && n > 0 && n <= 2 ** 24))
    throw new InputError(`--batch expects numbers of states, up to ${2 ** 24}, as in 1024,65536; got "${text}".`);
  return numbers;
}

/** Those batches that fit into a buffer of the device. */
function fitting(gpu: OpenGpu, name: string, numbers: number, batches: readonly number[]): readonly number[] {
  const most = Math.floor(gpu.maxBufferBytes / 4 / numbers) - 256;
  const fit = batches.filter((states) => states <= most);
  if (fit.length === 0)
    throw new InputError(`${name}: none of the batches fits; this device holds ${most} states of it. See --batch.`);
  return fit;
}

function refuseClosed(name: string, { loops, couplings }: Mechanism): void {
  if (loops.length === 0 && couplings.length === 0) return;
  const what = loops.length > 0 ? 'closed loops' : 'coupled joints';
  throw new InputError(
    `${name} has ${what}, which are not computed on the GPU; "manikin bench fd ${name}" measures it on the CPU.`,
  );
}

const short = (x: number | null): string => (x === null ? '' : x.toExponential(2));

export function configure(command: Command, terminal: Terminal): void {
  command
    .argument('<model...>', 'built-in names or files; more than 512 joints: one mechanism, by assembly')
    .option('--batch <n,n,...>', 'numbers of states (default: 1024 to 1048576)')
    .option('--variant <name>', 'this variant instead of the fastest')
    .option('--assembly', 'one mechanism, by assembly, whatever its size')
    .option('--budget <s>', 'start no other model after so many seconds', positive)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Needs the package "webgpu" (npm install webgpu) and a driver: Vulkan, Metal or D3D12.

Examples:
  manikin bench gpu human-34 human-161
  manikin bench gpu chain-1024 chain-65536 --json`,
    )
    .action(async (models: string[], options: Options) => {
      const batches = batchesOf(options.batch);
      const mechanisms = await namedModels(models, options, terminal);
      const gpu = await open();
      const start = performance.now();
      const results: GpuTiming[] = [];
      let current = '';
      const progress = (line: string): void => {
        if (!terminal.signal.aborted) terminal.err(`${line}\n`);
      };
      progress(`on ${gpu.adapter}`);
      try {
        for (const { name, mechanism } of mechanisms) {
          current = name;
          if (terminal.signal.aborted || performance.now() - start > 1e3 * (options.budget ?? Infinity)) break;
          refuseClosed(name, mechanism);
          const lines =
            options.assembly === true || mechanism.joints.length > LARGE
              ? [await benchAssembly(gpu, mechanism, progress)]
              : await benchBatch(gpu, mechanism, {
                  batches: fitting(gpu, name, Math.max(mechanism.nq, mechanism.nv), batches),
                  progress,
                  ...(options.variant !== undefined && { variant: options.variant }),
                });
          results.push(...lines.map((line) => ({ ...line, model: name })));
        }
      } catch (error) {
        // What the user asked for cannot be done: no stack trace.
        if (error instanceof GpuError) throw new InputError(`${current}: ${error.message}`);
        throw error;
      } finally {
        gpu.close();
      }
      if (options.json === true) {
        terminal.out(`${formatJson({ adapter: gpu.adapter, results })}\n`);
        return;
      }
      const head = [
        'model',
        'task',
        'variant',
        'states',
        'kernel/s',
        'with dispatch',
        'with upload',
        'error',
        'median',
      ];
      const rows = results.map((r) => [
        r.model,
        r.task,
        r.variant,
        r.batch,
        short(r.statesPerSecond),
        short(r.wallStatesPerSecond),
        short(r.ioStatesPerSecond),
        short(r.error),
        short(r.medianError),
      ]);
      terminal.out(`${gpu.adapter}\n\n${table(head, rows)}\n`);
    });
}

async function open(): Promise<OpenGpu> {
  try {
    return await openGpu();
  } catch (error) {
    if (!(error instanceof GpuError)) throw error;
    // No package, no driver: something the user can mend.
    const driver =
      error.code === 'no-adapter'
        ? ' Install the driver of your GPU; a Vulkan driver in an unusual place is found by VK_ICD_FILENAMES, which names its .json file.'
        : '';
    throw new InputError(`${error.message}${driver} "manikin bench fd" and "manikin bench parallel" measure the CPU.`);
  }
}
