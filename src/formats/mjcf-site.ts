// <site>: a named place on a body.

import { type Fields, keyword, leadingNumbers, number, numbers, text, words } from './mjcf-fields.js';
import {
  type AngleUnits,
  checkOneOrientation,
  PLACED_FIELDS,
  type PlaceData,
  poseOf,
  type RigidPose,
} from './mjcf-frame.js';
import { fromTo, type GeomType } from './mjcf-geom.js';
import type { XmlElement } from './xml.js';

export interface SiteData extends PlaceData {
  name: string;
  class: string;
  type: GeomType;
  group: number;
  size: readonly number[];
  fromto: readonly number[] | undefined;
  material: string;
  rgba: readonly number[];
}

export const DEFAULT_SITE: SiteData = {
  name: '',
  class: '',
  type: 'sphere',
  group: 0,
  size: [0.005, 0.005, 0.005],
  fromto: undefined,
  material: '',
  rgba: [0.5, 0.5, 0.5, 1],
  pos: [0, 0, 0],
  orientation: undefined,
};

export const SITE_FIELDS: Fields<SiteData> = new Map([
  ...(PLACED_FIELDS as Fields<SiteData>),
  ['name', text<SiteData>('name')],
  ['class', text<SiteData>('class')],
  ['type', keyword<SiteData, GeomType>('type', words('sphere', 'capsule', 'ellipsoid', 'cylinder', 'box', 'mesh'))],
  ['group', number<SiteData>('group')],
  ['size', leadingNumbers<SiteData>('size', 3)],
  ['fromto', numbers<SiteData>('fromto', 6)],
  ['material', text<SiteData>('material')],
  ['rgba', numbers<SiteData>('rgba', 4)],
  // How it is drawn.
  ['mesh', (): void => {}],
]);

export interface MjcfSite {
  readonly element: XmlElement;
  readonly name: string;
  readonly pose: RigidPose;
}

export function sitePose(element: XmlElement, data: SiteData, units: AngleUnits): RigidPose {
  checkOneOrientation(element);
  if (data.fromto === undefined) return poseOf(element, data, units);
  return fromTo(element, data.type, data.fromto, [data.size[0], 0, 0]).pose;
}
