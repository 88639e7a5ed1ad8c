// What is wrong with a file, and where: a list, and the lines of the file around each place.

import type { FileProblem } from '../physics/protocol.js';
import { byId, element } from './dom.js';

export function showProblems(title: string, problems: readonly FileProblem[]): void {
  const dialog = byId<HTMLDialogElement>('problems');
  byId('problems-title').textContent = title;
  byId('problems-list').replaceChildren(
    ...problems.map(({ where, message, line, text = [] }) => {
      const item = element('li', {}, element('strong', {}, where), where === '' ? '' : ': ', message);
      if (text.length > 0) item.append(excerpt(text, line));
      return item;
    }),
  );
  if (!dialog.open) dialog.showModal();
}

function excerpt(text: readonly (readonly [number, string])[], line: number | undefined): HTMLElement {
  const width = String(text.at(-1)?.[0] ?? 0).length;
  const lines = text.map(([number, own]) => {
    const part = element(number === line ? 'mark' : 'span', {}, `${String(number).padStart(width)}  ${own}\n`);
    if (number === line) part.setAttribute('aria-label', `line ${number}: ${own}`);
    return part;
  });
  const shown = element('pre', { tabIndex: 0, 'aria-label': 'The file around it' }, ...lines);
  shown.setAttribute('role', 'group');
  return shown;
}
