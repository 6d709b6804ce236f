/** Receiving accounts over the API: what a key with `manage` changes, what payers are shown then, and what is refused. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { BODY_LIMIT_BYTES } from '../../src/http/body.ts';
import { startService } from '../support/service.ts';
import { awaitTransfer, configure, IBAN } from './bank.ts';
import { assertRefused, type Data, succeeded, writesNothing } from './shop.ts';

const service = await startService({ after });
const { call, database } = service;

const holder = { name: 'Test Shop', country: 'DE' };
const euros = { currency: 'EUR', holder, iban: IBAN };
const dollars = { currency: 'USD', holder, account_number: '123456' };

const set = (id: string, body: object | string, headers: Record<string, string> = {}) =>
  call('PUT', `/v3/receiving_account/${id}`, { body, headers });
const list = async (headers: Record<string, string> = {}): Promise<Data[]> =>
  succeeded(await call('GET', '/v3/receiving_account', { headers }));
const idsOf = (all: readonly Data[]) => all.map(({ id }) => id);

/** The account begins each test with these alone. */
async function begin(accounts: Readonly<Record<string, object>> = {}): Promise<void> {
  await configure(service, { receivingAccounts: [] });
  for (const [id, body] of Object.entries(accounts)) succeeded(await set(id, body), 201);
}

