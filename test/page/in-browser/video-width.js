// The width of a video that can be played.
export async function videoWidth(source) {
  const video = document.createElement('video');
  video.src = source;
  await new Promise((done, fail) => {
    video.onloadeddata = done;
    video.onerror = () => fail(new Error(video.error?.message));
  });
  return video.videoWidth;
}
