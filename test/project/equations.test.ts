// A formula of a paper is found by searching for its tag, `[002] eq. 3`: paper 002, equation 3, as corrected by the errata.
// All tags of src have that form, lead to an equation that the paper has, and are listed in docs/equations.md, which this
// test writes (npx vitest run test/project/equations.test.ts -u).

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/** The papers, and the number of their last equation. */
const PAPERS = new Map([
  ['000', { title: 'Yamane, Nakamura 2002: assembly and disassembly (ADA)', last: 62 }],
  ['001', { title: 'Stepien et al. 2011: re-rooting, and a walker', last: 23 }],
  ['002', { title: 'Yamane, Nakamura 2007: automatic scheduling', last: 11 }],
  ['003', { title: 'Yamane, Nakamura: assembly and disassembly, in short', last: 6 }],
  ['004', { title: "Fijany: Kane's equations and the mass matrix", last: 3 }],
]);

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .sort();

/** Files by paper and number of the equation. */
function tagged(): Map<string, Map<number, string[]>> {
  const papers = new Map([...PAPERS.keys()].map((paper) => [paper, new Map<number, string[]>()]));
  for (const file of sources)
    for (const [, paper, number] of readFileSync(SRC + file, 'utf8').matchAll(/\[(\d{3})\] eq\. (\d+)/g)) {
      const files = papers.get(paper)?.get(Number(number)) ?? [];
      papers.get(paper)?.set(Number(number), [...new Set([...files, file])]);
    }
  return papers;
}

it('all tags have one form', () => {
  for (const file of sources) {
    const text = readFileSync(SRC + file, 'utf8');
    for (const [whole] of text.matchAll(/\[\d{3}\],? *(?:eq|Eq|\(\d).{0,24}/g))
      expect(whole, `${file}: write one tag for each equation, as in [002] eq. 3`).toMatch(
        /^\[00[0-4]\] eq\. \d+(?! ?(?:,|and|to|or) \d)/,
      );
    expect(text, `${file} names an equation without its paper`).not.toMatch(/(?<!\[\d{3}\] )\b[Ee]qs?\. ?\(?\d/);
  }
});

it('all tags lead to equations that the papers have', () => {
  for (const [paper, equations] of tagged())
    for (const [number, files] of equations) {
      expect(number, `[${paper}] eq. ${number} in ${files}`).toBeGreaterThan(0);
      expect(number, `[${paper}] eq. ${number} in ${files}`).toBeLessThanOrEqual(PAPERS.get(paper)!.last);
    }
});

it('docs/equations.md lists them', async () => {
  const sections = [...tagged()].map(([paper, equations]) => {
    const lines = [...equations]
      .sort(([a], [b]) => a - b)
      .map(([number, files]) => `| ${number} | ${files.map((file) => `[${file}](../src/${file})`).join(', ')} |`);
    return [`## [${paper}] ${PAPERS.get(paper)!.title}`, '', '| equation | src/ |', '|---|---|', ...lines].join('\n');
  });
  const page = [
    '# From equations to files',
    '',
    'Where the equations of the papers are in the code, as corrected by the errata. In a file the tag to search for is that of',
    'its paper and number, `[002] eq. 3`. Written by `npx vitest run test/project/equations.test.ts -u`.',
    '',
    sections.join('\n\n'),
    '',
  ].join('\n');
  await expect(page).toMatchFileSnapshot('../../docs/equations.md');
});
