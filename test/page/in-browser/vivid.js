/** Pixels of the scene, of 40000, whose colours are those of processors rather than of bodies. */
export function vivid() {
  const small = Object.assign(document.createElement('canvas'), { width: 200, height: 200 }).getContext('2d', {
    willReadFrequently: true,
  });
  small.drawImage(document.querySelector('#canvas'), 0, 0, 200, 200);
  const { data } = small.getImageData(0, 0, 200, 200);
  let count = 0;
  for (let k = 0; k < data.length; k += 4) {
    const [r, g, b] = data.subarray(k, k + 3);
    if (Math.max(r, g, b) - Math.min(r, g, b) > 115) count++;
  }
  return count;
}
