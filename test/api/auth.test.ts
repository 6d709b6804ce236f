/**
 * Access control: every operation with every kind of credentials. `keys.test.ts` has what depends on the
 * database.
 */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { allPermissions } from '../../src/accounts/api-key.ts';
import type { Mode } from '../../src/checkout/tenant.ts';
import { contentsOf } from '../support/database.ts';
import { revokeKey } from '../support/revoke-key.ts';
import { type Answer, startService } from '../support/service.ts';
import { readDocument } from './document.ts';
import { type Operation, operations } from './every-operation.ts';
import { startReceiver } from './receiver.ts';
import { assertRefused, createSession, type Data, WELL_FORMED_ID, writesNothing } from './shop.ts';
import { prefixes, subjectsOf, unknownId } from './subjects.ts';

// The clock stands still: the worker has nothing to write while a request is shown to write nothing.
const startedAt = Date.now();
const service = await startService({ after }, { realNow: () => startedAt, pollMs: 20 });
const { call } = service;
const neighbour = await service.service.store.accounts.create(
  { name: 'Neighbour', webhookSecrets: service.account.webhookSecrets, testClockOffsetMs: 0 },
  Date.now(),
);
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const subjects = subjectsOf(service, await startReceiver({ after }));

function ask({ method, path, body, query = '' }: Operation, id: string, headers: Record<string, string>) {
  const sent = typeof body === 'function' ? body(id) : body;
  return call(method, path.replace('{id}', id) + query, { body: sent, headers });
}

/** The answer as a client sees it, without the time and headers of the connection. */
function visible({ status, headers, text }: Answer) {
  const { date, connection, 'keep-alive': _, ...rest } = Object.fromEntries(headers);
  return { status, rest, text };
}

const restricted = async (mode: Mode) =>
  Object.fromEntries(
    await Promise.all(
      allPermissions.map(
        async (each) => [each, await service.createKey({ mode, permissions: [each] })] as const,
      ),
    ),
  );
const keys = {
  neighbour: await service.createKey({ account: neighbour.number }),
  live: await service.createKey({ mode: 'live' }),
  liveNeighbour: await service.createKey({ account: neighbour.number, mode: 'live' }),
  revoked: await service.createKey(),
  restricted: await restricted('test'),
  liveRestricted: await restricted('live'),
};
await revokeKey(service.service.store, keys.revoked.id);
const payersToken = new URL((await createSession(service)).url).pathname.split('/').pop() ?? '';
const { id: keyId, secret } = service.key;

const wrongCredentials: Record<string, string> = {
  'a revoked key': keys.revoked.authorization,
  'the secret of a revoked key': `Bearer ${keys.revoked.secret}`,
  'a wrong secret': basic(keyId, `${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`),
  'the secret of another key': basic(keyId, keys.live.secret),
  'the secret in capitals': basic(keyId, secret.toUpperCase()),
  'no secret': basic(keyId, ''),
  'no colon': `Basic ${Buffer.from(keyId).toString('base64')}`,
  'an unknown key': basic('ak_test_0000000000000000', secret),
  'a key with a NUL character': basic(`${keyId}\0`, secret),
  'the key as a bearer': `Bearer ${keyId}`,
  'an unknown bearer': 'Bearer sk_test_0000000000000000',
  'a payer’s token': `Bearer ${payersToken}`,
  'a payer’s token as a key': basic(payersToken, payersToken),
  'a bearer of nothing': 'Bearer',
  'another scheme': `Digest ${secret}`,
  'no scheme': secret,
  'two bearers': `Bearer ${secret}, Bearer ${secret}`,
};

test('the matrix has every operation of the API', async () => {
  const { json } = await call('GET', '/openapi.json');
  const documented = readDocument(json).operations.map(({ method, path }) => `${method} ${path}`);
  const tested = operations.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(tested.sort(), documented.filter((each) => each.includes(' /v3/')).sort());
});

/** All that is there of their accounts and modes: the key itself, and what the test service has in live mode. */
const ownIds: Readonly<Record<string, { readonly neighbour?: string[]; readonly live: string[] }>> = {
  'API_KEY.LIST': {
    neighbour: [keys.neighbour.id],
    live: [keys.live, ...Object.values(keys.liveRestricted)].map(({ id }) => id),
  },
  'RECEIVING_ACCOUNT.LIST': { live: ['eur'] },
};

