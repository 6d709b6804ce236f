/** Endpoints that are refused: with every mistake named, and without a trace in the database. */
import assert from 'node:assert/strict';
import { after, suite, type TestContext, test } from 'node:test';
import { eventTypes } from '../../src/events/types.ts';
import { startService } from '../support/service.ts';
import { createEndpoint, path } from './endpoint.ts';
import { assertRefused, createSession, type Refused, succeeded, writesNothing } from './shop.ts';

const service = await startService({ after });
const { call } = service;
const live = { authorization: (await service.createKey({ mode: 'live' })).authorization };
const url = 'https://shop.example.com/hook';

type Errors = Refused['errors'];
const field = (...pointers: string[]): Errors => pointers.map((pointer) => [15502, pointer]);

/** Refused by create and by update. */
const rows: ReadonlyArray<readonly [what: string, body: object, errors: Errors]> = [
  ['an address that is none', { url: 'shop.example.com' }, field('/url')],
  ['a relative address', { url: '/hook' }, field('/url')],
  ['another protocol', { url: 'ftp://shop.example.com/hook' }, field('/url')],
  ['a user name', { url: 'https://ada@shop.example.com/hook' }, field('/url')],
  ['a password', { url: 'https://:secret@shop.example.com/hook' }, field('/url')],
  ['a fragment', { url: `${url}#top` }, field('/url')],
  ['an empty fragment', { url: `${url}#` }, field('/url')],
  ['a long address', { url: `${url}/${'x'.repeat(2048)}` }, field('/url')],
  ['a space in the address', { url: `${url}/a b` }, field('/url')],
  ['an address that is a number', { url: 1 }, field('/url')],
  ['a private network', { url: 'https://10.0.0.1/hook' }, field('/url')],
  ['the metadata of a cloud', { url: 'http://169.254.169.254/latest' }, field('/url')],
  ['a private network in another spelling', { url: 'http://0xa000001/' }, field('/url')],
  ['a private network of IPv6', { url: 'http://[fd00::1]/hook' }, field('/url')],
  ['no events', { url, events: [] }, field('/events')],
  ['too many events', { url, events: Array(51).fill('*') }, field('/events')],
  [
    'an unknown event',
    { url, events: ['*', 'checkout.gone', 'payin.*', 'x'] },
    field('/events/1', '/events/3'),
  ],
  ['an unknown kind', { url, events: ['payout.*'] }, field('/events/0')],
  ['an event that is a number', { url, events: [1] }, field('/events/0')],
  ['an empty event', { url, events: [''] }, field('/events/0')],
  ['events that are no list', { url, events: 'checkout.paid' }, field('/events')],
  ['a long description', { url, description: 'x'.repeat(251) }, field('/description')],
  ['a description of two lines', { url, description: 'a\nb' }, field('/description')],
  ['an unknown status', { url, status: 'gone' }, field('/status')],
  ['a secret', { url, secret: 'whsec_AAAA' }, field('/secret')],
  ['an unknown field', { url, name: 'a' }, field('/name')],
  [
    'everything wrong',
    { url: 'http://10.0.0.1', events: ['x'], description: 1, status: 1, id: 'x' },
    field('/description', '/events/0', '/id', '/status', '/url'),
  ],
];

