/** Changes of what an account has, for one version of it: the second of two is refused, and nothing of it is written. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { newId } from '../../src/lib/id.ts';
import { png } from '../support/image.ts';
import { startService } from '../support/service.ts';
import { changeUser } from '../support/users.ts';
import { IBAN } from './bank.ts';
import { assertRefused, type Data, succeeded, writesNothing } from './shop.ts';

const startedAt = Date.now();
const service = await startService({ after }, { realNow: () => startedAt, pollMs: 20 });
const { call } = service;

type Resource = {
  readonly path: string;
  readonly live?: true;
  /** A change of one field, to a value that tells it from others. */
  readonly change: (value: string) => object;
  /** The value in what the API tells. */
  readonly told: (data: Data) => string;
  readonly made?: () => Promise<unknown>;
};

const holder = { name: 'Test Shop', country: 'DE' };
const own = { secret_key: 'rk_test_own0key0of0a0shop', webhook_secret: 'whsec_own0secret0of0a0shop' };
const made: Record<string, Promise<Data>> = {};
const endpoint = (): Promise<Data> => {
  made.endpoint ??= call('POST', '/v3/webhook_endpoint', { body: { url: 'http://127.0.0.1:9/' } }).then(
    (answer) => succeeded(answer, 201),
  );
  return made.endpoint;
};

const resources: Readonly<Record<string, () => Promise<Resource>>> = {
  'account settings': async () => ({
    path: '/v3/account_settings',
    change: (value) => ({ business: { tax_id: value } }),
    told: (data) => data.business.tax_id,
  }),
  'a receiving account': async () => {
    await call('PUT', '/v3/receiving_account/eur', { body: { currency: 'EUR', holder, iban: IBAN } });
    return {
      path: '/v3/receiving_account/eur',
      change: (value) => ({ bank_name: value }),
      told: (data) => data.bank_name ?? '',
    };
  },
  'credentials at a rail': async () => {
    await call('PUT', '/v3/rail_credentials/stripe', { body: own });
    return {
      path: '/v3/rail_credentials/stripe',
      change: (value) => ({ secret_key: `rk_test_own0key0of0a0shop${value.padStart(4, '0')}` }),
      told: (data) => data.hints.secret_key.replace(/^0+/, ''),
    };
  },
  'a webhook endpoint': async () => ({
    path: `/v3/webhook_endpoint/${(await endpoint()).id}`,
    change: (value) => ({ description: value }),
    told: (data) => data.description,
  }),
};

/** Refused with the one reason, which names no field. */
function assertStale(answer: Awaited<ReturnType<typeof call>>): void {
  const message = String(answer.json.message);
  assert.match(message, /\.VERSION_STALE$/);
  assertRefused(answer, { status: 412, message, errors: [[19030]] });
}

const quoted = /^"[\w-]+"$/;

for (const [name, resourceOf] of Object.entries(resources))
  suite(`${name}, changed for a version`, () => {
    let known: Promise<Resource> | undefined;
    const state = async () => {
      known ??= resourceOf();
      const resource = await known;
      const answer = await call('GET', resource.path);
      const etag = answer.headers.get('etag') ?? '';
      assert.match(etag, quoted);
      return { ...resource, etag, value: resource.told(succeeded(answer)) };
    };
    const put = ({ path, change }: Resource, value: string, headers: Record<string, string>) =>
      call('PUT', path, { body: change(value), headers });

    test('is changed while that is the one that there is, and tells the next', async () => {
      const before = await state();
      const answer = await put(before, 'one', { 'if-match': before.etag });
      assert.equal(before.told(succeeded(answer)), 'one');
      const now = await state();
      assert.deepEqual([now.etag, now.value], [answer.headers.get('etag'), 'one']);
      assert.notEqual(now.etag, before.etag);
    });

    test('is not changed for another one, and nothing is written', async () => {
      const before = await state();
      succeeded(await put(before, 'two', {}));
      const current = (await state()).etag;
      for (const wrong of [before.etag, '"1x"', `W/${current}`, 'no tag', ''])
        await writesNothing(service, async () => {
          const refused = await put(before, 'lost', { 'if-match': wrong });
          assertStale(refused);
        });
      const { value, etag } = await state();
      assert.equal(value, 'two');
      succeeded(await put(before, 'three', { 'if-match': `"other", ${etag}` }));
      succeeded(await put(before, 'four', { 'if-match': '*' }));
    });

    test('is not made anew where it has to be missing', async () => {
      const before = await state();
      for (const header of ['*', before.etag, `"other", W/${before.etag}`]) {
        const refused = await put(before, 'lost', { 'if-none-match': header });
        assertStale(refused);
      }
      succeeded(await put(before, 'five', { 'if-none-match': '"other"' }));
    });

    test('is changed by one of many that are for the same version', async () => {
      const before = await state();
      const values = Array.from({ length: 8 }, (_, at) => `v${at}`);
      const answers = await Promise.all(
        values.map((value) => put(before, value, { 'if-match': before.etag })),
      );
      const statuses = answers.map(({ status }) => status);
      assert.deepEqual(statuses.toSorted(), [200, ...Array(7).fill(412)]);
      assert.equal((await state()).value, values[statuses.indexOf(200)]);
    });

    test('is changed once by a request that comes twice', async () => {
      const before = await state();
      const headers = { 'if-match': before.etag, 'idempotency-key': `once ${name}` };
      const [first, second] = [await put(before, 'six', headers), await put(before, 'six', headers)];
      assert.deepEqual(
        [second.text, second.headers.get('etag'), second.headers.get('idempotent-replayed')],
        [first.text, first.headers.get('etag'), 'true'],
      );
    });
  });

