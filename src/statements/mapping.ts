/** How the columns of a bank's CSV are to be read: each bank has its own, so the operator says it once. Pure. */
import { currencyExponent } from '../checkout/money.ts';
import type { Problem } from '../checkout/refusals.ts';
import { compact } from './values.ts';

/** The name of a column in the header line, or where there is none its number from 1. */
export type Column = string | number;

export const delimiters = [',', ';', '\t', '|'] as const;
export const csvEncodings = ['utf-8', 'iso-8859-1', 'iso-8859-15', 'windows-1252', 'utf-16le'] as const;
/** A time of day behind the date is passed over. */
export const dateFormats = [
  'YYYY-MM-DD',
  'YYYY/MM/DD',
  'YYYY.MM.DD',
  'YYYYMMDD',
  'DD.MM.YYYY',
  'DD.MM.YY',
  'DD/MM/YYYY',
  'DD/MM/YY',
  'DD-MM-YYYY',
  'MM/DD/YYYY',
] as const;
export const decimalSeparators = ['.', ','] as const;
/** An apostrophe stands for both of its forms, a blank for all kinds of blanks. */
export const thousandsSeparators = ['', '.', ',', "'", ' '] as const;

export type DateFormat = (typeof dateFormats)[number];

/** One column with a sign, or one column for each direction, or one without a sign and one that says the direction. */
export type AmountColumns =
  | { readonly signed: Column }
  | { readonly credit: Column; readonly debit: Column }
  | {
      readonly unsigned: Column;
      readonly indicator: Column;
      readonly creditWords: readonly string[];
      readonly debitWords: readonly string[];
    };

/** The same for all rows, or as a column says. */
export type FixedOrColumn = { readonly fixed: string } | { readonly column: Column };

export type CsvMapping = {
  readonly delimiter: (typeof delimiters)[number];
  readonly encoding: (typeof csvEncodings)[number];
  /** Lines before the header line, or before the first row where there is no header. */
  readonly skipLines: number;
  readonly hasHeader: boolean;
  readonly dateFormat: DateFormat;
  readonly decimal: (typeof decimalSeparators)[number];
  readonly thousands: (typeof thousandsSeparators)[number];
  readonly amount: AmountColumns;
  readonly currency: FixedOrColumn;
  readonly account: FixedOrColumn;
  /** Null for all; else only rows with one of these words are booked, such as those that are not pending. */
  readonly only: { readonly column: Column; readonly words: readonly string[] } | null;
  readonly bookedOn: Column;
  readonly valueOn: Column | null;
  readonly counterpartyName: Column | null;
  readonly counterpartyAccount: Column | null;
  readonly counterpartyBic: Column | null;
  /** In the order in which they are joined. */
  readonly remittance: readonly Column[];
  readonly endToEndId: Column | null;
  readonly creditorReference: Column | null;
  readonly bankReference: Column | null;
  readonly transactionCode: Column | null;
};

const MAX_COLUMNS = 200;
const MAX_NAME = 100;
const MAX_WORDS = 20;
const MAX_SKIPPED = 1000;

type Given = Readonly<Record<string, unknown>>;

/** Reads one value; what is wrong with it goes to `problems`, and then the value that comes back means nothing. */
type Reader<T> = (value: unknown, pointer: string, problems: Problem[], hasHeader: boolean) => T;

const MISSING = 'is required';

function oneOf<T extends string>(allowed: readonly T[], otherwise?: T): Reader<T> {
  return (value, pointer, problems) => {
    const found = value === undefined ? otherwise : allowed.find((each) => each === value);
    const detail = value === undefined ? MISSING : `must be one of ${JSON.stringify(allowed).slice(1, -1)}`;
    if (found === undefined) problems.push({ pointer, detail });
    return found ?? (allowed[0] as T);
  };
}

const column: Reader<Column> = (value, pointer, problems, hasHeader) => {
  if (typeof value === 'string' && hasHeader && value.trim() !== '' && value.length <= MAX_NAME) {
    return value.trim();
  }
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_COLUMNS) return Number(value);
  const number = `a number of a column from 1 to ${MAX_COLUMNS}`;
  const name = `the name of a column of at most ${MAX_NAME} characters, or ${number}`;
  problems.push({ pointer, detail: value === undefined ? MISSING : `must be ${hasHeader ? name : number}` });
  return 1;
};

function orNull<T>(reader: Reader<T>): Reader<T | null> {
  return (value, ...rest) => (value === undefined || value === null ? null : reader(value, ...rest));
}

function listOf<T>(reader: Reader<T>, least: number): Reader<readonly T[]> {
  return (value, pointer, problems, hasHeader) => {
    const list = value === undefined && least === 0 ? [] : value;
    if (!Array.isArray(list) || list.length < least || list.length > MAX_WORDS) {
      const detail = `must be a list of ${least} to ${MAX_WORDS} elements`;
      problems.push({ pointer, detail: value === undefined ? MISSING : detail });
      return [];
    }
    return list.map((each, index) => reader(each, `${pointer}/${index}`, problems, hasHeader));
  };
}

