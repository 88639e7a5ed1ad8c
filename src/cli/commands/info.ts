// manikin info: what a model consists of.

import type { Command } from 'commander';
import { formatJson } from '../../formats/json-writer.js';
import { GROUND, type Mechanism } from '../../mechanism/mechanism.js';
import { createTree } from '../../mechanism/tree.js';
import { loadModel, type ModelOptions, withModel } from '../model-argument.js';
import { formatNumber, type Terminal } from '../terminal.js';

interface Options extends ModelOptions {
  readonly json?: boolean;
}

/** Bodies on the longest path from the ground. */
function depthOf(mechanism: Mechanism): number {
  const { n, parent } = createTree(mechanism);
  const depth = new Int32Array(n);
  for (let i = 0; i < n; i++) depth[i] = 1 + (parent[i] < 0 ? 0 : depth[parent[i]]);
  return depth.reduce((deepest, d) => Math.max(deepest, d), 0);
}

/** What only some files have: where it is there. */
function countRows(lists: Readonly<Record<string, readonly unknown[]>>): [string, number][] {
  return Object.entries(lists).flatMap(([name, { length }]): [string, number][] =>
    length > 0 ? [[name, length]] : [],
  );
}

export function configureInfo(command: Command, terminal: Terminal): void {
  withModel(command)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  manikin info talos.urdf --base floating')
    .action(async (name: string, options: Options) => {
      const model = await loadModel(name, options.json === true ? { ...options, quiet: true } : options, terminal);
      const { mechanism, keyframes = [], tendons = [], actuators = [], sensors = [] } = model;
      const { bodies, joints, loops, couplings, frames, gravity, nq, nv, warnings } = mechanism;
      const bodyAt = (index: number): string | null => (index === GROUND ? null : bodies[index].name);
      // Of files whose bodies have several joints, or one that is not at their origin.
      const between = bodies.filter(
        ({ name: body, mass }, i) => mass === 0 && body.startsWith(`${joints[i].name}:link`),
      );
      const types = new Map<string, number>();
      for (const { type } of joints) types.set(type, (types.get(type) ?? 0) + 1);
      const info = {
        model: name,
        name: mechanism.name,
        bodies: bodies.map(({ name: body, mass, com, inertia }) => ({ name: body, mass, com, inertia })),
        joints: joints.length,
        dof: nv - couplings.length,
        nq,
        nv,
        mass: bodies.reduce((sum, body) => sum + body.mass, 0),
        depth: depthOf(mechanism),
        bodyCount: bodies.length,
        linksBetweenJoints: between.length,
        loopCount: loops.length,
        couplingCount: couplings.length,
        loops: loops.map(({ name: loop, type, a, b }) => ({ name: loop, type, a: bodyAt(a.body), b: bodyAt(b.body) })),
        couplings: couplings.map(({ joint, source, multiplier, offset }) => ({
          joint: joints[joint].name,
          source: joints[source].name,
          multiplier,
          offset,
        })),
        gravity: [...gravity],
        roots: joints.flatMap(({ parent, type }, i) => (parent === GROUND ? [{ body: bodies[i].name, type }] : [])),
        jointTypes: Object.fromEntries(types),
        frames: frames.map(({ name: frame, body }) => ({ name: frame, body: bodies[body].name })),
        keyframes: keyframes.map(({ name: key, time }) => ({ name: key, time })),
        tendons: tendons.map(({ name: tendon, kind }) => ({ name: tendon, kind })),
        actuators: actuators.map(({ name: actuator, transmission, gear }) => ({ name: actuator, transmission, gear })),
        sensors: sensors.map(({ name: sensor, kind }) => ({ name: sensor, kind })),
        warnings,
      };
      if (options.json === true) {
        terminal.out(`${formatJson(info)}\n`);
        return;
      }
      const rows: [string, string | number][] = [
        [
          'bodies',
          between.length === 0
            ? bodies.length
            : `${bodies.length} (${bodies.length - between.length} of the file, ${between.length} links without mass between joints)`,
        ],
        ['joints', `${info.joints} (${[...types].map(([type, count]) => `${count} ${type}`).join(', ')})`],
        ['degrees of freedom', info.dof],
        ['mass', `${formatNumber(info.mass)} kg`],
        ['depth', info.depth],
        ['loops', loops.length],
        ['coupled joints', couplings.length],
        ['gravity', gravity.map(formatNumber).join(', ')],
        ['root', info.roots.map(({ body, type }) => `${body} (${type})`).join(', ')],
        ...countRows({ frames, keyframes, tendons, actuators, sensors }),
        ['warnings', warnings.length],
      ];
      const width = Math.max(...rows.map(([label]) => label.length));
      terminal.out(
        `${mechanism.name}\n\n${rows.map(([label, value]) => `${label.padEnd(width)}  ${value}`).join('\n')}\n`,
      );
    });
}
