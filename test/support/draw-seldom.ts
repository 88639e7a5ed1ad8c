// Without a GPU drawing takes both cores: pages that are tested draw, and wipe what they have drawn, while somebody looks at them,
// and not otherwise.

/** Runs in a page before its scripts. `draws = true`: somebody looks. */
export const DRAW_SELDOM = `(() => {
  const next = requestAnimationFrame;
  requestAnimationFrame = (picture) => setTimeout(() => next(picture), globalThis.between ?? 30);
  for (const name of [
    'clear', 'drawArrays', 'drawElements', 'drawRangeElements', 'drawArraysInstanced', 'drawElementsInstanced',
  ]) {
    const draw = WebGL2RenderingContext.prototype[name];
    WebGL2RenderingContext.prototype[name] = function (...how) {
      if (globalThis.draws) draw.apply(this, how);
    };
  }
  globalThis.pictures = async () => {
    for (let k = 0; k < 2; k++) await new Promise((done) => requestAnimationFrame(done));
  };
  // A canvas that has another size is drawn anew: one of so many pixels, or, without a number, as large as it was.
  globalThis.drawAnew = async (size) => {
    const { style } = document.querySelector('#canvas');
    if (size === undefined) {
      style.height = 'calc(100% - 1px)';
      await pictures();
      style.height = '';
    } else style.width = style.height = size + 'px';
    globalThis.draws = true;
    await pictures();
  };
  globalThis.drawNoMore = () => {
    globalThis.draws = false;
    const { style } = document.querySelector('#canvas');
    style.width = style.height = '';
  };
})()`;
