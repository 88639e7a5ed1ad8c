// manikin calibrate: what joints and hand-overs between threads cost on this machine.

import type { Command } from 'commander';
import { formatJson } from '../../formats/json-writer.js';
import { ENGINE_CONSTANTS } from '../../schedule/index.js';
import { measureHandOver } from '../calibration/hand-over.js';
import { measureConstants } from '../calibration/measure.js';
import { saveConstants } from '../calibration-file.js';
import { formatNumber, Progress, type Terminal, table } from '../terminal.js';

export function configureCalibrate(command: Command, terminal: Terminal): void {
  command.option('--json', 'print JSON').action(async (options: { json?: boolean }) => {
    const progress = new Progress(terminal, 'Measuring');
    const handOver = (await measureHandOver()) ?? ENGINE_CONSTANTS.handOver;
    const constants = measureConstants(handOver, (fraction) => progress.update(fraction));
    progress.finish();
    const file = saveConstants(constants);
    if (options.json === true) {
      terminal.out(`${formatJson({ ...constants, file })}\n`);
      return;
    }
    const rows = constants.joints.flatMap(({ kind, dof, one, two }) =>
      kind === undefined ? [] : [[kind, dof, one, two]],
    );
    terminal.out(`${table(['joint', 'dof', 'one handle (us)', 'two handles (us)'], rows)}\n\n`);
    const { quadratic, linear, constant } = constants.more;
    const [a, b, c] = [quadratic, linear, constant].map(formatNumber);
    terminal.out(`a part of k handles, from 3 on, takes ${a} k^2 + ${b} k + ${c} us more\n`);
    terminal.out(`hand-over between threads and back: ${formatNumber(constants.handOver)} us\nkept in ${file}\n`);
  });
}
