/** A mapping of CSV columns as a form above a sample of the file: what each column is, and how values are written. */
import { type Html, html } from '../../lib/html.ts';
import type { SampleForm } from '../../statements/sample.ts';
import type { Mistake } from '../api.ts';
import { wholeNumber } from '../edit.ts';
import { type Choices, checkboxes, chosenIn, type Field, type Form, field } from '../form.ts';

/** Meanings of a column, by the names that the mapping has for them. */
const roles: Choices = [
  ['', 'not used'],
  ['booked_on', 'Booking date'],
  ['value_on', 'Value date'],
  ['signed', 'Amount with a sign'],
  ['credit', 'Amount that came in'],
  ['debit', 'Amount that went out'],
  ['unsigned', 'Amount without a sign'],
  ['indicator', 'Word for in or out'],
  ['counterparty_name', 'Payer or recipient'],
  ['counterparty_account', 'Account of the payer'],
  ['counterparty_bic', 'BIC of the payer'],
  ['remittance', 'Text of the transfer'],
  ['creditor_reference', 'Structured reference'],
  ['end_to_end_id', 'End-to-end id'],
  ['bank_reference', 'Reference of the bank'],
  ['transaction_code', 'Transaction code'],
  ['currency', 'Currency'],
  ['account', 'Your account'],
  ['only', 'Says if the row counts'],
];

const plain = [
  ...['value_on', 'counterparty_name', 'counterparty_account', 'counterparty_bic', 'creditor_reference'],
  ...['end_to_end_id', 'bank_reference', 'transaction_code'],
] as const;

const MAX_COLUMNS = 60;

/** Roles of the columns as they were chosen, by their places. */
const chosenRoles = (form: Form): string[] =>
  Array.from({ length: MAX_COLUMNS }, (_, place) => form[`columns/${place}`] ?? '');

const named = (...names: readonly string[]): Choices => names.map((name) => [name, name] as const);

type Option = Omit<Field, 'value'>;

/** Fields beside the columns, with what they hold for a new sample. */
const options: readonly Option[] = [
  {
    name: 'delimiter',
    label: 'Between columns',
    choices: [
      [';', 'semicolon'],
      [',', 'comma'],
      ['\t', 'tab'],
      ['|', 'vertical bar'],
    ],
  },
  {
    name: 'encoding',
    label: 'Encoding',
    choices: named('utf-8', 'windows-1252', 'iso-8859-1', 'iso-8859-15', 'utf-16le'),
  },
  { name: 'skip_lines', label: 'Lines above the header', inputmode: 'numeric' },
  {
    name: 'date_format',
    label: 'Dates',
    choices: named(
      ...['YYYY-MM-DD', 'YYYY/MM/DD', 'YYYY.MM.DD', 'YYYYMMDD', 'DD.MM.YYYY', 'DD.MM.YY', 'DD/MM/YYYY'],
      ...['DD/MM/YY', 'DD-MM-YYYY', 'MM/DD/YYYY'],
    ),
  },
  {
    name: 'decimal',
    label: 'Decimal sign',
    choices: [
      ['.', 'point'],
      [',', 'comma'],
    ],
  },
  {
    name: 'thousands',
    label: 'Between thousands',
    choices: [
      ['', 'nothing'],
      ['.', 'point'],
      [',', 'comma'],
      ["'", 'apostrophe'],
      [' ', 'blank'],
    ],
  },
  { name: 'currency', label: 'Currency', maxlength: 3, hint: 'Unless a column has it.' },
  {
    name: 'account',
    label: 'Your account',
    maxlength: 100,
    hint: 'Its IBAN or number, unless a column has it.',
  },
];

/** Fields for files that say something in words. */
const wordOptions: readonly Option[] = [
  { name: 'credit_words', label: 'Words for money that came in', rows: 2, hint: 'One in a line.' },
  { name: 'debit_words', label: 'Words for money that went out', rows: 2, hint: 'One in a line.' },
  { name: 'only_words', label: 'Words of rows that count', rows: 2, hint: 'One in a line.' },
];

export const mappingFields: readonly string[] = [
  'name',
  ...[...options, ...wordOptions].map(({ name }) => name),
];

/** The form for a sample that nobody has described yet. */
export const formFor = (
  guess: SampleForm,
  receiving: { readonly currency: string; readonly account: string },
): Form => ({
  delimiter: guess.delimiter,
  encoding: guess.encoding,
  skip_lines: '0',
  'has_header.yes': 'on',
  date_format: guess.dateFormat,
  decimal: guess.decimal,
  thousands: guess.thousands,
  ...receiving,
});

export const hasHeader = (form: Form): boolean => chosenIn(form, 'has_header').includes('yes');

