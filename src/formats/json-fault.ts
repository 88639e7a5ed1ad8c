// Where a text stops being JSON. JSON.parse tells that on some engines only, and not of every fault.

/** Deeper nesting is itself what is wrong. */
const MAX_DEPTH = 1000;

/** 'first-...': or the end of an empty list or object. 'next': a comma, or the end of what is open. */
type Expected = 'value' | 'first-value' | 'key' | 'first-key' | 'colon' | 'next';

/** Offset of the first character that does not belong in JSON; the length of the text where it ends too soon. */
export function jsonFaultOffset(text: string): number {
  const open: ('[' | '{')[] = [];
  let expected: Expected = 'value';
  let i = skip(text, 0, /[ \t\n\r]*/y);
  while (i < text.length) {
    const c = text[i];
    if (expected === 'next') {
      const inner = open.at(-1);
      if (inner === undefined) return i;
      if (c === (inner === '[' ? ']' : '}')) open.pop();
      else if (c === ',') expected = inner === '[' ? 'value' : 'key';
      else return i;
      i++;
    } else if (expected === 'colon') {
      if (c !== ':') return i;
      expected = 'value';
      i++;
    } else if ((expected === 'first-value' && c === ']') || (expected === 'first-key' && c === '}')) {
      open.pop();
      expected = 'next';
      i++;
    } else if (expected === 'key' || expected === 'first-key') {
      const string = scanString(text, i);
      if (!string.closed) return string.end;
      expected = 'colon';
      i = string.end;
    } else if (c === '[' || c === '{') {
      if (open.push(c) > MAX_DEPTH) return i;
      expected = c === '[' ? 'first-value' : 'first-key';
      i++;
    } else {
      const value = c === '"' ? scanString(text, i) : scanWord(text, i);
      if (!value.closed) return value.end;
      expected = 'next';
      i = value.end;
    }
    i = skip(text, i, /[ \t\n\r]*/y);
  }
  return text.length;
}

function skip(text: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

/** Where a string ends, or what in it is wrong. */
function scanString(text: string, from: number): { end: number; closed: boolean } {
  if (text[from] !== '"') return { end: from, closed: false };
  for (let i = from + 1; i < text.length; ) {
    const c = text[i];
    if (c === '"') return { end: i + 1, closed: true };
    if (c < ' ') return { end: i, closed: false };
    const next: number = c === '\\' ? skip(text, i, /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y) : i + 1;
    if (next === i) return { end: i, closed: false };
    i = next;
  }
  return { end: text.length, closed: false };
}

function scanWord(text: string, from: number): { end: number; closed: boolean } {
  const end = skip(text, from, /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y);
  return { end, closed: end > from };
}
