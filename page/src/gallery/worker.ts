// Computes for the gallery, beside the physics: parts are sent as they are found.

import type { Finding, FindingMessage, Study } from './protocol.js';

self.onmessage = ({ data: { id, study } }: MessageEvent<{ readonly id: number; readonly study: Study }>): void => {
  const send = (finding: Finding, done: boolean): void =>
    self.postMessage({ id, ...finding, done } satisfies FindingMessage);
  answer(study, (finding) => send(finding, false))
    .then(() => send({}, true))
    .catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      self.postMessage({ id, done: true, error: text } satisfies FindingMessage);
    });
};

async function answer(study: Study, found: (finding: Finding) => void): Promise<void> {
  switch (study.kind) {
    case 'walk': {
      const { walked } = await import('./walker.js');
      found({ walked: walked(study) });
      return;
    }
    case 'bifurcation': {
      const { settles } = await import('./walker.js');
      for (const settled of settles(study.model, study.sizes)) found({ settled });
      return;
    }
    case 'motion': {
      const { capturedMotion, problemsOf } = await import('./motion.js');
      try {
        found({ replay: capturedMotion(study.files) });
      } catch (error) {
        found({ problems: problemsOf(error, study.files) });
        throw error;
      }
      return;
    }
    case 'counts': {
      const { counts } = await import('./chain.js');
      for (const counted of counts()) found({ counted });
      return;
    }
    case 'assembly': {
      const { assembled } = await import('./chain.js');
      found({ assembled: assembled(study.joints, study.processors, study.cuts) });
    }
  }
}
