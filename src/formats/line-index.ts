/** Lines and columns, both from 1, of offsets in a text. Columns count UTF-16 units, as editors do. */
export class LineIndex {
  readonly #text: string;
  /** Offset of the first character of each line; found when first asked for. */
  #starts: number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  locate(offset: number): { line: number; column: number } {
    this.#starts ??= lineStarts(this.#text);
    const starts = this.#starts;
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - starts[low] + 1 };
  }

  /** `robot.urdf:12:5`, or `line 12, column 5` where the file has no name. */
  place(offset: number, file: string | undefined): string {
    const { line, column } = this.locate(offset);
    return file === undefined ? `line ${line}, column ${column}` : `${file}:${line}:${column}`;
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return starts;
}
