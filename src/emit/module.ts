// A WebAssembly module around function bodies: imports one memory, exports some functions, holds constants as data.

import { Bytes, I32 } from './bytes.js';

export interface ModuleFunction {
  /** Number of i32 parameters. */
  readonly parameters: number;
  /** Locals and code, with the final `end`. */
  readonly body: Bytes;
  readonly name?: string;
}

export interface ModuleParts {
  /** Functions of other modules, with so many i32 parameters each. */
  readonly imports?: readonly { readonly name: string; readonly parameters: number }[];
  /** The functions; a call names them by their place here, counted after the imported ones. */
  readonly functions: readonly ModuleFunction[];
  /** Bytes of memory that must be there. */
  readonly memoryBytes: number;
  /** Whether it is shared between threads. */
  readonly shared?: boolean;
  /** Numbers put into memory when the module is instantiated. */
  readonly data?: { readonly at: number; readonly values: readonly number[] };
}

export const PAGE = 65536;
/** The most that a memory can have. */
export const MAX_PAGES = 65536;

const MAGIC = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const SECTION = { type: 1, import: 2, function: 3, export: 7, code: 10, data: 11 };

export function encodeModule(parts: ModuleParts): Uint8Array<ArrayBuffer> {
  const { imports = [], functions, memoryBytes, shared = false, data } = parts;
  const out = new Bytes().bytes(...MAGIC);
  const section = (id: number, count: number, fill: (content: Bytes) => void): void => {
    const content = new Bytes().unsigned(count);
    fill(content);
    out.byte(id).block(content);
  };
  const most = Math.max(0, ...[...imports, ...functions].map(({ parameters }) => parameters));
  // Type k has k parameters and no result.
  section(SECTION.type, most + 1, (content) => {
    for (let k = 0; k <= most; k++)
      content
        .byte(0x60)
        .unsigned(k)
        .bytes(...new Array<number>(k).fill(I32))
        .byte(0);
  });
  section(SECTION.import, 1 + imports.length, (content) => {
    for (const { name, parameters } of imports) content.text('manikin').text(name).byte(0).unsigned(parameters);
    const pages = Math.ceil(memoryBytes / PAGE);
    content.text('manikin').text('memory').byte(2);
    if (shared) content.byte(3).unsigned(pages).unsigned(MAX_PAGES);
    else content.byte(0).unsigned(pages);
  });
  section(SECTION.function, functions.length, (content) => {
    for (const { parameters } of functions) content.unsigned(parameters);
  });
  const named = functions.flatMap(({ name }, index) => (name === undefined ? [] : [{ name, index }]));
  section(SECTION.export, named.length, (content) => {
    for (const { name, index } of named)
      content
        .text(name)
        .byte(0)
        .unsigned(imports.length + index);
  });
  section(SECTION.code, functions.length, (content) => {
    for (const { body } of functions) content.block(body);
  });
  if (data !== undefined && data.values.length > 0)
    section(SECTION.data, 1, (content) => {
      content.byte(0).byte(0x41).signed(data.at).byte(END_OF_EXPRESSION);
      content.unsigned(8 * data.values.length);
      for (const value of data.values) content.float(value);
    });
  return out.view().slice();
}

const END_OF_EXPRESSION = 0x0b;
