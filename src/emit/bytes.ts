// Bytes of a WebAssembly module: numbers in its encodings, and the opcodes used here.

const number = new Float64Array(1);
const numberBytes = new Uint8Array(number.buffer);

export class Bytes {
  #data = new Uint8Array(256);
  length = 0;

  byte(value: number): this {
    if (this.length === this.#data.length) this.#reserve(1);
    this.#data[this.length++] = value;
    return this;
  }

  bytes(...values: readonly number[]): this {
    for (const value of values) this.byte(value);
    return this;
  }

  /** Unsigned LEB128. */
  unsigned(value: number): this {
    let rest = value;
    while (rest >= 128) {
      this.byte((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    return this.byte(rest);
  }

  /** Signed LEB128 of a 32-bit number. */
  signed(value: number): this {
    let rest = value | 0;
    for (;;) {
      const low = rest & 127;
      rest >>= 7;
      const done = (rest === 0 && (low & 64) === 0) || (rest === -1 && (low & 64) !== 0);
      this.byte(done ? low : low | 128);
      if (done) return this;
    }
  }

  /** 64-bit float, little end first (as on every machine that runs JavaScript engines today). */
  float(value: number): this {
    this.#reserve(8);
    number[0] = value;
    for (let k = 0; k < 8; k++) this.#data[this.length++] = numberBytes[k];
    return this;
  }

  text(value: string): this {
    this.unsigned(value.length);
    for (const letter of value) this.byte(letter.charCodeAt(0));
    return this;
  }

  append(other: Bytes): this {
    return this.copy(other.view());
  }

  copy(data: Uint8Array): this {
    this.#reserve(data.length);
    this.#data.set(data, this.length);
    this.length += data.length;
    return this;
  }

  /** The other's length, then its bytes. */
  block(other: Bytes): this {
    return this.unsigned(other.length).append(other);
  }

  view(): Uint8Array<ArrayBuffer> {
    return this.#data.subarray(0, this.length);
  }

  #reserve(more: number): void {
    if (this.length + more <= this.#data.length) return;
    const larger = new Uint8Array(2 * Math.max(this.#data.length, this.length + more));
    larger.set(this.#data);
    this.#data = larger;
  }
}

export const I32 = 0x7f;
export const F64 = 0x7c;
export const V128 = 0x7b;

export const LOOP = 0x03;
export const BLOCK = 0x02;
export const END = 0x0b;
export const VOID = 0x40;
export const BR = 0x0c;
export const BR_IF = 0x0d;
export const BR_TABLE = 0x0e;
export const CALL = 0x10;
export const LOCAL_GET = 0x20;
export const LOCAL_SET = 0x21;
export const LOCAL_TEE = 0x22;
export const I32_LOAD = 0x28;
export const F64_LOAD = 0x2b;
export const I32_STORE = 0x36;
export const F64_STORE = 0x39;
export const I32_CONST = 0x41;
export const F64_CONST = 0x44;
export const I32_LT_U = 0x49;
export const F64_ADD = 0xa0;
export const I32_ADD = 0x6a;
export const I32_SUB = 0x6b;
/** Prefix and number of the instruction that copies within memory. */
export const MEMORY_COPY = [0xfc, 0x0a, 0, 0] as const;
export const SIMD = 0xfd;
/** After the SIMD prefix. */
export const V128_LOAD = 0x00;
export const V128_LOAD64_SPLAT = 0x0a;
export const V128_STORE = 0x0b;
export const V128_LOAD64_LANE = 0x57;
export const V128_STORE64_LANE = 0x5b;
export const V128_LOAD64_ZERO = 0x5d;
export const V128_CONST = 0x0c;
export const F64X2_SPLAT = 0x14;
export const F64X2_EXTRACT = 0x21;
export const F64X2_REPLACE = 0x22;
export const RELAXED_MADD = 0x107;
export const RELAXED_NMADD = 0x108;
