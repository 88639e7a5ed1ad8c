/** What is to be seen and where: its kind, its name, and its box on a grid of so many pixels; the box of the coloured limbs on a grid of the scene. */
export function layout(grid) {
  const [WIDTH, HEIGHT] = [innerWidth, innerHeight];
  const kinds =
    'header, footer, #stage, #canvas, #panels, dialog[open], button, summary, select, input, h1, h2, h3, output, [role=status], figure, canvas, img, svg[role=img], table, .result, .tree, #about';
  const shown = (element) => {
    // How busy the machine is says nothing of the page.
    if (!element.checkVisibility({ visibilityProperty: true }) || element.matches('.unseen, #load')) return false;
    const dialog = document.querySelector('dialog[open]');
    if (dialog !== null && !dialog.contains(element)) return false;
    const { left, top, width, height } = element.getBoundingClientRect();
    const [x, y] = [left + width / 2, Math.max(0, top) + Math.min(8, height / 2)];
    if (width < 2 || height < 2 || top >= HEIGHT || x < 0 || x > WIDTH) return false;
    // What has been scrolled away is not there.
    const box = element.closest('#panel')?.getBoundingClientRect();
    return box === undefined || (y > box.top && y < box.bottom);
  };
  const nameOf = (element) => {
    // Numbers of the clock come and go.
    if (element.matches('#clock')) return element.id;
    const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.firstChild?.textContent;
    const small =
      /^(BUTTON|SUMMARY|H\d|OUTPUT)$/.test(element.tagName) || element.matches('[role=status], .result, #about');
    return (label ?? (small ? element.textContent : element.id) ?? '')
      .trim()
      .replace(/-?\d[\d.,e+-]*/g, '#')
      .slice(0, 60);
  };
  const parts = [...document.querySelectorAll(kinds)].filter(shown).map((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const [r, b] = [Math.min(right, WIDTH), Math.min(bottom, HEIGHT)];
    return [
      `${element.tagName.toLowerCase()} ${nameOf(element)}`.trim(),
      ...[left, top, r - left, b - top].map((x) => Math.round(x / grid)),
    ];
  });
  return { parts, limbs: limbs() };

  /** Columns and rows of twelve where something coloured begins and ends. */
  function limbs() {
    const canvas = document.querySelector('#canvas');
    const [w, h] = [120, 120];
    const small = Object.assign(document.createElement('canvas'), { width: w, height: h }).getContext('2d');
    small.drawImage(canvas, 0, 0, w, h);
    const { data } = small.getImageData(0, 0, w, h);
    const [columns, rows] = [new Array(12).fill(0), new Array(12).fill(0)];
    for (let y = 0; y < h; y++)
      for (let x = 0; x < w; x++) {
        const [r, g, b] = data.subarray(4 * (y * w + x));
        if (Math.max(r, g, b) - Math.min(r, g, b) < 40) continue;
        columns[Math.trunc(x / 10)]++;
        rows[Math.trunc(y / 10)]++;
      }
    const ends = (counts) => [counts.findIndex((n) => n > 2), counts.findLastIndex((n) => n > 2)];
    return [...ends(columns), ...ends(rows)];
  }
}
