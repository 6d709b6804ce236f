/** The frame of the generated HTML pages. They hold their style sheet and load nothing. */
import { readFileSync } from 'node:fs';
import { type Html, html, textOf } from '../../../src/lib/html.ts';

const styles = readFileSync(new URL('style.css', import.meta.url), 'utf8')
  .replace(/\s*\n\s*/g, ' ')
  .trim();

export function layout(title: string, body: Html): string {
  return textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – opentill</title>
<link rel="icon" href="data:,">
<style></style>
</head>
<body>
${body}
</body>
</html>
`).replace('<style></style>', () => `<style>${styles}</style>`);
}

/** The Markdown that descriptions use: paragraphs, `code` and **strong** words. */
export function prose(text: string): readonly Html[] {
  return text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>\n`);
}

export function inline(text: string): readonly Html[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
    if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`;
    return html`${part}`;
  });
}
