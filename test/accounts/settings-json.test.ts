/** Settings of an account as JSON: read as they were serialized, and refused with all of their mistakes. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { defaultSettings } from '../../src/accounts/settings.ts';
import { readSettings, serializeSettings } from '../../src/accounts/settings-json.ts';
import { bank } from '../../src/methods/bank/rail.ts';
import { sandbox } from '../../src/methods/sandbox/sandbox.ts';
import { createStripeRail } from '../../src/methods/stripe/stripe.ts';
import { CH_IBAN, DE_IBAN, QR_IBAN } from '../methods/bank/build.ts';

const eur = {
  id: 'eur',
  currency: 'EUR',
  iban: 'DE89 3704 0044 0532 0130 00',
  holder: { name: 'Shop', country: 'DE' },
};
const mapping = {
  delimiter: ';',
  date_format: 'DD.MM.YYYY',
  decimal: ',',
  amount: { unsigned: 'Betrag', indicator: 'S/H', credit_words: ['H'], debit_words: ['S'] },
  currency: { fixed: 'EUR' },
  account: { fixed: DE_IBAN },
  booked_on: 'Datum',
  end_to_end_id: 'E2E',
};
const whole = {
  business: {
    address_lines: ['Hauptstraße 1', '10115 Berlin'],
    tax_id: 'DE123456789',
    email: 'shop@example.com',
  },
  branding: { accent_color: '#e8590c' },
  policy: {
    underpayment_tolerance_basis_points: 50,
    underpayment_tolerance_at_most: 100,
    excess: 'refund',
    late: 'hold',
    unreferenced: 'ask',
    grace_minutes: { bank: 1440 },
  },
  receiving_accounts: [eur],
  csv_mappings: { 'my-bank': mapping },
};

/** An e-mail address of this length. */
const emailOf = (length: number) => `shop@${`${'x'.repeat(60)}.`.repeat(3)}example`.padEnd(length, 'e');

function problemsOf(given: unknown): Record<string, string> {
  const read = readSettings(given);
  assert.ok('problems' in read, JSON.stringify(read));
  return Object.fromEntries(read.problems.map(({ pointer, detail }) => [pointer, detail]));
}

function settingsOf(given: unknown) {
  const read = readSettings(given);
  assert.ok('settings' in read, JSON.stringify(read));
  return read.settings;
}

