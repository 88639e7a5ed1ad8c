import type { LinkTree } from './link-tree.js';
import { partSize, type TreePart } from './parts.js';
import { rootSideShare } from './work-bound.js';

/**
 * The joint (link number) that divides the joints of a part best between the two shares of its processes, found on the
 * way from its top along the largest branches; undefined where no joint has joints on both sides. Looks at each joint of
 * the part once at most, and at no costs.
 */
export function balancedSplit(tree: LinkTree, part: TreePart, processors: number): number | undefined {
  const joints = partSize(part, tree);
  const rootShare = rootSideShare(processors);
  const endShare = processors - rootShare;
  let best: number | undefined;
  let bestTime = Number.POSITIVE_INFINITY;
  for (let link = part.top; ; ) {
    let largest = -1;
    let beyond = -1; // joints beyond the largest branch's first joint
    for (let i = tree.childStart[link]; i < tree.childStart[link + 1]; i++) {
      const child = tree.children[i];
      const further = jointsBeyond(tree, part.cuts, child);
      if (further <= beyond) continue;
      largest = child;
      beyond = further;
    }
    const others = joints - 1 - beyond;
    if (beyond <= 0) return best;
    const time = Math.max(beyond / endShare, others / rootShare);
    if (others > 0 && time < bestTime) {
      best = largest;
      bestTime = time;
    }
    if (beyond / endShare <= others / rootShare) return best;
    link = largest;
  }
}

/** Joints of the part beyond joint v; -1 for a joint that is cut. */
function jointsBeyond(tree: LinkTree, cuts: Int32Array, v: number): number {
  let joints = tree.end[v] - v - 1;
  for (let i = 0; i < cuts.length; i++) {
    const cut = cuts[i];
    if (cut === v) return -1;
    if (cut > v && cut < tree.end[v]) joints -= tree.end[cut] - cut;
  }
  return joints;
}
