/** Reads the CSV of a bank row by row, by a mapping of its columns. Such a file has no balances to check it against. */
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import {
  type Direction,
  type Fail,
  type Place,
  StatementError,
  type StatementHeader,
  type StatementPart,
} from './entry.ts';
import type { Limits } from './limits.ts';
import type { Column, CsvMapping, DateFormat, FixedOrColumn } from './mapping.ts';
import {
  compact,
  dateOf,
  fullYear,
  given,
  minorUnits,
  quoted,
  structuredReference,
  tidied,
} from './values.ts';

/** A row, with access to its columns. */
type Row = {
  readonly line: number;
  readonly text: (column: Column | null) => string;
  /** Throws an error about this column. */
  readonly failAt: (column: Column) => Fail;
};

type CsvRecord = { readonly record: readonly string[]; readonly info: { readonly lines: number } };

/** Parts of the file in these texts. Throws StatementError; with `goesOn`, rows that cannot be read are parts as well. */
export async function* readCsv(
  texts: AsyncIterable<string>,
  mapping: CsvMapping,
  limits: Limits,
  { goesOn = false }: { readonly goesOn?: boolean } = {},
): AsyncGenerator<StatementPart> {
  const headers = createHeaders(limits);
  let names: readonly string[] | null = mapping.hasHeader ? null : [];
  let width = 0;
  let number = 0;
  for await (const { record, info } of recordsOf(texts, mapping, limits)) {
    const place = {
      line: lineOf(record, info.lines, mapping),
      entry: names === null ? null : number + 1,
    };
    const fail: Fail = (detail) => {
      throw new StatementError(detail, place);
    };
    if (width === 0) width = record.length;
    if (names === null) {
      names = namesOf(record, mapping, fail);
      yield* headers.fixed(mapping);
      continue;
    }
    if (number === 0) yield* headers.fixed(mapping);
    try {
      if (record.length !== width) fail(`the row has ${record.length} columns where the first has ${width}`);
      const row = rowOf(record, names, place);
      if (!isTaken(row, mapping)) continue;
      number += 1;
      yield* partsOf(row, mapping, number, headers);
    } catch (error) {
      if (!goesOn || !(error instanceof StatementError)) throw error;
      yield { kind: 'fault', fault: error.fault };
    }
  }
  if (headers.count() === 0) throw new StatementError('the file has no rows');
}

/** Rows in the form of `csv-parse`. */
async function* recordsOf(
  texts: AsyncIterable<string>,
  { delimiter, skipLines }: CsvMapping,
  limits: Limits,
): AsyncGenerator<CsvRecord> {
  const parser = parse({
    delimiter,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: limits.text,
  });
  const source = Readable.from(withoutLines(withLineFeeds(texts), skipLines));
  source.on('error', (error) => parser.destroy(error));
  try {
    for await (const record of source.pipe(parser)) yield record;
  } catch (error) {
    throw error instanceof CsvError ? faultOf(error, skipLines, limits) : error;
  } finally {
    source.destroy();
  }
}

const faults: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is opened that is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'a quotation mark ends inside of a column',
  INVALID_OPENING_QUOTE: 'a quotation mark begins inside of a column',
};

function faultOf(error: CsvError, skipLines: number, limits: Limits): StatementError {
  const tooLong = error.code === 'CSV_MAX_RECORD_SIZE' ? `the row is longer than ${limits.text} bytes` : null;
  const lines = Number(error.lines);
  return new StatementError(tooLong ?? faults[error.code] ?? 'the row is not CSV', {
    line: Number.isInteger(lines) ? lines + skipLines : null,
    entry: null,
  });
}

/**
 * The text with a line feed as the end of each line. The parser counts a carriage return and its line feed as two lines
 * within quotation marks, and as one elsewhere.
 */
async function* withLineFeeds(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let isAfterReturn = false;
  for await (const text of texts) {
    if (text === '') continue;
    yield (isAfterReturn && text.startsWith('\n') ? text.slice(1) : text).replace(/\r\n?/g, '\n');
    isAfterReturn = text.endsWith('\r');
  }
}

/** The text after this number of lines. */
async function* withoutLines(texts: AsyncIterable<string>, count: number): AsyncGenerator<string> {
  let left = count;
  let line = 1;
  for await (const text of texts) {
    if (text.includes('\0')) {
      const before = text.slice(0, text.indexOf('\0')).split('\n').length - 1;
      throw new StatementError('the text has a NUL character', { line: line + before, entry: null });
    }
    line += text.split('\n').length - 1;
    let from = 0;
    while (left > 0 && from < text.length) {
      const end = text.indexOf('\n', from);
      from = end < 0 ? text.length : end + 1;
      if (end >= 0) left -= 1;
    }
    if (from < text.length) yield text.slice(from);
  }
}

