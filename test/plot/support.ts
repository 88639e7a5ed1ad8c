// What the tests of this folder ask of every picture.

import { parseXml, type XmlElement } from '@rgrove/parse-xml';
import { expect } from 'vitest';

const DRAWING = new Set(['path', 'polygon', 'circle', 'rect', 'text']);

/** Elements of a document or a group, which must be well-formed XML with finite numbers only. */
export function drawn(svg: string): XmlElement[] {
  expect(svg).not.toMatch(/NaN|Infinity|undefined|null/);
  const found: XmlElement[] = [];
  const visit = (element: XmlElement): void => {
    found.push(element);
    for (const child of element.children) if (child.type === 'element') visit(child as XmlElement);
  };
  visit(parseXml(svg).root!);
  for (const { name, attributes } of found) {
    if (!DRAWING.has(name)) continue;
    for (const key of ['d', 'points', 'x', 'y', 'cx', 'cy', 'r', 'stroke-width'])
      for (const number of attributes[key]?.match(/-?[\d.]+(e[-+]?\d+)?/g) ?? [])
        expect(Number.isFinite(Number(number)), `${key}="${attributes[key]}"`).toBe(true);
  }
  return found;
}

export const named = (elements: readonly XmlElement[], name: string): XmlElement[] =>
  elements.filter((element) => element.name === name);
