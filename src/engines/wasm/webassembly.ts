// The part of the WebAssembly interface that is used here, typed without the libraries of a browser.

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Opaque: made by compiling, used for instantiating. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

export interface WasmInstance {
  readonly exports: { readonly [name: string]: (...values: number[]) => void };
}

/** The memory, and functions of other instances on it. */
export interface WasmImports {
  readonly memory: WasmMemory;
  readonly [name: string]: WasmMemory | ((...values: number[]) => void);
}

interface WasmApi {
  readonly Memory: new (limits: { initial: number; maximum?: number; shared?: boolean }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => WasmModule;
  readonly Instance: new (module: WasmModule, imports: { manikin: WasmImports }) => WasmInstance;
  compile(bytes: Uint8Array<ArrayBuffer>): Promise<WasmModule>;
  validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}

export const hasWebAssembly = (): boolean => 'WebAssembly' in globalThis;

/** The interface, or an error where there is none. */
export function webAssembly(): WasmApi {
  const { WebAssembly: api } = globalThis as { WebAssembly?: WasmApi };
  if (api === undefined) throw new Error('there is no WebAssembly');
  return api;
}