/** Line on which a row begins: the parser counts to its last line. */
function lineOf(record: readonly string[], lines: number, { skipLines }: CsvMapping): number {
  const within = record.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
  return lines - within + skipLines;
}

/** Names of the header line. Throws if a column of the mapping is missing or occurs twice. */
function namesOf(record: readonly string[], mapping: CsvMapping, fail: Fail): readonly string[] {
  const names = record.map(tidied);
  for (const column of namedColumnsOf(mapping)) {
    const count = names.filter((name) => name === column).length;
    if (count === 0) fail(`the column ${quoted(column)} is missing: the columns are ${quotedAll(names)}`);
    if (count > 1) fail(`the column ${quoted(column)} occurs ${count} times: give its number`);
  }
  return names;
}

function quotedAll(names: readonly string[]): string {
  return names.slice(0, 30).map(quoted).join(', ');
}

function namedColumnsOf(mapping: CsvMapping): readonly string[] {
  const { amount, currency, account, only, remittance } = mapping;
  const columns = [
    ...Object.values<Column | readonly string[]>(amount),
    ...[mapping.bookedOn, mapping.valueOn, mapping.counterpartyName, mapping.counterpartyAccount],
    ...[mapping.counterpartyBic, mapping.endToEndId, mapping.creditorReference, mapping.bankReference],
    ...[mapping.transactionCode, only?.column],
    ...[currency, account].map((each) => ('column' in each ? each.column : null)),
    ...remittance,
  ];
  return columns.filter((each) => typeof each === 'string');
}

function rowOf(record: readonly string[], names: readonly string[], place: Place): Row {
  const labelOf = (column: Column) =>
    typeof column === 'number' ? `column ${column}` : `column ${quoted(column)}`;
  const indexOf = (column: Column) => (typeof column === 'number' ? column - 1 : names.indexOf(column));
  return {
    line: place.line ?? 0,
    text(column) {
      if (column === null) return '';
      const text = record[indexOf(column)];
      if (text === undefined) throw new StatementError(`the row has no ${labelOf(column)}`, place);
      return tidied(text);
    },
    failAt: (column) => (detail) => {
      throw new StatementError(detail, { ...place, column: labelOf(column) });
    },
  };
}

function isTaken(row: Row, { only }: CsvMapping): boolean {
  return only === null || only.words.includes(row.text(only.column));
}

/** One statement for each account and currency, in order of appearance. */
function createHeaders(limits: Limits) {
  const known = new Map<string, StatementHeader>();

  function* of(account: string, currency: string): Generator<StatementPart, StatementHeader> {
    const key = `${account} ${currency}`;
    const before = known.get(key);
    if (before) return before;
    if (known.size >= limits.statements) {
      throw new StatementError(`the file has more than ${limits.statements} statements`);
    }
    const header: StatementHeader = {
      ...{ statementId: '', account, currency, openingBalance: null, closingBalance: null },
      ...{ fromDate: null, toDate: null },
    };
    known.set(key, header);
    yield { kind: 'statement', header };
    return header;
  }

  return {
    of,
    /** The statement of a fixed account and currency, so that a file without movements is a statement too. */
    *fixed({ account, currency }: CsvMapping): Generator<StatementPart> {
      if ('fixed' in account && 'fixed' in currency) yield* of(account.fixed, currency.fixed);
    },
    count: () => known.size,
  };
}

function* partsOf(
  row: Row,
  mapping: CsvMapping,
  number: number,
  headers: ReturnType<typeof createHeaders>,
): Generator<StatementPart> {
  const account = compact(sourced(row, mapping.account));
  if ('column' in mapping.account && account === '')
    row.failAt(mapping.account.column)('the account is empty');
  const currency = sourced(row, mapping.currency);
  const header = yield* headers.of(account, currency);
  const bookedOn =
    dateIn(row, mapping.bookedOn, mapping.dateFormat) ??
    row.failAt(mapping.bookedOn)('the booking date is empty');
  yield {
    kind: 'entry',
    header,
    entry: {
      number,
      line: row.line,
      ...amountIn(row, mapping, currency),
      currency,
      isReversal: false,
      bookedOn,
      valueOn: mapping.valueOn === null ? null : dateIn(row, mapping.valueOn, mapping.dateFormat),
      bankReference: given(row.text(mapping.bankReference)),
      batchReference: '',
      endToEndId: given(row.text(mapping.endToEndId)),
      instructionId: '',
      creditorReference: structuredReference(row.text(mapping.creditorReference)),
      remittance: tidied(mapping.remittance.map((column) => row.text(column)).join(' ')),
      counterparty: {
        name: row.text(mapping.counterpartyName),
        account: compact(row.text(mapping.counterpartyAccount)),
        bic: compact(row.text(mapping.counterpartyBic)),
      },
      transactionCode: row.text(mapping.transactionCode),
      returned: null,
    },
  };
}

