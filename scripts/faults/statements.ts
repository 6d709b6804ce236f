/** Faults in reading statements: money that is missed, counted twice, or taken for somebody else's. */
import type { Fault } from './fault.ts';

const statements = (file: string, ...tests: readonly string[]) => ({
  file: `src/statements/${file}.ts`,
  tests: tests.map((name) => `test/statements/${name}.test.ts`),
});

export const statementFaults: readonly Fault[] = [
  {
    name: 'the reversal of a credit comes in as money',
    ...statements('mt940-movement', 'mt940', 'samples', 'hostile'),
    find: "return isCredit === isReversal ? 'debit' : 'credit';",
    replace: "return isCredit ? 'credit' : 'debit';",
  },
  {
    name: 'a returned item is money like any other',
    ...statements('mt940-movement', 'mt940', 'samples'),
    find: '/^.RTI$/',
    replace: '/^.RTN$/',
  },
  {
    name: 'a field that says there is no reference is a reference',
    ...statements('values', 'camt', 'mt940'),
    find: "return isUsable(reference) ? reference : '';",
    replace: 'return compact(text);',
  },
  {
    name: 'an entry date of the new year is put into the old one',
    ...statements('mt940-movement', 'mt940', 'samples'),
    find: '[year - 1, year, year + 1]',
    replace: '[year - 1, year]',
  },
  {
    name: 'the fields of a payer count before those of the bank',
    ...statements('mt940-information', 'mt940', 'hostile', 'samples'),
    find: 'fields.findLast(([each]) => each === number)',
    replace: 'fields.find(([each]) => each === number)',
  },
  {
    name: 'a payer writes into the text that the money was returned',
    ...statements('mt940-information', 'slash-codes', 'hostile'),
    find: "    if (code === 'REMI') ends = CODE_BEHIND_TEXT;\n",
    replace: '',
  },
  {
    name: 'a short reference of the bank is taken for one that lasts',
    ...statements('identity', 'identity'),
    find: "bankReference.length < LASTING_LENGTH ? bookedOn : ''",
    replace: "''",
  },
  {
    name: 'an entry in two statements of a file is two',
    ...statements('identity', 'identity'),
    find: '      inStatement = new Map();\n',
    replace: '',
  },
  {
    name: 'what is pending counts as money',
    ...statements('camt-entry', 'camt', 'samples', 'hostile'),
    find: 'return skipped.has(status) ? false :',
    replace: 'return skipped.has(status) ? true :',
  },
  {
    name: 'of money that comes back the counterparty is the wrong side',
    ...statements('camt-entry', 'camt', 'samples'),
    find: "(direction === 'credit') === comesBack ?",
    replace: "direction !== 'credit' ?",
  },
  {
    name: 'a counterparty without a name and an account is nobody, whatever its bank',
    ...statements('camt-entry', 'camt', 'samples'),
    find: " && likely.bic === ''",
    replace: '',
  },
  {
    name: 'a booking is taken apart although its parts do not add up',
    ...statements('camt-entry', 'camt', 'samples', 'hostile'),
    find: 'sumOf(parts) === BigInt(',
    replace: 'sumOf(parts) <= BigInt(',
  },
  {
    name: 'a statement that has lost entries passes',
    ...statements('camt', 'camt', 'hostile'),
    find: "kind === '053' && opening && closing",
    replace: "kind === '054' && opening && closing",
  },
  {
    name: 'digits beyond the minor unit are cut off',
    ...statements('values', 'values', 'hostile'),
    find: '/[1-9]/.test(fraction.slice(exponent))',
    replace: 'false',
  },
  {
    name: 'a minus of another form is no minus',
    ...statements('csv', 'csv', 'samples', 'hostile'),
    find: "isNegative: sign !== '' && sign !== '+'",
    replace: "isNegative: sign === '-'",
  },
  {
    name: 'an amount in lakhs and crores is no number',
    ...statements('csv', 'csv'),
    find: " || (thousands === ',' && isGroupedBy(2, groups))",
    replace: '',
  },
  {
    name: 'points group by lakhs and crores',
    ...statements('csv', 'csv'),
    find: "thousands === ',' && isGroupedBy",
    replace: 'isGroupedBy',
  },
  {
    name: 'the last group of an amount may have two digits',
    ...statements('csv', 'csv'),
    find: 'isLast ? group.length === 3 : group.length === size',
    replace: 'group.length === size',
  },
  {
    name: 'a line that ends in two characters counts twice within quotation marks',
    ...statements('csv', 'csv'),
    find: 'withoutLines(withLineFeeds(texts), skipLines)',
    replace: 'withoutLines(texts, skipLines)',
  },
  {
    name: 'the file may be larger than the limit',
    ...statements('bytes', 'bytes'),
    find: 'if (bytes > maxBytes)',
    replace: 'if (chunk.length > maxBytes)',
  },
];
