/**
 * JSON text of plain data, indented, each list of numbers on one line, and -0 written as such: JSON.stringify turns it
 * into 0, and what is read back would not be the same to the last bit.
 */
export function formatJson(value: unknown, indent = ''): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item === 'number')) return `[${value.map((item) => formatJson(item)).join(', ')}]`;
    return `[\n${value.map((item) => inner + formatJson(item, inner)).join(',\n')}\n${indent}]`;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return '{}';
  const lines = entries.map(([key, item]) => `${inner}${JSON.stringify(key)}: ${formatJson(item, inner)}`);
  return `{\n${lines.join(',\n')}\n${indent}}`;
}