for (const row of operations) {
  const { method, path, operation, permission, subject, testOnly, liveOnly, ofBothModes, ofInstallation } =
    row;
  const own = liveOnly ? keys.live : service.key;
  suite(`${method} ${path}`, () => {
    test('answers its own account, by Basic and by bearer', async () => {
      for (const authorization of [own.authorization, `Bearer ${own.secret}`, `bearer  ${own.secret}`]) {
        const { status } = await ask(row, await subjects[subject](), { authorization });
        assert.ok([200, 201, 204].includes(status), String(status));
      }
    });

    for (const only of allPermissions) {
      const allowed = only === permission;
      test(`${allowed ? 'answers' : 'refuses'} a key for ${only} alone`, async () => {
        const id = await subjects[subject]();
        const { [only]: key } = liveOnly ? keys.liveRestricted : keys.restricted;
        const headers = { authorization: key?.authorization ?? '' };
        if (allowed) {
          assert.ok((await ask(row, id, headers)).status < 300);
          return;
        }
        const answer = await writesNothing(service, () => ask(row, id, headers));
        assertRefused(answer, { status: 403, message: `${operation}.SCOPE_MISSING`, errors: [[113]] });
      });
    }

    test('answers nobody without credentials', async () => {
      const id = await subjects[subject]();
      for (const authorization of ['', ' ']) {
        const answer = await writesNothing(service, () => ask(row, id, { authorization }));
        assertRefused(answer, { status: 401, message: `${operation}.NO_CREDENTIALS`, errors: [[109]] });
        assertChallenge(answer);
      }
    });

    test('answers nobody with wrong credentials', async () => {
      const id = await subjects[subject]();
      for (const [what, authorization] of Object.entries(wrongCredentials)) {
        const answer = await writesNothing(service, () => ask(row, id, { authorization }));
        assert.equal(answer.status, 401, what);
        assertRefused(answer, { status: 401, message: `${operation}.WRONG_CREDENTIALS`, errors: [[108]] });
        assertChallenge(answer);
      }
    });

    for (const who of ['neighbour', liveOnly ? 'test' : 'live'] as const) {
      const neighbours = liveOnly ? keys.liveNeighbour : keys.neighbour;
      const { authorization } = who === 'neighbour' ? neighbours : liveOnly ? service.key : keys.live;
      if (who === 'test' || (who === 'live' && testOnly)) {
        test(`refuses a ${who} key`, async () => {
          const id = await subjects[subject]();
          const answer = await writesNothing(service, () => ask(row, id, { authorization }));
          assertRefused(answer, { status: 403, message: `${operation}.SCOPE_MISSING`, errors: [[113]] });
        });
      } else if (ofInstallation) {
        test(`answers a ${who} key that has the permission`, async () => {
          const answer = await ask(row, await subjects[subject](), { authorization });
          assert.ok(answer.status < 300, answer.text);
        });
      } else if (who === 'live' && ofBothModes) {
        test('tells a live key the same', async () => {
          const id = await subjects[subject]();
          const same = { 'x-request-id': 'same' };
          const answer = await ask(row, id, { ...same, authorization });
          assert.deepEqual(
            visible(answer),
            visible(await ask(row, id, { ...same, authorization: own.authorization })),
          );
          assert.equal(answer.status, 200);
        });
      } else if (subject in prefixes) {
        test(`tells a ${who} key what it tells of an unknown id`, async () => {
          const headers = { authorization, 'x-request-id': 'same' };
          const id = await subjects[subject]();
          const foreign = await writesNothing(service, () => ask(row, id, headers));
          const unknown = await ask(row, unknownId(subject as keyof typeof prefixes), headers);
          if (row.creates) assert.equal(foreign.json.message, `${operation}.FIELD_INVALID`);
          else assertRefused(foreign, { status: 404, message: `${operation}.NOT_FOUND`, errors: [[105]] });
          assert.deepEqual(visible(foreign), visible(unknown));
        });
      } else if (operation.endsWith('.LIST')) {
        test(`shows a ${who} key nothing of others`, async () => {
          await createSession(service, { customer_details: { name: 'Ada' } });
          const { data } = (await ask(row, '', { authorization })).json;
          const own = ownIds[operation]?.[who] ?? [];
          // Changes of members, who are of both modes, stand in the log of live mode.
          const isOfMember = ({ subject = '' }: Data) =>
            operation === 'AUDIT.LIST' && subject.startsWith('usr_');
          const shown: Data[] = data.filter((each: Data) => who === 'neighbour' || !isOfMember(each));
          assert.deepEqual(shown.map(({ id }) => id).sort(), own.toSorted());
        });
      }
    }
  });
}

function assertChallenge({ headers }: Answer): void {
  assert.equal(
    headers.get('www-authenticate'),
    'Basic realm="opentill", charset="UTF-8", Bearer realm="opentill"',
  );
}

test('a customer of another account is unknown to create', async () => {
  const id = await subjects.customer();
  const headers = { authorization: keys.neighbour.authorization, 'x-request-id': 'same' };
  const create = (customer: string) =>
    call('POST', '/v3/checkout', { body: { invoice_currency: 'EUR', customer }, headers });
  const foreign = await writesNothing(service, () => create(id));
  assert.equal(foreign.status, 400);
  assert.deepEqual(visible(foreign), visible(await create(`cus_${WELL_FORMED_ID}`)));
});

test('secrets carry their mode, 200 random bits and a checksum, and only their hash is stored', async () => {
  assert.match(secret, /^sk_test_[0-9a-hjkmnp-tv-z]{40}[0-9a-z]{7}$/);
  assert.match(keys.live.secret, /^sk_live_/);
  assert.match(keyId, /^ak_test_/);
  for (const [table, rows] of await contentsOf(service.database)) {
    assert.equal(rows.includes(secret), false, table);
  }
});
