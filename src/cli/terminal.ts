// What the commands print to: standard output for results, standard error for everything else.

export interface Terminal {
  /** Results. */
  out(text: string): void;
  /** Messages, warnings, progress. */
  err(text: string): void;
  /** Whether standard error is a screen that a progress bar may redraw. */
  readonly interactive: boolean;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Back to the start of the line, and nothing left on it: how a progress bar is redrawn. */
export const ERASE_LINE = '\r\x1b[K';

/** The same terminal, which shows control characters in names and paths instead of obeying them; bars still begin with ERASE_LINE. */
export function shielded(terminal: Terminal): Terminal {
  const visible = (text: string): string =>
    text.replace(/[^\P{Cc}\n\t]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return {
    out: (text) => terminal.out(visible(text)),
    err: (text) =>
      terminal.err(text.startsWith(ERASE_LINE) ? ERASE_LINE + visible(text.slice(ERASE_LINE.length)) : visible(text)),
    interactive: terminal.interactive,
    get signal() {
      return terminal.signal;
    },
  };
}

/** Columns of text, numbers to the right, with a head. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const text = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? formatNumber(cell) : cell)));
  const numeric = head.map(
    (_, k) => rows.length > 0 && rows.every((row) => typeof row[k] === 'number' || row[k] === ''),
  );
  const width = head.map((title, k) => text.reduce((widest, row) => Math.max(widest, row[k].length), title.length));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, k) => (numeric[k] ? cell.padStart(width[k]) : cell.padEnd(width[k])))
      .join('  ')
      .trimEnd();
  return [line(head), line(width.map((w) => '-'.repeat(w))), ...text.map(line)].join('\n');
}

/** A number for people: six digits, no noise. */
export function formatNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value + 0);
  const size = Math.abs(value);
  if (size < 1e-12) return '0';
  return size >= 1e-4 && size < 1e7 ? String(Number(value.toPrecision(6))) : value.toExponential(4);
}

/** A bar on standard error, redrawn at most ten times a second; nothing at all in a pipe. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #what: string;
  #drawn = 0;

  constructor(terminal: Terminal, what: string) {
    this.#terminal = terminal;
    this.#what = what;
  }

  update(fraction: number, note = ''): void {
    if (!this.#terminal.interactive) return;
    const now = Date.now();
    if (now - this.#drawn < 100) return;
    this.#drawn = now;
    const cells = Math.round(30 * Math.min(1, Math.max(0, fraction)));
    const bar = '█'.repeat(cells) + '░'.repeat(30 - cells);
    const percent = `${Math.round(100 * fraction)}%`.padStart(4);
    this.#terminal.err(`${ERASE_LINE}${this.#what} ${bar} ${percent} ${note}`);
  }

  /** Takes the bar off the screen. */
  finish(): void {
    if (this.#terminal.interactive && this.#drawn > 0) this.#terminal.err(ERASE_LINE);
  }
}
