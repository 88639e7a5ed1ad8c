// Runs the program in this process, with what it prints collected.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { run } from '../../src/cli/program.js';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Conditions {
  readonly interactive?: boolean;
  readonly signal?: AbortSignal;
}

export async function runWith(conditions: Conditions, ...words: readonly string[]): Promise<Outcome> {
  let [out, err] = ['', ''];
  const code = await run(words, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    interactive: conditions.interactive ?? false,
    signal: conditions.signal ?? new AbortController().signal,
  });
  return { code, out, err };
}

export const manikin = (...words: readonly string[]): Promise<Outcome> => runWith({}, ...words);

/** Standard output of a command that must succeed. */
export async function output(...words: readonly string[]): Promise<string> {
  const { code, out, err } = await manikin(...words);
  expect(code, err).toBe(0);
  return out;
}

export interface JointJson {
  readonly name: string;
  readonly body: string;
  readonly type: string;
  readonly q: number[];
  readonly v: number[];
  readonly tau: number[];
  readonly qdd: number[];
  readonly force?: number[];
}

/** The JSON document that a command prints with --json: all of standard output, and nothing else there. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
export async function json(...words: readonly string[]): Promise<any> {
  const text = await output(...words, '--json');
  expect(text.endsWith('}\n')).toBe(true);
  return JSON.parse(text);
}

export const joints = async (...words: readonly string[]): Promise<JointJson[]> => (await json(...words)).joints;

export const numbers = (list: readonly JointJson[], key: 'q' | 'v' | 'tau' | 'qdd'): number[] =>
  list.flatMap((joint) => joint[key]);

/** A folder for this file of tests, removed at its end. */
export function temporaryFolder(): { path: (name: string) => string; write: (name: string, text: unknown) => string } {
  const folder = mkdtempSync(join(tmpdir(), 'manikin-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string): string => join(folder, name);
  return {
    path,
    write: (name, content) => {
      writeFileSync(path(name), typeof content === 'string' ? content : JSON.stringify(content));
      return path(name);
    },
  };
}

export const read = (file: string): string => readFileSync(file, 'utf8');

/** A refusal: this code, nothing on standard output, one clear message and no stack. */
export function expectRefusal({ code, out, err }: Outcome, expected: number): void {
  expect(code, err).toBe(expected);
  expect(out).toBe('');
  expect(err).toMatch(/^error: |^Error: |^Usage: /im);
  expect(err).not.toMatch(/\n\s+at |Unexpected error/);
}

const link = (name: string, inertial = '<mass value="1"/><origin xyz="0.1 0 0"/>'): string =>
  `<link name="${name}"><inertial>${inertial}<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>`;

/** An arm of four links: damped, with a mimic joint, a fixed one, and something that is not used. */
export const ARM = `<robot name="arm">
  ${['base', 'upper', 'lower', 'hand', 'tip'].map((name) => link(name)).join('\n  ')}
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.2" rpy="0.1 0.2 0.3"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="5"/><dynamics damping="0.7" friction="0.1"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="lower"/><origin xyz="0.3 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="10" velocity="5"/>
  </joint>
  <joint name="wrist" type="continuous">
    <parent link="lower"/><child link="hand"/><origin xyz="0.3 0 0"/><axis xyz="1 0 0"/>
    <mimic joint="elbow" multiplier="-0.5" offset="0.1"/>
  </joint>
  <joint name="weld" type="fixed"><parent link="hand"/><child link="tip"/><origin xyz="0.1 0 0"/></joint>
  <gazebo reference="tip"/>
</robot>`;
