/** Formats that bookkeepers import: what each needs to know, read from fields as people typed them, and what writes it. */
import type { Problem } from '../checkout/refusals.ts';
import { movementsAsCsv } from './csv.ts';
import { datevBookings } from './datev.ts';
import { ACCOUNT_NAME, hledgerJournal } from './hledger.ts';
import type { DayOf, Movements } from './movement.ts';
import { ofxStatement } from './ofx.ts';

export const formats = ['csv', 'hledger', 'ofx', 'datev'] as const;
export type Format = (typeof formats)[number];

export const formatNames: Readonly<Record<Format, string>> = {
  csv: 'CSV',
  hledger: 'hledger journal',
  ofx: 'OFX statement',
  datev: 'DATEV bookings',
};

/** The time that an export is about. */
export type Period = {
  /** First and last day, such as `2030-01-31`. */
  readonly first: string;
  readonly last: string;
  /** ISO 4217 code; empty for all currencies. */
  readonly currency: string;
  readonly dayOf: DayOf;
  /** The moment of the export, in milliseconds. */
  readonly now: number;
};

/** An export that is ready to be written. */
export type Export = {
  /** Of the name of the file, without a dot. */
  readonly extension: string;
  readonly type: string;
  readonly write: (movements: Movements) => AsyncIterable<string | Uint8Array>;
};

type Text = {
  readonly usual: string;
  readonly pattern: RegExp;
  /** The rule, as a sentence that begins with "must". */
  readonly rule: string;
};

const accountName = (usual: string): Text => ({
  usual,
  pattern: ACCOUNT_NAME,
  rule: 'must be the name of an account, such as assets:bank',
});
const number = (usual: string, pattern: RegExp, rule: string): Text => ({ usual, pattern, rule });

/** Fields of the formats, by their names, with what counts where one is empty. */
export const fieldsOf = {
  csv: {},
  hledger: {
    money_account: accountName('assets:opentill'),
    income_account: accountName('income:sales'),
    fees_account: accountName('expenses:fees'),
  },
  ofx: {
    statement_account: number(
      'opentill',
      /^[A-Za-z0-9-]{1,22}$/,
      'must have at most 22 letters, digits and -',
    ),
  },
  datev: {
    consultant: number('', /^(?!0)\d{4,7}$/, 'must be the number of the consultant, of 4 to 7 digits'),
    client: number('', /^(?!0)\d{1,5}$/, 'must be the number of the client, of 1 to 5 digits'),
    year_begin: number('', /^(\d{4}-\d\d-\d\d)?$/, 'must be a day, such as 2030-01-01'),
    account_length: number('4', /^[4-8]$/, 'must be from 4 to 8'),
    money_account: number('1360', /^(?!0+$)\d{1,8}$/, 'must be the number of an account'),
    customer_account: number('10000', /^(?!0+$)\d{1,9}$/, 'must be the number of an account'),
    fees_account: number('4970', /^(?!0+$)\d{1,8}$/, 'must be the number of an account'),
  },
} as const satisfies Readonly<Record<Format, Readonly<Record<string, Text>>>>;

export type Given = Readonly<Record<string, string | undefined>>;

/** The export in a format, or the mistakes in the fields. */
export function exportOf(
  format: Format,
  given: Given,
  period: Period,
): { readonly export: Export } | { readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const texts: Record<string, string> = {};
  for (const [name, { usual, pattern, rule }] of Object.entries<Text>(fieldsOf[format])) {
    const text = given[name]?.trim() || usual;
    if (text.length > 100 || !pattern.test(text)) problems.push({ pointer: `/${name}`, detail: rule });
    texts[name] = text;
  }
  const textOf = (name: string) => texts[name] ?? '';
  problems.push(...periodProblems(format, textOf, period));
  return problems.length > 0 ? { problems } : { export: writerOf(format, textOf, period) };
}

type TextOf = (name: string) => string;

function periodProblems(format: Format, textOf: TextOf, { first, last, currency }: Period): Problem[] {
  if (format === 'ofx' && currency === '')
    return [{ pointer: '/currency', detail: 'must be given: a statement is in one currency' }];
  if (format !== 'datev') return [];
  const begin = beginOf(textOf, first);
  const length = Number(textOf('account_length'));
  const isTooLong = (name: string, most: number) => textOf(name).length > most;
  return [
    ...(currency === 'EUR' ? [] : [{ pointer: '/currency', detail: 'must be EUR: bookings are in euros' }]),
    ...(isDay(begin) && first >= begin && last < sameDayNextYear(begin)
      ? []
      : [
          {
            pointer: '/year_begin',
            detail: `must be the day on which the fiscal year of the whole time begins`,
          },
        ]),
    ...['money_account', 'fees_account']
      .filter((name) => isTooLong(name, length))
      .map((name) => ({ pointer: `/${name}`, detail: `must have at most ${length} digits` })),
    ...(isTooLong('customer_account', length + 1)
      ? [{ pointer: '/customer_account', detail: `must have at most ${length + 1} digits` }]
      : []),
  ];
}

/** The fiscal year is that of the calendar unless it was told. */
const beginOf = (textOf: TextOf, first: string): string =>
  textOf('year_begin') || `${first.slice(0, 4)}-01-01`;

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const sameDayNextYear = (day: string): string => `${Number(day.slice(0, 4)) + 1}${day.slice(4)}`;

function writerOf(format: Format, textOf: TextOf, { first, last, currency, dayOf, now }: Period): Export {
  const digits = new Date(now).toISOString().replace(/\D/g, '');
  const [money, fees] = [textOf('money_account'), textOf('fees_account')];
  switch (format) {
    case 'csv':
      return {
        extension: 'csv',
        type: 'text/csv; charset=utf-8',
        write: (movements) => movementsAsCsv(movements, dayOf),
      };
    case 'hledger':
      return {
        extension: 'journal',
        type: 'text/plain; charset=utf-8',
        write: (movements) =>
          hledgerJournal(movements, {
            dayOf,
            accounts: { money, fees, income: textOf('income_account') },
          }),
      };
    case 'ofx':
      return {
        extension: 'ofx',
        type: 'application/x-ofx',
        write: (movements) =>
          ofxStatement(movements, {
            ...{ dayOf, first, last, currency },
            createdAt: digits.slice(0, 14),
            account: textOf('statement_account'),
          }),
      };
    case 'datev':
      return {
        extension: 'csv',
        type: 'text/csv; charset=windows-1252',
        write: (movements) =>
          datevBookings(movements, {
            ...{ dayOf, first, last, money, fees },
            yearBegin: beginOf(textOf, first),
            createdAt: digits,
            consultant: Number(textOf('consultant')),
            client: Number(textOf('client')),
            accountLength: Number(textOf('account_length')),
            counter: textOf('customer_account'),
          }),
      };
  }
}
