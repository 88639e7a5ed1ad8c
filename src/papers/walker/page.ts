// One HTML page with all there is to see of a walk: no script, nothing loaded from anywhere, so it works from a file, from any
// server and under the strictest content security policy. What moves is SVG.

import { escapeXml } from '../../plot/svg.js';

/** What `walkPage` shows. */
export interface PageParts {
  readonly title: string;
  /** Two columns. */
  readonly facts: readonly (readonly [string, string])[];
  /** SVG documents with a caption each. */
  readonly pictures: readonly { readonly svg: string; readonly caption: string }[];
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;color:#222;background:#fff;max-width:50rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}figure{margin:1.5rem 0}svg{max-width:100%;height:auto}figcaption{color:#555}
table{border-collapse:collapse}td{padding:.15rem 1.2rem .15rem 0;border-bottom:1px solid #ddd}td+td{font-variant-numeric:tabular-nums}`;

/** A page with facts about a walker and its pictures. */
export function walkPage({ title, facts, pictures }: PageParts): string {
  const rows = facts
    .map(([name, value]) => `<tr><td>${escapeXml(name)}</td><td>${escapeXml(value)}</td></tr>`)
    .join('\n');
  const figures = pictures
    .map(({ svg, caption }) => `<figure>${svg.trim()}<figcaption>${escapeXml(caption)}</figcaption></figure>`)
    .join('\n');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeXml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeXml(title)}</h1>
${figures}
<table>
${rows}
</table>
</body>
</html>
`;
}
