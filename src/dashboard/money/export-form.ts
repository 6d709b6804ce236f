/** The form that exports the movements of a report: every format with its fields. */
import { datevAccounts, type Format, fieldsOf, formatNames, formats } from '../../accounting/formats.ts';
import { type Html, html } from '../../lib/html.ts';
import type { Mistake } from '../api.ts';
import { type Form, field, hidden } from '../form.ts';

/** Names of the fields of formats, which are those of the form behind the name of the format. */
const labels: Readonly<Record<string, string>> = {
  money_account: 'Account of the money',
  income_account: 'Account of what was sold',
  fees_account: 'Account of fees',
  customer_account: 'Account of the customers',
  statement_account: 'Name of the account',
  consultant: 'Number of the consultant (Berater)',
  client: 'Number of the client (Mandant)',
  year_begin: 'First day of the fiscal year',
  account_length: 'Digits of impersonal accounts',
};

const nameIn = (format: Format, name: string): string => `${format}.${name}`;

export const formFields: readonly string[] = [
  'format',
  ...formats.flatMap((format) => Object.keys(fieldsOf[format]).map((name) => nameIn(format, name))),
];

export const fieldsIn = (format: Format, query: Form): Form =>
  Object.fromEntries(Object.keys(fieldsOf[format]).map((name) => [name, query[nameIn(format, name)] ?? '']));

/** A mistake beside its field, which is one of the format or of the report. */
export function mistakeOf(
  format: Format,
  { pointer, detail }: { readonly pointer: string; readonly detail: string },
): Mistake {
  const name = pointer.slice(1);
  return Object.hasOwn(fieldsOf[format], name)
    ? { message: `This ${detail}.`, pointer: `/${nameIn(format, name)}` }
    : { message: `This ${detail}.`, pointer };
}

/** Values of DATEV that count where a field is left empty. */
function hintFor(format: Format, name: string): { readonly hint?: string } {
  if (format !== 'datev') return {};
  if (name === 'year_begin') return { hint: 'Leave it empty for January 1.' };
  const usual = Object.entries(datevAccounts).find(([each]) => each === name)?.[1];
  if (usual === undefined) return {};
  const length = name === 'customer_account' ? 'One digit more than the others. ' : '';
  return { hint: `${length}Leave it empty for ${usual}, with zeros behind it where accounts are longer.` };
}

/** Every format with its fields, which are filled with what counts where one is left empty. */
export function exportForm(query: Form, action: string, mistakes: readonly Mistake[]): Html {
  const isOpen = (format: Format) =>
    query.format === format && mistakes.some(({ pointer }) => pointer.startsWith(`/${format}.`));
  return html`<section><h2>For bookkeepers</h2>
<p>All payments, refunds, reversals and fees of the time above, as a file that programs of bookkeepers import. CSV and hledger mark refunds that wait for their rail; OFX and DATEV leave them out until they have succeeded.</p>
<form method="get" action="${action}">
${['from', 'before', 'currency', 'interval', 'time_zone'].map((name) => hidden(name, query[name] ?? ''))}
${field({ name: 'format', label: 'Format', value: query.format, choices: formats.map((format) => [format, formatNames[format]] as const) }, mistakes)}
${formats.map((format) => {
  const fields = Object.entries<{ readonly usual: string }>(fieldsOf[format]);
  return (
    fields.length > 0 &&
    html`<details${isOpen(format) && html` open`}><summary>${formatNames[format]}</summary><div class="fields">
${fields.map(([name, { usual }]) =>
  field(
    {
      name: nameIn(format, name),
      label: labels[name] ?? name,
      value: query[nameIn(format, name)] ?? usual,
      ...hintFor(format, name),
    },
    mistakes,
  ),
)}
</div></details>`
  );
})}
<button>Export</button>
</form></section>`;
}