/** Lines to leave out, as far as they are a number that a file has. */
export const skippedIn = ({ skip_lines: text = '' }: Form): number =>
  /^\d{1,3}$/.test(text) ? Number(text) : 0;

const wordsIn = (text: string): string[] =>
  text
    .split('\n')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** The mapping as the settings take it; what was chosen twice is a mistake. */
export function mappingFrom(form: Form, rows: readonly (readonly string[])[]) {
  const own: Mistake[] = [];
  const chosen = chosenRoles(form);
  const [first = []] = rows;
  const names = hasHeader(form) ? first : [];
  /** The name of the column if it tells it apart, else its number. */
  const columnAt = (place: number): string | number => {
    const name = names[place] ?? '';
    return name !== '' && names.filter((each) => each === name).length === 1 ? name : place + 1;
  };
  const all = (role: string) => chosen.flatMap((each, place) => (each === role ? [place] : []));
  const column = (role: string): string | number | null => {
    const [place, another] = all(role);
    if (another !== undefined)
      own.push({ message: 'Another column is the same.', pointer: `/columns/${another}` });
    return place === undefined ? null : columnAt(place);
  };
  const fixedOr = (role: 'currency' | 'account') => {
    const found = column(role);
    return found === null
      ? { fixed: (form[role] ?? '').trim(), column: null }
      : { column: found, fixed: null };
  };
  const only = column('only');
  const mapping = {
    delimiter: form.delimiter ?? '',
    encoding: form.encoding ?? '',
    skip_lines: wholeNumber(form.skip_lines ?? ''),
    has_header: hasHeader(form),
    date_format: form.date_format ?? '',
    decimal: form.decimal ?? '',
    thousands: form.thousands ?? '',
    amount: amountFrom(form, column),
    currency: fixedOr('currency'),
    account: fixedOr('account'),
    only: only === null ? null : { column: only, words: wordsIn(form.only_words ?? '') },
    booked_on: column('booked_on'),
    ...Object.fromEntries(plain.map((role) => [role, column(role)])),
    remittance: all('remittance').map(columnAt),
  };
  return { mapping, own };
}

type ColumnOf = (role: string) => string | number | null;

/** All of its fields, so that a patch with them leaves nothing of an earlier one. */
function amountFrom(form: Form, column: ColumnOf) {
  const none = { signed: null, credit: null, debit: null, unsigned: null, indicator: null };
  const noWords = { credit_words: null, debit_words: null };
  const [signed, credit, debit] = [column('signed'), column('credit'), column('debit')];
  const [unsigned, indicator] = [column('unsigned'), column('indicator')];
  if (unsigned !== null || indicator !== null) {
    const words = {
      credit_words: wordsIn(form.credit_words ?? ''),
      debit_words: wordsIn(form.debit_words ?? ''),
    };
    return { ...none, signed, credit, debit, unsigned, indicator, ...words };
  }
  return { ...none, signed, credit, debit, ...noWords };
}

/** The value without what a patch removes, to try it. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutNulls(each)]));
}

/** Fields of the form, and the sample below a choice for each of its columns. */
export function mappingForm(
  form: Form,
  rows: readonly (readonly string[])[],
  mistakes: readonly Mistake[],
): Html {
  const width = Math.max(0, ...rows.map((row) => row.length));
  const places = Array.from({ length: width }, (_, place) => place);
  const fieldOf = (each: Option) => field({ ...each, value: form[each.name] }, mistakes);
  const isSaid = wordOptions.some(
    ({ name }) => (form[name] ?? '') !== '' || mistakes.some(({ pointer }) => pointer.startsWith(`/${name}`)),
  );
  return html`<div class="scroll" role="region" aria-label="Sample" tabindex="0"><table class="dense">
<thead><tr>${places.map((place) => html`<td>${columnField(form, place, mistakes)}</td>`)}</tr></thead>
<tbody>
${rows.map(
  (row, line) => html`<tr>${places.map((place) =>
    line === 0 && hasHeader(form)
      ? html`<th scope="col">${row[place] ?? ''}</th>`
      : html`<td>${row[place] ?? ''}</td>`,
  )}</tr>
`,
)}</tbody></table></div>
${checkboxes({ name: 'has_header', label: 'Header', choices: [['yes', 'The first row has the names of the columns']], chosen: chosenIn(form, 'has_header') })}
<div class="fields">${options.map(fieldOf)}</div>
<details${isSaid && html` open`}><summary>Words for in, out, and rows that count</summary>
${wordOptions.map(fieldOf)}</details>`;
}

const columnField = (form: Form, place: number, mistakes: readonly Mistake[]): Html =>
  field(
    {
      name: `columns/${place}`,
      label: `Column ${place + 1}`,
      value: form[`columns/${place}`],
      choices: roles,
    },
    mistakes,
  );
