// What an MJCF file says about its bodies and joints from outside the tree: <contact>, <equality>, <tendon>, <actuator>,
// <sensor>. Each element comes as often as the parts that it refers to.

import type { Actuator, ContactExclusion, ContactPair, Sensor, Tendon, Transmission } from '../mechanism/actuation.js';
import { nearHint, quoted } from './import-log.js';
import { ACTUATOR_TAGS, type ActuatorTarget, readActuator, resolveActuator } from './mjcf-actuator.js';
import type { MjcfFile } from './mjcf-body.js';
import { EQUALITY_FIELDS, type EqualityData } from './mjcf-equality.js';
import { readFields } from './mjcf-fields.js';
import { NO_RENAMING, type PartKind, type PartNames, type Reference, type Renaming, renamed } from './mjcf-names.js';
import { EXCLUDE_FIELDS, PAIR_FIELDS } from './mjcf-pair.js';
import { readTendon, TENDON_FIELDS } from './mjcf-tendon.js';
import { NameGiver } from './names.js';
import type { XmlElement } from './xml.js';

export interface MjcfEquality {
  readonly kind: string;
  readonly element: XmlElement;
  /** With the names that the parts have in the model. */
  readonly data: EqualityData;
}

export class SectionReader {
  readonly pairs: ContactPair[] = [];
  readonly exclusions: ContactExclusion[] = [];
  readonly equalities: MjcfEquality[] = [];
  readonly tendons: Tendon[] = [];
  readonly actuators: Actuator[] = [];
  readonly sensors: Sensor[] = [];
  readonly #names: PartNames;
  readonly #files: readonly MjcfFile[];
  /** Which copy each of them belongs to. */
  readonly #order = new WeakMap<object, number>();
  readonly #elements = new WeakMap<object, XmlElement>();
  readonly #given = new Map<string, NameGiver>();

  /** `files` begin with the main one, followed by what is attached to it. */
  constructor(names: PartNames, files: readonly MjcfFile[]) {
    this.#names = names;
    this.#files = files;
  }

  /** Contacts, constraints and tendons. */
  readStructure(): void {
    for (const file of this.#files) this.#structure(file);
    this.#sort(this.tendons);
  }

  /** Actuators, which refer to tendons among others, and sensors, which refer to all of them. */
  readActuation(target: (transmission: Transmission) => ActuatorTarget): void {
    for (const file of this.#files)
      for (const section of file.root.children('actuator'))
        for (const element of section.elements()) this.#actuator(element, file, target);
    for (const file of this.#files)
      for (const section of file.root.children('sensor'))
        for (const element of section.elements()) this.#sensor(element, file);
    this.#sort(this.actuators);
    this.#sort(this.sensors);
  }

  /** What a tendon, actuator or sensor was read from. */
  elementOf(part: object): XmlElement | undefined {
    return this.#elements.get(part);
  }

  /** Copy by copy, as MuJoCo numbers them: first what is written once, then each copy with all that belongs to it. */
  #sort(list: object[]): void {
    list.sort((a, b) => this.#order.get(a)! - this.#order.get(b)!);
  }

  #keep<T extends object>(list: T[], part: T, { order }: Renaming, element: XmlElement): void {
    list.push(part);
    this.#elements.set(part, element);
    this.#order.set(part, order);
  }

  /** A tendon or actuator that others may refer to, from the main file by its full name. */
  #announce(file: MjcfFile, kind: PartKind, written: string, copy: Renaming): void {
    if (written === '') return;
    this.#names.add(file, kind, written, copy);
    const [main] = this.#files;
    if (file !== main) this.#names.add(main, kind, renamed(written, copy), NO_RENAMING);
  }

  #structure(file: MjcfFile): void {
    for (const section of file.root.children('contact'))
      for (const element of section.elements()) this.#contact(element, file);
    for (const section of file.root.children('equality'))
      for (const element of section.elements()) this.#equality(element, file);
    for (const section of file.root.children('tendon'))
      for (const element of section.elements()) this.#tendon(element, file);
  }

  /** The name changes that an element comes with; none, and a problem or warning, where its parts are not there. */
  #copies(element: XmlElement, file: MjcfFile, references: readonly Reference[]): readonly Renaming[] {
    const found = this.#names.copiesOf(file, references);
    if ('copies' in found) return found.copies;
    const [kind, name] = found.missing;
    // Of a model that is attached, some parts may have been left behind, and what refers to them with them.
    if (this.#names.attached.has(file)) return [];
    const hint = nearHint(name, this.#names.known(file, kind));
    const message = `<${element.name}> refers to the ${kind} ${quoted(name)}, which is not there.${hint}`;
    if (element.incomplete) element.warn(`unknown-${kind}`, message);
    else element.error(`unknown-${kind}`, message);
    return [];
  }

  #nameOf(element: XmlElement, kind: string, written: string, renaming: Renaming): string {
    const giver = this.#given.get(kind) ?? new NameGiver([]);
    this.#given.set(kind, giver);
    return giver.give(written === '' ? element.name : renamed(written, renaming));
  }

