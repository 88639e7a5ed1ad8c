// <actuator>: every kind is a <general> actuator with some of its parameters set, and so it is kept.

import type { Actuator, Bounds, Transmission } from '../mechanism/actuation.js';
import {
  type Fields,
  flag,
  isLimited,
  keyword,
  leadingNumbers,
  number,
  numbers,
  numbersOf,
  readFields,
  type Tristate,
  text,
  tristate,
  words,
} from './mjcf-fields.js';
import { SHORTCUTS, type ShortcutName } from './mjcf-shortcut.js';
import type { XmlElement } from './xml.js';

export interface ActuatorData {
  name: string;
  class: string;
  group: number;
  ctrllimited: Tristate;
  forcelimited: Tristate;
  actlimited: Tristate;
  ctrlrange: readonly number[];
  forcerange: readonly number[];
  actrange: readonly number[];
  lengthrange: readonly number[];
  gear: readonly number[];
  damping: readonly number[];
  armature: number;
  cranklength: number;
  joint: string;
  jointinparent: string;
  tendon: string;
  slidersite: string;
  cranksite: string;
  site: string;
  refsite: string;
  body: string;
  actdim: number;
  dyntype: string;
  gaintype: string;
  biastype: string;
  dynprm: readonly number[];
  gainprm: readonly number[];
  biasprm: readonly number[];
  actearly: boolean;
  inheritrange: number;
}

export const ZEROS: readonly number[] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const ONE_FIRST: readonly number[] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0];

export const DEFAULT_ACTUATOR: ActuatorData = {
  name: '',
  class: '',
  group: 0,
  ctrllimited: 'auto',
  forcelimited: 'auto',
  actlimited: 'auto',
  ctrlrange: [0, 0],
  forcerange: [0, 0],
  actrange: [0, 0],
  lengthrange: [0, 0],
  gear: [1, 0, 0, 0, 0, 0],
  damping: [0],
  armature: 0,
  cranklength: 0,
  joint: '',
  jointinparent: '',
  tendon: '',
  slidersite: '',
  cranksite: '',
  site: '',
  refsite: '',
  body: '',
  actdim: -1,
  dyntype: 'none',
  gaintype: 'fixed',
  biastype: 'none',
  dynprm: ONE_FIRST,
  gainprm: ONE_FIRST,
  biasprm: ZEROS,
  actearly: false,
  inheritrange: 0,
};

const DYNAMICS = words('none', 'integrator', 'filter', 'filterexact', 'muscle', 'dcmotor', 'pid', 'user');
const GAINS = words('fixed', 'affine', 'muscle', 'dcmotor', 'so3', 'pid', 'user');
const BIASES = words('none', 'affine', 'muscle', 'dcmotor', 'so3', 'user');

type Entry = [string, ReturnType<typeof text<ActuatorData>>];

const COMMON: Entry[] = [
  ['name', text<ActuatorData>('name')],
  ['class', text<ActuatorData>('class')],
  ['group', number<ActuatorData>('group')],
  ['ctrllimited', tristate<ActuatorData>('ctrllimited')],
  ['forcelimited', tristate<ActuatorData>('forcelimited')],
  ['actlimited', tristate<ActuatorData>('actlimited')],
  ['ctrlrange', numbers<ActuatorData>('ctrlrange', 2)],
  ['forcerange', numbers<ActuatorData>('forcerange', 2)],
  ['actrange', numbers<ActuatorData>('actrange', 2)],
  ['lengthrange', numbers<ActuatorData>('lengthrange', 2)],
  ['gear', leadingNumbers<ActuatorData>('gear', 6)],
  ['damping', leadingNumbers<ActuatorData>('damping', 3)],
  ['armature', number<ActuatorData>('armature')],
  ['cranklength', number<ActuatorData>('cranklength')],
  ...(['joint', 'jointinparent', 'tendon', 'slidersite', 'cranksite', 'site', 'refsite', 'body'] as const).map(
    (key): Entry => [key, text<ActuatorData>(key)],
  ),
];

