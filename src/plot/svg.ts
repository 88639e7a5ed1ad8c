// SVG as text: what every drawing of the project shares.

/** Dark ink, light grid, and line colours that stay apart for colour-blind readers (Okabe and Ito). */
export const INK = '#222222';
export const FAINT = '#dddddd';
export const SHADE = '#f0f0f0';
export const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'] as const;
export const FONT = 'font-family="system-ui, sans-serif"';

/** Text that stands for itself inside XML, less the characters that XML cannot have. */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** A coordinate with as many digits as a picture needs. */
export function px(value: number): string {
  return String(Math.round(value * 100) / 100);
}

export function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${px(x)}" y="${px(y)}" fill="${INK}" ${attributes}>${escapeXml(content)}</text>`;
}

/** A whole document on white. */
export function svgDocument(width: number, height: number, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${px(width)} ${px(height)}" width="${px(width)}" height="${px(height)}" ${FONT} font-size="12">
<rect width="100%" height="100%" fill="white"/>
${content}
</svg>
`;
}
