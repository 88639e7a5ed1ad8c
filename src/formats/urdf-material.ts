// Colours of visual shapes. A material is defined at the top of the file or within any <visual>, and is known by its
// name everywhere, also further up.

import type { Shape } from '../mechanism/mechanism.js';
import { quoted } from './import-log.js';
import type { XmlElement } from './xml.js';

export type UrdfColor = NonNullable<Shape['color']>;

export class MaterialReader {
  readonly #byName = new Map<string, UrdfColor>();
  /** What each <material> itself says, so that it is read, and complained of, once. */
  readonly #own = new Map<XmlElement, UrdfColor | undefined>();

  constructor(robot: XmlElement) {
    const visuals = robot.children('link').flatMap((link) => link.children('visual'));
    const local = visuals.flatMap((visual) => visual.child('material') ?? []);
    for (const material of [...robot.children('material'), ...local]) {
      const color = readColor(material);
      this.#own.set(material, color);
      const name = material.text('name') ?? '';
      // The first definition counts.
      if (color !== undefined && name !== '' && !this.#byName.has(name)) this.#byName.set(name, color);
    }
  }

  color(visual: XmlElement): UrdfColor | undefined {
    const material = visual.child('material');
    if (material === undefined) return undefined;
    const own = this.#own.get(material);
    const name = material.text('name') ?? '';
    // Without a colour of its own it refers to another one, unless it has a texture, which nobody draws here.
    if (own !== undefined || name === '' || material.has('color') || material.has('texture')) return own;
    const named = this.#byName.get(name);
    if (named === undefined)
      material.warn('material', `There is no material ${quoted(name)}; the shape has no colour.`);
    return named;
  }
}

function readColor(material: XmlElement): UrdfColor | undefined {
  const color = material.child('color');
  const rgba = color?.requiredNumbers('rgba', 4);
  if (color === undefined || rgba === undefined) return undefined;
  if (rgba.every((value) => value >= 0 && value <= 1)) return rgba as unknown as UrdfColor;
  color.warn('color', `A colour has four numbers from 0 to 1, got ${rgba.join(' ')}; it is left out.`);
  return undefined;
}
