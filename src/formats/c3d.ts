// .c3d, the binary files of motion capture laboratories (https://www.c3d.org): a header of 512 bytes, parameters in groups,
// then for each frame the markers and the samples of the analogue channels, such as force plates.

import { ImportError } from '../mechanism/errors.js';
import { quoted } from './import-log.js';
import { MAX_MARKER_NUMBERS, type MarkerMotion, metresIn } from './markers.js';
import { checkInputSize } from './size-limit.js';

/** Markers, and what was measured beside them. */
export interface C3dMotion extends MarkerMotion {
  readonly analog: {
    readonly labels: readonly string[];
    readonly units: readonly string[];
    /** Samples a second. */
    readonly rate: number;
    /** For each sample, for each channel, in its units. */
    readonly values: Float64Array;
  };
}

const BLOCK = 512;
/** Marks of the processor that wrote the file. */
const [INTEL, DEC, MIPS] = [84, 85, 86];

/** Reads markers and analogue channels from a .c3d file. */
export function parseC3d(bytes: Uint8Array, options: { readonly file?: string } = {}): C3dMotion {
  checkInputSize(bytes.length, options.file);
  return new C3dReader(bytes, options.file ?? '').read();
}

/** A parameter: numbers, or texts. */
interface Parameter {
  readonly numbers: readonly number[];
  readonly texts: readonly string[];
}

class C3dReader {
  readonly #view: DataView;
  readonly #file: string;
  #processor = INTEL;

