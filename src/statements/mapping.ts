/**
 * Mapping of CSV columns: each bank has its own columns, so the operator describes them once. One schema gives the checks
 * and the type. Pure.
 */

import { currencyExponent } from '../checkout/money.ts';
import type { Problem } from '../checkout/refusals.ts';
import { type Static, Type } from '../lib/json-schema.ts';
import { isObject, trimmed } from '../lib/json-values.ts';
import { type CamelKeys, camelKeys, snakeKeys } from '../lib/key-names.ts';
import { type Formats, validator, worded } from '../lib/schema-problems.ts';
import { closedObject, either, hasField, nullable } from '../lib/schemas.ts';
import { compact } from './values.ts';

const MAX_COLUMNS = 200;
const MAX_NAME = 100;
const MAX_WORDS = 20;
const MAX_SKIPPED = 1000;

/** The formats that the schema uses. */
export const mappingFormats: Formats = {
  'csv-column-name': { check: (text) => text.trim() !== '', detail: 'must not be empty' },
  'csv-currency': {
    check: (text) => currencyExponent(text) !== undefined,
    detail: 'must be a currency code of ISO 4217 in capitals',
  },
  'csv-account': {
    check: (text) => compact(text) !== '',
    detail: `must be an IBAN or account number of at most ${MAX_NAME} characters`,
  },
};

const closed = <const T extends string[]>(values: readonly [...T]) =>
  Type.Enum([...values], worded({ mistake: `must be one of ${JSON.stringify(values).slice(1, -1)}` }));

const words = Type.Array(Type.String({ maxLength: MAX_NAME }), { minItems: 1, maxItems: MAX_WORDS });

const NUMBER = `number of a column from 1 to ${MAX_COLUMNS}`;
const numbers = { minimum: 1, maximum: MAX_COLUMNS };
/** A column where the file has no header line. */
const columnByNumber = Type.Unsafe<string | number>({
  ...numbers,
  type: 'integer',
  ...worded({ mistake: `must be the ${NUMBER}: without a header line columns have no names` }),
});
/** A column where the file has a header line: its name there, or its number from 1. */
const columnByName = Type.Unsafe<string | number>({
  ...numbers,
  type: ['string', 'integer'],
  maxLength: MAX_NAME,
  format: 'csv-column-name',
  ...worded({ mistake: `must be the name of a column of at most ${MAX_NAME} characters, or the ${NUMBER}` }),
});

const mappingWith = (column: typeof columnByName) => {
  const fixedOrColumn = (format: string) =>
    either(
      hasField('column'),
      closedObject({ column }),
      closedObject({ fixed: Type.String({ maxLength: MAX_NAME, format }) }),
    );
  const optional = nullable(column);
  return closedObject({
    delimiter: closed([',', ';', '\t', '|']),
    encoding: closed(['utf-8', 'iso-8859-1', 'iso-8859-15', 'windows-1252', 'utf-16le']),
    /** Lines before the header line, or before the first row if there is no header. */
    skip_lines: Type.Integer({ minimum: 0, maximum: MAX_SKIPPED }),
    has_header: Type.Boolean(),
    /** A time of day after the date is ignored. */
    date_format: closed([
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
    ]),
    decimal: closed(['.', ',']),
    /** An apostrophe stands for both of its forms, a blank for all kinds of blanks. */
    thousands: closed(['', '.', ',', "'", ' ']),
    /** One column without a sign and one with the direction, or one column for each direction, or one with a sign. */
    amount: either(
      hasField('unsigned'),
      closedObject({ unsigned: column, indicator: column, credit_words: words, debit_words: words }),
      either(
        hasField('credit', 'debit'),
        closedObject({ credit: column, debit: column }),
        closedObject({ signed: column }),
      ),
    ),
    currency: fixedOrColumn('csv-currency'),
    account: fixedOrColumn('csv-account'),
    /** Null for all rows; else only rows with one of these words are booked, such as those that are not pending. */
    only: nullable(closedObject({ column, words })),
    booked_on: column,
    value_on: optional,
    counterparty_name: optional,
    counterparty_account: optional,
    counterparty_bic: optional,
    /** In the order in which they are joined. */
    remittance: Type.Array(column, { maxItems: MAX_WORDS }),
    end_to_end_id: optional,
    creditor_reference: optional,
    bank_reference: optional,
    transaction_code: optional,
  });
};

/** A mapping as JSON, with all of its fields. */
export const mappingSchema = either(
  { type: 'object', properties: { has_header: { const: false } } },
  mappingWith(columnByNumber),
  mappingWith(columnByName),
);
type MappingJson = Static<typeof mappingSchema>;

export type CsvMapping = CamelKeys<MappingJson>;
/** The name of a column in the header line, or its number from 1. */
export type Column = CsvMapping['bookedOn'];
export type DateFormat = CsvMapping['dateFormat'];
export type AmountColumns = CsvMapping['amount'];
/** The same for all rows, or as a column says. */
export type FixedOrColumn = CsvMapping['currency'];

const defaults: Partial<MappingJson> = {
  encoding: 'utf-8',
  skip_lines: 0,
  has_header: true,
  thousands: '',
  only: null,
  value_on: null,
  counterparty_name: null,
  counterparty_account: null,
  counterparty_bic: null,
  remittance: [],
  end_to_end_id: null,
  creditor_reference: null,
  bank_reference: null,
  transaction_code: null,
};

/** The mapping as given, with the defaults of the fields that are missing. */
export function withMappingDefaults(given: unknown): unknown {
  return isObject(given) ? { ...defaults, ...given } : given;
}

/** Mistakes that the schema cannot know, in a mapping with defaults. */
export function mappingConflicts(mapping: unknown): Problem[] {
  const isAmbiguous = isObject(mapping) && mapping.thousands === mapping.decimal;
  return isAmbiguous ? [{ pointer: '/thousands', detail: 'must not be the decimal separator' }] : [];
}

/** The normal form of a valid mapping: without blanks around names and words. */
export function mappingFrom(valid: MappingJson): CsvMapping {
  const { delimiter, thousands, account, ...rest } = valid;
  const normal = 'fixed' in account ? { fixed: compact(account.fixed) } : account;
  return camelKeys({
    ...(trimmed({ ...rest, account: normal }) as typeof rest),
    account: normal,
    delimiter,
    thousands,
  });
}

const validate = validator(mappingSchema, mappingFormats);

/** The mapping with its defaults, or all of its mistakes. */
export function readMapping(
  given: unknown,
): { readonly mapping: CsvMapping } | { readonly problems: readonly Problem[] } {
  const mapping = withMappingDefaults(given);
  const validated = validate(mapping);
  if ('problems' in validated) return validated;
  const conflicts = mappingConflicts(mapping);
  return conflicts.length > 0 ? { problems: conflicts } : { mapping: mappingFrom(validated.valid) };
}

/** The mapping as JSON; reading that gives the same mapping again. */
export function serializeMapping(mapping: CsvMapping): MappingJson {
  return snakeKeys<MappingJson>(mapping);
}
