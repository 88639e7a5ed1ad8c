/** Width and height of a PNG, base64, as the browser decodes it, and whether more than one colour is in it. */
export async function pictureSize(png) {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const { width, height } = picture;
  const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
  context.drawImage(picture, 0, 0);
  const colours = new Set(new Uint32Array(context.getImageData(0, 0, width, height).data.buffer));
  return [width, height, colours.size > 1];
}
