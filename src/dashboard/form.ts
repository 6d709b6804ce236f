/** Forms: fields with their labels, what was typed, and what is wrong with it. */
import { type Content, type Html, html } from '../lib/html.ts';
import { randomText } from '../lib/id.ts';
import type { Mistake } from './api.ts';

/** Fields of a form as they were sent, but for those that came twice. */
export type Form = Readonly<Record<string, string>>;

export function formOf(body: unknown): Form {
  const fields = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  return Object.fromEntries(
    fields.filter((field): field is [string, string] => typeof field[1] === 'string'),
  );
}

export type Field = {
  /** Its name in the form, and the JSON pointer to it in mistakes without the slash. */
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'date';
  readonly value?: string | undefined;
  readonly hint?: Content;
  readonly autocomplete?: string;
  readonly inputmode?: 'numeric' | 'decimal';
  readonly required?: boolean;
  readonly maxlength?: number;
  /** Values to choose from, in the place of a text. */
  readonly choices?: ReadonlyArray<readonly [value: string, name: string]>;
  /** Number of lines of a text that may have several. */
  readonly lines?: number;
};

export function field(
  { name, label, type = 'text', value = '', hint, choices, lines, ...attributes }: Field,
  mistakes: readonly Mistake[] = [],
): Html {
  const id = `field-${name}`;
  const wrong = mistakes.filter(({ pointer }) => pointer === `/${name}`);
  const described = [hint ? `${id}-hint` : '', wrong.length > 0 ? `${id}-wrong` : '']
    .filter(Boolean)
    .join(' ');
  const common = html` id="${id}" name="${name}"${described !== '' && html` aria-describedby="${described}"`}${
    wrong.length > 0 && html` aria-invalid="true"`
  }${attributes.required && html` required`}`;
  return html`<div class="field">
<label for="${id}">${label}</label>
${
  choices === undefined && lines === undefined
    ? html`<input${common} type="${type}" value="${value}"${attributes.autocomplete && html` autocomplete="${attributes.autocomplete}"`}${
        attributes.inputmode && html` inputmode="${attributes.inputmode}"`
      }${attributes.maxlength && html` maxlength="${attributes.maxlength}"`}>`
    : choices === undefined
      ? html`<textarea${common} rows="${lines}">
${value}</textarea>`
      : html`<select${common}>${choices.map(
          ([each, text]) =>
            html`<option value="${each}"${each === value && html` selected`}>${text}</option>`,
        )}</select>`
}
${wrong.length > 0 && html`<p class="wrong" id="${id}-wrong">${wrong.map(({ message }) => html`${message} `)}</p>`}
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
</div>`;
}

/** Mistakes that belong to none of these fields, above the form. */
export function otherMistakes(mistakes: readonly Mistake[], fields: readonly string[] = []): Html | false {
  const others = mistakes.filter(({ pointer }) => !fields.includes(pointer.slice(1)));
  return (
    others.length > 0 &&
    html`<div class="alert" role="alert">${others.map(({ message }) => html`<p>${message}</p>`)}</div>`
  );
}

export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;

/** The key of a form: what is sent twice with the same one, such as by a double click, is done once. */
export const onceField = (key: string = randomText(26)): Html => hidden('once', key);

/** The header by which the API knows the request of a form again. */
export const onceHeader = ({ once = '' }: Form) => ({ 'idempotency-key': once });

/** The key for a form that was not accepted: a new one, unless nobody knows what became of it. */
export const keyAfter = ({ once }: Form, status: number): string | undefined =>
  status >= 500 ? once : undefined;
