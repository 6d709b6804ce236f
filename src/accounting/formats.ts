/** Formats that bookkeepers import: what each needs to know, read from fields as people typed them, and what writes it. */
import type { Problem } from '../checkout/refusals.ts';
import { isCalendarDay } from '../lib/intervals.ts';
import { movementsAsCsv } from './csv.ts';
import { datevBookings } from './datev.ts';
import { ACCOUNT_NAME, hledgerJournal } from './hledger.ts';
import { type DayOf, isPending, type Movement, type Movements } from './movement.ts';
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
  /** Ending of the file's name, without a dot. */
  readonly extension: string;
  readonly type: string;
  /** True for a movement that has to be left out. */
  readonly leavesOut: (movement: Movement) => boolean;
  readonly write: (movements: Movements) => AsyncIterable<string | Uint8Array>;
};

/**
 * Formats that cannot mark money as on its way: a refund that waits is not in them, because it would stay in the books
 * after it has failed.
 */
const withoutPending: readonly Format[] = ['ofx', 'datev'];

type Text = {
  /** Empty for a field that has to be filled, or whose usual value follows from another one. */
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

/** Accounts of DATEV by the chart SKR 03, without the zeros that follow where accounts are longer. */
export const datevAccounts = {
  money_account: '1360',
  customer_account: '10000',
  fees_account: '4970',
} as const;

/** Digits that an account of DATEV has: personal ones, which are those of customers, have one more than the others. */
const digitsOf = (name: string, length: number): number =>
  name === 'customer_account' ? length + 1 : length;

const datevAccount = number('', /^((?!0+$)\d+)?$/, 'must be the number of an account');

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
    consultant: number(
      '',
      /^(?!0|1000$)\d{4,7}$/,
      'must be the number of the consultant, from 1001 to 9999999',
    ),
    client: number('', /^(?!0)\d{1,5}$/, 'must be the number of the client, of 1 to 5 digits'),
    year_begin: number('', /^(\d{4}-\d\d-\d\d)?$/, 'must be a day, such as 2030-01-01'),
    account_length: number('4', /^[4-8]$/, 'must be from 4 to 8'),
    money_account: datevAccount,
    customer_account: datevAccount,
    fees_account: datevAccount,
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
  if (format === 'datev') problems.push(...lengthProblems(texts, problems));
  const textOf = (name: string) => texts[name] ?? '';
  problems.push(...periodProblems(format, textOf, period));
  if (problems.length > 0) return { problems };
  const leavesOut = withoutPending.includes(format) ? isPending : () => false;
  const { write, ...file } = writerOf(format, textOf, period);
  const taken = async function* (movements: Movements) {
    for await (const page of movements) yield page.filter((each) => !leavesOut(each));
  };
  return { export: { ...file, leavesOut, write: (movements) => write(taken(movements)) } };
}

/** Fills the accounts of DATEV that are empty, and tells which of the others have not as many digits as they must. */
function lengthProblems(texts: Record<string, string>, known: readonly Problem[]): Problem[] {
  const length = Number(texts.account_length);
  if (known.some(({ pointer }) => pointer === '/account_length')) return [];
  return Object.entries(datevAccounts).flatMap(([name, usual]) => {
    const digits = digitsOf(name, length);
    const text = texts[name] || usual.padEnd(digits, '0');
    texts[name] = text;
    const isTold = known.some(({ pointer }) => pointer === `/${name}`);
    return isTold || text.length === digits
      ? []
      : [{ pointer: `/${name}`, detail: `must have ${digits} digits` }];
  });
}

type TextOf = (name: string) => string;

function periodProblems(format: Format, textOf: TextOf, { first, last, currency }: Period): Problem[] {
  if (format === 'ofx' && currency === '')
    return [{ pointer: '/currency', detail: 'must be given: a statement is in one currency' }];
  if (format !== 'datev') return [];
  const begin = beginOf(textOf, first);
  return [
    ...(currency === 'EUR' ? [] : [{ pointer: '/currency', detail: 'must be EUR: bookings are in euros' }]),
    ...(isCalendarDay(begin) && first >= begin && last < sameDayNextYear(begin)
      ? []
      : [
          {
            pointer: '/year_begin',
            detail: `must be the day on which the fiscal year of the whole time begins`,
          },
        ]),
  ];
}

/** The fiscal year is that of the calendar unless it was told. */
const beginOf = (textOf: TextOf, first: string): string =>
  textOf('year_begin') || `${first.slice(0, 4)}-01-01`;

const sameDayNextYear = (day: string): string => `${Number(day.slice(0, 4)) + 1}${day.slice(4)}`;

function writerOf(
  format: Format,
  textOf: TextOf,
  { first, last, currency, dayOf, now }: Period,
): Omit<Export, 'leavesOut'> {
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
