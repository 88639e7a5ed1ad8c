// Small help with elements.

export function byId<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element "${id}".`);
  return found as T;
}

type Child = Node | string;

/** An element with attributes, listeners (onclick and the like) and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<Omit<HTMLElementTagNameMap[K], 'style'>> & {
    readonly [attribute: `aria-${string}`]: string;
  } = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties))
    if (key.startsWith('aria-')) made.setAttribute(key, String(value));
    else (made as unknown as Record<string, unknown>)[key] = value;
  made.append(...children);
  return made;
}

export function button(text: string, onclick: () => void, title = text): HTMLButtonElement {
  return element('button', { type: 'button', title, onclick }, text);
}

/** Saves bytes or text as a file of the person's. */
export function download(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  element('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** As many digits as people read. */
export function short(x: number): string {
  if (x === 0) return '0';
  const size = Math.abs(x);
  return size >= 1e5 || size < 1e-3 ? x.toExponential(2) : String(Number(x.toPrecision(4)));
}