suite('what is not there', () => {
  test('is made where it has to be missing, and not where it has to be there', async () => {
    const body = { currency: 'EUR', holder, account_number: '7' };
    const put = (id: string, headers: Record<string, string>) =>
      call('PUT', `/v3/receiving_account/${id}`, { body, headers });
    for (const header of ['*', '"any"']) assertStale(await put('new', { 'if-match': header }));
    const answer = await put('new', { 'if-none-match': '*' });
    assert.equal(succeeded(answer, 201).id, 'new');
    assert.match(answer.headers.get('etag') ?? '', quoted);
    assertStale(await put('new', { 'if-none-match': '*' }));
    const unknown = await call('PUT', '/v3/webhook_endpoint/whe_01kf00000000000000000000a1', {
      body: { description: 'x' },
      headers: { 'if-match': '"1"' },
    });
    assert.equal(unknown.status, 404);
  });
});

type Removal = { readonly path: string; readonly again: () => Promise<unknown> };

const bare = { currency: 'EUR', holder, account_number: '8' };
const removals: Readonly<Record<string, () => Promise<Removal>>> = {
  'a receiving account': async () => {
    const path = '/v3/receiving_account/bare';
    await call('PUT', path, { body: bare });
    return { path, again: () => call('PUT', path, { body: { bank_name: 'Another Bank' } }) };
  },
  'credentials at a rail': async () => {
    const path = '/v3/rail_credentials/stripe';
    await call('PUT', path, { body: own });
    return { path, again: () => call('PUT', path, { body: own }) };
  },
  'a webhook endpoint': async () => {
    const body = { url: 'http://127.0.0.1:9/removed' };
    const { id } = succeeded(await call('POST', '/v3/webhook_endpoint', { body }), 201);
    const path = `/v3/webhook_endpoint/${id}`;
    return { path, again: () => call('PUT', path, { body: { description: 'another' } }) };
  },
};

const tagAt = async (path: string): Promise<string> =>
  (await call('GET', path)).headers.get('etag') ?? assert.fail(`${path} has no ETag`);

suite('what somebody else has changed', () => {
  for (const [name, removalOf] of Object.entries(removals))
    test(`is not deleted for the version before: ${name}`, async () => {
      const { path, again } = await removalOf();
      const seen = await tagAt(path);
      await again();
      await writesNothing(service, async () => {
        assertStale(await call('DELETE', path, { headers: { 'if-match': seen } }));
      });
      const answer = await call('DELETE', path, { headers: { 'if-match': await tagAt(path) } });
      assert.equal(succeeded(answer).deleted, true);
      assert.equal(answer.headers.get('etag'), null);
      assert.equal((await call('GET', path)).status, 404);
    });

  test('is another version also where the same credentials are set at the same moment', async () => {
    const path = '/v3/rail_credentials/stripe';
    const tags = [];
    for (let times = 0; times < 3; times++) {
      succeeded(await call('PUT', path, { body: own }), times === 0 ? 201 : 200);
      tags.push(await tagAt(path));
    }
    assert.equal(new Set(tags).size, 3);
  });

  test('gets no new secret for the version before', async () => {
    const { path, again } = await (removals['a webhook endpoint'] ?? assert.fail())();
    const seen = await tagAt(path);
    await again();
    await writesNothing(service, async () => {
      assertStale(await call('POST', `${path}/rotate_secret`, { headers: { 'if-match': seen } }));
    });
    const answer = await call('POST', `${path}/rotate_secret`, {
      headers: { 'if-match': await tagAt(path) },
    });
    succeeded(answer);
    assert.equal(answer.headers.get('etag'), await tagAt(path));
  });
});