const GENERAL_FIELDS: Fields<ActuatorData> = new Map([
  ...COMMON,
  ['actdim', number<ActuatorData>('actdim')],
  ['dyntype', keyword<ActuatorData, string>('dyntype', DYNAMICS)],
  ['gaintype', keyword<ActuatorData, string>('gaintype', GAINS)],
  ['biastype', keyword<ActuatorData, string>('biastype', BIASES)],
  ['dynprm', leadingNumbers<ActuatorData>('dynprm', 10)],
  ['gainprm', leadingNumbers<ActuatorData>('gainprm', 10)],
  ['biasprm', leadingNumbers<ActuatorData>('biasprm', 10)],
  ['actearly', flag<ActuatorData>('actearly')],
]);

const OUTSIDE_FIELDS: Fields<ActuatorData> = new Map(COMMON);

/** What shortcuts have of their own is read by their parameters. */
const SHORTCUT_FIELDS = new Map<string, Fields<ActuatorData>>(
  [...SHORTCUTS].map(([tag, { parameters }]) => [
    tag,
    new Map([...COMMON, ...[...parameters.keys()].map((name): Entry => [name, (): void => {}])]),
  ]),
);

/** Actuators whose law is not computed here: what they pull at is read, and they are listed. */
const UNKNOWN_LAWS: ReadonlySet<string> = new Set(['dcmotor', 'plugin']);

export const ACTUATOR_TAGS: ReadonlySet<string> = new Set(['general', ...SHORTCUTS.keys(), ...UNKNOWN_LAWS]);

/** An actuator over what its class says. */
export function readActuator(element: XmlElement, base: ActuatorData): ActuatorData {
  const tag = element.name;
  if (tag === 'general') return readFields(element, GENERAL_FIELDS, base);
  if (UNKNOWN_LAWS.has(tag)) {
    element.warn('not-understood', `The law of <${tag}> is not understood: it gives no force.`);
    for (const child of element.elements()) child.claim().dismiss();
    const none = { dyntype: 'user', gaintype: 'user', biastype: 'user', dynprm: [], gainprm: [], biasprm: [] };
    const data = readFields(element, OUTSIDE_FIELDS, base);
    // The warning says it for all of them.
    element.know({ has: () => true });
    return { ...data, ...none };
  }
  const shortcut = SHORTCUTS.get(tag as ShortcutName);
  const fields = SHORTCUT_FIELDS.get(tag);
  if (shortcut === undefined || fields === undefined) return base;
  const data = readFields(element, fields, base);
  // Gains of the class count whatever kind it was written for, but those of muscles and dampers for their own alone.
  const own = shortcut.gaintype !== 'fixed';
  const source = own && base.gaintype !== shortcut.gaintype ? undefined : base;
  const values = new Map([...shortcut.parameters].map(([name, given]) => [name, given]));
  if (source !== undefined) for (const [name, value] of shortcut.parametersOf(source)) values.set(name, value);
  const written = new Set<string>();
  for (const [name, given] of shortcut.parameters) {
    const wording = element.attributes[name];
    if (wording === undefined) continue;
    const count = given.length;
    const read = numbersOf(element, name, wording, 1, count);
    if (read === undefined) continue;
    written.add(name);
    const before = values.get(name) ?? given;
    // A muscle's negative numbers stand for what its class says.
    const kept = (value: number, k: number): number => (tag === 'muscle' && value < 0 ? before[k] : value);
    values.set(name, [...read.map(kept), ...before.slice(read.length)]);
  }
  // Of kv and dampratio the one that is written takes the place of the other.
  if (written.has('kv')) values.set('dampratio', [0]);
  else if (written.has('dampratio')) values.set('kv', [0]);
  return { ...data, ...shortcut.set((name) => values.get(name) ?? [0], data) };
}

/** What an actuator needs to know of the joint or tendon that it pulls at. */
export interface ActuatorTarget {
  /** Range of the joint or tendon, for inheritrange. */
  readonly range: Bounds | undefined;
  /** Inertia that a position servo moves, for its damping ratio: the sum of M / (gear coefficient)^2. */
  readonly inertia: (gear: readonly number[]) => number | undefined;
}