suite('a receiving account', () => {
  test('that is new comes last, in its normal form, and payers are shown it at once', async () => {
    await begin({ usd: dollars });
    const answer = await set('eur', { ...euros, currency: 'eur', iban: 'DE02 1203 0000 0000 2020 51' });
    const made = succeeded(answer, 201);
    assert.equal(answer.headers.get('location'), '/v3/receiving_account/eur');
    assert.deepEqual(made, {
      id: 'eur',
      object: 'receiving_account',
      currency: 'EUR',
      holder: {
        name: 'Test Shop',
        street: '',
        building_number: '',
        postal_code: '',
        city: '',
        country: 'DE',
      },
      iban: IBAN,
      bic: null,
      account_number: null,
      bank_code: null,
      bank_name: null,
      qr_iban: null,
      paynow: null,
      promptpay: null,
      pix: null,
      upi: null,
      methods: ['local_bank_transfer_eur'],
    });
    assert.deepEqual(succeeded(await call('GET', '/v3/receiving_account/eur')), made);
    assert.deepEqual(idsOf(await list()), ['usd', 'eur']);
    assert.ok((await awaitTransfer(service)).reference);
  });

  test('changes in the given fields alone, and stays where it is', async () => {
    await begin({ eur: { ...euros, bank_name: 'Bank' }, usd: dollars });
    const before = succeeded(await call('GET', '/v3/receiving_account/eur'));
    const changed = succeeded(await set('eur', { bic: 'BYLADEM1001', holder: { city: 'Berlin' } }));
    assert.deepEqual(changed, {
      ...before,
      bic: 'BYLADEM1001',
      holder: { ...before.holder, city: 'Berlin' },
      methods: ['local_bank_transfer_eur', 'wire_transfer'],
    });
    assert.deepEqual(idsOf(await list()), ['eur', 'usd']);
    assert.deepEqual(succeeded(await set('eur', {})), changed);
  });

  test('is accepted as it came, which changes nothing, and with one field changed', async () => {
    await begin({ eur: euros, usd: dollars });
    const came = succeeded(await call('GET', '/v3/receiving_account/eur'));
    const unchanged = await set('eur', came);
    assert.deepEqual(succeeded(unchanged), came);
    const request_id = unchanged.headers.get('x-request-id') ?? '';
    assert.deepEqual(await database.query('SELECT action FROM audit WHERE request_id = ?', request_id), []);
    const body = { ...came, bic: 'BYLADEM1001' };
    const changed = { ...body, methods: ['local_bank_transfer_eur', 'wire_transfer'] };
    // The methods follow from the rest, and those in the body are of before: a repetition is no mistake either.
    for (let time = 0; time < 2; time++) assert.deepEqual(succeeded(await set('eur', body)), changed);
    assert.deepEqual(idsOf(await list()), ['eur', 'usd']);
    const faulty = { ...came, id: 'usd', object: 'account', methods: 'wire_transfer', status: 'active' };
    assertRefused(await writesNothing(service, () => set('eur', faulty)), {
      status: 400,
      message: 'RECEIVING_ACCOUNT.SET.FIELD_INVALID',
      errors: ['/object', '/methods', '/status', '/id'].map((pointer) => [15502, pointer] as const),
    });
    // Behind the address of one account, the fields of another do not replace it.
    assertRefused(await writesNothing(service, () => set('usd', came)), {
      status: 400,
      message: 'RECEIVING_ACCOUNT.SET.FIELD_INVALID',
      errors: [
        [15502, '/id'],
        [15502, '/iban'],
      ],
    });
  });

  test('loses what is null or empty', async () => {
    await begin({
      eur: { ...euros, bic: 'BYLADEM1001', bank_name: 'Bank', holder: { ...holder, city: 'Bonn' } },
    });
    const {
      bic,
      bank_name,
      holder: left,
    } = succeeded(await set('eur', { bic: null, bank_name: '', holder: { city: null } }));
    assert.deepEqual([bic, bank_name, left.city, left.name], [null, null, '', 'Test Shop']);
    const answer = await writesNothing(service, () => set('eur', { holder: { name: null }, iban: null }));
    const errors = ['/holder/name', ''].map((pointer) => [15502, pointer] as const);
    assertRefused(answer, { status: 400, message: 'RECEIVING_ACCOUNT.SET.FIELD_INVALID', errors });
  });

  test('comes first where that is wished', async () => {
    await begin({ eur: euros, usd: dollars });
    succeeded(await set('usd', { first: true }));
    assert.deepEqual(idsOf(await list()), ['usd', 'eur']);
    succeeded(await set('other', { ...euros, iban: 'DE89370400440532013000', first: true }), 201);
    assert.deepEqual(idsOf(await list()), ['other', 'usd', 'eur']);
  });

  test('that is deleted is gone, and unknown the next time', async () => {
    await begin({ eur: euros, usd: dollars });
    const remove = () => call('DELETE', '/v3/receiving_account/eur');
    assert.deepEqual(succeeded(await remove()), { id: 'eur', object: 'receiving_account', deleted: true });
    assert.deepEqual(idsOf(await list()), ['usd']);
    assertRefused(await writesNothing(service, remove), {
      status: 404,
      message: 'RECEIVING_ACCOUNT.DELETE.NOT_FOUND',
      errors: [[105]],
    });
    assert.equal((await call('GET', '/v3/receiving_account/eur')).status, 404);
  });

  test('belongs to the mode of the key', async () => {
    await begin({ eur: euros });
    const { authorization } = await service.createKey({ mode: 'live' });
    const before = await list({ authorization });
    // What test mode has is unknown there, and its number is not taken.
    succeeded(await set('shop', euros, { authorization }), 201);
    assert.deepEqual(idsOf(await list({ authorization })), [...idsOf(before), 'shop']);
    assert.deepEqual(idsOf(await list()), ['eur']);
    succeeded(await call('DELETE', '/v3/receiving_account/shop', { headers: { authorization } }));
    assert.deepEqual(idsOf(await list()), ['eur']);
  });
});

