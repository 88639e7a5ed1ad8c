// manikin calibrate: what an instruction and a word between threads take on this machine; --mpi: what messages take between ranks.

import type { Command } from 'commander';
import { rankCalibration, saveConstants } from '#src/cli/calibration-file.js';
import { InputError } from '#src/cli/errors.js';
import { integer } from '#src/cli/model-argument.js';
import { startRanks } from '#src/cli/ranks-option.js';
import { formatNumber, Progress, type Terminal, table } from '#src/cli/terminal.js';
import { formatJson } from '#src/formats/json-writer.js';
import { ENGINE_CONSTANTS } from '#src/schedule/index.js';
import { measureConstants } from '../engine-constants.js';
import { measureHandOver } from '../hand-over.js';
import { measureRanks } from '../rank-times.js';

export function configure(command: Command, terminal: Terminal): void {
  command
    .option(
      '--mpi',
      'messages between the ranks that mpirun has started, by their size, and instructions of all at once',
    )
    .option('--links <n>', 'with --mpi: links of the longest chain that is measured', integer, 65_536)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  manikin calibrate
  mpirun -n 2 manikin calibrate --mpi                  (ranks of this machine)
  mpirun --host a,b -n 2 manikin calibrate --mpi       (kept apart: between machines)`,
    )
    .action((options: Options) =>
      options.mpi === true ? calibrateRanks(options, terminal) : calibrate(options, terminal),
    );
}

interface Options {
  readonly mpi?: true;
  readonly links: number;
  readonly json?: true;
}

/** One machine, or several: what is measured is kept for the like. */
async function calibrateRanks(options: Options, everyone: Terminal): Promise<void> {
  const { ranks, terminal, about } = await startRanks({}, everyone);
  if (ranks.ranks < 2) throw new InputError('Messages go between ranks: start at least two ("mpirun -n 2 ...").');
  const progress = new Progress(terminal, 'Measuring');
  const { partners, ...measured } = measureRanks(ranks, options.links, (fraction) => progress.update(fraction));
  progress.finish();
  if (ranks.rank !== 0) return;
  const file = saveConstants({ ...ENGINE_CONSTANTS, ranks: measured }, rankCalibration(about.hosts));
  const { hosts, implementation } = about;
  if (options.json === true) {
    terminal.out(`${formatJson({ ranks: ranks.ranks, hosts, implementation, partners, ...measured, file })}\n`);
    return;
  }
  const short = (x: number): number => Number(x.toPrecision(3));
  const messages = measured.messages.map(({ bytes, ns }) => [bytes, short(ns / 1000), short((1000 * bytes) / ns)]);
  const instructions = measured.instructions.map(({ links, ns }) => [links, short(ns)]);
  terminal.out(
    `${implementation}, ${ranks.ranks} ranks on ${hosts === 1 ? 'one host' : `${hosts} hosts`}\n\n` +
      `${table(['message (bytes)', 'one way (us)', 'MB/s'], messages)}\n\n` +
      `${table(['links of a rank', 'an instruction (ns)'], instructions)}\n\nkept in ${file}\n`,
  );
}

async function calibrate(options: Options, terminal: Terminal): Promise<void> {
  const progress = new Progress(terminal, 'Measuring');
  const handOver = (await measureHandOver()) ?? (2 * ENGINE_CONSTANTS.latency) / 1000;
  const constants = measureConstants(handOver, (fraction) => progress.update(fraction));
  progress.finish();
  const file = saveConstants(constants);
  if (options.json === true) {
    terminal.out(`${formatJson({ ...constants, file })}\n`);
    return;
  }
  const { instruction, latency } = constants;
  const rows = constants.joints.flatMap(({ kind, dof, one, two }) =>
    kind === undefined ? [] : [[kind, dof, one * instruction, two * instruction]],
  );
  terminal.out(`${table(['joint', 'dof', 'one handle (ns)', 'two handles (ns)'], rows)}\n\n`);
  terminal.out(`an instruction: ${formatNumber(instruction)} ns\n`);
  terminal.out(`a word from one thread to another: ${formatNumber(latency)} ns\nkept in ${file}\n`);
}
