// <compiler fusestatic="true">: bodies without joints become part of their parents, unless something refers to them.

import { add, apply, type Vec3 } from '../spatial/matrix3.js';
import type { MjcfBody } from './mjcf-body.js';
import { composed } from './mjcf-frame.js';
import { combined, type Inertial, inertiaAlong } from './mjcf-mass.js';
import type { XmlElement } from './xml.js';

/** Bodies and their inertials without those that became part of another; the world has index 0 and no mass. */
export function fuseStatic(
  bodies: readonly MjcfBody[],
  inertials: readonly Inertial[],
): { bodies: MjcfBody[]; inertials: Inertial[] } {
  const kept: MjcfBody[] = [];
  const masses: Inertial[] = [];
  /** Where each body went: the index of what it is part of, and its pose there. */
  const places: { index: number; pose: MjcfBody['pose'] | undefined }[] = [];
  bodies.forEach((body, k) => {
    const { index: parent, pose: shift } = body.parent < 0 ? { index: -1, pose: undefined } : places[body.parent];
    const pose = shift === undefined ? body.pose : composed(shift, body.pose);
    if (k === 0 || !canFuse(body, bodies[0].file.root)) {
      places.push({ index: kept.length, pose: undefined });
      kept.push({ ...body, parent, pose });
      masses.push(inertials[k]);
      return;
    }
    places.push({ index: parent, pose });
    const carrier = kept[parent];
    carrier.geoms.push(...body.geoms.map((geom) => ({ ...geom, pose: composed(pose, geom.pose) })));
    carrier.sites.push(...body.sites.map((site) => ({ ...site, pose: composed(pose, site.pose) })));
    const { mass, com, inertia } = inertials[k];
    if (parent === 0 || mass === 0) return;
    const moved: Vec3 = add(pose.p, apply(pose.R, com));
    masses[parent] = combined([masses[parent], { mass, com: moved, inertia: inertiaAlong(inertia, pose.R) }]);
  });
  return { bodies: kept, inertials: masses };
}

/** The body's own file knows it by the name that is written there, the main file by its full name. */
function canFuse({ file, element, joints, mocap, name, sites }: MjcfBody, main: XmlElement): boolean {
  if (!file.compiler.fusestatic || joints.length > 0 || mocap) return false;
  const [own, outside] = [referencesOf(file.root), referencesOf(main)];
  if (own.bodies.has(element.attributes.name ?? '') || outside.bodies.has(name)) return false;
  return !sites.some(
    (site) => own.sensedSites.has(site.element.attributes.name ?? '') || outside.sensedSites.has(site.name),
  );
}

interface References {
  readonly bodies: ReadonlySet<string>;
  /** Sites of force and torque sensors, which measure between their body and its parent. */
  readonly sensedSites: ReadonlySet<string>;
}

const found = new WeakMap<XmlElement, References>();

function referencesOf(root: XmlElement): References {
  const known = found.get(root);
  if (known !== undefined) return known;
  const bodies = new Set<string>();
  const sensedSites = new Set<string>();
  const look = (element: XmlElement): void => {
    const { attributes } = element;
    for (const key of ['body', 'body1', 'body2', 'target'])
      if (attributes[key] !== undefined) bodies.add(attributes[key]);
    for (const [type, name] of [
      ['objtype', 'objname'],
      ['reftype', 'refname'],
    ])
      if (/^x?body$/.test(attributes[type] ?? '') && attributes[name] !== undefined) bodies.add(attributes[name]);
    if ((element.name === 'force' || element.name === 'torque') && attributes.site !== undefined)
      sensedSites.add(attributes.site);
    for (const child of element.elements()) look(child);
  };
  look(root);
  const references = { bodies, sensedSites };
  found.set(root, references);
  return references;
}
