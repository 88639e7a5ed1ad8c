/** What a phone cuts off, and what is too small for a finger. */
export function fingers() {
  const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('.unseen');
  const nameOf = (element) =>
    `${element.tagName.toLowerCase()} ${element.id || element.textContent.trim().slice(0, 30)}`;
  const panel = document.querySelector('#panel').getBoundingClientRect();
  const cut = [];
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) cut.push('the page');
  if (document.querySelector('#panel').scrollWidth > document.querySelector('#panel').clientWidth)
    cut.push('the panel');
  for (const element of document.querySelectorAll(
    'button, select, summary, input, p, h3, label, dd, output, canvas, img, figure',
  )) {
    if (!shown(element)) continue;
    const { left, right, top, bottom, width } = element.getBoundingClientRect();
    if (width === 0) continue;
    const inside = element.closest('#panel') !== null;
    if (left < -1 || right > innerWidth + 1) cut.push(`beside the page: ${nameOf(element)}`);
    if (!inside && (top < -1 || bottom > innerHeight + 1)) cut.push(`above or below the page: ${nameOf(element)}`);
    if (inside && right > panel.right + 1) cut.push(`beside the panel: ${nameOf(element)}`);
    if (element.matches('button, .button, summary') && element.scrollWidth > element.clientWidth + 1)
      cut.push(`its text: ${nameOf(element)}`);
  }
  const small = [];
  for (const element of document.querySelectorAll('button, select, summary, input')) {
    if (!shown(element)) continue;
    // The label of a box is as good as the box.
    const target = element.matches('[type=checkbox], [type=file]') ? (element.closest('label') ?? element) : element;
    const { width, height } = target.getBoundingClientRect();
    const least = element.closest('#panel, #about, menu') === null ? 40 : 24;
    if (width < 24 || height < least) small.push(`${nameOf(element)}: ${Math.round(width)} x ${Math.round(height)}`);
  }
  return { cut, small };
}