  #contact(element: XmlElement, file: MjcfFile): void {
    if (element.name === 'pair') {
      const { pair } = file.classes.of(element.claim(), file.classes.main);
      const data = readFields(element, PAIR_FIELDS, pair);
      const references: Reference[] = [
        ['geom', data.geom1],
        ['geom', data.geom2],
      ];
      for (const copy of this.#copies(element, file, references))
        this.pairs.push({
          shape1: renamed(data.geom1, copy),
          shape2: renamed(data.geom2, copy),
          friction: data.friction,
          condim: data.condim,
          margin: data.margin,
          gap: data.gap,
        });
    } else if (element.name === 'exclude') {
      const data = readFields(element.claim(), EXCLUDE_FIELDS, { name: '', body1: '', body2: '' });
      element.requiredText('body1');
      element.requiredText('body2');
      const references: Reference[] = [
        ['body', data.body1],
        ['body', data.body2],
      ];
      for (const copy of this.#copies(element, file, references))
        this.exclusions.push({ body1: bodyName(data.body1, copy), body2: bodyName(data.body2, copy) });
    }
  }

  #equality(element: XmlElement, file: MjcfFile): void {
    if (!['connect', 'weld', 'joint', 'tendon'].includes(element.name)) return;
    const { equality } = file.classes.of(element.claim(), file.classes.main);
    const data = readFields(element, EQUALITY_FIELDS, equality);
    const keys = ['body1', 'body2', 'site1', 'site2', 'joint1', 'joint2'] as const;
    const references = keys.map((key): Reference => [key.slice(0, -1) as PartKind, data[key]]);
    for (const copy of this.#copies(element, file, references)) {
      const renaming = Object.fromEntries(
        keys.filter((key) => data[key] !== '' && data[key] !== 'world').map((key) => [key, renamed(data[key], copy)]),
      );
      const name = this.#nameOf(element, 'equality', data.name, copy);
      this.equalities.push({ kind: element.name, element, data: { ...data, ...renaming, name } });
    }
  }

  #tendon(element: XmlElement, file: MjcfFile): void {
    if (element.name !== 'fixed' && element.name !== 'spatial') return;
    const { tendon } = file.classes.of(element.claim(), file.classes.main);
    const data = readFields(element, TENDON_FIELDS, tendon);
    const references: Reference[] = [];
    for (const child of element.elements()) {
      for (const kind of ['joint', 'site', 'geom'] as const)
        if (child.name === kind && child.attributes[kind] !== undefined)
          references.push([kind, child.attributes[kind]]);
      if (child.attributes.sidesite !== undefined) references.push(['site', child.attributes.sidesite]);
    }
    for (const copy of this.#copies(element, file, references)) {
      const made = readTendon(element, data, file.compiler.autolimits, (name) => renamed(name, copy));
      this.#keep(this.tendons, { ...made, name: this.#nameOf(element, 'tendon', data.name, copy) }, copy, element);
      this.#announce(file, 'tendon', data.name, copy);
    }
  }

  #actuator(element: XmlElement, file: MjcfFile, target: (transmission: Transmission) => ActuatorTarget): void {
    if (!ACTUATOR_TAGS.has(element.name)) return;
    const defaults = file.classes.of(element.claim(), file.classes.main);
    const data = readActuator(element, defaults.actuator);
    const references: Reference[] = [
      ['joint', data.joint],
      ['joint', data.jointinparent],
      ['tendon', data.tendon],
      ['site', data.site],
      ['site', data.refsite],
      ['site', data.cranksite],
      ['site', data.slidersite],
      ['body', data.body],
    ];
    for (const copy of this.#copies(element, file, references)) {
      const name = this.#nameOf(element, 'actuator', data.name, copy);
      const rename = (written: string): string => renamed(written, copy);
      const made = resolveActuator(element, data, file.compiler.autolimits, name, rename, target);
      if (made === undefined) continue;
      this.#keep(this.actuators, made, copy, element);
      this.#announce(file, 'actuator', data.name, copy);
    }
  }

  /** Sensors are kept as they are written: names of parts with the changes of their copy. */
  #sensor(element: XmlElement, file: MjcfFile): void {
    element.claim().know({ has: () => true });
    const references: Reference[] = [];
    const { attributes } = element;
    const renames = new Set<string>();
    for (const kind of ['joint', 'site', 'tendon', 'actuator', 'body', 'geom'] as const)
      for (const key of [kind, `${kind}1`, `${kind}2`])
        if (attributes[key] !== undefined) {
          references.push([kind, attributes[key]]);
          renames.add(key);
        }
    for (const [type, name] of [
      ['objtype', 'objname'],
      ['reftype', 'refname'],
    ] as const) {
      const kind = OBJECT_KINDS.get(attributes[type] ?? '');
      if (kind === undefined || attributes[name] === undefined) continue;
      references.push([kind, attributes[name]]);
      renames.add(name);
    }
    for (const child of element.elements()) child.claim().dismiss();
    for (const copy of this.#copies(element, file, references)) {
      const parameters = new Map(
        Object.entries(attributes)
          .filter(([key]) => key !== 'name')
          .map(([key, value]) => [key, renames.has(key) && value !== 'world' ? renamed(value, copy) : value]),
      );
      const name = this.#nameOf(element, 'sensor', attributes.name ?? '', copy);
      this.#keep(this.sensors, { name, kind: element.name, parameters }, copy, element);
    }
  }
}

const OBJECT_KINDS = new Map<string, PartKind>([
  ['body', 'body'],
  ['xbody', 'body'],
  ['geom', 'geom'],
  ['site', 'site'],
]);

const bodyName = (name: string, copy: Renaming): string | null => (name === 'world' ? null : renamed(name, copy));
