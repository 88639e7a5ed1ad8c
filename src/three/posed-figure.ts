// A mechanism as an object of three.js that is put where poses say: it needs nothing of what computes them.

import {
  CapsuleGeometry,
  type Color,
  type ColorRepresentation,
  Group,
  Matrix4,
  Mesh,
  type Object3D,
  Quaternion,
  Vector3,
} from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';
import { type Body, GROUND, type Joint, type Shape } from '../mechanism/mechanism.js';
import { TRANSFORM } from '../spatial/spatial.js';
import { coloured, DEFAULT_COLOR, type ShapeMesh, shapeMesh } from './shape-mesh.js';

/** What is drawn of a mechanism. A Mechanism is one; so is what is left of it after it was sent to another thread. */
export interface DrawnMechanism {
  readonly bodies: readonly Pick<Body, 'name' | 'mass' | 'com' | 'visuals' | 'collisions'>[];
  readonly joints: readonly Pick<Joint, 'name' | 'parent' | 't'>[];
}

/** What a figure looks like. */
export interface FigureOptions {
  /** What is drawn: shapes for the eye (default), or those that touch. Bodies without any get capsules from joint to joint. */
  readonly shapes?: 'visuals' | 'collisions';
  /** Of shapes that have no colour of their own. */
  readonly color?: ColorRepresentation;
}

/** Radius of the capsules of bodies without shapes, as a part of their length; and its bounds, as parts of the longest one. */
const SLENDER = 0.08;
const [THINNEST, THICKEST] = [0.008, 0.06];

/** A mechanism to be drawn where poses say: one group for each body, under its name. Ground coordinates, z up in most models. */
export class PosedFigure extends Group {
  /** In the order of the mechanism. */
  readonly bodies: readonly Group[];
  readonly #matrix = new Matrix4();

  constructor(mechanism: DrawnMechanism, options: FigureOptions = {}) {
    super();
    const { shapes = 'visuals', color = DEFAULT_COLOR } = options;
    const longest = Math.max(...mechanism.bodies.map(({ com }, b) => reachOf(mechanism.joints, b, com)));
    this.bodies = mechanism.bodies.map((body, b) => {
      const group = new Group();
      group.name = body.name;
      group.matrixAutoUpdate = false;
      group.userData.body = body.name;
      const drawn = (list: readonly Shape[]): ShapeMesh[] => list.flatMap((shape) => shapeMesh(shape, color) ?? []);
      const wanted = drawn(body[shapes]);
      // Of a body whose files of meshes were not read the other shapes.
      const meshes = wanted.length > 0 ? wanted : drawn(shapes === 'visuals' ? body.collisions : body.visuals);
      for (const mesh of joined(meshes.length > 0 ? meshes : sticks(mechanism, b, longest, color))) {
        mesh.castShadow = true;
        mesh.receiveShadow = true;
        group.add(mesh);
      }
      return group;
    });
    if (this.bodies.length > 0) this.add(...this.bodies);
  }

  /** Puts the bodies where poses say, as `dynamics.poses` writes them: twelve numbers each, E by rows and then t. */
  place(poses: ArrayLike<number>, from = 0): this {
    this.bodies.forEach((body, b) => {
      const o = from + TRANSFORM * b;
      // E takes ground to body coordinates: its rows are the body's axes.
      this.#matrix.set(
        poses[o],
        poses[o + 3],
        poses[o + 6],
        poses[o + 9],
        poses[o + 1],
        poses[o + 4],
        poses[o + 7],
        poses[o + 10],
        poses[o + 2],
        poses[o + 5],
        poses[o + 8],
        poses[o + 11],
        0,
        0,
        0,
        1,
      );
      body.matrix.copy(this.#matrix);
      body.matrixWorldNeedsUpdate = true;
    });
    return this;
  }

  /** The name of the body that an object belongs to, for picking; undefined where it is none of this figure. */
  bodyOf(object: Object3D): string | undefined {
    for (let at: Object3D | null = object; at !== null; at = at.parent)
      if (at.parent === this) return at.userData.body as string;
    return undefined;
  }

  /** Gives a body another colour; null brings its own back. */
  paint(body: number, color: ColorRepresentation | null): void {
    for (const { material, userData } of meshesOf(this.bodies[body]))
      material.color.set(color ?? (userData.color as Color));
  }

  /** Lets go of what the graphics card holds. */
  override dispose(): void {
    for (const { geometry, material } of meshesOf(this)) {
      geometry.dispose();
      material.dispose();
    }
  }
}

function meshesOf(object: Object3D): ShapeMesh[] {
  const found: ShapeMesh[] = [];
  object.traverse((child) => {
    if (child instanceof Mesh) found.push(child as ShapeMesh);
  });
  return found;
}

/** Meshes of one colour as one: calls of the graphics card are dear, and a hand may have eleven shapes. */
function joined(meshes: readonly ShapeMesh[]): ShapeMesh[] {
  const alike = new Map<string, ShapeMesh[]>();
  for (const mesh of meshes) {
    const { color, opacity } = mesh.material;
    const key = `${color.getHex()} ${opacity} ${mesh.geometry.index === null}`;
    alike.set(key, [...(alike.get(key) ?? []), mesh]);
  }
  return [...alike.values()].map((group) => {
    if (group.length === 1) return group[0];
    const parts = group.map((mesh) => {
      mesh.updateMatrix();
      return mesh.geometry.applyMatrix4(mesh.matrix).deleteAttribute('uv');
    });
    const { color, opacity } = group[0].material;
    return coloured(mergeGeometries(parts), color, opacity);
  });
}

/** From where a body hangs to its centre of mass, and to the joint before, where that is not the ground's. */
function reachOf(joints: DrawnMechanism['joints'], b: number, com: Body['com']): number {
  const { parent, t } = joints[b];
  return Math.max(Math.hypot(...com), parent === GROUND ? 0 : Math.hypot(...t));
}

/** Capsules from where a body hangs to where others hang from it, or to its centre of mass where none do. */
function sticks(
  { bodies, joints }: DrawnMechanism,
  b: number,
  longest: number,
  color: ColorRepresentation,
): ShapeMesh[] {
  const ends = joints.filter(({ parent }) => parent === b).map(({ t }) => t);
  if (ends.length === 0 && bodies[b].mass > 0) ends.push(bodies[b].com);
  // The bodies between the ground and the first one that weighs something only lead to it.
  if (!hangs(bodies, joints, b)) return [];
  return ends.flatMap((end) => {
    const to = new Vector3(...end);
    const length = to.length();
    if (length < 1e-6 * longest) return [];
    const radius = Math.min(THICKEST * longest, Math.max(THINNEST * longest, SLENDER * length));
    const mesh = coloured(new CapsuleGeometry(radius, length, 6, 16).translate(0, length / 2, 0), color);
    mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), to.divideScalar(length)));
    return [mesh];
  });
}

/** Whether something that weighs lies between a body and the ground, itself included. */
function hangs(bodies: DrawnMechanism['bodies'], joints: DrawnMechanism['joints'], body: number): boolean {
  for (let b = body; b !== GROUND; b = joints[b].parent) if (bodies[b].mass > 0) return true;
  return false;
}
