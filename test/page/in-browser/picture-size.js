/** Width and height of a PNG, base64, as the browser decodes it. */
export async function pictureSize(png) {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const { width, height } = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  return [width, height];
}
