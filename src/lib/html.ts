/**
 * HTML as a tagged template. Every value in it is text and gets escaped, for elements and quoted attributes alike; only
 * the result of another `html` goes in as it is. Nothing else can create an `Html`: the key of its text is private to
 * this file, so no value that came over the network can pass for one.
 */
const markup = Symbol('markup');

export type Html = { readonly [markup]: string };

/** Values of a template; `false`, `null` and `undefined` render nothing, so that `condition && html...` reads well. */
export type Content = Html | string | number | false | null | undefined | readonly Content[];

export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  let text = parts[0] ?? '';
  for (let i = 0; i < contents.length; i++) text += markupOf(contents[i]) + (parts[i + 1] ?? '');
  return { [markup]: text };
}

/** Elements and attributes of drawings: none that could carry text, load anything or run. */
const DRAWING =
  /^(?:<(?:svg|path|rect)(?: (?:xmlns|viewBox|shape-rendering|fill|d|x|y|width|height)="[\w\s.:/#-]*")*\/?>|<\/svg>)+$/;

/** A picture as SVG drawn by our own code. Throws if it has more in it than a drawing. */
export function drawing(svg: string): Html {
  if (!DRAWING.test(svg)) throw new Error('This is no drawing.');
  return { [markup]: svg };
}

/** The finished document as the text to send. */
export function textOf(page: Html): string {
  return page[markup];
}

/** Flattens a template that is made once and used often: one piece of text instead of a tree of small ones. */
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
