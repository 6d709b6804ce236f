/** Filters of the list of sessions: as the query of the screen has them, as the API takes them, and as a form. */
import { currencyExponent } from '../../checkout/money.ts';
import { type Content, type Html, html } from '../../lib/html.ts';
import { readAmount } from '../amounts.ts';
import type { Mistake } from '../api.ts';
import { type Form, field, hidden } from '../form.ts';
import { chipList } from '../listing.ts';
import { wordsOf } from '../texts.ts';

/**
 * Filters by the names that the API has for them, with the values that were typed: amounts in major units, and days in
 * the place of times. None is empty.
 */
export type Filters = ReadonlyMap<string, string>;

/** Filters but for those of metadata, with the words before their values. */
const labels: Readonly<Record<string, string>> = {
  q: 'Search',
  status: 'Status',
  payment_status: 'Payment status',
  invoice_currency: 'Currency',
  'created_at[gte]': 'Created from',
  'created_at[lt]': 'Created before',
  reference_id: 'Reference',
  customer: 'Customer',
  'amount[gte]': 'Amount from',
  'amount[lte]': 'Amount to',
  partially_paid: 'Partially paid',
  paid_in_excess: 'Paid in excess',
};

const METADATA = /^metadata\[(.+)\]$/s;

/** Names of the two fields with which the form adds a filter of metadata. */
const KEY = 'metadata_key';
const VALUE = 'metadata_value';

export function filtersIn(query: Form): Filters {
  const filters = new Map<string, string>();
  for (const name of Object.keys(labels)) {
    const value = query[name]?.trim() ?? '';
    if (value !== '') filters.set(name, value);
  }
  for (const [name, value] of Object.entries(query)) if (METADATA.test(name)) filters.set(name, value);
  const { [KEY]: key = '', [VALUE]: value = '' } = query;
  if (key !== '') filters.set(`metadata[${key}]`, value);
  return filters;
}

/** The filters as the API takes them, and what is wrong with amounts. */
export function queryOf(filters: Filters): { query: URLSearchParams; mistakes: readonly Mistake[] } {
  const query = new URLSearchParams();
  const mistakes: Mistake[] = [];
  const currency = filters.get('invoice_currency')?.toUpperCase() ?? '';
  for (const [name, value] of filters) {
    if (name.startsWith('amount[')) {
      const read =
        currencyExponent(currency) === undefined
          ? { wrong: 'An amount needs its currency: choose one above.' }
          : readAmount(value, currency);
      if ('wrong' in read) mistakes.push({ message: read.wrong, pointer: `/${name}` });
      query.append(name, 'amount' in read ? String(read.amount) : value);
    } else {
      query.append(name, isDay(name, value) ? `${value}T00:00:00Z` : value);
    }
  }
  return { query, mistakes };
}

const isDay = (name: string, value: string): boolean =>
  name.startsWith('created_at[') && /^\d{4}-\d{2}-\d{2}$/.test(value);

/** Fields of the query that are no filters. */
type Further = Readonly<Record<string, string>>;

/** The query of the screen with these filters and further fields: `?status=active`, or empty. */
export function searchOf(filters: Filters, further: Further = {}): string {
  const query = new URLSearchParams([...filters, ...Object.entries(further)]).toString();
  return query === '' ? '' : `?${query}`;
}

/** The filters that are set, each as a link that removes it. `path` is the path of the list, `further` what stays. */
export function chips(filters: Filters, path: string, further: Further = {}): Html | false {
  const without = (name: string) => new Map([...filters].filter(([each]) => each !== name));
  return chipList(
    [...filters].map(([name, value]) => ({
      label: labelOf(name),
      value,
      without: path + searchOf(without(name), further),
    })),
  );
}

const labelOf = (name: string): string => labels[name] ?? METADATA.exec(name)?.[1] ?? name;

const yesOrNo = [
  ['true', 'yes'],
  ['false', 'no'],
] as const;
const named = (...names: readonly string[]) => names.map((name) => [name, wordsOf(name)] as const);

/** Filters with few values. */
const choicesOf: Readonly<Record<string, ReadonlyArray<readonly [value: string, name: string]>>> = {
  status: named('active', 'completed', 'expired'),
  payment_status: named('unpaid', 'paid', 'expired'),
  partially_paid: yesOrNo,
  paid_in_excess: yesOrNo,
};

const common = ['q', 'status', 'payment_status', 'invoice_currency', 'created_at[gte]', 'created_at[lt]'];
const rare = Object.keys(labels).filter((name) => !common.includes(name));

type Given = {
  readonly mistakes: readonly Mistake[];
  readonly further: Further;
  /** Stands beside the button. */
  readonly beside: Content;
};

/** Every filter as a form, which `GET` sends to the list at `path`. */
export function filterForm(filters: Filters, path: string, { mistakes, further, beside }: Given): Html {
  const isOpen =
    rare.some((name) => filters.has(name)) || mistakes.some(({ pointer }) => rare.includes(pointer.slice(1)));
  const fieldOf = (name: string) => {
    const value = filters.get(name) ?? '';
    const known = choicesOf[name];
    const choices = known && [
      ['', 'any'] as const,
      ...known,
      // An address may have what nobody can choose: it is shown as what is wrong.
      ...(value === '' || known.some(([each]) => each === value) ? [] : named(value)),
    ];
    return field(
      {
        name,
        label: labelOf(name),
        value,
        ...(choices ? { choices } : {}),
        ...(name.startsWith('created_at[') && (value === '' || isDay(name, value)) ? { type: 'date' } : {}),
        ...(name.startsWith('amount[') ? { inputmode: 'decimal' } : {}),
        ...(name === 'invoice_currency' ? { maxlength: 3 } : {}),
        ...(name === 'q'
          ? { hint: 'The beginning of an id, reference, e-mail address or description.' }
          : {}),
      },
      mistakes,
    );
  };
  return html`<form class="finder" method="get" action="${path}" role="search">
${common.map(fieldOf)}
<details${isOpen && html` open`}><summary>More filters</summary><div class="fields">
${rare.map(fieldOf)}
${field({ name: KEY, label: 'Metadata key', hint: 'Only sessions that have this key with this value.' })}
${field({ name: VALUE, label: 'Metadata value' })}
</div></details>
${[...filters].flatMap(([name, value]) => (METADATA.test(name) ? [hidden(name, value)] : []))}${Object.entries(further).map(([name, value]) => hidden(name, value))}
<p class="row"><button>Search</button>${beside}</p>
</form>`;
}

/** Names of the fields that can show what is wrong with them. */
export const filterFields: readonly string[] = Object.keys(labels);
