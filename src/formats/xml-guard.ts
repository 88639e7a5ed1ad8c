// Looked at before the XML parser is let loose: what would make it recurse too deep, eat the memory or run for hours.
// One pass, linear in the length of the text. It need not understand malformed XML, only count at least as deep as the
// parser goes before it stops at the fault.

/** Elements within elements. URDF needs 5, MJCF as many as a robot has bodies in a row. */
export const MAX_DEPTH = 256;

/** Elements, attributes, comments and processing instructions; each takes some hundred bytes once parsed. */
export const MAX_ITEMS = 3_000_000;

/** The parser's error reports take memory in proportion to the line they are in, 32 bytes a character. */
export const MAX_LINE = 8 * 1024 * 1024;

export interface GuardFault {
  readonly code: string;
  readonly message: string;
  readonly offset: number;
}

/** The characters XML does not allow, lone surrogates among them. Line ends have become \n before. */
const FORBIDDEN = /[^\t\n\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

export function findGuardFault(text: string): GuardFault | undefined {
  return findForbiddenCharacter(text) ?? findLongLine(text) ?? findStructureFault(text);
}

function findForbiddenCharacter(text: string): GuardFault | undefined {
  const offset = text.search(FORBIDDEN);
  if (offset === -1) return undefined;
  const code = text.charCodeAt(offset).toString(16).toUpperCase().padStart(4, '0');
  return { code: 'xml', offset, message: `The character U+${code} is not allowed in XML.` };
}

function findLongLine(text: string): GuardFault | undefined {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const length = (end === -1 ? text.length : end) - start;
    if (length > MAX_LINE)
      return {
        code: 'too-large',
        offset: start,
        message: `A line of ${length} characters is too long; at most ${MAX_LINE} are read.`,
      };
    start += length + 1;
  }
  return undefined;
}

function findStructureFault(text: string): GuardFault | undefined {
  let depth = 0;
  let items = 0;
  let offset = text.indexOf('<');
  while (offset !== -1) {
    let end: number;
    if (text.startsWith('<!--', offset)) {
      end = endOf(text, '-->', offset + 4);
      items++;
    } else if (text.startsWith('<?', offset)) {
      end = endOf(text, '?>', offset + 2);
      items++;
    } else if (text.startsWith('<![CDATA[', offset)) end = endOf(text, ']]>', offset + 9);
    else if (text.startsWith('<!', offset)) {
      return {
        code: 'xml-doctype',
        offset,
        message: 'Document type and entity declarations are not read; remove them from the file.',
      };
    } else if (text.startsWith('</', offset)) {
      end = endOf(text, '>', offset + 2);
      depth--;
    } else {
      const tag = scanStartTag(text, offset + 1);
      end = tag.end;
      items += 1 + tag.attributes;
      if (!tag.selfClosing && ++depth > MAX_DEPTH)
        return { code: 'xml-depth', offset, message: `Elements are nested more than ${MAX_DEPTH} deep here.` };
    }
    if (items > MAX_ITEMS)
      return {
        code: 'too-large',
        offset,
        message: `A file of more than ${MAX_ITEMS} elements and attributes is not read.`,
      };
    // Something that never ends is the parser's to report.
    offset = end === -1 ? -1 : text.indexOf('<', end);
  }
  return undefined;
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? -1 : found + mark.length;
}

const QUOTE_OR_END = /["'>]/g;

function scanStartTag(text: string, from: number): { end: number; attributes: number; selfClosing: boolean } {
  let attributes = 0;
  QUOTE_OR_END.lastIndex = from;
  for (;;) {
    const found = QUOTE_OR_END.exec(text);
    if (found === null) return { end: -1, attributes, selfClosing: false };
    if (found[0] === '>') return { end: found.index + 1, attributes, selfClosing: text[found.index - 1] === '/' };
    attributes++;
    const close = text.indexOf(found[0], found.index + 1);
    if (close === -1) return { end: -1, attributes, selfClosing: false };
    QUOTE_OR_END.lastIndex = close + 1;
  }
}
