/** Faults in what clients of older forms are given: amounts in hundredths, ignored fields, keys that are used again. */
import type { Fault } from './fault.ts';
import { http } from './rooms.ts';

const hundredths = {
  file: 'src/checkout/hundredths.ts',
  tests: ['test/checkout/hundredths.test.ts'],
  checkers: { rules: { beyond: 'how amounts are written for older receivers is no part of a decision' } },
};

export const olderClientFaults: readonly Fault[] = [
  {
    name: 'yen are charged in hundredths',
    ...hundredths,
    find: 'hundredths / 10 ** (2 - exponent)',
    replace: 'hundredths',
  },
  {
    name: 'half a yen is rounded',
    ...hundredths,
    find: 'if (!isHeld) {',
    replace: 'if (!isHeld && exponent > 2) {',
  },
  {
    name: 'an amount has a name that the border does not know',
    ...hundredths,
    tests: ['test/http/amounts.test.ts'],
    find: "  'amount_unassigned',\n",
    replace: '',
  },
  {
    name: 'answers of a lenient account are in minor units',
    ...http('loose', 'clients/v3'),
    find: 'isJson ? inHundredths(payload) : payload',
    replace: 'payload',
  },
  {
    name: 'metadata of an answer are taken for amounts',
    ...hundredths,
    find: "if (name === 'metadata') return [name, each];",
    replace: '',
  },
  {
    name: 'a fee that the payer should pay is ignored',
    ...http('loose', 'clients/v3'),
    find: 'CHANGES_THE_PRICE.has(name)',
    replace: 'CHANGES_THE_PRICE.has(`${name}_`)',
  },
  {
    name: 'a misspelt setting of a lenient account is ignored',
    ...http('loose', 'account-settings'),
    find: " || permission === 'manage'",
    replace: '',
  },
  {
    name: 'ignored fields are kept',
    ...http('loose', 'clients/v3'),
    find: 'delete ownerOf(each, body)[each.params.additionalProperty];',
    replace: '',
  },
  {
    name: 'a key gets the first answer, whatever the price is now',
    ...http('routes/create', 'clients/v3-keys'),
    find: 'idempotency === null || isDeepStrictEqual(asked, askedBy(fields))',
    replace: "idempotency === null || id !== ''",
  },
  {
    name: 'a session takes the place of one that is being paid',
    file: 'src/writer/handlers/checkout.ts',
    tests: ['test/api/clients/v3-keys.test.ts'],
    find: 'from.payments.length > 0 || from.attempts.some(isInFlight)',
    replace: 'from.payments.length > 1',
  },
  {
    name: 'a session that another has replaced can still be paid',
    file: 'src/writer/handlers/checkout.ts',
    tests: ['test/api/clients/v3-keys.test.ts'],
    find: "...earlier.map(({ change, from }) => writesOf(change, from, 'expire')),",
    replace: '',
  },
  {
    name: 'two processes put two sessions in the place of one',
    file: 'src/store/resources/answers.ts',
    tests: ['test/store/sqlite.test.ts'],
    find: '\n          AND headers = ${headers}`',
    replace: '`',
  },
  {
    name: 'the address of a session hears what the account has not chosen',
    file: 'src/accounts/settings.ts',
    tests: ['test/api/clients/v3.test.ts'],
    find: 'chosen === null || chosen.includes(type)',
    replace: 'chosen === null || chosen.length > 0',
  },
  {
    name: 'methods are offered to payers of any country',
    file: 'src/methods/method.ts',
    tests: ['test/api/clients/methods.test.ts', 'test/api/records.test.ts'],
    find: ' || method.country === country',
    replace: ' || method.country !== null',
  },
];
