/**
 * HTML as a tagged template. Whatever is put into it is text and gets escaped, for elements and quoted attributes
 * alike; only what another `html` has made goes in as it is. Nothing else can make an `Html`: the key of its text is
 * known to this file alone, so no value that came over the network can pass for one.
 */
const markup = Symbol('markup');

export type Html = { readonly [markup]: string };

/** `false`, `null` and `undefined` leave nothing behind, so that `condition && html...` reads well. */
export type Content = Html | string | number | false | null | undefined | readonly Content[];

export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  let text = parts[0] ?? '';
  for (let i = 0; i < contents.length; i++) text += markupOf(contents[i]) + (parts[i + 1] ?? '');
  return { [markup]: text };
}

/** Shapes and numbers: no element or attribute that could carry text, load anything or run. */
const DRAWING =
  /^(?:<(?:svg|path|rect)(?: (?:xmlns|viewBox|shape-rendering|fill|d|x|y|width|height)="[\w\s.:/#-]*")*\/?>|<\/svg>)+$/;

/** A picture as SVG that code of ours has drawn. Throws where there is more in it than a drawing has. */
export function drawing(svg: string): Html {
  if (!DRAWING.test(svg)) throw new Error('This is no drawing.');
  return { [markup]: svg };
}

/** The finished document as the text to send. */
export function textOf(page: Html): string {
  return page[markup];
}

/** For what is made once and used often: one piece of text, where a template leaves a tree of small ones behind. */
export function compact(content: Html): Html {
  return { [markup]: Buffer.from(content[markup]).toString() };
}

function markupOf(content: Content): string {
  if (typeof content === 'string') return escaped(content);
  if (typeof content === 'number') return String(content);
  if (content === null || content === undefined || content === false) return '';
  if (isList(content)) {
    let text = '';
    for (const each of content) text += markupOf(each);
    return text;
  }
  return content[markup];
}

/** `Array.isArray` does not narrow a readonly list. */
function isList(content: Html | readonly Content[]): content is readonly Content[] {
  return Array.isArray(content);
}

const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => names[character] ?? '') : text;
}
