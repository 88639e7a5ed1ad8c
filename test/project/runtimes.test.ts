// The packed package in Deno and Bun, where they are installed: in the PATH, or named by MANIKIN_DENO and MANIKIN_BUN
// (npm install deno bun in any folder brings both).

import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packedProject } from '../support/packed-project.js';

const PROGRAM = `
import { dynamics, forwardDynamics, State } from 'manikin';
import { batch } from 'manikin/batch';
import { builtinMechanism } from 'manikin/models';
import { box, World } from 'manikin/world';
const mechanism = builtinMechanism('human-34');
const state = State.random(mechanism, 1);
const figure = dynamics(mechanism, { engine: 'compiled' });
await figure.ready();
const plain = forwardDynamics(mechanism, state);
const many = await batch(mechanism, { states: 8, device: 'cpu', threads: 2 });
for (let s = 0; s < 8; s++) many.setState(s, state);
await many.forward();
const rows = many.read('qdd');
const world = new World({ ground: true });
world.add(box([0.1, 0.1, 0.1]), { at: [0, 0, 0.3] });
world.runUntil(0.5);
const error = (values) => Math.max(...plain.map((x, k) => Math.abs(x - values[k]) / (1 + Math.abs(x))));
console.log(JSON.stringify({ compiled: error(figure.forward(state)), batch: error(rows), told: many.report().text, contacts: world.report.contacts }));
process.exit(0);
`;

const RUNTIMES = [
  { name: 'Deno', command: process.env.MANIKIN_DENO ?? 'deno', run: ['run', '--allow-all'] },
  { name: 'Bun', command: process.env.MANIKIN_BUN ?? 'bun', run: [] },
].map((runtime) => ({ ...runtime, there: spawnSync(runtime.command, ['--version']).status === 0 }));
for (const { name, there } of RUNTIMES) if (!there) console.warn(`skipped: ${name} is not installed`);

describe.skipIf(RUNTIMES.every(({ there }) => !there))('the packed package', () => {
  let project: string;
  beforeAll(() => {
    ({ project } = packedProject());
    writeFileSync(join(project, 'program.js'), PROGRAM);
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  for (const { name, command, run, there } of RUNTIMES)
    it.skipIf(!there)(`computes in ${name}, on threads and from the command line`, { timeout: 120_000 }, () => {
      const { stdout, stderr } = spawnSync(command, [...run, 'program.js'], { cwd: project, encoding: 'utf8' });
      const result = JSON.parse(stdout || JSON.stringify({ stderr })) as Record<string, number | string>;
      expect(result.compiled, stderr).toBeLessThan(1e-9);
      expect(result.batch).toBeLessThan(1e-9);
      expect(result.told).toContain('2 threads');
      expect(result.contacts).toBe(4);
      const cli = join(project, 'node_modules/manikin/dist/cli/main.js');
      const told = spawnSync(command, [...run, cli, 'energy', 'human-34', '--json'], { encoding: 'utf8' });
      expect(JSON.parse(told.stdout || '{}')).toHaveProperty('kinetic');
    });
});
