// A captured motion with its torques, who carries it, and the gait cycle.

import { button, element } from '../views/dom.js';
import { showProblems } from '../views/problems.js';
import { Studies } from './client.js';
import type { GalleryView } from './views.js';

export const motionView: GalleryView = (panel, { play, follow, files: given }) => {
  let shown = given;
  const studies = new Studies();
  const result = element('p', { 'aria-live': 'polite', className: 'result' });
  const show = (files: readonly (readonly [string, Uint8Array])[]): void => {
    shown = files;
    result.textContent = 'Inverse dynamics of every frame ...';
    studies
      .ask({ kind: 'motion', files }, ({ replay, problems = [] }) => {
        if (problems.length > 0) showProblems('The motion cannot be opened', problems);
        if (replay === undefined) return;
        play(replay);
        const about =
          given.length === 0 && files.length === 0
            ? 'Nobody walked like this: it is made up. Open a motion of your own. '
            : '';
        result.textContent = about + replay.about;
      })
      .catch((error: unknown) => {
        result.textContent = (error as Error).message;
      });
  };
  const input = element('input', {
    type: 'file',
    multiple: true,
    id: 'motion-files',
    className: 'unseen',
    accept: '.bvh,.mot,.sto,.osim',
  });
  input.onchange = async () => {
    const files = await Promise.all(
      [...(input.files ?? [])].map(async (file) => [file.name, new Uint8Array(await file.arrayBuffer())] as const),
    );
    input.value = '';
    if (files.length > 0) show(files);
  };
  panel.append(
    element('p', {}, 'Positions alone are known; forces follow from them. The arrow is the force of the ground.'),
    element(
      'p',
      { className: 'row' },
      element('label', { className: 'button' }, 'Open a motion (BVH, or MOT with OSIM)', input),
      button('Let motors follow it', () => follow(shown), 'The same motion by motors at the joints, with contacts'),
    ),
    result,
  );
  show(given);
  return { close: () => studies.end() };
};
