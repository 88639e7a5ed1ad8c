// <mesh> in <asset>: where a mesh comes from, and its mass. Files are read when somebody needs what is in them.

import { convexHull } from '../contact/hull.js';
import { ImportError } from '../mechanism/errors.js';
import type { MeshData } from '../mechanism/mechanism.js';
import { apply, type Mat3, type Quat, symmetricEigen, transpose, type Vec3 } from '../spatial/matrix3.js';
import { quoted } from './import-log.js';
import { parseMesh } from './mesh.js';
import { type KnownMesh, knownMesh } from './mesh-cache.js';
import { checkedMesh } from './mesh-data.js';
import { type MeshInertiaMode, type MeshMass, meshMass, surfaceFaults } from './mesh-mass.js';
import { builtinMesh } from './mjcf-builtin-mesh.js';
import type { Compiler } from './mjcf-compiler.js';
import { type Fields, flag, keyword, manyNumbers, number, numbers, text, words } from './mjcf-fields.js';
import { type RigidPose, rotationOfQuaternion } from './mjcf-frame.js';
import type { GeomData } from './mjcf-geom.js';
import { filePath, type ModelFiles } from './model-files.js';
import type { XmlElement } from './xml.js';

export interface MeshAssetData {
  name: string;
  class: string;
  file: string;
  scale: readonly number[];
  refpos: readonly number[];
  refquat: readonly number[];
  inertia: MeshInertiaMode;
  vertex: readonly number[] | undefined;
  face: readonly number[] | undefined;
  maxhullvert: number;
  smoothnormal: boolean;
  builtin: string;
  params: readonly number[];
}

export const DEFAULT_MESH: MeshAssetData = {
  name: '',
  class: '',
  file: '',
  scale: [1, 1, 1],
  refpos: [0, 0, 0],
  refquat: [1, 0, 0, 0],
  inertia: 'legacy',
  vertex: undefined,
  face: undefined,
  maxhullvert: -1,
  smoothnormal: false,
  builtin: '',
  params: [],
};

const ignored = (): void => {};

export const MESH_FIELDS: Fields<MeshAssetData> = new Map([
  ['name', text<MeshAssetData>('name')],
  ['class', text<MeshAssetData>('class')],
  ['file', text<MeshAssetData>('file')],
  ['scale', numbers<MeshAssetData>('scale', 3)],
  ['refpos', numbers<MeshAssetData>('refpos', 3)],
  ['refquat', numbers<MeshAssetData>('refquat', 4)],
  ['inertia', keyword<MeshAssetData, MeshInertiaMode>('inertia', words('convex', 'legacy', 'exact', 'shell'))],
  ['vertex', manyNumbers<MeshAssetData>('vertex')],
  ['face', manyNumbers<MeshAssetData>('face')],
  ['maxhullvert', number<MeshAssetData>('maxhullvert')],
  ['smoothnormal', flag<MeshAssetData>('smoothnormal')],
  ['builtin', text<MeshAssetData>('builtin')],
  ['params', manyNumbers<MeshAssetData>('params')],
  // How it looks, and what kind of file it is, which its name says.
  ['normal', ignored],
  ['texcoord', ignored],
  ['material', ignored],
  ['content_type', ignored],
]);

/** A box with the same principal moments of inertia, and where it stands in the mesh's frame. */
interface InertiaBox {
  readonly half: Vec3;
  readonly pose: RigidPose;
}

class MeshAsset {
  readonly element: XmlElement;
  readonly data: MeshAssetData;
  /** Where the file is, below the root; empty for a mesh that is written in the model. */
  readonly path: string;
  known: KnownMesh | undefined;
  /** Its mass has been asked for, and what is wrong with it told. */
  weighed = false;
  failed = false;

  constructor(element: XmlElement, data: MeshAssetData, path: string) {
    this.element = element;
    this.data = data;
    this.path = path;
  }
}

