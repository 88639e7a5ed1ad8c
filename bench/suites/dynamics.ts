// Readable algorithms in plain TypeScript, one core: times on the built-in mechanisms, and how they grow with length.

import { createDense, denseForwardDynamics } from '#src/engines/plain/dense.js';
import { State } from '#src/mechanism/state.js';
import { createTree } from '#src/mechanism/tree.js';
import { builtinMechanism } from '#src/models/index.js';
import { aba, createAba } from '#src/reference/aba.js';
import { crba, createCrba } from '#src/reference/crba.js';
import { createRnea, rnea } from '#src/reference/rnea.js';
import { measure, type NamedCall } from '../measure.js';

function tasksOf(name: string, algorithms: readonly string[]): NamedCall[] {
  const mechanism = builtinMechanism(name);
  const tree = createTree(mechanism);
  const { q, v } = State.random(mechanism, 1);
  const tau = new Float64Array(mechanism.nv).fill(0.1);
  const out = new Float64Array(mechanism.nv);
  return algorithms.map((algorithm) => {
    switch (algorithm) {
      case 'aba': {
        const scratch = createAba(tree);
        return { name: `${name} aba`, call: () => aba(tree, scratch, out, q, v, tau, null) };
      }
      case 'rnea': {
        const scratch = createRnea(tree);
        return { name: `${name} rnea`, call: () => rnea(tree, scratch, out, q, v, tau, null) };
      }
      case 'crba': {
        const scratch = createCrba(tree);
        return { name: `${name} crba`, call: () => crba(tree, scratch, q) };
      }
      default: {
        const scratch = createDense(tree);
        return { name: `${name} dense`, call: () => denseForwardDynamics(tree, scratch, out, q, v, tau, null) };
      }
    }
  });
}

export function run(): object {
  const names = ['chain-32', 'chain-32-spherical', 'human-34', 'human-48', 'human-40', 'human-52', 'human-161'];
  const times = measure(names.flatMap((name) => tasksOf(name, ['aba', 'rnea', 'crba', 'dense'])));
  const sizes = [32, 64, 128, 256, 512, 1024, 2048, 4096];
  const growth = measure(sizes.flatMap((n) => tasksOf(`chain-${n}`, ['aba'])));
  const ratios = growth.slice(1).map(({ ns }, i) => ({
    from: sizes[i],
    to: sizes[i + 1],
    ratio: Number((ns / growth[i].ns).toFixed(3)),
  }));
  return { times, growth, ratios };
}