/** The actuator as data of a model; names as the copy of the model that it is in has them. */
export function resolveActuator(
  element: XmlElement,
  data: ActuatorData,
  autolimits: boolean,
  name: string,
  rename: (name: string) => string,
  target: (transmission: Transmission) => ActuatorTarget,
): Actuator | undefined {
  const transmission = transmissionOf(data, rename);
  if (transmission === undefined) {
    element.error('actuator', 'An actuator needs a joint, tendon, site, body or crank to act on.');
    return undefined;
  }
  const bounds = (values: readonly number[]): Bounds => [values[0], values[1]];
  let { ctrlrange, actrange, biasprm } = data;
  const aim = target(transmission);
  const { gaintype, biastype, gainprm } = data;
  const servo = gaintype === 'fixed' && biastype === 'affine' && gainprm[0] === -biasprm[1];
  // A motor may have it from a class that it shares with servos.
  if (data.inheritrange > 0 && servo && aim.range !== undefined) {
    const [middle, half] = [(aim.range[0] + aim.range[1]) / 2, ((aim.range[1] - aim.range[0]) / 2) * data.inheritrange];
    const inherited = [middle - half, middle + half];
    if (data.dyntype === 'integrator') actrange = inherited;
    else ctrlrange = inherited;
  }
  // A positive third number is a damping ratio: kv = 2 ratio sqrt(kp m).
  if (biasprm[2] > 0 && servo) {
    const inertia = aim.inertia(data.gear);
    if (inertia === undefined)
      element.warn('dampratio', 'The dampratio of this actuator is not used: it acts on more than joints.');
    const kv = inertia === undefined ? 0 : 2 * biasprm[2] * Math.sqrt(gainprm[0] * inertia);
    biasprm = [biasprm[0], biasprm[1], -kv, ...biasprm.slice(3)];
  }
  return {
    name,
    transmission,
    gear: data.gear,
    dynamics: { kind: kindOf(data.dyntype, DYNAMIC_KINDS), parameters: data.dynprm },
    gain: { kind: kindOf(data.gaintype, GAIN_KINDS), parameters: data.gainprm },
    bias: { kind: kindOf(data.biastype, BIAS_KINDS), parameters: biasprm },
    ...(isLimited(data.ctrllimited, ctrlrange, autolimits) && { controlRange: bounds(ctrlrange) }),
    ...(isLimited(data.forcelimited, data.forcerange, autolimits) && { forceRange: bounds(data.forcerange) }),
    ...(isLimited(data.actlimited, actrange, autolimits) && { activationRange: bounds(actrange) }),
    ...(data.armature !== 0 && { armature: data.armature }),
    ...(data.damping[0] !== 0 && { damping: data.damping[0] }),
    ...((data.lengthrange[0] !== 0 || data.lengthrange[1] !== 0) && { lengthRange: bounds(data.lengthrange) }),
    group: data.group,
  };
}

const DYNAMIC_KINDS = ['none', 'integrator', 'filter', 'filterexact', 'muscle'] as const;
const GAIN_KINDS = ['fixed', 'affine', 'muscle'] as const;
const BIAS_KINDS = ['none', 'affine', 'muscle'] as const;

function kindOf<K extends string>(written: string, known: readonly K[]): K | 'other' {
  return known.find((kind) => kind === written) ?? 'other';
}

function transmissionOf(data: ActuatorData, rename: (name: string) => string): Transmission | undefined {
  const { joint, jointinparent, tendon, site, refsite, body, cranksite, slidersite, cranklength } = data;
  // Where several are written the last of this order holds, as in MuJoCo.
  if (body !== '') return { kind: 'body', body: rename(body) };
  if (site !== '') return { kind: 'site', site: rename(site), ...(refsite !== '' && { reference: rename(refsite) }) };
  if (cranksite !== '')
    return { kind: 'slider-crank', crank: rename(cranksite), slider: rename(slidersite), length: cranklength };
  if (tendon !== '') return { kind: 'tendon', tendon: rename(tendon) };
  if (jointinparent !== '') return { kind: 'joint', joint: rename(jointinparent), inParent: true };
  if (joint !== '') return { kind: 'joint', joint: rename(joint), inParent: false };
  return undefined;
}