suite('the secret of webhooks to sessions’ addresses', () => {
  const path = '/v3/webhook_secret';
  const rotate = (headers: Record<string, string> = {}, body: object = {}) =>
    call('POST', `${path}/rotate`, { body, headers });

  test('is told of without itself, and by another tag behind each rotation', async () => {
    const before = await call('GET', path);
    const object = 'webhook_secret';
    assert.deepEqual(succeeded(before), { object, previous_secret_expires_at: null });
    const seen = before.headers.get('etag') ?? '';
    assert.match(seen, quoted);
    const made = await rotate({ 'if-match': seen });
    const { secret, previous_secret_expires_at: until } = succeeded(made);
    assert.match(secret, /^whsec_/);
    const now = await call('GET', path);
    assert.deepEqual(succeeded(now), { object, previous_secret_expires_at: until });
    assert.equal(now.headers.get('etag'), made.headers.get('etag'));
    assert.notEqual(now.headers.get('etag'), seen);
    succeeded(await rotate({}, { overlap_seconds: 0 }));
    const last = await call('GET', path);
    assert.equal(succeeded(last).previous_secret_expires_at, null);
    assert.notEqual(last.headers.get('etag'), now.headers.get('etag'), 'also without an overlap');
  });

  test('is rotated for a version by one of several, and by nobody for the version before', async () => {
    const seen = await tagAt(path);
    succeeded(await call('PUT', '/v3/account_settings', { body: { business: { tax_id: 'secret' } } }));
    const answers = await Promise.all([1, 2, 3].map(() => rotate({ 'if-match': seen })));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 412, 412]);
    await writesNothing(service, async () => assertStale(await rotate({ 'if-match': seen })));
    succeeded(await rotate({ 'if-match': await tagAt(path) }));
    succeeded(await rotate());
  });

  test('is rotated once by a request that comes twice', async () => {
    const headers = { 'if-match': await tagAt(path), 'idempotency-key': 'rotated once' };
    const [first, second] = [await rotate(headers), await rotate(headers)];
    assert.deepEqual([second.status, second.text], [200, first.text]);
    assert.equal(second.headers.get('etag'), await tagAt(path));
  });
});