function sourced(row: Row, source: FixedOrColumn): string {
  return 'fixed' in source ? source.fixed : row.text(source.column);
}

const TIME = /[ T]\d{1,2}:\d\d.{0,20}$/;

/** Date of a column, or null if it is empty. */
function dateIn(row: Row, column: Column, format: DateFormat): string | null {
  const text = row.text(column).replace(TIME, '');
  if (text === '') return null;
  const pattern = format
    .replaceAll('.', '\\.')
    .replace('YYYY', '(?<year>\\d{4})')
    .replace('YY', '(?<year>\\d{2})')
    .replace('MM', '(?<month>\\d{2})')
    .replace('DD', '(?<day>\\d{2})');
  const { year = '', month = '', day = '' } = new RegExp(`^${pattern}$`).exec(text)?.groups ?? {};
  const whole = year.length === 2 ? String(fullYear(year)) : year;
  return (
    dateOf(whole, month, day) ?? row.failAt(column)(`${quoted(text)} is not a date of the form ${format}`)
  );
}

type Movement = { readonly direction: Direction; readonly amount: number };

function amountIn(row: Row, mapping: CsvMapping, currency: string): Movement {
  const { amount } = mapping;
  const numberIn = (column: Column) => numberOf(row.text(column), mapping, currency, row.failAt(column));
  if ('signed' in amount) {
    const found = numberIn(amount.signed) ?? row.failAt(amount.signed)('the amount is empty');
    return { direction: found.isNegative ? 'debit' : 'credit', amount: found.amount };
  }
  if ('unsigned' in amount) {
    const found = numberIn(amount.unsigned) ?? row.failAt(amount.unsigned)('the amount is empty');
    const word = row.text(amount.indicator);
    const isCredit = amount.creditWords.includes(word);
    if (!isCredit && !amount.debitWords.includes(word)) {
      row.failAt(amount.indicator)(`${quoted(word)} is a word neither for credits nor for debits`);
    }
    if (found.isNegative)
      row.failAt(amount.unsigned)('the amount has a sign, although the direction says it already');
    return { direction: isCredit ? 'credit' : 'debit', amount: found.amount };
  }
  const credit = numberIn(amount.credit);
  const debit = numberIn(amount.debit);
  if (credit?.isNegative) row.failAt(amount.credit)('the amount of a credit has a sign');
  if (credit && debit && credit.amount > 0 && debit.amount > 0) {
    row.failAt(amount.debit)('the row has the amount of a credit as well');
  }
  // Some banks write debits with a sign although they have a column of their own.
  if (debit && (credit === null || debit.amount > 0)) return { direction: 'debit', amount: debit.amount };
  return credit
    ? { direction: 'credit', amount: credit.amount }
    : row.failAt(amount.credit)('the row has neither the amount of a credit nor of a debit');
}

/** True if these are groups of so many digits: two as in India (12,34,567), or three. The last group has three either way. */
function isGroupedBy(size: 2 | 3, groups: readonly string[]): boolean {
  return groups.every((group, index) => {
    const isLast = index === groups.length - 1;
    const isLong = isLast ? group.length === 3 : group.length === size;
    const isFirst = index === 0 && group.length <= size;
    return (isLong || isFirst) && /^\d+$/.test(group);
  });
}

/** Blanks of any width within numbers have become one; the minus sign has several forms, and may stand behind. */
const SIGNED = /^([-+−–]?) ?([^-+−–]*?) ?([-+−–]?)$/;

function numberOf(
  text: string,
  { decimal, thousands }: CsvMapping,
  currency: string,
  fail: Fail,
): { amount: number; isNegative: boolean } | null {
  if (text === '') return null;
  const [, before = '', digits = '', after = ''] = SIGNED.exec(text) ?? [];
  const [whole = '', fraction, ...more] = digits.replaceAll('’', "'").split(decimal);
  const groups = thousands === '' ? [whole] : whole.split(thousands);
  const isGrouped = isGroupedBy(3, groups) || (thousands === ',' && isGroupedBy(2, groups));
  const isWhole = groups.length === 1 ? /^\d*$/.test(whole) : isGrouped;
  const isFraction = more.length === 0 && /^\d*$/.test(fraction ?? '');
  const sign = before + after;
  if (!isWhole || !isFraction || sign.length > 1) return fail(`the amount ${quoted(text)} is not a number`);
  const plain = fraction === undefined ? groups.join('') : `${groups.join('')}.${fraction}`;
  return { amount: minorUnits(plain, currency, fail), isNegative: sign !== '' && sign !== '+' };
}
