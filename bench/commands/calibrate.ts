// manikin calibrate: what an instruction and a word between threads take on this machine.

import type { Command } from 'commander';
import { saveConstants } from '#src/cli/calibration-file.js';
import { formatNumber, Progress, type Terminal, table } from '#src/cli/terminal.js';
import { formatJson } from '#src/formats/json-writer.js';
import { ENGINE_CONSTANTS } from '#src/schedule/index.js';
import { measureConstants } from '../engine-constants.js';
import { measureHandOver } from '../hand-over.js';

export function configure(command: Command, terminal: Terminal): void {
  command.option('--json', 'print JSON').action((options: { json?: boolean }) => calibrate(options, terminal));
}

async function calibrate(options: { json?: boolean }, terminal: Terminal): Promise<void> {
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
