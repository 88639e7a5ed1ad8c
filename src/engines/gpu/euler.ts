// The step in time after generic forward dynamics: reads q, v and qdd, writes the next q and v.

import { QDD } from '../../formulas/links.js';
import { stepLink } from '../../formulas/rollout-step.js';
import type { VectorGraph } from '../../formulas/vectors.js';
import type { Plan } from '../../plan/plan.js';
import { graphForGpu } from './formulas.js';
import { passKernels, type WgslKernel } from './kernel.js';

export function eulerKernel(plan: Plan): readonly WgslKernel[] {
  const g: VectorGraph = graphForGpu();
  for (const link of plan.links)
    stepLink(
      g,
      link,
      Array.from({ length: link.nv }, (_, k) => g.input(QDD, link.iv + k)),
      'single',
    );
  return passKernels({ passes: [{ graphs: [g] }], kept: 0 }, plan);
}