suite('what cannot be accepted', () => {
  for (const [what, body, errors] of rows) {
    test(what, async () => {
      const { id } = await createEndpoint(service, { status: 'disabled' });
      const created = await writesNothing(service, () => call('POST', path, { body }));
      assertRefused(created, { status: 400, message: 'WEBHOOK_ENDPOINT.CREATE.FIELD_INVALID', errors });
      const updated = await writesNothing(service, () => call('PUT', `${path}/${id}`, { body }));
      assertRefused(updated, { status: 400, message: 'WEBHOOK_ENDPOINT.UPDATE.FIELD_INVALID', errors });
      await call('DELETE', `${path}/${id}`);
    });
  }

  test('an endpoint without an address', async () => {
    const answer = await writesNothing(service, () => call('POST', path, { body: {} }));
    assertRefused(answer, {
      status: 400,
      message: 'WEBHOOK_ENDPOINT.CREATE.FIELD_INVALID',
      errors: field('/url'),
    });
  });

  test('a message about an unknown event says what there is', async () => {
    const { json } = await call('POST', path, { body: { url, events: ['checkout.payed'] } });
    const [{ message }] = json.errors;
    for (const each of ['*', 'checkout.*', 'webhook_endpoint.*', ...eventTypes]) {
      assert.ok(message.includes(` ${each}`), each);
    }
  });

  test('http in live mode', async () => {
    const answer = await call('POST', path, { body: { url: 'http://shop.example.com' }, headers: live });
    assertRefused(answer, {
      status: 400,
      message: 'WEBHOOK_ENDPOINT.CREATE.FIELD_INVALID',
      errors: field('/url'),
    });
    succeeded(await call('POST', path, { body: { url: 'http://shop.example.com' } }), 201);
  });

  for (const seconds of [-1, 604_801, 1.5, '60']) {
    test(`an overlap of ${JSON.stringify(seconds)} seconds`, async () => {
      const { id } = await createEndpoint(service);
      const body = { overlap_seconds: seconds };
      const answer = await writesNothing(service, () =>
        call('POST', `${path}/${id}/rotate_secret`, { body }),
      );
      assertRefused(answer, {
        status: 400,
        message: 'WEBHOOK_ENDPOINT.ROTATE_SECRET.FIELD_INVALID',
        errors: field('/overlap_seconds'),
      });
      await call('DELETE', `${path}/${id}`);
    });
  }
});

suite('addresses of this machine', () => {
  const addresses = [
    'http://127.0.0.1:9/hook',
    'http://localhost/hook',
    'http://[::1]/',
    'http://a.localhost',
  ];

  test('are accepted by a service that only this machine reaches', async () => {
    for (const url of addresses) {
      const { id } = await createEndpoint(service, { url, status: 'disabled' });
      await call('DELETE', `${path}/${id}`);
      await createSession(service, { webhook_url: url });
    }
  });

  for (const [how, env] of [
    ['by itself', { HOST: '0.0.0.0' }],
    ['through a proxy', { PUBLIC_URL: 'https://till.example.com' }],
  ] as const)
    test(`are refused by one that others reach ${how}`, (t) => refusesThem(t, env));

  async function refusesThem(t: TestContext, env: NodeJS.ProcessEnv): Promise<void> {
    const open = await startService(t, { env: { ...env, WEBHOOK_CONCURRENCY: '0' } });
    const { id } = await createEndpoint(open);
    for (const url of [...addresses, 'http://10.1.2.3/']) {
      const tries = [
        ['POST', path, { url }, 'WEBHOOK_ENDPOINT.CREATE', '/url'],
        ['PUT', `${path}/${id}`, { url }, 'WEBHOOK_ENDPOINT.UPDATE', '/url'],
        [
          'POST',
          '/v3/checkout',
          { invoice_currency: 'EUR', webhook_url: url },
          'CHECKOUT.CREATE',
          '/webhook_url',
        ],
      ] as const;
      for (const [method, path, body, operation, pointer] of tries) {
        const answer = await writesNothing(open, () => open.call(method, path, { body }));
        const message = `${operation}.FIELD_INVALID`;
        assertRefused(answer, { status: 400, message, errors: field(pointer) });
      }
    }
    await createSession(open, { webhook_url: url });
  }

  test('are accepted there as well where the operator allows them', async (t) => {
    const env = { HOST: '0.0.0.0', WEBHOOK_CONCURRENCY: '0', WEBHOOK_ALLOW: '10.0.0.0/8' };
    const open = await startService(t, { env });
    await createEndpoint(open, { url: 'http://10.1.2.3/' });
    await createSession(open, { webhook_url: 'http://10.1.2.3/' });
  });
});
