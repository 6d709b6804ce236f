/** Account settings over the API: what a key with `manage` changes, what null means, and what is refused. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { AccountSettings } from '../../src/accounts/settings.ts';
import { BODY_LIMIT_BYTES } from '../../src/http/body.ts';
import { openStore } from '../../src/store/open.ts';
import { mappings } from '../statements/expected-other.ts';
import { startService } from '../support/service.ts';
import { configure, eur } from './bank.ts';
import { assertRefused, createSession, type Data, succeeded, writesNothing } from './shop.ts';

const service = await startService({ after });
const { call, database } = service;

const update = (body: object | string, headers: Record<string, string> = {}) =>
  call('PUT', '/v3/account_settings', { body, headers });
const fetched = async (headers: Record<string, string> = {}): Promise<Data> =>
  succeeded(await call('GET', '/v3/account_settings', { headers }));

/** The account begins each test with the defaults, but for these parts. */
const begin = (settings: Partial<AccountSettings> = {}) =>
  configure(service, { receivingAccounts: [], ...settings });

const defaults = {
  object: 'account_settings',
  name: service.account.name,
  policy: {
    underpayment_tolerance_basis_points: 0,
    underpayment_tolerance_at_most: 0,
    excess: 'keep',
    late: 'accept',
    unreferenced: 'match',
    grace_minutes: {},
  },
  business: { address_lines: [], tax_id: '', email: '' },
  branding: { accent_color: '' },
  csv_mappings: {},
  compatibility: 'strict',
  webhook_url_events: null,
};

suite('account settings', () => {
  test('are shown whole, with their defaults and without what is secret', async () => {
    await begin({ receivingAccounts: [eur] });
    const { status, json, text } = await call('GET', '/v3/account_settings');
    assert.equal(status, 200);
    assert.deepEqual(json.data, defaults);
    for (const secret of Object.values(service.account.webhookSecrets)) assert.ok(!text.includes(secret));
  });

  test('are accepted as they came, which changes nothing, and with one field changed', async () => {
    await begin({ csvMappings: { swiss: mappings['swiss.csv'] }, receivingAccounts: [eur] });
    const came = await fetched();
    assert.deepEqual(succeeded(await update(came)), came);
    const { policy } = came;
    const body = { ...came, policy: { ...policy, late: 'hold' } };
    assert.deepEqual(succeeded(await update(body)), body);
    assertRefused(await update({ ...came, object: 'account', status: 'x' }), {
      status: 400,
      message: 'ACCOUNT_SETTINGS.UPDATE.FIELD_INVALID',
      errors: [
        [15502, '/object'],
        [15502, '/status'],
      ],
    });
  });

  test('change in the given fields alone', async () => {
    await begin({ receivingAccounts: [eur] });
    const body = {
      policy: { late: 'hold', grace_minutes: { bank: 60 } },
      business: { address_lines: ['Street 1'], tax_id: ' DE1 ' },
    };
    const expected = {
      ...defaults,
      policy: { ...defaults.policy, late: 'hold', grace_minutes: { bank: 60 } },
      business: { ...defaults.business, address_lines: ['Street 1'], tax_id: 'DE1' },
    };
    assert.deepEqual(succeeded(await update(body)), expected);
    assert.deepEqual(succeeded(await update({ policy: { excess: 'refund' } })), {
      ...expected,
      policy: { ...expected.policy, excess: 'refund' },
    });
    assert.deepEqual(succeeded(await call('GET', '/v3/receiving_account')).length, 1);
  });

  test('get their defaults from null, and types of events those that compatibility implies', async () => {
    await begin({ webhookUrlEvents: ['checkout.paid'], csvMappings: { swiss: mappings['swiss.csv'] } });
    succeeded(await update({ policy: { late: 'hold', excess: 'refund' } }));
    const { policy, webhook_url_events: events } = succeeded(await update({ policy: { late: null } }));
    assert.deepEqual([policy.late, policy.excess, events], ['accept', 'refund', ['checkout.paid']]);
    const whole = { policy: null, csv_mappings: { swiss: null }, webhook_url_events: null };
    assert.deepEqual(succeeded(await update(whole)), defaults);
    // None at all is not null.
    assert.deepEqual(succeeded(await update({ webhook_url_events: [] })).webhook_url_events, []);
  });

  test('count from the next request on', async () => {
    await begin();
    const body = { invoice_currency: 'JPY', amount: 2400 };
    assert.equal((await createSession(service, body)).amount, 2400);
    succeeded(await update({ compatibility: 'v3' }));
    assert.equal((await createSession(service, { ...body, amount: 240_000 })).amount, 240_000);
    // No client of another v3 service sends settings: they are read by the letter all the same.
    for (const body of [{ receiving_accounts: [] }, { policy: { lat: 'hold' } }]) {
      const answer = await writesNothing(service, () => update(body));
      assert.deepEqual([answer.status, answer.headers.get('ignored-fields')], [400, null]);
    }
    assert.equal(succeeded(await update({ compatibility: null })).compatibility, 'strict');
    assert.equal((await createSession(service, body)).amount, 2400);
  });

  test('are known to another process within a second', async () => {
    await begin();
    const store = await openStore(service.config, { serve: false });
    try {
      const late = async () =>
        (await store.accounts.fetch(service.account.number))?.settings.test.policy.late;
      assert.equal(await late(), 'accept');
      succeeded(await update({ policy: { late: 'hold' } }));
      const deadline = performance.now() + database.directoryLagMs;
      while (performance.now() < deadline) if ((await late()) === 'hold') break;
      assert.equal(await late(), 'hold');
    } finally {
      await store.close();
    }
  });

  test('belong to the mode of the key', async () => {
    await begin();
    const { authorization } = await service.createKey({ mode: 'live', permissions: ['manage'] });
    succeeded(await update({ policy: { late: 'hold' } }, { authorization }));
    assert.equal((await fetched({ authorization })).policy.late, 'hold');
    assert.deepEqual(await fetched(), defaults);
  });
});

