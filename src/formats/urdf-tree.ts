// From the lists of links and joints to a tree: its root, and the order of its links.

import { type ImportLog, nearHint, quoted, quotedList } from './import-log.js';
import type { UrdfJoint } from './urdf-joint.js';
import type { UrdfLink } from './urdf-link.js';

export interface UrdfTree {
  readonly root: UrdfLink;
  /**
   * All other links, each with the joint that carries it. Parents come before children, whole branches stay together
   * (depth first), and the children of a link come in the order in which the file lists their joints.
   */
  readonly branches: readonly { readonly link: UrdfLink; readonly joint: UrdfJoint }[];
}

/** Reports what keeps the links from being a tree; the result is of use only if nothing was reported. */
export function arrangeTree(
  links: readonly UrdfLink[],
  joints: readonly UrdfJoint[],
  log: ImportLog,
): UrdfTree | undefined {
  const linkByName = indexByName(links, 'link', log);
  indexByName(joints, 'joint', log);
  const carrier = findCarriers(linkByName, joints, log);
  if (log.broken) return undefined;
  const roots = links.filter((link) => !carrier.has(link.name));
  if (links.length === 0) log.error('empty', log.file ?? '', 'The robot has no links; a mechanism needs at least one.');
  else if (roots.length > 1)
    log.error(
      'several-roots',
      roots[1].place,
      `A robot is one tree, but ${roots.length} links have no parent: ${quotedList(roots.map(({ name }) => name))}.`,
    );
  const rings = reportRings(links, carrier, log);
  if (roots.length !== 1 || rings) return undefined;
  return { root: roots[0], branches: depthFirst(roots[0], joints, linkByName) };
}

function indexByName<T extends { name: string; place: string }>(
  items: readonly T[],
  what: string,
  log: ImportLog,
): Map<string, T> {
  const index = new Map<string, T>();
  for (const item of items) {
    const first = index.get(item.name);
    if (first === undefined) index.set(item.name, item);
    else
      log.error('duplicate-name', item.place, `The ${what} ${quoted(item.name)} is already defined at ${first.place}.`);
  }
  return index;
}

/** The joint that carries each link. */
function findCarriers(
  links: ReadonlyMap<string, UrdfLink>,
  joints: readonly UrdfJoint[],
  log: ImportLog,
): Map<string, UrdfJoint> {
  const carrier = new Map<string, UrdfJoint>();
  for (const joint of joints) {
    const { place, parent, child } = joint;
    const name = quoted(joint.name);
    if (!links.has(parent))
      log.error(
        'unknown-parent',
        place,
        `The parent of joint ${name}, ${quoted(parent)}, is not a link of this file.${nearHint(parent, links.keys())}`,
      );
    if (!links.has(child))
      log.error(
        'unknown-child',
        place,
        `The child of joint ${name}, ${quoted(child)}, is not a link of this file.${nearHint(child, links.keys())}`,
      );
    const other = carrier.get(child);
    if (parent === child) log.error('cycle', place, `Joint ${name} connects the link ${quoted(child)} with itself.`);
    else if (other !== undefined)
      log.error(
        'two-parents',
        place,
        `The link ${quoted(child)} is the child of joint ${name} and already that of ${quoted(other.name)}.`,
      );
    else carrier.set(child, joint);
  }
  return carrier;
}

/** Reports each circle of links that are one another's parents. */
function reportRings(links: readonly UrdfLink[], carrier: ReadonlyMap<string, UrdfJoint>, log: ImportLog): boolean {
  // The number of the walk that came through a link. A walk that meets itself has gone round a circle.
  const walkThrough = new Map<string, number>();
  let found = false;
  links.forEach((start, walk) => {
    let name = start.name;
    while (!walkThrough.has(name)) {
      walkThrough.set(name, walk);
      const joint = carrier.get(name);
      if (joint === undefined) return;
      name = joint.parent;
    }
    if (walkThrough.get(name) !== walk) return;
    found = true;
    const ring = [name];
    const joint = carrier.get(name)!;
    for (let up = joint.parent; up !== name; up = carrier.get(up)!.parent) ring.push(up);
    log.error('cycle', joint.place, `These links are one another's parents, in a circle: ${quotedList(ring)}.`);
  });
  return found;
}

function depthFirst(
  root: UrdfLink,
  joints: readonly UrdfJoint[],
  linkByName: ReadonlyMap<string, UrdfLink>,
): UrdfTree['branches'] {
  const jointsOf = new Map<string, UrdfJoint[]>();
  for (const joint of joints) {
    const siblings = jointsOf.get(joint.parent);
    if (siblings === undefined) jointsOf.set(joint.parent, [joint]);
    else siblings.push(joint);
  }
  const branches: { link: UrdfLink; joint: UrdfJoint }[] = [];
  // A stack of our own: chains can be longer than the call stack is deep. The last in it comes next.
  const waiting = (jointsOf.get(root.name) ?? []).toReversed();
  for (let joint = waiting.pop(); joint !== undefined; joint = waiting.pop()) {
    branches.push({ link: linkByName.get(joint.child)!, joint });
    for (const next of (jointsOf.get(joint.child) ?? []).toReversed()) waiting.push(next);
  }
  return branches;
}
