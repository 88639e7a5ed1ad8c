// What a person takes along: a link, a picture, a video, a recording.

import type { Physics } from '../physics/client.js';
import type { Store } from '../store.js';
import { byId, download } from './dom.js';
import type { Stage } from './stage.js';

/** Seconds of a video at most. */
const LONGEST = 60;

export function saving(store: Store, physics: Physics, stage: Stage, link: () => Promise<string | undefined>): void {
  const canvas = byId<HTMLCanvasElement>('canvas');
  const menu = byId<HTMLDetailsElement>('save');
  const done = (message: string): void => {
    menu.open = false;
    store.set({ message });
  };
  byId('save-link').onclick = async () => {
    const hash = await link();
    if (hash === undefined) return;
    history.replaceState(null, '', hash);
    await navigator.clipboard?.writeText(location.href).catch(() => undefined);
    done('The address of this page now leads to this moment.');
  };
  byId('save-png').onclick = () => {
    stage.render(true);
    canvas.toBlob((blob) => blob && download('manikin.png', blob, 'image/png'));
    done('The picture is saved.');
  };
  byId('save-mcap').onclick = async () => {
    const { bytes } = await physics.ask({ do: 'record' });
    if (bytes === undefined) return;
    download('manikin.mcap', bytes as BlobPart, 'application/octet-stream');
    done('The recording is saved.');
  };
  byId('save-html').onclick = async () => {
    const { replay } = await physics.ask({ do: 'replay' });
    if (replay === undefined) return;
    const { replayFile } = await import('../replay/file.js');
    download('manikin.html', await replayFile(replay), 'text/html');
    done('The replay is saved: one file that plays in any browser.');
  };
  byId('save-checkpoint').onclick = async () => {
    const { bytes } = await physics.ask({ do: 'checkpoint' });
    if (bytes === undefined) return;
    download('manikin.checkpoint', bytes as BlobPart, 'application/octet-stream');
    done('The checkpoint is saved: positions, velocities, contacts, connections. Open it to go on from there.');
  };
  videos(canvas, done);
}

/** What the encoder of this browser writes: MP4 where it can, for it plays everywhere, else WebM. */
const KINDS = [
  ['mp4', 'video/mp4'],
  ['webm', 'video/webm'],
] as const;

/** A video of what is to be seen, until it is chosen again. */
function videos(canvas: HTMLCanvasElement, done: (message: string) => void): void {
  const video = byId('save-video');
  const kind = KINDS.find(([, type]) => typeof MediaRecorder !== 'undefined' && MediaRecorder.isTypeSupported(type));
  const text = kind === undefined ? 'Video' : `Video (${kind[0] === 'mp4' ? 'MP4' : 'WebM'})`;
  video.textContent = text;
  let recorder: MediaRecorder | undefined;
  video.onclick = () => {
    if (recorder !== undefined) {
      recorder.stop();
      return;
    }
    if (kind === undefined) {
      done('This browser cannot record a video.');
      return;
    }
    const [ending, type] = kind;
    const parts: Blob[] = [];
    recorder = new MediaRecorder(canvas.captureStream(30), { videoBitsPerSecond: 8e6, mimeType: type });
    recorder.ondataavailable = ({ data }) => parts.push(data);
    const longest = setTimeout(() => recorder?.stop(), 1000 * LONGEST);
    recorder.onstop = () => {
      clearTimeout(longest);
      recorder = undefined;
      video.textContent = text;
      download(`manikin.${ending}`, new Blob(parts, { type }), type);
      done('The video is saved.');
    };
    recorder.start(1000);
    video.textContent = 'Stop the video';
    done('The video runs; choose it again to stop.');
  };
}