suite('a change of account settings is refused', () => {
  const refused = async (body: object | string) => {
    const { status, json } = await writesNothing(service, () => update(body));
    assert.equal(status, 400, JSON.stringify(json));
    return Object.fromEntries(json.errors.map(({ remarks, message }: Data) => [remarks, message]));
  };

  test('with all mistakes at once, those of its form and those between fields', async () => {
    await begin();
    assert.deepEqual(
      await refused({
        policy: { late: 'never', underpayment_tolerance_at_most: 5 },
        business: { email: 'nobody', name: 'Shop' },
        csv_mappings: { swiss: { decimal: ';' } },
        receiving_accounts: [{ id: 'eur' }],
        webhook_url_events: ['checkout.gone'],
      }).then((errors) => Object.keys(errors).sort()),
      [
        '/business/email',
        '/business/name',
        '/csv_mappings/swiss/account',
        '/csv_mappings/swiss/amount',
        '/csv_mappings/swiss/booked_on',
        '/csv_mappings/swiss/currency',
        '/csv_mappings/swiss/date_format',
        '/csv_mappings/swiss/decimal',
        '/csv_mappings/swiss/delimiter',
        '/policy/late',
        '/policy/underpayment_tolerance_basis_points',
        '/receiving_accounts',
        '/webhook_url_events/0',
      ],
    );
    assert.deepEqual(await refused({ policy: { underpayment_tolerance_at_most: 5 } }), {
      '/policy/underpayment_tolerance_basis_points':
        'policy/underpayment_tolerance_basis_points must be more than 0 as well: one limit alone tolerates nothing.',
    });
  });

  test('where the body is no object, or longer than a body may be', async () => {
    await begin();
    for (const body of ['[]', '"strict"', '5', 'null'])
      assert.deepEqual(Object.keys(await refused(body)), [''], body);
    // A field without a name is not the body.
    assert.deepEqual(await refused({ '': 1 }), { '/': '"" is not a known field.' });
    const large = await writesNothing(service, () =>
      update({ business: { tax_id: 'x'.repeat(BODY_LIMIT_BYTES) } }),
    );
    assert.equal(large.status, 413);
  });

  test('from a key that was revoked, or may not manage', async () => {
    await begin();
    const key = await service.createKey({ permissions: ['manage'] });
    const headers = { authorization: key.authorization };
    succeeded(await update({ policy: { late: 'hold' } }, headers));
    succeeded(await call('POST', `/v3/api_key/${key.id}/revoke`));
    const body = { policy: { late: 'accept' } };
    assert.equal((await writesNothing(service, () => update(body, headers))).status, 401);
    const { authorization } = await service.createKey({ permissions: ['read', 'write'] });
    assert.equal((await writesNothing(service, () => update(body, { authorization }))).status, 403);
    assert.equal((await fetched()).policy.late, 'hold');
  });
});

