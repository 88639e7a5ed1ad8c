/** The text of a file: UTF-8, or UTF-16 where the file begins with the mark of it. The mark is no part of the text. */
export function decodeText(source: Uint8Array | string): string {
  if (typeof source === 'string') return withoutMark(source);
  const [first, second] = source;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(source);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(source);
  return new TextDecoder().decode(source);
}

/** Programs on Windows put a byte-order mark before the text. */
export function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