const word: Reader<string> = (value, pointer, problems) => {
  if (typeof value === 'string' && value.length <= MAX_NAME) return value.trim();
  problems.push({ pointer, detail: `must be a text of at most ${MAX_NAME} characters` });
  return '';
};

const skipLines: Reader<number> = (value = 0, pointer, problems) => {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_SKIPPED) return Number(value);
  problems.push({ pointer, detail: `must be a whole number from 0 to ${MAX_SKIPPED}` });
  return 0;
};

const flag: Reader<boolean> = (value = true, pointer, problems) => {
  if (typeof value !== 'boolean') problems.push({ pointer, detail: 'must be true or false' });
  return value !== false;
};

/** An object with exactly these fields, or with as many of them as are not required. */
function fieldsOf<T>(readers: { readonly [K in keyof T]: Reader<T[K]> }): Reader<T> {
  return (value, pointer, problems, hasHeader) => {
    if (!isObject(value)) {
      problems.push({ pointer, detail: value === undefined ? MISSING : 'must be an object' });
      return {} as T;
    }
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(readers, name)) {
        problems.push({ pointer: `${pointer}/${escaped(name)}`, detail: 'is no field of it' });
      }
    }
    const entries = Object.entries<Reader<unknown>>(readers as Record<string, Reader<unknown>>);
    return Object.fromEntries(
      entries.map(([name, read]) => [
        name,
        read(Object.hasOwn(value, name) ? value[name] : undefined, `${pointer}/${name}`, problems, hasHeader),
      ]),
    ) as T;
  };
}

function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function escaped(name: string): string {
  return name.slice(0, MAX_NAME).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The first of these forms whose first field is there. */
const amount: Reader<AmountColumns> = (value, ...rest) => {
  if (isObject(value) && 'unsigned' in value) {
    const words = listOf(word, 1);
    return fieldsOf<AmountColumns>({
      unsigned: column,
      indicator: column,
      creditWords: words,
      debitWords: words,
    })(value, ...rest);
  }
  if (isObject(value) && ('credit' in value || 'debit' in value)) {
    return fieldsOf<AmountColumns>({ credit: column, debit: column })(value, ...rest);
  }
  return fieldsOf<AmountColumns>({ signed: column })(value, ...rest);
};

function fixedOrColumn(fixed: Reader<string>): Reader<FixedOrColumn> {
  return (value, ...rest) =>
    isObject(value) && 'column' in value
      ? fieldsOf<FixedOrColumn>({ column })(value, ...rest)
      : fieldsOf<FixedOrColumn>({ fixed })(value, ...rest);
}

const currency: Reader<string> = (value, pointer, problems) => {
  if (typeof value === 'string' && currencyExponent(value) !== undefined) return value;
  problems.push({ pointer, detail: 'must be a currency code of ISO 4217 in capitals' });
  return '';
};

const account: Reader<string> = (value, pointer, problems) => {
  const text = typeof value === 'string' ? compact(value) : '';
  if (text !== '' && text.length <= MAX_NAME) return text;
  problems.push({ pointer, detail: `must be an IBAN or account number of at most ${MAX_NAME} characters` });
  return '';
};

const mapping = fieldsOf<CsvMapping>({
  delimiter: oneOf(delimiters),
  encoding: oneOf(csvEncodings, 'utf-8'),
  skipLines,
  hasHeader: flag,
  dateFormat: oneOf(dateFormats),
  decimal: oneOf(decimalSeparators),
  thousands: oneOf(thousandsSeparators, ''),
  amount,
  currency: fixedOrColumn(currency),
  account: fixedOrColumn(account),
  only: orNull(fieldsOf({ column, words: listOf(word, 1) })),
  bookedOn: column,
  valueOn: orNull(column),
  counterpartyName: orNull(column),
  counterpartyAccount: orNull(column),
  counterpartyBic: orNull(column),
  remittance: listOf(column, 0),
  endToEndId: orNull(column),
  creditorReference: orNull(column),
  bankReference: orNull(column),
  transactionCode: orNull(column),
});

/** The mapping with its defaults, or all that is wrong with it. */
export function readMapping(
  given: unknown,
): { readonly mapping: CsvMapping } | { readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const hasHeader = !isObject(given) || given.hasHeader !== false;
  const read = mapping(given, '', problems, hasHeader);
  if (problems.length === 0 && read.thousands === read.decimal) {
    problems.push({ pointer: '/thousands', detail: 'must not be the separator of the decimals' });
  }
  return problems.length === 0 ? { mapping: read } : { problems };
}
