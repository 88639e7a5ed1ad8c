// Strict XML without entities, for readers that must say where things are and what they did not use.

import { type XmlElement as ParsedElement, parseXml as parse, XmlError, XmlText } from '@rgrove/parse-xml';
import { ImportError } from '../mechanism/errors.js';
import { type ImportLog, quoted } from './import-log.js';
import { LineIndex } from './line-index.js';
import { nameFault } from './names.js';
import { checkInputSize } from './size-limit.js';
import { findGuardFault } from './xml-guard.js';

/**
 * Parses a text and returns its root element. A text that is not XML, or not safe to parse, is an ImportError. `file` is
 * the name to say places by, where the text comes from another file than the one that the log is about.
 */
export function parseXml(text: string, log: ImportLog, file = log.file): XmlElement {
  checkInputSize(text.length, file);
  // As XML demands, and since the parser's own way of doing it takes quadratic time.
  const source = tolerated(text.replace(/\r\n?/g, '\n'));
  const lines = new LineIndex(source);
  const fail = (code: string, offset: number, message: string): never => {
    throw ImportError.of(code, lines.place(offset, file), message);
  };
  const fault = findGuardFault(source);
  if (fault !== undefined) fail(fault.code, fault.offset, fault.message);
  try {
    // Comments are kept so that text on either side of one stays apart, each with its own place.
    const document = parse(source, { includeOffsets: true, preserveComments: true });
    return new XmlElement(document.root!, { source, lines, log, file });
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const what = error.message.slice(0, 200).split(/ \(line \d+, column \d+\)/)[0];
    return fail('xml', offsetOfCodePoint(source, error.pos), `This is not well-formed XML: ${what}.`);
  }
}

/**
 * What other programs let pass and many files have: a declaration behind blank lines or a comment, and dashes in a row
 * within comments. Both are blanked out; every other character keeps its place.
 */
function tolerated(source: string): string {
  const declaration = /^(?:\s|<!--(?:(?!-->)[\s\S])*-->)+(<\?xml\s[^?]*\?>)/.exec(source.slice(0, 4096));
  const start = declaration === null ? source : blanked(source, declaration[0].length, declaration[1].length);
  const pieces: string[] = [];
  let done = 0;
  for (let open = start.indexOf('<!--'); open !== -1; open = start.indexOf('<!--', open)) {
    const close = start.indexOf('-->', open + 4);
    if (close === -1) break;
    const comment = start.slice(open + 4, close);
    if (comment.includes('--') || comment.endsWith('-')) {
      pieces.push(start.slice(done, open + 4), comment.replaceAll('-', ' '));
      done = close;
    }
    open = close;
  }
  return pieces.length === 0 ? start : pieces.join('') + start.slice(done);
}

/** The text with `length` characters before `end` made blank. */
function blanked(text: string, end: number, length: number): string {
  return text.slice(0, end - length) + ' '.repeat(length) + text.slice(end);
}

/** The parser counts code points. */
function offsetOfCodePoint(text: string, count: number): number {
  let offset = 0;
  for (let k = 0; k < count && offset < text.length; k++) offset += text.codePointAt(offset)! > 0xffff ? 2 : 1;
  return offset;
}

interface Context {
  readonly source: string;
  readonly lines: LineIndex;
  readonly log: ImportLog;
  /** The name of the file in messages. */
  readonly file: string | undefined;
}

/** Anything that says whether it has a name: a set, or a map of readers. */
export interface Names {
  has(name: string): boolean;
}

const NOTHING_READ: ReadonlySet<string> = new Set();

/**
 * An element that remembers what was read of it. The reading methods report what is wrong to the log and return
 * undefined or a harmless value, so that one run finds every problem.
 */
export class XmlElement {
  readonly name: string;
  readonly #parsed: ParsedElement;
  readonly #context: Context;
  /** Attributes that a reader asked for; null until there is one, since most files are large and most elements small. */
  #attributesRead: Set<string> | null = null;
  #known: Names = NOTHING_READ;
  #firstOnly: Set<string> | null = null;
  #children: XmlElement[] | undefined;
  #attributeOffsets: Map<string, number> | undefined;
  #isRead = false;
  #isDismissed = false;
  #isTextRead = false;

  constructor(parsed: ParsedElement, context: Context) {
    this.name = parsed.name;
    this.#parsed = parsed;
    this.#context = context;
  }

  // Places

  /** Where the element stands, `robot.urdf:12:5`. */
  get place(): string {
    return this.#context.lines.place(this.#parsed.start, this.#context.file);
  }

  /** The name of the file that the element stands in. */
  get file(): string | undefined {
    return this.#context.file;
  }

  /** Whether parts of the model were left out, so that references may be to what is not there. */
  get incomplete(): boolean {
    return this.#context.log.incomplete;
  }

  attributePlace(name: string): string {
    this.#attributeOffsets ??= attributeOffsets(this.#context.source, this.#parsed.start + 1 + this.name.length);
    const offset = this.#attributeOffsets.get(name) ?? this.#parsed.start;
    return this.#context.lines.place(offset, this.#context.file);
  }

  error(code: string, message: string): void {
    this.#context.log.error(code, this.place, message);
  }

  warn(code: string, message: string): void {
    this.#context.log.warn(code, this.place, message);
  }

  // Children

  /** All child elements of that name, in the order of the file. */
  children(name: string): XmlElement[] {
    const found = this.#all().filter((child) => child.name === name);
    for (const child of found) child.#isRead = true;
    return found;
  }

  /** The first child element of that name. Further ones are not read, and listed as such. */
  child(name: string): XmlElement | undefined {
    const found = this.#all().find((child) => child.name === name);
    if (found !== undefined) found.#isRead = true;
    this.#firstOnly = (this.#firstOnly ?? new Set()).add(name);
    return found;
  }

