// What is computed, as plain data: the links of a tree with fixed joints merged away and inertias regrouped. It can be
// sent to a worker, and everything that compile makes follows from it alone.

import { JOINT_TYPES, type JointTypeName, PARAMETERS, SENSE } from '../joints/index.js';
import type { Joint } from '../mechanism/mechanism.js';
import type { Tree } from '../mechanism/tree.js';
import { compose, INERTIA, invert, TRANSFORM } from '../spatial/spatial.js';
import { type CoupledGroup, groupsOf } from './columns.js';
import { type PlanLoop, planLoops } from './loops.js';
import { addMass, dropRounding, type Mass, massOf, regroup } from './mass.js';
import { turnFrames, turnParent } from './turn-frames.js';

/** Types that formulas know: fixed joints are merged away, continuous ones are revolute. */
export type FormulaType = Exclude<JointTypeName, 'fixed' | 'continuous'>;

export interface PlanLink {
  readonly type: FormulaType;
  /** Index of the parent link, -1 for the ground; parents come first. */
  readonly parent: number;
  /** Offsets of the coordinates in q and v, and their numbers. */
  readonly iq: number;
  readonly iv: number;
  readonly nq: number;
  readonly nv: number;
  /** Placement: parent to tree coordinates (9, row major), origin in the parent (3). */
  readonly E: readonly number[];
  readonly t: readonly number[];
  readonly mass: number;
  /** First moment of mass (3), second moments about the origin (6: xx, xy, xz, yy, yz, zz). */
  readonly h: readonly number[];
  readonly sigma: readonly number[];
  /** Helical joints: [pitch, 0, 0]. Universal joints: the second axis. */
  readonly parameters: readonly number[];
  /** 1, or -1 where positive coordinates go against z. */
  readonly sense: number;
  /** Added to the angle along z. */
  readonly angle: number;
  /** Rotor inertia of each degree of freedom. */
  readonly armature: readonly number[];
  /** The joint has damping or friction, which implicit integrators add to its armature. */
  readonly damped: boolean;
}

export interface Plan {
  readonly nq: number;
  readonly nv: number;
  readonly gravity: readonly number[];
  readonly links: readonly PlanLink[];
  /** Mass that stands still: of bodies that are part of the ground, and what the first joints cannot tell from the ground's. */
  readonly ground: Mass;
  /** Of that, the bodies that are part of the ground: mass and first moment. */
  readonly welded: Pick<Mass, 'mass' | 'h'>;
  /** Where each body of the mechanism is. */
  readonly bodies: readonly BodyPlace[];
  /** Joints that share a coordinate; links of the plan. */
  readonly groups: readonly CoupledGroup[];
  /** Loop joints between links. */
  readonly loops: readonly PlanLoop[];
}

export interface BodyPlace {
  /** Link that it is part of, -1 for the ground. */
  readonly link: number;
  /** Frame of that link to body frame, 12 numbers. */
  readonly X: readonly number[];
}

/** A link in the making; `placement` is E and t in one. */
type Draft = Omit<PlanLink, 'mass' | 'h' | 'sigma' | 'E' | 't' | 'angle'> & { placement: Float64Array; angle: number };

/** `whole`: links that keep all of their mass, so that what hangs by their joint has the inertia of a real body. */
export function createPlan(tree: Tree, whole: ReadonlySet<number> = new Set()): Plan {
  const { n, mechanism } = tree;
  /** Plan link that each tree link is part of (-1: the ground), and the placement of its frame in that (12 numbers). */
  const part = new Int32Array(n).fill(-1);
  const within = new Float64Array(n * TRANSFORM);
  const masses: Mass[] = [];
  const links: Draft[] = [];
  const ground: Mass = { mass: 0, h: [0, 0, 0], sigma: [0, 0, 0, 0, 0, 0] };
  for (let i = 0; i < n; i++) {
    const { name, nq, nv } = JOINT_TYPES[tree.type[i]];
    const p = tree.parent[i];
    const placement = tree.X.slice(TRANSFORM * i, TRANSFORM * (i + 1));
    if (p >= 0) {
      const own = placement.slice();
      compose(placement, 0, own, 0, within, TRANSFORM * p);
    }
    const mass = massOf(tree.inertia, INERTIA * i);
    if (name === 'fixed') {
      part[i] = p < 0 ? -1 : part[p];
      within.set(placement, TRANSFORM * i);
      addMass(part[i] < 0 ? ground : masses[part[i]], mass, placement);
      continue;
    }
    part[i] = links.length;
    within.set([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], TRANSFORM * i);
    masses.push(mass);
    const parameters = tree.parameters.slice(PARAMETERS * i, PARAMETERS * (i + 1));
    const turned = name === 'revolute' || name === 'continuous' || name === 'prismatic';
    const universal = name === 'universal';
    links.push({
      type: name === 'continuous' ? 'revolute' : name,
      parent: p < 0 ? -1 : part[p],
      iq: tree.iq[i],
      iv: tree.iv[i],
      nq,
      nv,
      parameters: universal ? Array.from(parameters) : name === 'helical' ? [parameters[0], 0, 0] : [0, 0, 0],
      sense: turned || name === 'helical' || name === 'cylindrical' ? parameters[SENSE] : 1,
      angle: 0,
      armature: Array.from(tree.armature.subarray(tree.iv[i], tree.iv[i] + nv)),
      damped: isDamped(mechanism.joints[tree.joint[i]]),
      placement,
    });
  }
  const welded = { mass: ground.mass, h: [...ground.h] };
  const turned = turnFrames(links, masses);
  for (let i = links.length - 1; i >= 0; i--) {
    const { type, parent, placement } = links[i];
    if (whole.has(i)) continue;
    const moved = regroup(type, masses[i]);
    addMass(parent < 0 ? ground : masses[parent], moved, placement);
    dropRounding(masses[i], moved);
  }
  const bodies = bodyPlaces(tree, part, within, turned);
  return {
    nq: mechanism.nq,
    nv: mechanism.nv,
    gravity: [...tree.gravity],
    ground,
    welded,
    bodies,
    loops: planLoops(mechanism.loops, bodies),
    groups: groupsOf(
      mechanism.couplings.map(({ joint, source, multiplier }) => ({
        link: part[tree.link[joint]],
        source: part[tree.link[source]],
        multiplier,
      })),
    ),
    links: links.map(({ placement, ...link }, i) => ({
      ...link,
      ...masses[i],
      E: Array.from(placement.subarray(0, 9)),
      t: Array.from(placement.subarray(9)),
    })),
  };
}

/** From the placements of tree links in plan links, and the angles by which the frames of those have been turned. */
function bodyPlaces(tree: Tree, part: Int32Array, within: Float64Array, turned: Float64Array): BodyPlace[] {
  const toBody = new Float64Array(TRANSFORM);
  const X = new Float64Array(TRANSFORM);
  return Array.from(tree.link, (i): BodyPlace => {
    const link = part[i];
    const placement = within.slice(TRANSFORM * i, TRANSFORM * (i + 1));
    if (link >= 0) turnParent(placement, turned[link]);
    invert(toBody, 0, tree.offset, TRANSFORM * i);
    compose(X, 0, toBody, 0, placement, 0);
    return { link, X: Array.from(X) };
  });
}

/** As in dynamics/passive.ts. */
export function isDamped({ damping, friction }: Joint): boolean {
  return damping !== 0 || friction !== 0;
}
