/** Texts that are hard to read: contrast of WCAG 2 between each visible text and what is behind it, below 4.5 (large text: 3). */
export function contrast() {
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  // Whatever way a colour is written: what a canvas makes of it.
  const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', {
    willReadFrequently: true,
  });
  const known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) known.set(colour, painted(colour));
    return known.get(colour);
  };
  const painted = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((c, k) => a * c + (1 - a) * below[k]);
  /** The mean of the scene behind a box. */
  let copy;
  const scene = (box) => {
    const canvas = document.querySelector('#canvas');
    if (copy === undefined) {
      // Read from the graphics card once.
      copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
      copy.getContext('2d', { willReadFrequently: true }).drawImage(canvas, 0, 0);
    }
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const [sx, sy] = [canvas.width / width, canvas.height / height];
    context.drawImage(copy, (box.left - left) * sx, (box.top - top) * sy, box.width * sx, box.height * sy, 0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const behind = (element, box) => {
    const layers = [];
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      layers.push(colour);
      if (colour[3] === 1) break;
      if (at.id === 'stage') {
        layers.push([...scene(box), 1]);
        break;
      }
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const found = [];
  let looked = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.textContent.trim() === '' || !element.checkVisibility({ visibilityProperty: true })) continue;
    if (element.matches('option, script, style, .unseen, .unseen *')) continue;
    const range = document.createRange();
    range.selectNode(node);
    const box = range.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue;
    looked++;
    const style = getComputedStyle(element);
    const back = behind(element, box);
    const [a, b] = [luminance(over(rgba(style.color), back)), luminance(back)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = Number.parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)}: ${node.textContent.trim().slice(0, 40)}`);
  }
  return { looked, found };
}
