// <visual> and <collision>, with their geometries. The dynamics needs none of it, so an unknown geometry is left out with
// a warning; numbers that are none and paths that lead where they must not are errors all the same.

import type { Geometry, Shape } from '../mechanism/mechanism.js';
import type { Vec3 } from '../spatial/matrix3.js';
import { type ImportLog, quoted } from './import-log.js';
import { resolveMeshPath } from './mesh-path.js';
import { MaterialReader } from './urdf-material.js';
import { readOrigin } from './urdf-origin.js';
import type { XmlElement } from './xml.js';

export class ShapeReader {
  readonly #packages: ReadonlyMap<string, string>;
  readonly #materials: MaterialReader;
  /** Meshes in packages that the user gave no folder for: how many, and where the first one is. */
  readonly #unresolved = new Map<string, { count: number; place: string }>();

  constructor(robot: XmlElement, packages: ReadonlyMap<string, string>) {
    this.#packages = packages;
    this.#materials = new MaterialReader(robot);
  }

  visual(element: XmlElement): Shape | undefined {
    const shape = this.collision(element);
    const color = this.#materials.color(element);
    return shape && color ? { ...shape, color } : shape;
  }

  collision(element: XmlElement): Shape | undefined {
    const placement = readOrigin(element);
    const geometry = this.#geometry(element);
    const name = element.text('name');
    return geometry && { ...placement, geometry, ...(name !== undefined && { name }) };
  }

  #geometry(element: XmlElement): Geometry | undefined {
    const geometry = element.child('geometry');
    const shape = geometry?.anyChild();
    if (shape === undefined) {
      (geometry ?? element).warn('geometry', `This <${element.name}> has no geometry and is left out.`);
      return undefined;
    }
    switch (shape.name) {
      case 'box':
        return { kind: 'box', size: sizes(shape, 'size', 3) as unknown as Vec3 };
      case 'sphere':
        return { kind: 'sphere', radius: sizes(shape, 'radius', 1)[0] };
      case 'cylinder':
      case 'capsule':
        return { kind: shape.name, radius: sizes(shape, 'radius', 1)[0], length: sizes(shape, 'length', 1)[0] };
      case 'mesh':
        return this.#mesh(shape);
      default:
        shape.dismiss();
        shape.warn('geometry', `There is no geometry <${shape.name}> in URDF; this <${element.name}> is left out.`);
        return undefined;
    }
  }

  #mesh(element: XmlElement): Geometry | undefined {
    const scale = (element.numbers('scale', 3) ?? [1, 1, 1]) as unknown as Vec3;
    const written = element.requiredText('filename');
    if (written === undefined) return undefined;
    const found = resolveMeshPath(written, this.#packages);
    if (found.kind === 'refused') {
      element.attributeError('filename', 'mesh-path', `expected ${found.expected}, got ${quoted(written)}`);
      return undefined;
    }
    if (found.kind === 'symbolic') {
      const seen = this.#unresolved.get(found.package);
      if (seen === undefined) this.#unresolved.set(found.package, { count: 1, place: element.place });
      else seen.count++;
    }
    return { kind: 'mesh', path: found.path, scale };
  }

  /** Called when all links are read. */
  warnOfUnresolvedPackages(log: ImportLog): void {
    for (const [name, { count, place }] of this.#unresolved) {
      const which = name === '' ? 'without a name (package:///)' : `${quoted(name)} (--package ${name}=FOLDER)`;
      const meshes = count === 1 ? 'the path of one mesh is' : `the paths of ${count} meshes are`;
      log.warn('mesh-package', place, `No folder was given for the package ${which}; ${meshes} kept as written.`);
    }
  }
}

/** Positive numbers, or zero: some exporters leave a dimension at that. */
function sizes(element: XmlElement, attribute: string, count: number): number[] {
  const values = element.requiredNumbers(attribute, count);
  if (values?.some((value) => value < 0))
    element.attributeError(attribute, 'negative', `expected numbers not below zero, got ${values.join(' ')}`);
  return values ?? new Array(count).fill(0);
}
