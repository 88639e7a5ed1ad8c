// Lists everything of a file that no reader asked for, so that nothing is ignored in silence.

import type { ImportLog } from './import-log.js';
import { quoted } from './import-log.js';
import type { XmlElement } from './xml.js';

/** Of one kind so many are listed one by one, then the rest in one line. */
const LISTED_EACH = 100;

interface Kind {
  readonly limit: number;
  readonly warnings: { place: string; message: string }[];
  count: number;
}

/**
 * Warns of each unread element, attribute and text. `extensions` are elements known to belong to other programs: of
 * each kind only the first is listed, with the count. So are elements with a namespace prefix.
 */
export function warnOfUnused(root: XmlElement, extensions: ReadonlySet<string>, log: ImportLog): void {
  const kinds = new Map<string, Kind>();
  const note = (key: string, limit: number, message: string, place: () => string): void => {
    const kind = kinds.get(key) ?? { limit, warnings: [], count: 0 };
    kinds.set(key, kind);
    if (kind.count++ < limit) kind.warnings.push({ place: place(), message });
  };
  visit(root, extensions, note);
  for (const { limit, warnings, count } of kinds.values()) {
    warnings.forEach(({ place, message }, k) => {
      const more = k === limit - 1 && count > limit ? ` (and ${count - limit} more of the kind)` : '';
      log.warn('not-used', place, `${message}${more}.`);
    });
  }
}

type Note = (key: string, limit: number, message: string, place: () => string) => void;

/** Recursion is safe: the depth of the file has been checked. */
function visit(element: XmlElement, extensions: ReadonlySet<string>, note: Note): void {
  const { name } = element;
  for (const attribute of element.unreadAttributes()) {
    // Namespace declarations and xml:space say something to XML parsers, not to us.
    if (/^xml(ns)?(:|$)/.test(attribute)) continue;
    const message = `Attribute ${attribute} of <${name}> is not used`;
    note(message, LISTED_EACH, message, () => element.attributePlace(attribute));
  }
  for (const child of element.unreadChildren()) {
    const why = element.readsFirstOnly(child.name) ? ', only the first one is' : '';
    const message = `<${child.name}> in <${name}> is not used${why}`;
    const limit = extensions.has(child.name) || child.name.includes(':') ? 1 : LISTED_EACH;
    note(message, limit, message, () => child.place);
  }
  for (const { place, text } of element.unreadTexts())
    note(`text in ${name}`, LISTED_EACH, `The text ${quoted(text)} in <${name}> is not used`, () => place);
  for (const child of element.readChildren()) visit(child, extensions, note);
}
