// <worldbody>: the tree of bodies with their joints, geoms and sites. Frames are resolved, replicas written out and models
// attached; what comes out is a list of bodies, parents first, branch by branch, as MuJoCo numbers them.

import type { ContactExclusion } from '../mechanism/actuation.js';
import type { HeightField } from '../mechanism/mechanism.js';
import type { Vec3 } from '../spatial/matrix3.js';
import { add, apply } from '../spatial/matrix3.js';
import { type ImportLog, quoted } from './import-log.js';
import { readCable } from './mjcf-cable.js';
import type { Compiler } from './mjcf-compiler.js';
import type { DefaultClasses, Defaults } from './mjcf-defaults.js';
import { type Fields, flag, number, numbers, readFields, text } from './mjcf-fields.js';
import { readFlex } from './mjcf-flex.js';
import {
  AT_ORIGIN,
  checkOneOrientation,
  composed,
  eulerRotation,
  PLACED_FIELDS,
  type PlaceData,
  poseOf,
  type RigidPose,
} from './mjcf-frame.js';
import { GEOM_FIELDS, type GeomData, type MjcfGeom, placeGeom } from './mjcf-geom.js';
import { freeJoint, JOINT_FIELDS, type MjcfJoint, resolveJoint } from './mjcf-joint.js';
import { type Inertial, readInertial } from './mjcf-mass.js';
import type { MeshAssets } from './mjcf-mesh.js';
import { NO_RENAMING, nameFor, type PartKind, PartNames, type Renaming, renamed } from './mjcf-names.js';
import { type MjcfSite, SITE_FIELDS, type SiteData, sitePose } from './mjcf-site.js';
import { nameFault } from './names.js';
import type { XmlElement } from './xml.js';

/** What belongs to one file: an attached model brings its own. */
export interface MjcfFile {
  readonly root: XmlElement;
  readonly compiler: Compiler;
  readonly classes: DefaultClasses;
  readonly meshes: MeshAssets;
  /** Height fields by name; undefined for those that cannot be read. */
  readonly heights: ReadonlyMap<string, HeightField | undefined>;
  /** Colours of materials. */
  readonly colors: ReadonlyMap<string, readonly number[]>;
  /** Models to attach, by name. */
  readonly models: ReadonlyMap<string, () => MjcfFile | undefined>;
}

export interface MjcfBody {
  readonly element: XmlElement;
  readonly file: MjcfFile;
  readonly name: string;
  /** Index of the parent; the world is 0, and its own is -1. */
  readonly parent: number;
  /** In the parent's frame, in the pose that the file draws. */
  readonly pose: RigidPose;
  /** Its position as written, without the frames and copies that it stands in. */
  readonly written: Vec3;
  readonly mocap: boolean;
  readonly gravcomp: number;
  inertial: Inertial | undefined;
  readonly joints: MjcfJoint[];
  readonly geoms: MjcfGeom[];
  readonly sites: MjcfSite[];
}

/** Where the reader is. */
interface Scope {
  readonly file: MjcfFile;
  readonly renaming: Renaming;
  readonly defaults: Defaults;
  readonly body: number;
  /** Of the enclosing <frame> in the body. */
  readonly frame: RigidPose;
  /** Models that this one is attached to, and what stands around copies: parts are referred to from there by their full names. */
  readonly around: readonly { readonly file: MjcfFile; readonly renaming: Renaming }[];
}

interface BodyData extends PlaceData {
  name: string;
  childclass: string;
  mocap: boolean;
  gravcomp: number;
}

const BODY_FIELDS: Fields<BodyData> = new Map([
  ...(PLACED_FIELDS as Fields<BodyData>),
  ['name', text<BodyData>('name')],
  ['childclass', text<BodyData>('childclass')],
  ['mocap', flag<BodyData>('mocap')],
  ['gravcomp', number<BodyData>('gravcomp')],
  // When MuJoCo may put it to sleep, and how it computes it.
  ['sleep', (): void => {}],
  ['simple', (): void => {}],
]);

const NEW_BODY: BodyData = {
  name: '',
  childclass: '',
  mocap: false,
  gravcomp: 0,
  pos: [0, 0, 0],
  orientation: undefined,
};

interface Replication {
  count: number;
  offset: readonly number[];
  euler: readonly number[];
  sep: string;
  childclass: string;
}

const REPLICATE_FIELDS: Fields<Replication> = new Map([
  ['count', number<Replication>('count')],
  ['offset', numbers<Replication>('offset', 3)],
  ['euler', numbers<Replication>('euler', 3)],
  ['sep', text<Replication>('sep')],
  ['childclass', text<Replication>('childclass')],
]);

