// <default>: classes of what elements say where they say nothing. A class starts as a copy of the one it stands in.

import type { ImportLog } from './import-log.js';
import { quoted } from './import-log.js';
import { ACTUATOR_TAGS, type ActuatorData, DEFAULT_ACTUATOR, readActuator } from './mjcf-actuator.js';
import { DEFAULT_EQUALITY, EQUALITY_FIELDS, type EqualityData } from './mjcf-equality.js';
import { type Fields, numbers, readFields, text } from './mjcf-fields.js';
import { DEFAULT_GEOM, GEOM_FIELDS, type GeomData } from './mjcf-geom.js';
import { DEFAULT_JOINT, JOINT_FIELDS, type JointData } from './mjcf-joint.js';
import { DEFAULT_MESH, MESH_FIELDS, type MeshAssetData } from './mjcf-mesh.js';
import { DEFAULT_PAIR, PAIR_FIELDS, type PairData } from './mjcf-pair.js';
import { DEFAULT_SITE, SITE_FIELDS, type SiteData } from './mjcf-site.js';
import { DEFAULT_TENDON, TENDON_FIELDS, type TendonData } from './mjcf-tendon.js';
import type { XmlElement } from './xml.js';

export interface MaterialData {
  name: string;
  class: string;
  rgba: readonly number[];
}

const DEFAULT_MATERIAL: MaterialData = { name: '', class: '', rgba: [1, 1, 1, 1] };

export const MATERIAL_FIELDS: Fields<MaterialData> = new Map([
  ['name', text<MaterialData>('name')],
  ['class', text<MaterialData>('class')],
  ['rgba', numbers<MaterialData>('rgba', 4)],
  // How light falls on it.
  ...(
    [
      'texture',
      'texrepeat',
      'texuniform',
      'emission',
      'specular',
      'shininess',
      'reflectance',
      'metallic',
      'roughness',
    ] as const
  ).map((name) => [name, (): void => {}] as const),
]);

/** What a class says of each kind of element. */
export interface Defaults {
  geom: GeomData;
  joint: JointData;
  site: SiteData;
  mesh: MeshAssetData;
  material: MaterialData;
  pair: PairData;
  equality: EqualityData;
  tendon: TendonData;
  actuator: ActuatorData;
}

export class DefaultClasses {
  readonly main: Defaults = {
    geom: DEFAULT_GEOM,
    joint: DEFAULT_JOINT,
    site: DEFAULT_SITE,
    mesh: DEFAULT_MESH,
    material: DEFAULT_MATERIAL,
    pair: DEFAULT_PAIR,
    equality: DEFAULT_EQUALITY,
    tendon: DEFAULT_TENDON,
    actuator: DEFAULT_ACTUATOR,
  };
  readonly #classes = new Map<string, Defaults>([['main', this.main]]);

  constructor(sections: readonly XmlElement[], log: ImportLog) {
    for (const section of sections) {
      const name = section.text('class');
      if (name !== undefined && name !== '' && name !== 'main')
        log.warn(
          'default-class',
          section.place,
          `The outermost default class is "main", whatever ${quoted(name)} says.`,
        );
      this.#fill(section, this.main);
    }
  }

  /** Elements first, then the classes within. */
  #fill(section: XmlElement, defaults: Defaults): void {
    for (const element of section.elements()) this.#element(element, defaults);
    for (const nested of section.children('default')) {
      const name = nested.requiredText('class');
      if (name === undefined) continue;
      if (this.#classes.has(name)) nested.attributeError('class', 'duplicate-name', `there is a class ${quoted(name)}`);
      const child: Defaults = { ...defaults };
      this.#classes.set(name, child);
      this.#fill(nested, child);
    }
  }

  #element(element: XmlElement, defaults: Defaults): void {
    switch (element.name) {
      case 'geom':
        defaults.geom = readFields(element.claim(), GEOM_FIELDS, defaults.geom);
        break;
      case 'joint':
        defaults.joint = readFields(element.claim(), JOINT_FIELDS, defaults.joint);
        break;
      case 'site':
        defaults.site = readFields(element.claim(), SITE_FIELDS, defaults.site);
        break;
      case 'mesh':
        defaults.mesh = readFields(element.claim(), MESH_FIELDS, defaults.mesh);
        break;
      case 'material':
        defaults.material = readFields(element.claim(), MATERIAL_FIELDS, defaults.material);
        break;
      case 'pair':
        defaults.pair = readFields(element.claim(), PAIR_FIELDS, defaults.pair);
        break;
      case 'equality':
        defaults.equality = readFields(element.claim(), EQUALITY_FIELDS, defaults.equality);
        break;
      case 'tendon':
        defaults.tendon = readFields(element.claim(), TENDON_FIELDS, defaults.tendon);
        break;
      default:
        if (ACTUATOR_TAGS.has(element.name)) defaults.actuator = readActuator(element.claim(), defaults.actuator);
    }
  }

  /** The class that an element names; what holds around it where it names none. */
  of(element: XmlElement, around: Defaults): Defaults {
    const name = element.attributes.class;
    return name === undefined ? around : this.named(element, 'class', name, around);
  }

  named(element: XmlElement, attribute: string, name: string, around: Defaults): Defaults {
    const found = this.#classes.get(name);
    if (found === undefined)
      element.attributeError(attribute, 'unknown-class', `there is no default class ${quoted(name)}`);
    return found ?? around;
  }
}