  /** Whether there is a child element of that name; it does not count as read. */
  has(name: string): boolean {
    return this.#all().some((child) => child.name === name);
  }

  requiredChild(name: string): XmlElement | undefined {
    const found = this.child(name);
    if (found === undefined) this.error('missing-element', `<${this.name}> needs a <${name}> in it.`);
    return found;
  }

  /** The first child element, whatever its name. */
  anyChild(): XmlElement | undefined {
    const found = this.#all().at(0);
    if (found !== undefined) found.#isRead = true;
    return found;
  }

  /** All child elements. They do not count as read: `claim` those that are. */
  elements(): readonly XmlElement[] {
    return this.#all();
  }

  /** The element is read. */
  claim(): this {
    this.#isRead = true;
    return this;
  }

  /** Other child elements in place of its own, as where another file is included. */
  replaceElements(elements: XmlElement[]): void {
    this.#children = elements;
  }

  #all(): XmlElement[] {
    this.#children ??= this.#parsed.children
      .filter((node) => node.type === 'element')
      .map((node) => new XmlElement(node as ParsedElement, this.#context));
    return this.#children;
  }

  // Attributes

  text(attribute: string): string | undefined {
    this.#attributesRead = (this.#attributesRead ?? new Set()).add(attribute);
    return this.#parsed.attributes[attribute];
  }

  /** All attributes as they are written; they do not count as read. */
  get attributes(): Readonly<Record<string, string>> {
    return this.#parsed.attributes;
  }

  /** Attributes of these names count as read, in place of asking for each. */
  know(names: Names): void {
    this.#known = names;
  }

  requiredText(attribute: string): string | undefined {
    const text = this.text(attribute);
    if (text === undefined) this.error('missing-attribute', `<${this.name}> needs the attribute ${attribute}.`);
    return text;
  }

  /** A text fit to be a name. */
  requiredName(attribute: string): string | undefined {
    const text = this.requiredText(attribute);
    const fault = text === undefined ? undefined : nameFault(text);
    if (fault === undefined) return text;
    this.attributeError(attribute, 'name', fault);
    return undefined;
  }

  number(attribute: string): number | undefined {
    return this.numbers(attribute, 1)?.[0];
  }

  requiredNumber(attribute: string): number | undefined {
    return this.requiredNumbers(attribute, 1)?.[0];
  }

  /** So many finite decimal numbers with white space between them. */
  numbers(attribute: string, count: number): number[] | undefined {
    const text = this.text(attribute);
    if (text === undefined) return undefined;
    const words = text.trim().split(/\s+/, count + 1);
    const values = words.map(parseNumber);
    if (values.length === count && values.every((value) => value !== undefined)) return values;
    const expected = count === 1 ? 'a finite number' : `${count} finite numbers`;
    this.attributeError(attribute, 'number', `expected ${expected}, got ${quoted(text)}`);
    return undefined;
  }

  requiredNumbers(attribute: string, count: number): number[] | undefined {
    if (this.requiredText(attribute) === undefined) return undefined;
    return this.numbers(attribute, count);
  }

  /** Reports what was expected of an attribute, and what is there. */
  attributeError(attribute: string, code: string, fault: string): void {
    const message = `Attribute ${attribute} of <${this.name}>: ${fault}.`;
    this.#context.log.error(code, this.attributePlace(attribute), message);
  }

  // What was not read; see xml-unused.ts

  /** The reader has dealt with the element as a whole: nothing in it is to be listed as not used. */
  dismiss(): void {
    this.#isDismissed = true;
  }

  unreadAttributes(): string[] {
    const read = this.#attributesRead ?? NOTHING_READ;
    return Object.keys(this.#parsed.attributes).filter((name) => !read.has(name) && !this.#known.has(name));
  }

  readChildren(): XmlElement[] {
    return this.#all().filter((child) => child.#isRead && !child.#isDismissed);
  }

  unreadChildren(): XmlElement[] {
    return this.#all().filter((child) => !child.#isRead);
  }

  /** Whether the first child of that name was read, so that another one is one too many. */
  readsFirstOnly(childName: string): boolean {
    return this.#firstOnly?.has(childName) ?? false;
  }

  /** Text that no reader asked for. */
  unreadTexts(): { place: string; text: string }[] {
    return this.#isTextRead ? [] : this.#texts();
  }

  /** Places and contents of text between the child elements. */
  readTexts(): { place: string; text: string }[] {
    this.#isTextRead = true;
    return this.#texts();
  }

  #texts(): { place: string; text: string }[] {
    const { lines, file } = this.#context;
    return this.#parsed.children
      .filter((node) => node instanceof XmlText)
      .map((node) => ({ offset: node.start + node.text.search(/\S/), text: node.text.trim() }))
      .filter(({ text }) => text !== '')
      .map(({ offset, text }) => ({ place: lines.place(offset, file), text }));
  }
}

/** Offsets of the attributes in a start tag; `from` is where its name ends. */
function attributeOffsets(source: string, from: number): Map<string, number> {
  const offsets = new Map<string, number>();
  const attribute = /\s*([^\s=>/]+)\s*=\s*(?:"[^"]*"|'[^']*')/y;
  attribute.lastIndex = from;
  for (let found = attribute.exec(source); found !== null; found = attribute.exec(source))
    offsets.set(found[1], found.index + found[0].indexOf(found[1]));
  return offsets;
}

/** No hexadecimal, no NaN, no Infinity, no comma; and no nested repetition, which would take quadratic time. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

export function parseNumber(text: string): number | undefined {
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}