/** Bodies, joints, geoms and sites in all; copies of copies grow fast. */
const MAX_PARTS = 1_000_000;
const MAX_ATTACH_DEPTH = 16;

/** What one copy of an element's children comes to, copies within it included. */
function partsIn(section: XmlElement): number {
  let parts = 0;
  for (const element of section.elements()) {
    const count = Number(element.attributes.count ?? 0);
    parts += 1 + (element.name !== 'replicate' ? 1 : Number.isInteger(count) ? count : 0) * partsIn(element);
  }
  return parts;
}

export class BodyReader {
  readonly bodies: MjcfBody[] = [];
  readonly names = new PartNames();
  /** Of bodies that the file makes by one element: neighbours that never touch. */
  readonly exclusions: ContactExclusion[] = [];
  readonly #log: ImportLog;
  #parts = 0;
  #copies = 0;

  /** Whether parts were written out several times or come from other models. */
  get copied(): boolean {
    return this.#copies > 0;
  }

  constructor(file: MjcfFile, worldbodies: readonly XmlElement[], log: ImportLog) {
    this.#log = log;
    const defaults = file.classes.main;
    this.names.add(file, 'body', 'world', NO_RENAMING);
    const world = { name: 'world', parent: -1, pose: AT_ORIGIN, written: AT_ORIGIN.p, mocap: false, gravcomp: 0 };
    this.#add({ element: file.root, file, ...world });
    const scope = { file, defaults, body: 0, frame: AT_ORIGIN, renaming: NO_RENAMING, around: [] };
    for (const section of worldbodies) this.#children(section, scope);
  }