suite('the role of a member, changed for a version', () => {
  const live = service.createKey({ mode: 'live' });
  const neighbour = service.service.store.accounts
    .create(
      { name: 'Neighbour', webhookSecrets: service.account.webhookSecrets, testClockOffsetMs: 0 },
      Date.now(),
    )
    .then(({ number }) => service.createKey({ account: number, mode: 'live' }));
  type Given = { readonly body?: object; readonly headers?: Record<string, string> };
  const callAs = async (key: typeof live, method: string, path: string, { body, headers }: Given = {}) =>
    call(method, path, {
      ...(body && { body }),
      headers: { authorization: (await key).authorization, ...headers },
    });
  const ask = (method: string, path: string, given?: Given) => callAs(live, method, path, given);
  const versionOf = async (path: string) => {
    const answer = await ask('GET', path);
    const etag = answer.headers.get('etag') ?? '';
    assert.match(etag, quoted);
    return { etag, role: succeeded(answer).role };
  };
  async function invited(role = 'support') {
    const made = succeeded(await ask('POST', '/v3/member', { body: { role } }), 201);
    const path = `/v3/member/${made.id}`;
    const put = (to: string, headers: Record<string, string> = {}) =>
      ask('PUT', path, { body: { role: to }, headers });
    return { ...made, path, put };
  }

  test('is changed while that is the one that there is, and tells the next', async () => {
    const { path, put } = await invited();
    const before = await versionOf(path);
    const answer = await put('finance', { 'if-match': before.etag });
    assert.equal(succeeded(answer).role, 'finance');
    const now = await versionOf(path);
    assert.deepEqual([now.etag, now.role], [answer.headers.get('etag'), 'finance']);
    assert.notEqual(now.etag, before.etag);
    assert.notEqual(now.etag, (await versionOf((await invited('finance')).path)).etag, 'of this member');
  });

  test('is neither changed nor taken for another one, and nothing is written', async () => {
    const { path, put } = await invited();
    const { etag: seen } = await versionOf(path);
    succeeded(await put('finance'));
    const current = (await versionOf(path)).etag;
    for (const wrong of [seen, `W/${current}`, 'no tag'])
      await writesNothing(service, async () => {
        assertStale(await put('read_only', { 'if-match': wrong }));
        assertStale(await ask('DELETE', path, { headers: { 'if-match': wrong } }));
      });
    assertStale(await put('read_only', { 'if-none-match': '*' }));
    assert.equal((await versionOf(path)).role, 'finance');
    succeeded(await put('read_only', { 'if-match': `"other", ${current}` }));
    const { etag } = await versionOf(path);
    assert.equal(succeeded(await ask('DELETE', path, { headers: { 'if-match': etag } })).deleted, true);
  });

  test('is changed by one of several that are for the same version', async () => {
    const { path, put } = await invited();
    const { etag } = await versionOf(path);
    const roles = ['finance', 'read_only', 'owner'];
    const answers = await Promise.all(roles.map((role) => put(role, { 'if-match': etag })));
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [200, 412, 412]);
    assert.equal((await versionOf(path)).role, roles[statuses.indexOf(200)]);
  });

  test('is the same version when its owner has another name, or a new link', async () => {
    const { id, path } = await invited();
    const { etag } = await versionOf(path);
    const reset = await ask('POST', `${path}/reset`, { headers: { 'if-match': etag } });
    assert.deepEqual([reset.status, reset.headers.get('etag')], [200, etag]);
    await writesNothing(service, async () => {
      assertStale(await ask('POST', `${path}/reset`, { headers: { 'if-match': '"other"' } }));
    });
    const [secretHash, signIn] = ['hash of a link', { id: newId('sgn', Date.now()), formToken: 'f' }];
    const { store } = service.service;
    await changeUser(store, id, {
      ...{ type: 'reset_user', account: null, link: { hash: secretHash, until: Date.now() + 60_000 } },
      now: Date.now(),
    });
    await changeUser(store, id, {
      ...{ type: 'accept_link', secretHash, name: 'Ada', email: 'ada@example.com', password: 'p' },
      signIn: { ...signIn, secretHash, address: '192.0.2.7', browser: 'Firefox' },
      now: Date.now(),
    });
    assert.equal((await versionOf(path)).etag, etag);
  });

  test('of who is no member, or one of another account, is not found for any version', async () => {
    const { path, put } = await invited();
    const { etag } = await versionOf(path);
    const unknown = '/v3/member/usr_01kf00000000000000000000a1';
    for (const [method, body] of [
      ['PUT', { role: 'finance' }],
      ['DELETE', undefined],
    ] as const) {
      const given = { ...(body && { body }), headers: { 'if-match': etag } };
      const foreign = await callAs(neighbour, method, path, given);
      const none = await callAs(neighbour, method, unknown, given);
      const told = ({ status, json: { errors } }: typeof none) => [status, errors];
      assert.equal(none.status, 404);
      assert.deepEqual(told(foreign), told(none));
    }
    succeeded(await put('finance', { 'if-match': etag }));
  });
});

suite('a logo, changed for a version', () => {
  const path = '/v3/logo';
  const put = (image: Buffer, headers: Record<string, string> = {}) =>
    call('PUT', path, { body: image, headers });
  const [one, two] = [png({ width: 10, height: 10 }), png({ width: 20, height: 20 })];

  test('is replaced and deleted while that is the one that there is, and made where there is none', async () => {
    await call('DELETE', path);
    assertStale(await put(one, { 'if-match': '*' }));
    const made = await put(one, { 'if-none-match': '*' });
    assert.equal(made.status, 201);
    const first = await tagAt(path);
    assert.match(first, quoted);
    assert.equal(made.headers.get('etag'), first);
    succeeded(await call('PUT', '/v3/account_settings', { body: { business: { tax_id: 'logo' } } }));
    const replaced = await put(two, { 'if-match': first });
    assert.equal(replaced.status, 200);
    const second = await tagAt(path);
    assert.deepEqual([replaced.headers.get('etag'), second === first], [second, false]);
    await writesNothing(service, async () => {
      assertStale(await put(one, { 'if-match': first }));
      assertStale(await put(one, { 'if-none-match': '*' }));
      assertStale(await call('DELETE', path, { headers: { 'if-match': first } }));
    });
    const answers = await Promise.all(
      [one, png({ width: 30, height: 30 })].map((image) => put(image, { 'if-match': second })),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 412]);
    const last = await call('DELETE', path, { headers: { 'if-match': await tagAt(path) } });
    assert.equal(last.status, 204);
  });
});