suite('several changes of account settings', () => {
  test('at once lose nothing of each other, of different parts and of one', async () => {
    await begin();
    const bodies = [
      { policy: { late: 'hold' } },
      { policy: { excess: 'refund' } },
      { policy: { grace_minutes: { bank: 60 } } },
      { policy: { grace_minutes: { stripe: 5 } } },
      { business: { tax_id: 'DE1' } },
      { business: { email: 'shop@example.com' } },
      { webhook_url_events: ['checkout.paid'] },
    ];
    await Promise.all(bodies.map(async (body) => succeeded(await update(body))));
    assert.deepEqual(await fetched(), {
      ...defaults,
      policy: { ...defaults.policy, late: 'hold', excess: 'refund', grace_minutes: { bank: 60, stripe: 5 } },
      business: { address_lines: [], tax_id: 'DE1', email: 'shop@example.com' },
      webhook_url_events: ['checkout.paid'],
    });
  });

  test('with one idempotency key are one, and the answer stays', async () => {
    await begin();
    const headers = { 'idempotency-key': 'late-1' };
    const body = { policy: { late: 'hold' } };
    const first = await update(body, headers);
    assert.equal(first.headers.get('idempotent-replayed'), null);
    succeeded(await update({ policy: { late: 'accept' } }));
    const again = await update(body, headers);
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal((await fetched()).policy.late, 'accept');
    assertRefused(await update({}, headers), {
      status: 422,
      message: 'ACCOUNT_SETTINGS.UPDATE.KEY_REUSED',
      errors: [[19031]],
    });
  });
});

test('the name of the account changes by a key of live mode alone', async () => {
  await begin();
  const { authorization } = await service.createKey({ mode: 'live', permissions: ['manage'] });
  const headers = { authorization };
  const before = await fetched(headers);
  assert.equal(before.name, service.account.name);
  const { name } = succeeded(await update({ name: 'Till & Söhne' }, headers));
  assert.equal(name, 'Till & Söhne');
  assert.equal((await fetched()).name, name);
  const refused = {
    status: 400,
    message: 'ACCOUNT_SETTINGS.UPDATE.FIELD_INVALID',
    errors: [
      [15502, '/name'],
      [15502, '/policy/late'],
    ],
  } as const;
  assertRefused(await update({ name: 'Shop', policy: { late: 'x' } }), refused);
  for (const other of [null, 5, '', ' ', 'x'.repeat(101), 'two\nlines'])
    assertRefused(await update({ name: other, policy: { late: 'x' } }, headers), refused);
  assert.equal((await fetched()).name, name);
  succeeded(await update(before, headers));
  assert.deepEqual(await fetched(headers), before);
});

test('each change is on record with the key that made it, and one that changes nothing is not', async () => {
  await begin();
  const lines = async (answer: { headers: Headers }) => {
    const id = answer.headers.get('x-request-id') ?? '';
    return database.query('SELECT subject, action, actor FROM audit WHERE request_id = ?', id);
  };
  const made = await lines(await update({ policy: { late: 'hold' } }));
  assert.deepEqual(
    made.map((row) => ({ ...row })),
    [{ subject: 'account', action: 'change_settings', actor: service.key.id }],
  );
  assert.deepEqual(await lines(await update({ policy: { late: 'hold' } })), []);
});