suite('a receiving account is refused', () => {
  const refused = async (id: string, body: object | string) => {
    const { status, json } = await writesNothing(service, () => set(id, body));
    assert.equal(status, 400, JSON.stringify(json));
    return Object.fromEntries(json.errors.map(({ remarks, message }: Data) => [remarks, message]));
  };

  test('with all mistakes at once, those of its form and those between fields', async () => {
    await begin({ eur: euros });
    assert.deepEqual(
      await refused('usd', { currency: 'EUR', iban: IBAN, paynow: 5, holder: { name: 'A\nB' }, colour: '' }),
      {
        '/colour': 'colour is not a known field.',
        '/paynow': 'paynow must be a string or null.',
        '/holder/country': 'holder/country is required.',
        '/holder/name': 'holder/name must have no control characters and no line breaks.',
      },
    );
    assert.deepEqual(await refused('usd', { ...euros, bic: 'BNPAFRPPXXX' }), {
      '/bic': 'bic is of a bank in FR, and the IBAN of one in DE.',
    });
    assert.deepEqual(await refused('usd', euros), { '/iban': 'iban is used by another receiving account.' });
  });

  test('where the body is no object, or what it has no known type', async () => {
    await begin({ eur: euros });
    for (const body of ['[]', '"eur"', '5', 'null'])
      assert.deepEqual(Object.keys(await refused('eur', body)), [''], body);
    assert.deepEqual(await refused('eur', { first: 'yes', holder: 'Test Shop' }), {
      '/first': 'first must be true or false.',
      '/holder': 'holder must be an object.',
    });
  });

  test('with an id of another form', async () => {
    await begin();
    for (const id of ['EUR', 'e_r', 'eur%20', '..%2Feur', 'x'.repeat(33), '%F0%9F%99%82'])
      for (const body of [euros, { ...euros, id }])
        assert.match((await refused(id, body))['/id'], /must have (only a to z|at most 32)/, id);
    // Behind an address that reads as another id, nothing was made.
    assert.deepEqual(await list(), []);
  });

  test('beyond the largest number, and with more than a body may have', async () => {
    const number = (index: number) => ({ ...dollars, account_number: `${1000 + index}` });
    await begin();
    for (let index = 0; index < 100; index++) succeeded(await set(`usd-${index}`, number(index)), 201);
    assert.deepEqual(await refused('usd-100', number(100)), {
      '/receiving_accounts': 'receiving_accounts must have at most 100 elements.',
    });
    const large = await writesNothing(service, () =>
      set('usd-1', { bank_name: 'x'.repeat(BODY_LIMIT_BYTES) }),
    );
    assert.equal(large.status, 413);
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field${index}`, '']));
    assert.equal(Object.keys(await refused('usd-1', many)).length, 100);
  });
});

suite('several requests', () => {
  test('with one idempotency key are one change', async () => {
    await begin();
    const headers = { 'idempotency-key': 'first-account' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => set('eur', euros, headers)));
    const [text] = new Set(answers.map((each) => `${each.status} ${each.text}`));
    assert.ok(answers.every((each) => `${each.status} ${each.text}` === text && each.status === 201));
    assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
    // Later changes do not change the answer that was given.
    succeeded(await set('eur', { bank_name: 'Bank' }));
    succeeded(await call('DELETE', '/v3/receiving_account/eur'));
    succeeded(await set('other', euros), 201);
    assert.equal((await set('eur', euros, headers)).text, answers[0]?.text);
    assertRefused(await set('eur', dollars, headers), {
      status: 422,
      message: 'RECEIVING_ACCOUNT.SET.KEY_REUSED',
      errors: [[19031]],
    });
  });

  test('at once change what each of them names, and nothing is lost', async () => {
    await begin({ eur: euros });
    const fields = { bank_name: 'Bank', bank_code: '12030000', account_number: '202051', bic: 'BYLADEM1001' };
    const others = Array.from({ length: 8 }, (_, index) => `usd-${index}`);
    await Promise.all([
      ...Object.entries(fields).map(async ([name, value]) => succeeded(await set('eur', { [name]: value }))),
      ...others.map(async (id, index) =>
        succeeded(await set(id, { ...dollars, account_number: `${1000 + index}` }), 201),
      ),
    ]);
    const all = await list();
    assert.deepEqual(idsOf(all).sort(), ['eur', ...others]);
    const changed = all.find(({ id }) => id === 'eur') ?? {};
    for (const [name, value] of Object.entries(fields)) assert.equal(changed[name], value);
  });

  test('at once with one number: one of them gets it', async () => {
    await begin();
    const answers = await Promise.all(['a', 'b', 'c'].map((id) => set(id, euros)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400, 400]);
    assert.equal((await list()).length, 1);
  });
});

test('each change is on record with the key that made it', async () => {
  await begin();
  const made = await set('eur', euros);
  const request_id = made.headers.get('x-request-id') ?? '';
  const rows = await database.query(
    'SELECT subject, action, actor FROM audit WHERE request_id = ?',
    request_id,
  );
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [{ subject: 'eur', action: 'set_receiving_account', actor: service.key.id }],
  );
});
