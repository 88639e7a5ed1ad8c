// OpenSim and SDF write their properties as the text of elements: <mass>3.5</mass>.

import { quoted } from './import-log.js';
import { parseNumber, type XmlElement } from './xml.js';

/** The text of an element, without what stands in its children. */
export function textOf(element: XmlElement): string {
  return element
    .readTexts()
    .map(({ text }) => text)
    .join(' ')
    .trim();
}

/** The text of a child element, or undefined where there is none. */
export function childText(element: XmlElement, name: string): string | undefined {
  const child = element.child(name);
  return child === undefined ? undefined : textOf(child);
}

/** The numbers in a child element; `count` of them where that is given. */
export function childNumbers(element: XmlElement, name: string, count?: number): number[] | undefined {
  const child = element.child(name);
  if (child === undefined) return undefined;
  const text = textOf(child);
  const words = text === '' ? [] : text.split(/\s+/);
  const values = words.map(parseNumber);
  if (values.every((value) => value !== undefined) && (count === undefined || values.length === count)) return values;
  const expected = count === undefined ? 'finite numbers' : count === 1 ? 'a finite number' : `${count} finite numbers`;
  child.error('number', `<${name}>: expected ${expected}, got ${quoted(text)}.`);
  return undefined;
}

export function requiredNumbers(element: XmlElement, name: string, count?: number): number[] | undefined {
  if (!element.has(name)) element.error('missing-element', `<${element.name}> needs a <${name}> in it.`);
  return childNumbers(element, name, count);
}

/** true or false in a child element. */
export function childFlag(element: XmlElement, name: string, otherwise: boolean): boolean {
  const text = childText(element, name);
  if (text === undefined || text === '') return otherwise;
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  element.child(name)?.error('flag', `<${name}>: expected true or false, got ${quoted(text)}.`);
  return otherwise;
}