  #add(body: Omit<MjcfBody, 'inertial' | 'joints' | 'geoms' | 'sites'>): number {
    this.bodies.push({ ...body, inertial: undefined, joints: [], geoms: [], sites: [] });
    return this.bodies.length - 1;
  }

  /** Recursion is as deep as the files are, which is bounded, times the models within models. */
  #children(section: XmlElement, scope: Scope): void {
    for (const element of section.elements()) {
      this.#count(element);
      this.#child(element, scope);
    }
  }

  #count(element: XmlElement): void {
    if (++this.#parts > MAX_PARTS) this.#refuseMore(element);
  }

  #refuseMore(element: XmlElement): void {
    this.#log.error('too-large', element.place, `More than ${MAX_PARTS} parts are not read.`);
    this.#log.throwIfBroken();
  }

  #child(element: XmlElement, scope: Scope): void {
    const { file, frame } = scope;
    const body = this.bodies[scope.body];
    switch (element.name) {
      case 'body':
        this.#body(element.claim(), scope);
        break;
      case 'joint': {
        const { joint } = file.classes.of(element.claim(), scope.defaults);
        const read = resolveJoint(element, readFields(element, JOINT_FIELDS, joint), file.compiler);
        this.#joint({ ...read, name: this.#name(element, 'joint', read.name, scope) }, scope);
        break;
      }
      case 'freejoint': {
        const read = freeJoint(element.claim());
        this.#joint({ ...read, name: this.#name(element, 'joint', read.name, scope) }, scope);
        break;
      }
      case 'inertial':
        if (scope.body === 0) element.error('world', 'The world has no <inertial>.');
        body.inertial = readInertial(element.claim(), file.compiler, frame);
        break;
      case 'geom': {
        const { geom } = file.classes.of(element.claim(), scope.defaults);
        this.#geom(element, readFields(element, GEOM_FIELDS, geom), scope);
        break;
      }
      case 'site': {
        const { site } = file.classes.of(element.claim(), scope.defaults);
        this.#site(element, readFields(element, SITE_FIELDS, site), scope);
        break;
      }
      case 'frame':
        this.#frame(element.claim(), scope);
        break;
      case 'replicate':
        this.#replicate(element.claim(), scope);
        break;
      case 'attach':
        this.#attach(element.claim(), scope);
        break;
      case 'composite':
        // Other kinds are given up in MuJoCo, too.
        if (element.attributes.type === 'cable') this.#cable(element.claim(), scope);
        else this.#leaveOut(element.claim());
        break;
      case 'flexcomp':
        this.#flex(element.claim(), scope);
        break;
      case 'plugin':
        this.#leaveOut(element.claim());
        break;
    }
  }

  #leaveOut(element: XmlElement): void {
    element.dismiss();
    this.#log.incomplete ||= element.name !== 'plugin';
    element.warn('not-understood', `<${element.name}> is not understood; what it makes is missing.`);
  }

  /** A chain of bodies; neighbours do not touch. */
  #cable(element: XmlElement, scope: Scope): void {
    let at = scope;
    let before: string | undefined;
    for (const piece of readCable(element) ?? []) {
      this.#count(element);
      const name = this.#name(element, 'body', piece.name, at);
      const pose = composed(at.frame, piece.pose);
      const { file } = scope;
      const place = { name, parent: at.body, pose, written: piece.pose.p };
      const body = this.#add({ element, file, ...place, mocap: false, gravcomp: 0 });
      at = { ...at, body, frame: AT_ORIGIN };
      if (piece.joint !== undefined) {
        const read = resolveJoint(element, piece.joint, file.compiler);
        this.#joint({ ...read, name: this.#name(element, 'joint', read.name, at) }, at);
      }
      this.#geom(element, piece.geom, at);
      for (const site of piece.sites) this.#site(element, site, at);
      if (before !== undefined) this.exclusions.push({ body1: before, body2: name });
      before = name;
    }
  }

  /** Points on slides, which nothing holds together. */
  #flex(element: XmlElement, scope: Scope): void {
    const points = readFlex(element, scope.file.compiler);
    if (points === undefined) {
      this.#leaveOut(element);
      return;
    }
    element.dismiss();
    const { bodies, axes, mass, inertia } = points;
    if (bodies.length === 0) element.warn('flex', 'A flex that moves with its body is not used.');
    else element.warn('flex', 'What holds the points of this flex together is not used: each moves by itself.');
    for (const { name: written, at } of bodies) {
      this.#count(element);
      const name = this.#name(element, 'body', written, scope);
      const { file } = scope;
      const place = { name, parent: scope.body, pose: { R: AT_ORIGIN.R, p: at }, written: at };
      const body = this.#add({ element, file, ...place, mocap: false, gravcomp: 0 });
      this.bodies[body].inertial = { mass, com: AT_ORIGIN.p, inertia: [inertia, 0, 0, 0, inertia, 0, 0, 0, inertia] };
      for (const axis of axes) {
        const slide = resolveJoint(element, { ...scope.defaults.joint, name: '', type: 'slide', axis }, file.compiler);
        this.#joint(slide, { ...scope, body, frame: AT_ORIGIN });
      }
    }
  }

  #geom(element: XmlElement, data: GeomData, scope: Scope): void {
    const { pose, size } = placeGeom(element, data, scope.file.compiler);
    const name = this.#name(element, 'geom', data.name, scope);
    this.bodies[scope.body].geoms.push({ element, data, name, pose: composed(scope.frame, pose), size });
  }

  #site(element: XmlElement, data: SiteData, scope: Scope): void {
    const pose = composed(scope.frame, sitePose(element, data, scope.file.compiler));
    this.bodies[scope.body].sites.push({ element, name: this.#name(element, 'site', data.name, scope), pose });
  }

  /** The full name; empty for what has none. */
  #name(element: XmlElement, kind: PartKind, written: string, { file, renaming, around }: Scope): string {
    if (written === '') return '';
    const fault = nameFault(written);
    if (fault !== undefined) element.attributeError('name', 'name', fault);
    this.names.add(file, kind, written, renaming);
    for (const maker of around)
      this.names.add(maker.file, kind, nameFor(written, renaming, maker.renaming), maker.renaming);
    return renamed(written, renaming);
  }

  #joint(joint: MjcfJoint, { body, frame }: Scope): void {
    const { element } = joint;
    const { joints, parent } = this.bodies[body];
    if (body === 0) {
      element.error('world', 'The world has no joints.');
      return;
    }
    if (joint.type === 'free' && (parent !== 0 || joints.length > 0))
      element.error('free-joint', 'A free joint must be the only joint of a body that hangs from the world.');
    else if (joints.some(({ type }) => type === 'free'))
      element.error('free-joint', 'A body with a free joint has no other joints.');
    if (frame === AT_ORIGIN || joint.type === 'free') joints.push(joint);
    else
      joints.push({
        ...joint,
        anchor: add(frame.p, apply(frame.R, joint.anchor)),
        axis: apply(frame.R, joint.axis),
      });
  }

  #body(element: XmlElement, scope: Scope): void {
    const data = readFields(element, BODY_FIELDS, NEW_BODY);
    const { file } = scope;
    checkOneOrientation(element);
    const pose = poseOf(element, data, file.compiler);
    const body = this.#add({
      element,
      file,
      name: this.#name(element, 'body', data.name, scope),
      parent: scope.body,
      pose: composed(scope.frame, pose),
      written: pose.p,
      mocap: data.mocap,
      gravcomp: data.gravcomp,
    });
    this.#children(element, { ...scope, body, frame: AT_ORIGIN, defaults: this.#classOf(element, data, scope) });
  }

  #classOf(element: XmlElement, { childclass }: { childclass: string }, { file, defaults }: Scope): Defaults {
    return childclass === '' ? defaults : file.classes.named(element, 'childclass', childclass, defaults);
  }

  #frame(element: XmlElement, scope: Scope): void {
    const data = readFields(element, BODY_FIELDS, NEW_BODY);
    checkOneOrientation(element);
    const frame = composed(scope.frame, poseOf(element, data, scope.file.compiler));
    this.#children(element, { ...scope, frame, defaults: this.#classOf(element, data, scope) });
  }

  /** Copy k is turned by k times the angles, and each starts from the one before, moved by the offset as turned there. */
  #replicate(element: XmlElement, scope: Scope): void {
    const start: Replication = { count: 0, offset: [0, 0, 0], euler: [0, 0, 0], sep: '', childclass: '' };
    const { count, offset, euler, sep, childclass } = readFields(element, REPLICATE_FIELDS, start);
    if (!Number.isInteger(count) || count < 1 || count > MAX_PARTS) {
      element.error('count', 'A <replicate> needs a count, a whole number above zero.');
      return;
    }
    // Before the first of millions is made.
    if (this.#parts + count * partsIn(element) > MAX_PARTS) this.#refuseMore(element);
    const { degree, eulerseq } = scope.file.compiler;
    const defaults = this.#classOf(element, { childclass }, scope);
    const digits = `${count}`.length;
    const { prefix, suffix } = scope.renaming;
    const around = [...scope.around, scope];
    let p: Vec3 = [0, 0, 0];
    for (let k = 0; k < count; k++) {
      const R = eulerRotation(
        euler.map((angle) => (degree ? (k * angle * Math.PI) / 180 : k * angle)),
        eulerseq,
      );
      // Within copies the inner number comes first.
      const renaming = { prefix, suffix: `${sep}${`${k}`.padStart(digits, '0')}${suffix}`, order: ++this.#copies };
      this.#children(element, { ...scope, defaults, renaming, around, frame: composed(scope.frame, { R, p }) });
      p = add(p, apply(R, offset as unknown as Vec3));
    }
  }

  #attach(element: XmlElement, scope: Scope): void {
    const prefix = element.text('prefix') ?? '';
    const model = element.text('model');
    const bodyName = element.text('body');
    const frameName = element.text('frame');
    const file = model === undefined ? scope.file : scope.file.models.get(model)?.();
    if (file === undefined || scope.around.length >= MAX_ATTACH_DEPTH) {
      const why = file === undefined ? `there is no model ${quoted(model ?? '')}` : 'models are attached too deep';
      element.attributeError('model', 'attach', why);
      return;
    }
    file.root.text('model');
    const roots = file.root.elements().filter(({ name }) => name === 'worldbody');
    const wanted = bodyName ?? frameName;
    const inner: Scope = {
      ...scope,
      file,
      defaults: file.classes.main,
      renaming: {
        prefix: scope.renaming.prefix + prefix,
        suffix: scope.renaming.suffix,
        order: ++this.#copies,
      },
      around: [...scope.around, scope],
    };
    if (wanted === undefined) for (const root of roots) this.#children(root.claim(), inner);
    else {
      const kind = bodyName === undefined ? 'frame' : 'body';
      const path = findNamed(roots, kind, wanted);
      if (path === undefined) {
        element.attributeError(kind, 'attach', `the model has no ${kind} ${quoted(wanted)}`);
        return;
      }
      const target = path[path.length - 1];
      // Default classes of what it stands in come with it.
      const defaults = path.slice(0, -1).reduce((around, at) => {
        const { childclass } = at.claim().attributes;
        return childclass === undefined ? around : file.classes.named(at, 'childclass', childclass, around);
      }, file.classes.main);
      this.#child(target, { ...inner, defaults });
    }
    this.names.attach(file, inner.renaming);
  }
}

/** The element of that tag and name, behind all that it stands in. */
function findNamed(roots: readonly XmlElement[], tag: string, name: string): XmlElement[] | undefined {
  for (const root of roots) {
    if (root.name === tag && root.attributes.name === name) return [root];
    const found = findNamed(root.elements(), tag, name);
    if (found !== undefined) return [root, ...found];
  }
  return undefined;
}