suite('the settings of an account', () => {
  test('are read as they are shown, all of them', () => {
    const settings = { ...defaultSettings, ...settingsOf(whole) };
    assert.deepEqual(settings.business, {
      addressLines: ['Hauptstraße 1', '10115 Berlin'],
      taxId: 'DE123456789',
      email: 'shop@example.com',
    });
    assert.deepEqual(settings.branding, { accentColor: '#e8590c' });
    assert.deepEqual(settings.policy, {
      underpaymentToleranceBasisPoints: 50,
      underpaymentToleranceAtMost: 100,
      excess: 'refund',
      late: 'hold',
      unreferenced: 'ask',
      graceMinutes: { bank: 1440 },
    });
    assert.equal(settings.receivingAccounts[0]?.iban, DE_IBAN);
    const read = settings.csvMappings['my-bank'];
    assert.deepEqual(read?.amount, {
      unsigned: 'Betrag',
      indicator: 'S/H',
      creditWords: ['H'],
      debitWords: ['S'],
    });
    assert.deepEqual([read?.dateFormat, read?.endToEndId, read?.hasHeader], ['DD.MM.YYYY', 'E2E', true]);
    const shown = JSON.parse(JSON.stringify(serializeSettings(settings)));
    assert.deepEqual(shown.business, whole.business);
    assert.deepEqual(shown.branding, whole.branding);
    assert.deepEqual(shown.policy, whole.policy);
    assert.deepEqual(shown.csv_mappings['my-bank'], { ...shown.csv_mappings['my-bank'], ...mapping });
    assert.doesNotMatch(JSON.stringify(shown), /"[a-z_]*[A-Z]\w*":/, 'a name that is none of JSON');
    assert.deepEqual(settingsOf(shown), settings);
    assert.deepEqual(
      settingsOf(JSON.parse(JSON.stringify(serializeSettings(defaultSettings)))),
      defaultSettings,
    );
  });

  test('have a color as CSS writes it, in small letters or capitals, or none', () => {
    const read = (accent_color: unknown) => ({ branding: { accent_color } });
    assert.deepEqual(settingsOf(read(' #E8590C ')).branding, { accentColor: '#e8590c' });
    assert.deepEqual(settingsOf({ branding: {} }).branding, { accentColor: '' });
    assert.deepEqual(settingsOf({ branding: null }).branding, { accentColor: '' });
    for (const wrong of [
      'red',
      '#e85',
      '#e8590',
      '#e8590cff',
      'e8590c',
      '#e8590g',
      '#e8590c;}',
      'var(--x)',
    ]) {
      assert.deepEqual(problemsOf(read(wrong)), {
        '/branding/accent_color': 'must be a color such as #0b6b57, or empty',
      });
    }
    assert.deepEqual(problemsOf({ branding: { color: '#e8590c' } }), {
      '/branding/color': 'is not a known field; known fields are accent_color',
    });
  });

  test('name no account of a bank twice: a statement could be of either', () => {
    const twin = { ...eur, id: 'other', iban: DE_IBAN };
    assert.deepEqual(
      problemsOf({ receiving_accounts: [eur, twin, { ...twin, id: 'usd', currency: 'USD' }] }),
      {
        '/receiving_accounts/1/iban': 'is used by another receiving account',
      },
    );
  });

  test('name none twice whatever names it, but may name one for each currency', () => {
    const holder = { name: 'Shop', country: 'US' };
    const dollars = { id: 'usd', currency: 'USD', account_number: '123456', bank_code: '021000021', holder };
    assert.deepEqual(problemsOf({ receiving_accounts: [dollars, eur, { ...dollars, id: 'usd-2' }] }), {
      '/receiving_accounts/2/account_number': 'is used by another receiving account',
    });
    const swiss = {
      id: 'chf',
      currency: 'CHF',
      iban: CH_IBAN,
      qr_iban: QR_IBAN,
      holder: { name: 'Shop', postal_code: '3000', city: 'Bern', country: 'CH' },
    };
    const problems = problemsOf({ receiving_accounts: [swiss, { ...swiss, id: 'other' }] });
    assert.deepEqual(Object.keys(problems).sort(), [
      '/receiving_accounts/1/iban',
      '/receiving_accounts/1/qr_iban',
    ]);
    const euros = { ...swiss, id: 'eur', currency: 'EUR' };
    assert.equal(settingsOf({ receiving_accounts: [swiss, euros] }).receivingAccounts?.length, 2);
  });

  test('have both halves of the tolerance, or none', () => {
    const at = '/policy/underpayment_tolerance_';
    const read = (basisPoints: number, atMost: number) => ({
      policy: {
        underpayment_tolerance_basis_points: basisPoints,
        underpayment_tolerance_at_most: atMost,
      },
    });
    assert.deepEqual(Object.keys(problemsOf(read(1, 0))), [`${at}at_most`]);
    assert.deepEqual(Object.keys(problemsOf(read(0, 1))), [`${at}basis_points`]);
    for (const [name, missing] of [
      ['basis_points', 'at_most'],
      ['at_most', 'basis_points'],
    ]) {
      const half = { policy: { [`underpayment_tolerance_${name}`]: 5 } };
      assert.deepEqual(Object.keys(problemsOf(half)), [`${at}${missing}`]);
    }
    for (const given of [read(0, 0), read(1, 1)]) assert.ok(settingsOf(given).policy);
  });

  test('have parts: those that are not given are not touched, and null is as by default', () => {
    assert.deepEqual(settingsOf({}), {});
    const { business, policy, receivingAccounts, csvMappings } = defaultSettings;
    assert.deepEqual(settingsOf({ policy: null }), { policy });
    assert.deepEqual(settingsOf({ policy: { late: 'hold' } }), { policy: { ...policy, late: 'hold' } });
    const all = { business: null, policy: null, receiving_accounts: null, csv_mappings: null };
    assert.deepEqual(settingsOf(all), { business, policy, receivingAccounts, csvMappings });
  });

  test('are told all that is wrong with them at once, and where', () => {
    const problems = problemsOf({
      buisness: {},
      business: { address_lines: Array(7).fill('x'), tax_id: 7, email: 'shop' },
      policy: {
        underpayment_tolerance_basis_points: 1001,
        underpayment_tolerance_at_most: -1,
        excess: 'give',
        late: null,
        grace_minutes: { bank: 43_201, banks: 5, 'a/b': 1 },
      },
      receiving_accounts: [
        eur,
        // The country of the BIC is held only against an IBAN that is right.
        { ...eur, iban: 'DE88370400440532013000', bic: 'BNPAFRPP' },
        { ...eur, id: 'chf', currency: 'X' },
        7,
      ],
      csv_mappings: {
        'My Bank': mapping,
        bank: { ...mapping, booked_on: 0, dateFormat: 'YYYY-MM-DD', amount: { credit: 'C' }, 'a/b': 1 },
      },
    });
    assert.deepEqual(Object.keys(problems).sort(), [
      '/buisness',
      '/business/address_lines',
      '/business/email',
      '/business/tax_id',
      '/csv_mappings/My Bank',
      '/csv_mappings/bank/amount/debit',
      '/csv_mappings/bank/a~1b',
      '/csv_mappings/bank/booked_on',
      '/csv_mappings/bank/dateFormat',
      '/policy/excess',
      '/policy/grace_minutes/a~1b',
      '/policy/grace_minutes/bank',
      '/policy/grace_minutes/banks',
      '/policy/late',
      '/policy/underpayment_tolerance_at_most',
      '/policy/underpayment_tolerance_basis_points',
      '/receiving_accounts/1/iban',
      '/receiving_accounts/1/id',
      '/receiving_accounts/2/currency',
      '/receiving_accounts/3',
    ]);
    assert.match(problems['/receiving_accounts/1/iban'] ?? '', /check digits/);
    assert.match(
      problems['/buisness'] ?? '',
      /known fields are business, branding, policy, receiving_accounts, csv_mappings, compatibility, webhook_url_events$/,
    );
  });

  const rows: readonly [name: string, given: unknown, pointer: string, detail: RegExp][] = [
    ['no object', [], '', /must be an object/],
    ['nothing', null, '', /must be an object/],
    ['a prototype', JSON.parse('{"__proto__": {}}'), '/__proto__', /not a known field/],
    ['a list that is none', { receiving_accounts: {} }, '/receiving_accounts', /must be a list/],
    [
      'an address without end',
      { business: { address_lines: ['x'.repeat(101)] } },
      '/business/address_lines/0',
      /100/,
    ],
    [
      'an address of two lines in one',
      { business: { address_lines: ['a\nb'] } },
      '/business/address_lines/0',
      /breaks/,
    ],
    ['an e-mail address without end', { business: { email: emailOf(255) } }, '/business/email', /254/],
    ['half a character', { business: { tax_id: '\ud800' } }, '/business/tax_id', /control characters/],
    [
      'part of a minor unit',
      { policy: { underpayment_tolerance_at_most: 0.5 } },
      '/policy/underpayment_tolerance_at_most',
      /must be a whole number/,
    ],
    [
      'a number in a text',
      { policy: { underpayment_tolerance_basis_points: '5' } },
      '/policy/underpayment_tolerance_basis_points',
      /must be a whole number/,
    ],
    ['mappings in a list', { csv_mappings: [mapping] }, '/csv_mappings', /must be an object/],
    [
      'too many mappings',
      { csv_mappings: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`m${n}`, mapping])) },
      '/csv_mappings',
      /at most 100/,
    ],
    [
      'too many accounts',
      { receiving_accounts: Array.from({ length: 101 }, (_, n) => ({ ...eur, id: `a${n}` })) },
      '/receiving_accounts',
      /at most 100/,
    ],
    [
      'what an account may not be',
      { receiving_accounts: [{ ...eur, iban: CH_IBAN, bic: 'DEUTDEFF' }] },
      '/receiving_accounts/0/bic',
      /of a bank in DE/,
    ],
  ];
  test('have an e-mail address as long as there are', () =>
    assert.equal(
      settingsOf({ business: { ...whole.business, email: emailOf(254) } }).business?.email,
      emailOf(254),
    ));

  for (const [name, given, pointer, detail] of rows) {
    test(`are refused for ${name}`, () =>
      assert.match(problemsOf(given)[pointer] ?? `nothing at ${pointer}`, detail));
  }

  test('give time to every rail there is', () => {
    const keys = { test: null, live: null, accountNumber: 1, apiUrl: 'https://api.stripe.com' };
    const names = [bank, sandbox, createStripeRail(keys)].map(({ name }) => name);
    const grace_minutes = Object.fromEntries(names.map((name) => [name, 43_200]));
    assert.deepEqual(settingsOf({ policy: { grace_minutes } }).policy?.graceMinutes, grace_minutes);
  });
});