export class MeshAssets {
  readonly #assets = new Map<string, MeshAsset>();
  readonly #files: ModelFiles | undefined;

  constructor(files: ModelFiles | undefined) {
    this.#files = files;
  }

  add(element: XmlElement, data: MeshAssetData, { meshdir, strippath }: Compiler): void {
    const written = strippath ? data.file.slice(data.file.search(/[^\\/]*$/)) : data.file;
    let path = '';
    const made = data.vertex !== undefined || data.builtin !== '' || element.children('plugin').length > 0;
    if (written !== '') {
      const found = filePath(written, [this.#files?.folder ?? '', meshdir]);
      if ('path' in found) path = found.path;
      else element.attributeError('file', 'mesh-path', `expected ${found.expected}, got ${quoted(data.file)}`);
    } else if (!made) element.error('mesh', 'A <mesh> needs a file or vertices.');
    const name = data.name !== '' ? data.name : stem(written);
    if (this.#assets.has(name)) element.error('duplicate-name', `There is another mesh ${quoted(name)}.`);
    this.#assets.set(name, new MeshAsset(element, data, path));
  }

  #find(element: XmlElement, name: string): MeshAsset | undefined {
    const asset = this.#assets.get(name);
    if (asset === undefined) element.error('unknown-mesh', `There is no mesh ${quoted(name)} in <asset>.`);
    return asset;
  }

  /** Path and scale of a mesh, for drawing; the mesh itself where its file is there and `load` asks for it. */
  geometry(
    element: XmlElement,
    name: string,
    load: boolean,
  ): { path: string; scale: Vec3; mesh: MeshData | undefined } | undefined {
    const asset = this.#find(element, name);
    if (asset === undefined) return undefined;
    const { path, data } = asset;
    return { path, scale: data.scale as unknown as Vec3, mesh: load ? this.#load(asset, false)?.mesh : undefined };
  }

  /** Volume, centre of mass and inertia of a mesh, in the frame of its geom; undefined and a problem where it has none. */
  massOf(element: XmlElement, name: string): MeshMass | undefined {
    const asset = this.#find(element, name);
    if (asset === undefined || asset.failed) return undefined;
    const known = this.#load(asset, true);
    if (known === undefined) return undefined;
    known.mass ??= meshMass(solidOf(known.mesh, asset.data.inertia), asset.data.inertia);
    if (asset.weighed) return known.mass;
    asset.weighed = true;
    const fault = massFault(asset, known, known.mass);
    if (fault === undefined) return known.mass;
    asset.failed = true;
    asset.element.error('mesh', `The mesh ${quoted(name)} has no inertia: ${fault}.`);
    return undefined;
  }

  /** A simple shape in place of a mesh: its size, and where it stands in the mesh's frame. */
  fitted(element: XmlElement, { type, mesh: name, fitscale }: GeomData, fitaabb: boolean): Fitted | undefined {
    const mass = this.massOf(element, name);
    const asset = this.#assets.get(name);
    if (mass === undefined || asset?.known === undefined) return undefined;
    const box = inertiaBox(mass);
    const fit = fitaabb ? fitToBounds(type, asset.known.mesh, box) : fitToInertia(type, box);
    const size = fit.size.map((value) => value * fitscale) as unknown as Vec3;
    return { size, pose: fit.pose };
  }

  /** The mesh with its transformations applied; where its file is missing, undefined and, if it is needed, a problem. */
  #load(asset: MeshAsset, needed: boolean): KnownMesh | undefined {
    if (asset.known !== undefined || asset.failed) return asset.known;
    const { element, data, path } = asset;
    try {
      asset.known = data.file === '' ? writtenMesh(data, element) : this.#read(path, data);
      if (asset.known === undefined && needed) {
        asset.failed = true;
        if (data.file === '') {
          const maker = data.builtin === '' ? 'a plugin' : `MuJoCo (builtin=${quoted(data.builtin)})`;
          element.error('mesh-made', `This mesh is made by ${maker}, not here; give its bodies an <inertial>.`);
        } else {
          const where = this.#files === undefined ? 'no folder to read it from was given' : 'there is no such file';
          element.error('mesh-file', `The mesh ${quoted(path)} is needed for an inertia: ${where}.`);
        }
      }
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      asset.failed = true;
      for (const { where, message } of error.problems)
        if (needed) element.error('mesh', `Mesh ${where}: ${message}`);
        else element.warn('mesh', `Mesh ${where}: ${message}`);
    }
    return asset.known;
  }

  #read(path: string, data: MeshAssetData): KnownMesh | undefined {
    const bytes = path === '' ? undefined : this.#files?.read(path);
    if (bytes === undefined) return undefined;
    const { scale, refpos, refquat, inertia } = data;
    const parameters = `${path.slice(path.lastIndexOf('.'))} ${[...scale, ...refpos, ...refquat, inertia].join(' ')}`;
    return knownMesh(bytes, parameters, () => transformed(parseMesh(bytes, path, 'as-mujoco'), data));
  }
}

export interface Fitted {
  readonly size: Vec3;
  readonly pose: RigidPose;
}

const stem = (path: string): string => path.slice(path.search(/[^\\/]*$/)).replace(/\.[^.]*$/, '');

/** Vertices and faces that are written in the model, or made; in 32-bit floating point, as MuJoCo keeps them. */
function writtenMesh(data: MeshAssetData, element: XmlElement): KnownMesh | undefined {
  const { vertex, face, builtin, params } = data;
  if (vertex === undefined) {
    const made = builtinMesh(builtin, params);
    return made && { mesh: transformed(made, data) };
  }
  if (vertex.length < 12 || vertex.length % 3 !== 0 || (face?.length ?? 0) % 3 !== 0)
    throw ImportError.of('mesh', element.place, 'A mesh needs four or more vertices, and three to a face.');
  if (face?.some((corner) => !Number.isInteger(corner) || corner < 0))
    throw ImportError.of('mesh', element.place, 'Faces are given by the numbers of their vertices, from 0.');
  const mesh = { points: Float64Array.from(vertex, Math.fround), triangles: Uint32Array.from(face ?? []) };
  return { mesh: transformed(checkedMesh(mesh, element.place), data) };
}

/** Moved by -refpos, turned back by refquat, scaled; a scale that mirrors turns the faces over. */
function transformed(mesh: MeshData, { refpos, refquat, scale }: MeshAssetData): MeshData {
  const [px, py, pz] = refpos;
  const R = rotationOfQuaternion(refquat as unknown as Quat);
  const E = R === undefined ? undefined : transpose(R);
  const turns = refquat[1] !== 0 || refquat[2] !== 0 || refquat[3] !== 0;
  const points = new Float64Array(mesh.points.length);
  for (let k = 0; k < points.length; k += 3) {
    let v: Vec3 = [mesh.points[k] - px, mesh.points[k + 1] - py, mesh.points[k + 2] - pz];
    if (turns && E !== undefined) v = apply(E, v);
    for (let c = 0; c < 3; c++) points[k + c] = v[c] * scale[c];
  }
  if (scale[0] * scale[1] * scale[2] > 0) return { points, triangles: mesh.triangles };
  const triangles = mesh.triangles.slice();
  for (let f = 0; f < triangles.length; f += 3) {
    triangles[f + 1] = mesh.triangles[f + 2];
    triangles[f + 2] = mesh.triangles[f + 1];
  }
  return { points, triangles };
}

/** What is weighed: the mesh, or its convex hull. */
function solidOf(mesh: MeshData, inertia: MeshInertiaMode): MeshData {
  return inertia === 'convex' || mesh.triangles.length === 0 ? hullOf(mesh) : mesh;
}

/** The surface of the convex hull, as triangles. */
function hullOf(mesh: MeshData): MeshData {
  const { points, starts, corners } = convexHull(mesh.points);
  const triangles: number[] = [];
  for (let f = 0; f + 1 < starts.length; f++)
    for (let k = starts[f] + 2; k < starts[f + 1]; k++) triangles.push(corners[starts[f]], corners[k - 1], corners[k]);
  return { points, triangles: Uint32Array.from(triangles) };
}

const LEAST_VOLUME = 1e-15;

function massFault({ data, element }: MeshAsset, known: KnownMesh, { volume }: MeshMass): string | undefined {
  const { inertia } = data;
  const solid = inertia === 'exact' || inertia === 'legacy';
  if (solid && known.mesh.triangles.length > 0) {
    known.faults ??= surfaceFaults(known.mesh);
    const { open, turned } = known.faults;
    if (inertia === 'exact') {
      if (turned > 0) return `${turned} of its edges have faces that look to different sides`;
      if (open > 0)
        return `its surface is open, ${open} edges have one face only; inertia="shell" or "convex" would do`;
      if (volume < 0) return 'its faces look inwards; turn them over';
    } else if (open > 0 || turned > 0)
      element.warn('mesh-open', 'The surface of this mesh is not closed; its mass and inertia are a guess.');
  }
  if (volume < LEAST_VOLUME)
    return inertia === 'shell' ? 'it has no area' : 'it has no volume; inertia="shell" would do';
  return undefined;
}

/** Half sizes 1/2 sqrt(6 (b + c - a) / volume) from the moments a >= b >= c, as MuJoCo sorts them. */
function inertiaBox({ volume, com, inertia }: MeshMass): InertiaBox {
  const { values, vectors } = symmetricEigen(inertia);
  const moments = [values[2], values[1], values[0]];
  const sum = moments[0] + moments[1] + moments[2];
  const half = moments.map((moment) => 0.5 * Math.sqrt(Math.max(0, (6 * (sum - 2 * moment)) / volume)));
  // Columns in the same order; one is turned round where that would be a mirror.
  const V = vectors;
  const R: Mat3 = [V[2], V[1], -V[0], V[5], V[4], -V[3], V[8], V[7], -V[6]];
  return { half: half as unknown as Vec3, pose: { R, p: com } };
}

function fitToInertia(type: GeomData['type'], { half: [x, y, z], pose }: InertiaBox): Fitted {
  switch (type) {
    case 'sphere':
      return { size: [(x + y + z) / 3, 0, 0], pose };
    case 'capsule': {
      const radius = (x + y) / 2;
      return { size: [radius, Math.max(0, z - radius / 2), 0], pose };
    }
    case 'cylinder':
      return { size: [(x + y) / 2, z, 0], pose };
    default:
      return { size: [x, y, z], pose };
  }
}

/** The box around all vertices along the principal axes, and what stands in it. */
function fitToBounds(type: GeomData['type'], { points }: MeshData, { pose }: InertiaBox): Fitted {
  const E = transpose(pose.R);
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < points.length; k += 3) {
    const v = apply(E, [points[k] - pose.p[0], points[k + 1] - pose.p[1], points[k + 2] - pose.p[2]]);
    for (let c = 0; c < 3; c++) {
      low[c] = Math.min(low[c], v[c]);
      high[c] = Math.max(high[c], v[c]);
    }
  }
  const turned = apply(pose.R, [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2]);
  const moved: RigidPose = { R: pose.R, p: [pose.p[0] + turned[0], pose.p[1] + turned[1], pose.p[2] + turned[2]] };
  const [x, y, z] = [(high[0] - low[0]) / 2, (high[1] - low[1]) / 2, (high[2] - low[2]) / 2];
  const across = Math.max(x, y);
  switch (type) {
    case 'sphere':
      return { size: [Math.max(across, z), 0, 0], pose: moved };
    case 'capsule':
      return { size: [across, Math.max(0, z - across), 0], pose: moved };
    case 'cylinder':
      return { size: [across, z, 0], pose: moved };
    default:
      return { size: [x, y, z], pose: moved };
  }
}
