// Shapes of a mechanism as meshes of three.js.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  Color,
  type ColorRepresentation,
  ConeGeometry,
  CylinderGeometry,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  PlaneGeometry,
  SphereGeometry,
  Vector3,
} from 'three';
import { ConvexGeometry } from 'three/addons/geometries/ConvexGeometry.js';
import type { Geometry, Shape } from '../mechanism/mechanism.js';

/** Sides of round shapes. */
const ROUND = 24;
/** Metres of a plane that are drawn to each side of its origin. */
const PLANE = 20;

/** Of shapes that have no colour of their own. */
export const DEFAULT_COLOR = 0x8fa3b8;

export type ShapeMesh = Mesh<BufferGeometry, MeshStandardMaterial>;

/** A mesh of one colour, which it remembers when it is painted over. */
export function coloured(geometry: BufferGeometry, color: ColorRepresentation, opacity = 1): ShapeMesh {
  const material = new MeshStandardMaterial({ color, roughness: 0.65, metalness: 0.05 });
  if (opacity < 1) {
    material.transparent = true;
    material.opacity = opacity;
  }
  const mesh = new Mesh(geometry, material);
  mesh.userData.color = material.color.clone();
  return mesh;
}

/** The mesh of a shape, where it stands; undefined where there is nothing to draw. */
export function shapeMesh(shape: Shape, fallback: ColorRepresentation = DEFAULT_COLOR): ShapeMesh | undefined {
  const geometry = shapeGeometry(shape.geometry);
  if (geometry === undefined) return undefined;
  const { E, t, color } = shape;
  const mesh = coloured(
    geometry,
    color === undefined ? fallback : new Color().setRGB(color[0], color[1], color[2], 'srgb'),
    color?.[3],
  );
  mesh.applyMatrix4(
    new Matrix4().set(E[0], E[3], E[6], t[0], E[1], E[4], E[7], t[1], E[2], E[5], E[8], t[2], 0, 0, 0, 1),
  );
  return mesh;
}

/** The geometry of a shape in its own frame; undefined for a mesh whose file was not read. */
function shapeGeometry(geometry: Geometry): BufferGeometry | undefined {
  switch (geometry.kind) {
    case 'plane':
      return new PlaneGeometry(2 * PLANE, 2 * PLANE);
    case 'box':
      return new BoxGeometry(...geometry.size);
    // three.js lays these along y.
    case 'cylinder':
      return new CylinderGeometry(geometry.radius, geometry.radius, geometry.length, ROUND).rotateX(Math.PI / 2);
    case 'capsule':
      return new CapsuleGeometry(geometry.radius, geometry.length, ROUND / 4, ROUND).rotateX(Math.PI / 2);
    case 'cone':
      return new ConeGeometry(geometry.radius, geometry.length, ROUND).rotateX(Math.PI / 2);
    case 'sphere':
      return new SphereGeometry(geometry.radius, ROUND, ROUND / 2).rotateX(Math.PI / 2);
    case 'ellipsoid':
      return new SphereGeometry(1, ROUND, ROUND / 2).rotateX(Math.PI / 2).scale(...geometry.radii);
    case 'hull': {
      const points = Array.from({ length: geometry.points.length / 3 }, (_, k) =>
        new Vector3().fromArray(geometry.points, 3 * k),
      );
      return new ConvexGeometry(points);
    }
    case 'heights': {
      const { rows, columns, size, heights } = geometry;
      const points = new Float64Array(3 * rows * columns);
      for (let r = 0, k = 0; r < rows; r++)
        for (let c = 0; c < columns; c++, k++)
          points.set(
            [(c / (columns - 1) - 0.5) * size[0], (r / (rows - 1) - 0.5) * size[1], heights[r * columns + c]],
            3 * k,
          );
      const triangles: number[] = [];
      for (let r = 0; r + 1 < rows; r++)
        for (let c = 0; c + 1 < columns; c++) {
          const [a, b] = [r * columns + c, (r + 1) * columns + c];
          triangles.push(a, a + 1, b + 1, a, b + 1, b);
        }
      return triangleGeometry(points, triangles);
    }
    case 'mesh':
      return geometry.data && triangleGeometry(geometry.data.points, geometry.data.triangles);
  }
}

/** With flat faces: files do not say which edges are smooth. */
function triangleGeometry(points: Float64Array, triangles: ArrayLike<number>): BufferGeometry {
  const corners = new Float32Array(3 * triangles.length);
  for (let k = 0; k < triangles.length; k++)
    for (let i = 0; i < 3; i++) corners[3 * k + i] = points[3 * triangles[k] + i];
  const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(corners, 3));
  geometry.computeVertexNormals();
  return geometry;
}
