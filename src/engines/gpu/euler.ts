// The step in time after generic forward dynamics: reads q, v and qdd, writes the next q and v.

import { QDD } from '../../formulas/links.js';
import { stepLink } from '../../formulas/rollout-step.js';
import type { VectorGraph } from '../../formulas/vectors.js';
import type { Plan } from '../../plan/plan.js';
import { graphForGpu } from './formulas.js';
import { registerKernel, type WgslKernel } from './kernel.js';

export function eulerKernel(plan: Plan): WgslKernel {
  const g: VectorGraph = graphForGpu();
  for (const link of plan.links)
    stepLink(
      g,
      link,
      Array.from({ length: link.nv }, (_, k) => g.input(QDD, link.iv + k)),
      'single',
    );
  const kernel = registerKernel(g, { task: 'step', nq: plan.nq, nv: plan.nv, workgroupSize: 64 }, [
    { name: 'qdd', type: 'read-only-storage' },
  ]);
  return { ...kernel, uses: kernel.uses.filter(({ name }) => name !== 'tau') };
}
