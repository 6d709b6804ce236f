/** Forms: fields with their labels, what was typed, and what is wrong with it. */
import { type Content, type Html, html } from '../lib/html.ts';
import { randomText } from '../lib/id.ts';
import type { Mistake } from './api.ts';

/** Fields of a form as they were sent, each of which came once. */
export type Form = Readonly<Record<string, string>>;

export function formOf(body: unknown): Form {
  const fields = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  return Object.fromEntries(
    fields.filter((field): field is [string, string] => typeof field[1] === 'string'),
  );
}

/** Names of the fields that came more than once: nobody can tell which of the values was meant. */
export const repeatedIn = (body: unknown): string[] =>
  typeof body === 'object' && body !== null
    ? Object.entries(body).flatMap(([name, value]) => (Array.isArray(value) ? [name] : []))
    : [];

export type Field = {
  /** Its name in the form, and the JSON pointer to it in mistakes without the slash. */
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'date' | 'file';
  readonly value?: string | undefined;
  readonly hint?: Content;
  readonly autocomplete?: string;
  readonly inputmode?: 'numeric' | 'decimal';
  readonly required?: boolean;
  readonly maxlength?: number;
  /** Number of visible lines, for a text of several. */
  readonly rows?: number;
  /** Values to choose from, in the place of a text. */
  readonly choices?: Choices;
};

export type Choices = ReadonlyArray<readonly [value: string, name: string]>;

type Said = Pick<Field, 'name' | 'hint'>;

/** The hint of a field and its mistakes, and the attributes that lead to them. */
function remarksOn({ name, hint }: Said, mistakes: readonly Mistake[]): { attributes: Html; remarks: Html } {
  const id = `field-${name}`;
  const wrong = mistakes.filter(({ pointer }) => isIn(pointer, name));
  const described = [hint ? `${id}-hint` : '', wrong.length > 0 ? `${id}-wrong` : '']
    .filter(Boolean)
    .join(' ');
  return {
    attributes: html`${described !== '' && html` aria-describedby="${described}"`}${
      wrong.length > 0 && html` aria-invalid="true"`
    }`,
    remarks: html`${wrong.length > 0 && html`<p class="wrong" id="${id}-wrong">${wrong.map(({ message }) => html`${message} `)}</p>`}
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}`,
  };
}

/** True for a mistake of the field, or of a part of it. */
const isIn = (pointer: string, name: string): boolean =>
  pointer === `/${name}` || pointer.startsWith(`/${name}/`);

export function field(
  { name, label, type = 'text', value = '', hint, rows, choices, ...attributes }: Field,
  mistakes: readonly Mistake[] = [],
): Html {
  const id = `field-${name}`;
  const said = remarksOn({ name, hint }, mistakes);
  const common = html` id="${id}" name="${name}"${said.attributes}${attributes.required && html` required`}`;
  if (rows !== undefined)
    return html`<div class="field">
<label for="${id}">${label}</label>
<textarea${common} rows="${rows}">
${value}</textarea>
${said.remarks}
</div>`;
  return html`<div class="field">
<label for="${id}">${label}</label>
${
  choices === undefined
    ? html`<input${common} type="${type}" value="${value}"${attributes.autocomplete && html` autocomplete="${attributes.autocomplete}"`}${
        attributes.inputmode && html` inputmode="${attributes.inputmode}"`
      }${attributes.maxlength && html` maxlength="${attributes.maxlength}"`}>`
    : html`<select${common}>${choices.map(
        ([each, text]) => html`<option value="${each}"${each === value && html` selected`}>${text}</option>`,
      )}</select>`
}
${said.remarks}
</div>`;
}

export type Checkboxes = Said & {
  readonly label: string;
  readonly choices: Choices;
  readonly chosen: readonly string[];
};

/** Checkboxes, each of which has a name of its own, so that a form repeats none: `permissions.read`. */
export function checkboxes(
  { name, label, hint, choices, chosen }: Checkboxes,
  mistakes: readonly Mistake[] = [],
): Html {
  const { attributes, remarks } = remarksOn({ name, hint }, mistakes);
  return html`<fieldset id="field-${name}"${attributes}>
<legend>${label}</legend>
${choices.map(
  ([each, text]) =>
    html`<label class="choice"><input type="checkbox" name="${name}.${each}" value="on"${chosen.includes(each) && html` checked`}>${text}</label>
`,
)}${remarks}
</fieldset>`;
}

/** The values of the checkboxes that were sent as checked. */
export const chosenIn = (form: Form, name: string): string[] =>
  Object.keys(form)
    .filter((each) => each.startsWith(`${name}.`))
    .map((each) => each.slice(name.length + 1));

/** A mistake of the form as a whole. */
export const mistake = (message: string): readonly Mistake[] => [{ message, pointer: '' }];

/** Mistakes that belong to none of these fields, above the form. */
export function otherMistakes(mistakes: readonly Mistake[], fields: readonly string[] = []): Html | false {
  const others = mistakes.filter(({ pointer }) => !fields.some((name) => isIn(pointer, name)));
  return (
    others.length > 0 &&
    html`<div class="alert" role="alert">${others.map(({ message }) => html`<p>${message}</p>`)}</div>`
  );
}

export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;

const ONCE = 'once';
const ONCE_LENGTH = 24;

/** The field by which a form that is sent twice acts once: it has the idempotency key, made with the form. */
export const onceField = (key: string = randomText(ONCE_LENGTH)): Html => hidden(ONCE, key);

/** The header for the request that the form leads to. */
export const onceIn = ({ [ONCE]: key = '' }: Form): Readonly<Record<string, string>> =>
  key === '' ? {} : { 'idempotency-key': key };

/** Button behind a second thought: it shows when its name was chosen. */
export const second = (name: string, content: Content): Html =>
  html`<details class="second"><summary>${name}</summary>
${content}
</details>`;

/** The key for a form that was not accepted: a new one, unless nobody knows what became of it. */
export const keyAfter = (form: Form, status: number): string | undefined =>
  status >= 500 ? form[ONCE] : undefined;