  constructor(bytes: Uint8Array, file: string) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#file = file;
  }

  #fail(code: string, message: string): never {
    throw ImportError.of(code, this.#file, message);
  }

  #need(end: number, what: string): void {
    if (!(end <= this.#view.byteLength)) this.#fail('truncated', `The file ends within ${what}.`);
  }

  #word(at: number): number {
    return this.#view.getUint16(at, this.#processor !== MIPS);
  }

  #short(at: number): number {
    return this.#view.getInt16(at, this.#processor !== MIPS);
  }

  #float(at: number): number {
    if (this.#processor !== DEC) return this.#view.getFloat32(at, this.#processor !== MIPS);
    // The two words are swapped, and the exponent is larger by two.
    const view = new DataView(new ArrayBuffer(4));
    view.setUint16(0, this.#view.getUint16(at, true));
    view.setUint16(2, this.#view.getUint16(at + 2, true));
    return view.getFloat32(0) / 4;
  }

  read(): C3dMotion {
    this.#need(BLOCK, 'the header');
    const start = BLOCK * (this.#view.getUint8(0) - 1);
    if (this.#view.getUint8(1) !== 0x50 || start < 0)
      this.#fail('not-c3d', 'It is not a C3D file: its second byte is not 80.');
    this.#need(start + 4, 'the parameters');
    this.#processor = this.#view.getUint8(start + 3);
    if (![INTEL, DEC, MIPS].includes(this.#processor))
      this.#fail('processor', `The processor of number ${this.#processor} is not known.`);
    const parameters = this.#parameters(start, this.#view.getUint8(start + 2));
    const markers = this.#word(2);
    const perFrame = this.#word(4);
    const [first, last] = [this.#word(6), this.#word(8)];
    const scale = this.#float(12);
    const samples = this.#word(18);
    const rate = this.#float(20);
    const data = BLOCK * (this.#word(16) - 1);
    if (!(rate > 0) || !Number.isFinite(rate)) this.#fail('rate', `The header says ${rate} frames a second.`);
    if (!Number.isFinite(scale) || data < BLOCK)
      this.#fail('header', 'The scale or the start of the data in the header is no number that can be.');
    const size = scale < 0 ? 4 : 2;
    const bytesPerFrame = size * (4 * markers + perFrame);
    const room = bytesPerFrame > 0 ? Math.floor((this.#view.byteLength - data) / bytesPerFrame) : 0;
    const count = this.#frameCount(parameters, first, last, room);
    if (count * (3 * markers + perFrame) > MAX_MARKER_NUMBERS)
      this.#fail('too-large', `More than ${MAX_MARKER_NUMBERS} numbers are not read.`);
    this.#need(data + count * bytesPerFrame, `the data: ${count} frames of ${bytesPerFrame} bytes are declared`);
    const channels = samples > 0 ? Math.floor(perFrame / samples) : 0;
    if (channels * samples !== perFrame)
      this.#fail('analog', `${perFrame} analogue numbers a frame are not ${samples} samples of the same channels.`);
    const unit = parameters.get('POINT:UNITS')?.texts[0] || 'mm';
    const metres = metresIn(unit);
    if (metres === undefined) this.#fail('units', `Units of mm, cm, m or in are known, got ${quoted(unit)}.`);
    const number = (at: number): number => (scale < 0 ? this.#float(at) : this.#short(at));
    const positions = new Float64Array(3 * markers * count);
    const values = new Float64Array(perFrame * count);
    const factor = metres! * (scale < 0 ? 1 : scale);
    const unsigned = scale >= 0 && /unsigned/i.test(parameters.get('ANALOG:FORMAT')?.texts[0] ?? '');
    const sample = (at: number): number => (unsigned ? this.#word(at) : number(at));
    const { offset, gain } = this.#analogScale(parameters, channels, unsigned);
    for (let frame = 0; frame < count; frame++) {
      let at = data + frame * bytesPerFrame;
      for (let m = 0; m < markers; m++, at += 4 * size) {
        const seen = number(at + 3 * size) >= 0;
        for (let k = 0; k < 3; k++)
          positions[3 * (frame * markers + m) + k] = seen ? factor * number(at + k * size) : Number.NaN;
      }
      for (let k = 0; k < perFrame; k++, at += size) {
        const channel = k % channels;
        values[frame * perFrame + k] = (sample(at) - offset[channel]) * gain[channel];
      }
    }
    return {
      labels: this.#labels(parameters, 'POINT', markers),
      rate,
      times: Float64Array.from({ length: count }, (_, k) => (first - 1 + k) / rate),
      positions,
      analog: {
        labels: this.#labels(parameters, 'ANALOG', channels),
        units: Array.from({ length: channels }, (_, k) => parameters.get('ANALOG:UNITS')?.texts[k] ?? ''),
        rate: rate * samples,
        values,
      },
    };
  }

  /** The header has 16 bits for it; longer files say it in a parameter, or leave it to the length of the file. */
  #frameCount(parameters: ReadonlyMap<string, Parameter>, first: number, last: number, room: number): number {
    const words = (name: string): number | undefined => {
      const pair = parameters.get(name)?.numbers;
      return pair?.length === 2 ? (pair[0] & 0xffff) + 65536 * (pair[1] & 0xffff) : undefined;
    };
    const [from, to] = [words('TRIAL:ACTUAL_START_FIELD'), words('TRIAL:ACTUAL_END_FIELD')];
    const long = from !== undefined && to !== undefined && to >= from ? to - from + 1 : 0;
    const declared = Math.max(last - first + 1, last === 65535 ? long : 0);
    if (declared <= 0) this.#fail('header', `The header says frames ${first} to ${last}.`);
    return last === 65535 ? Math.min(declared, Math.max(room, 1)) : declared;
  }

  #analogScale(parameters: ReadonlyMap<string, Parameter>, channels: number, unsigned: boolean) {
    const general = parameters.get('ANALOG:GEN_SCALE')?.numbers[0] ?? 1;
    const scales = parameters.get('ANALOG:SCALE')?.numbers ?? [];
    const offsets = parameters.get('ANALOG:OFFSET')?.numbers ?? [];
    return {
      gain: Array.from({ length: channels }, (_, k) => general * (scales[k] ?? 1)),
      offset: Array.from({ length: channels }, (_, k) => (unsigned ? (offsets[k] ?? 0) & 0xffff : (offsets[k] ?? 0))),
    };
  }

  /** Names as the parameters have them; LABELS2 and so on hold those beyond 255. */
  #labels(parameters: ReadonlyMap<string, Parameter>, group: string, count: number): string[] {
    const named = [...(parameters.get(`${group}:LABELS`)?.texts ?? [])];
    for (let k = 2; parameters.has(`${group}:LABELS${k}`) && named.length < count; k++)
      named.push(...parameters.get(`${group}:LABELS${k}`)!.texts);
    return Array.from({ length: count }, (_, k) => named[k] || `${group === 'POINT' ? 'marker' : 'channel'}_${k + 1}`);
  }

  /** Groups have negative numbers, their parameters the same positive ones. Each tells where the next one is. */
  #parameters(start: number, blocks: number): Map<string, Parameter> {
    const end = Math.min(this.#view.byteLength, start + BLOCK * Math.max(1, blocks));
    const groups = new Map<number, string>();
    const found: { group: number; name: string; parameter: Parameter }[] = [];
    let at = start + 4;
    while (at + 2 <= end) {
      const length = Math.abs(this.#view.getInt8(at));
      const id = this.#view.getInt8(at + 1);
      if (length === 0 || id === 0) break;
      const after = at + 2 + length;
      if (after + 2 > end) this.#fail('parameters', 'A parameter reaches beyond the parameters.');
      const name = this.#text(at + 2, length).toUpperCase();
      const next = this.#word(after);
      if (id < 0) groups.set(-id, name);
      else found.push({ group: id, name, parameter: this.#parameter(after + 2, end) });
      if (next === 0) break;
      at = after + next;
    }
    return new Map(found.map(({ group, name, parameter }) => [`${groups.get(group) ?? ''}:${name}`, parameter]));
  }

  #parameter(at: number, end: number): Parameter {
    const within = (place: number): void => {
      if (place > end) this.#fail('parameters', 'A parameter reaches beyond the parameters.');
    };
    within(at + 2);
    const type = this.#view.getInt8(at);
    const dimensions = this.#view.getUint8(at + 1);
    within(at + 2 + dimensions);
    const sizes = Array.from({ length: dimensions }, (_, k) => this.#view.getUint8(at + 2 + k));
    const count = sizes.reduce((product, size) => product * size, 1);
    const data = at + 2 + dimensions;
    within(data + count * (type === 4 ? 4 : type === 2 ? 2 : 1));
    if (type === -1) {
      const width = sizes[0] ?? 1;
      const texts = Array.from({ length: width > 0 ? count / width : 0 }, (_, k) =>
        this.#text(data + k * width, width),
      );
      return { numbers: [], texts: texts.map((text) => text.trim()) };
    }
    const read =
      type === 4
        ? (k: number) => this.#float(data + 4 * k)
        : type === 2
          ? (k: number) => this.#short(data + 2 * k)
          : (k: number) => this.#view.getInt8(data + k);
    return { numbers: Array.from({ length: count }, (_, k) => read(k)), texts: [] };
  }

  #text(at: number, length: number): string {
    let text = '';
    for (let k = 0; k < length; k++) {
      const code = this.#view.getUint8(at + k);
      // Control characters would garble messages.
      text += code >= 32 && code !== 127 ? String.fromCharCode(code) : ' ';
    }
    return text;
  }
}
