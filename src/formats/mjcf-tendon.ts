// <tendon>: lengths made of joint positions (fixed) or of a string's way over the bodies (spatial).

import type { Bounds, FixedTendon, Tendon, TendonPoint } from '../mechanism/actuation.js';
import {
  type Fields,
  isLimited,
  leadingNumbers,
  number,
  numbers,
  numbersOf,
  type Tristate,
  text,
  tristate,
} from './mjcf-fields.js';
import type { XmlElement } from './xml.js';

export interface TendonData {
  name: string;
  class: string;
  group: number;
  limited: Tristate;
  actuatorfrclimited: Tristate;
  range: readonly number[];
  actuatorfrcrange: readonly number[];
  solreflimit: readonly number[];
  solimplimit: readonly number[];
  solreffriction: readonly number[];
  solimpfriction: readonly number[];
  frictionloss: number;
  springlength: readonly number[];
  margin: number;
  stiffness: readonly number[];
  damping: readonly number[];
  armature: number;
}

export const DEFAULT_TENDON: TendonData = {
  name: '',
  class: '',
  group: 0,
  limited: 'auto',
  actuatorfrclimited: 'auto',
  range: [0, 0],
  actuatorfrcrange: [0, 0],
  solreflimit: [0.02, 1],
  solimplimit: [0.9, 0.95, 0.001, 0.5, 2],
  solreffriction: [0.02, 1],
  solimpfriction: [0.9, 0.95, 0.001, 0.5, 2],
  frictionloss: 0,
  springlength: [-1, -1],
  margin: 0,
  stiffness: [0],
  damping: [0],
  armature: 0,
};

const ignored = (): void => {};

export const TENDON_FIELDS: Fields<TendonData> = new Map([
  ['name', text<TendonData>('name')],
  ['class', text<TendonData>('class')],
  ['group', number<TendonData>('group')],
  ['limited', tristate<TendonData>('limited')],
  ['actuatorfrclimited', tristate<TendonData>('actuatorfrclimited')],
  ['range', numbers<TendonData>('range', 2)],
  ['actuatorfrcrange', numbers<TendonData>('actuatorfrcrange', 2)],
  ['solreflimit', leadingNumbers<TendonData>('solreflimit', 2)],
  ['solimplimit', leadingNumbers<TendonData>('solimplimit', 5)],
  ['solreffriction', leadingNumbers<TendonData>('solreffriction', 2)],
  ['solimpfriction', leadingNumbers<TendonData>('solimpfriction', 5)],
  ['frictionloss', number<TendonData>('frictionloss')],
  [
    'springlength',
    (target, element, attribute, written) => {
      const values = numbersOf(element, attribute, written, 1, 2);
      if (values !== undefined) target.springlength = [values[0], values[1] ?? values[0]];
    },
  ],
  ['margin', number<TendonData>('margin')],
  ['stiffness', leadingNumbers<TendonData>('stiffness', 3)],
  ['damping', leadingNumbers<TendonData>('damping', 3)],
  ['armature', number<TendonData>('armature')],
  // How it is drawn.
  ['width', ignored],
  ['material', ignored],
  ['rgba', ignored],
]);

/** References of a tendon's way, as written; names change where the tendon is copied. */
export function readTendon(
  element: XmlElement,
  data: TendonData,
  autolimits: boolean,
  rename: (name: string) => string,
): Tendon {
  const bounds = (values: readonly number[]): Bounds => [values[0], values[1]];
  const properties = {
    name: rename(data.name),
    ...(isLimited(data.limited, data.range, autolimits) && { limits: bounds(data.range) }),
    ...(isLimited(data.actuatorfrclimited, data.actuatorfrcrange, autolimits) && {
      forceRange: bounds(data.actuatorfrcrange),
    }),
    ...(data.springlength[0] >= 0 && { springLength: bounds(data.springlength) }),
    stiffness: data.stiffness[0],
    damping: data.damping[0],
    friction: data.frictionloss,
    armature: data.armature,
  };
  if (element.name === 'fixed') {
    const joints: { joint: string; coefficient: number }[] = [];
    for (const child of element.children('joint')) {
      const joint = child.requiredText('joint');
      const coefficient = child.requiredNumber('coef');
      if (joint !== undefined && coefficient !== undefined) joints.push({ joint: rename(joint), coefficient });
    }
    return { kind: 'fixed', ...properties, joints } satisfies FixedTendon;
  }
  const path: TendonPoint[] = [];
  for (const child of element.elements()) {
    const point = readPoint(child, rename);
    if (point !== undefined) path.push(point);
  }
  return { kind: 'spatial', ...properties, path };
}

function readPoint(element: XmlElement, rename: (name: string) => string): TendonPoint | undefined {
  switch (element.name) {
    case 'site': {
      const site = element.claim().requiredText('site');
      return site === undefined ? undefined : { kind: 'site', site: rename(site) };
    }
    case 'geom': {
      const geom = element.claim().requiredText('geom');
      const side = element.text('sidesite');
      if (geom === undefined) return undefined;
      return { kind: 'geom', geom: rename(geom), ...(side !== undefined && { side: rename(side) }) };
    }
    case 'pulley': {
      const divisor = element.claim().requiredNumber('divisor');
      return divisor === undefined ? undefined : { kind: 'pulley', divisor };
    }
    default:
      return undefined;
  }
}
