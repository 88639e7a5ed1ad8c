// C3D files for tests: as Intel, MIPS or DEC machines write them, in integers or in floating point.

export interface C3dContent {
  readonly labels: readonly string[];
  readonly rate: number;
  /** Millimetres, frames x markers x 3; NaN where not seen. */
  readonly positions: Float64Array;
  readonly analogLabels: readonly string[];
  readonly samples: number;
  /** Frames x samples x channels. */
  readonly analog: Float64Array;
  readonly processor: 84 | 85 | 86;
  /** Millimetres a unit; floating point where left out. */
  readonly scale?: number;
  /** Of integers: analogue numbers have no sign. */
  readonly unsigned?: boolean;
}

export function writeC3d(content: C3dContent): Uint8Array {
  const { labels, rate, positions, analogLabels, samples, analog, processor, scale } = content;
  const little = processor !== 86;
  const markers = labels.length;
  const channels = analogLabels.length;
  const frames = positions.length / (3 * markers);
  const size = scale === undefined ? 4 : 2;
  const perFrame = channels * samples;
  const parameterBlocks = 4;
  const dataBlock = 2 + parameterBlocks;
  const view = new DataView(new ArrayBuffer(512 * (dataBlock - 1) + frames * size * (4 * markers + perFrame)));
  const float = (at: number, value: number): void => {
    if (processor !== 85) {
      view.setFloat32(at, value, little);
      return;
    }
    const work = new DataView(new ArrayBuffer(4));
    work.setFloat32(0, 4 * value);
    view.setUint16(at, work.getUint16(0), true);
    view.setUint16(at + 2, work.getUint16(2), true);
  };
  const word = (at: number, value: number): void => view.setUint16(at, value, little);
  view.setUint8(0, 2);
  view.setUint8(1, 0x50);
  for (const [k, value] of [markers, perFrame, 1, frames, 0].entries()) word(2 + 2 * k, value);
  float(12, scale ?? -1);
  word(16, dataBlock);
  word(18, samples);
  float(20, rate);
  let at = 512;
  view.setUint8(at + 2, parameterBlocks);
  view.setUint8(at + 3, processor);
  at += 4;
  const name = (text: string): void => {
    view.setInt8(at, text.length);
    for (let k = 0; k < text.length; k++) view.setUint8(at + 2 + k, text.charCodeAt(k));
  };
  const group = (id: number, text: string): void => {
    name(text);
    view.setInt8(at + 1, -id);
    word(at + 2 + text.length, 3);
    at += text.length + 5;
  };
  const texts = (id: number, text: string, list: readonly string[]): void => {
    const width = Math.max(1, ...list.map((item) => item.length));
    name(text);
    view.setInt8(at + 1, id);
    const from = at + 2 + text.length;
    word(from, 6 + width * list.length);
    view.setInt8(from + 2, -1);
    view.setUint8(from + 3, 2);
    view.setUint8(from + 4, width);
    view.setUint8(from + 5, list.length);
    const all = list.map((item) => item.padEnd(width)).join('');
    for (let k = 0; k < all.length; k++) view.setUint8(from + 6 + k, all.charCodeAt(k));
    at = from + 6 + width * list.length;
    view.setUint8(at++, 0);
    word(from, at - from);
  };
  group(1, 'POINT');
  texts(1, 'LABELS', labels);
  texts(1, 'UNITS', ['mm']);
  group(2, 'ANALOG');
  texts(2, 'LABELS', analogLabels);
  texts(
    2,
    'UNITS',
    analogLabels.map(() => 'N'),
  );
  if (content.unsigned === true) texts(2, 'FORMAT', ['UNSIGNED']);
  view.setInt8(at, 0);
  at = 512 * (dataBlock - 1);
  const number = (value: number): void => {
    if (scale === undefined) float(at, value);
    else view.setInt16(at, Math.round(value), little);
    at += size;
  };
  for (let f = 0; f < frames; f++) {
    for (let m = 0; m < markers; m++) {
      const from = 3 * (f * markers + m);
      const seen = !Number.isNaN(positions[from]);
      for (let k = 0; k < 3; k++) number(seen ? positions[from + k] / (scale ?? 1) : 0);
      number(seen ? 0 : -1);
    }
    for (let k = 0; k < perFrame; k++) number(analog[f * perFrame + k]);
  }
  return new Uint8Array(view.buffer);
}
