/**
 * Editing what somebody else may be editing too. A form carries what its visitor has seen: only what they changed is sent,
 * and where somebody else has changed the same meanwhile, the form comes again and says so.
 */
import { type Html, html } from '../lib/html.ts';
import { isObject } from '../lib/json-values.ts';
import type { Mistake } from './api.ts';
import { checkboxes, chosenIn, type Field, type Form, field, hidden } from './form.ts';

/** A field of a form for something that exists. Its name is the JSON pointer without the first slash: `policy/late`. */
export type Editable<T> = Omit<Field, 'value'> & {
  /** The text in the field; of several choices, their values with blanks in between. */
  readonly text: (thing: T) => string;
  /** Several of the choices at once. */
  readonly many?: true;
  /** The value that the API gets for a text; the text itself if there is none. */
  readonly value?: (text: string) => unknown;
};

type Texts = Readonly<Record<string, string>>;

const SEEN = 'seen';

/** False for a form that only proves who somebody is, who then gets the form that they wanted. */
export const isSent = ({ [SEEN]: seen }: Form): boolean => seen !== undefined;

/** The hidden field with what the visitor of a form sees. */
export const seenField = <T>(fields: ReadonlyArray<Editable<T>>, thing: T): Html =>
  hidden(SEEN, JSON.stringify(textsOf(fields, thing)));

/** The fields with what was typed, or with what is there. */
export function editFields<T>(
  fields: ReadonlyArray<Editable<T>>,
  thing: T,
  { form, mistakes }: { readonly form: Form; readonly mistakes: readonly Mistake[] },
): Html {
  const wasSent = isSent(form);
  return html`${seenField(fields, thing)}
${fields.map((each) => {
  const { text, many, value: _, ...shown } = each;
  const current = (wasSent ? typed(each, form) : undefined) ?? text(thing);
  if (many === undefined) return field({ ...shown, value: current }, mistakes);
  const { name, label, hint, choices = [] } = shown;
  return checkboxes({ name, label, hint, choices, chosen: current.split(' ') }, mistakes);
})}`;
}

/** The merge patch for what the form changes, and a mistake for each field that somebody else has changed meanwhile. */
export function editOf<T>(
  fields: ReadonlyArray<Editable<T>>,
  thing: T,
  form: Form,
): { readonly patch: object; readonly mistakes: readonly Mistake[] } {
  const current = textsOf(fields, thing);
  const seen = seenIn(form) ?? current;
  const patch = {};
  const mistakes: Mistake[] = [];
  for (const each of fields) {
    const { name, value = (text: string) => text } = each;
    const { [name]: before = '' } = seen;
    const { [name]: now = '' } = current;
    const text = typed(each, form) ?? before;
    if (text === before || text === now) continue;
    if (now !== before) mistakes.push({ message: changedMeanwhile(shownTo(each, now)), pointer: `/${name}` });
    else setAt(patch, name.split('/'), value(text));
  }
  return { patch, mistakes };
}

/** Body for the API of a form for something new: the values of all fields. */
export function bodyOf<T>(fields: ReadonlyArray<Editable<T>>, form: Form): object {
  const body = {};
  for (const each of fields) {
    const { name, value = (text: string) => text } = each;
    setAt(body, name.split('/'), value(typed(each, form) ?? ''));
  }
  return body;
}

const changedMeanwhile = (now: string): string =>
  now === ''
    ? 'Somebody has emptied this meanwhile. Send the form again to have it as you typed it.'
    : `Somebody has changed this meanwhile, to ${now.replaceAll('\n', ', ')}. Send the form again to have it as you typed it.`;

/** The text as the form shows it: of one that is chosen, what the choice is called. */
const shownTo = <T>({ many, choices = [] }: Editable<T>, text: string): string => {
  const titleOf = (chosen: string) => String(choices.find(([value]) => value === chosen)?.[1] ?? chosen);
  return many ? text.split(' ').map(titleOf).join(', ') : titleOf(text);
};

const textsOf = <T>(fields: ReadonlyArray<Editable<T>>, thing: T): Texts =>
  Object.fromEntries(fields.map(({ name, text }) => [name, text(thing)]));

function typed<T>({ name, many, choices = [] }: Editable<T>, form: Form): string | undefined {
  if (many === undefined) return form[name]?.replaceAll('\r\n', '\n').trim();
  const chosen = chosenIn(form, name);
  // In the order of the choices, so that the same ones make the same text.
  return choices
    .map(([value]) => value)
    .filter((value) => chosen.includes(value))
    .join(' ');
}

function seenIn({ [SEEN]: text = '' }: Form): Texts | null {
  try {
    const seen: unknown = JSON.parse(text);
    const isSeen = isObject(seen) && Object.values(seen).every((each) => typeof each === 'string');
    return isSeen ? (seen as Texts) : null;
  } catch {
    return null;
  }
}

function setAt(patch: object, [name = '', ...rest]: readonly string[], value: unknown): void {
  const fields = patch as Record<string, unknown>;
  if (rest.length === 0) fields[name] = value;
  else {
    fields[name] ??= {};
    setAt(Object(fields[name]), rest, value);
  }
}

/** A whole number as the API takes it, and null, for the default, where there is none. What is no number is refused there. */
export const wholeNumber = (text: string): number | string | null => {
  if (text === '') return null;
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
};
