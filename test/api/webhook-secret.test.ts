/** Rotation of the secret that signs webhooks to the addresses of sessions, over the API. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { startService } from '../support/service.ts';
import { type Delivery, startReceiver } from './receiver.ts';
import { advance, assertRefused, createSession, type Data, succeeded, writesNothing } from './shop.ts';

const service = await startService({ after });
const { call, database, account } = service;
const receiver = await startReceiver({ after });
const { test: initial } = account.webhookSecrets;

const rotate = (body?: object, headers: Record<string, string> = {}) =>
  call('POST', '/v3/webhook_secret/rotate', { body, headers });

let count = 0;
/** The secrets, of those given, that the next webhook is signed with. */
async function signing(...secrets: string[]): Promise<string[]> {
  await createSession(service, { webhook_url: receiver.url });
  const { text, headers } = (await receiver.received(++count)).at(-1) as Delivery;
  // A test clock runs ahead of that of the receiver, which would call its time wrong.
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  return secrets.filter((secret) => {
    const signature = new Webhook(secret).sign(String(headers['webhook-id']), at, text);
    return String(headers['webhook-signature']).split(' ').includes(signature);
  });
}

test('both secrets sign for as long as is asked, then the new one alone', async () => {
  assert.deepEqual(await signing(initial), [initial]);
  const { secret, ...rest } = succeeded(await rotate({ overlap_seconds: 3600 }));
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(
    { ...rest, previous_secret_expires_at: '' },
    {
      object: 'webhook_secret',
      previous_secret_expires_at: '',
      dropped_secret_expires_at: null,
    },
  );
  assert.ok(Math.abs(Date.parse(rest.previous_secret_expires_at) - Date.now() - 3_600_000) < 600_000);
  assert.deepEqual(await signing(initial, secret), [initial, secret]);
  await advance(service, 3600);
  assert.deepEqual(await signing(initial, secret), [secret]);
});

test('the one before the previous ends at once, and with an overlap of 0 the previous too', async () => {
  const first = succeeded(await rotate()).secret;
  const second = succeeded(await rotate());
  assert.ok(second.previous_secret_expires_at && second.dropped_secret_expires_at);
  const third = succeeded(await rotate({ overlap_seconds: 0 }));
  assert.equal(third.previous_secret_expires_at, null);
  assert.equal(third.dropped_secret_expires_at, second.previous_secret_expires_at);
  assert.deepEqual(await signing(first, second.secret, third.secret), [third.secret]);
});

test('a request that is repeated rotates once', async () => {
  const headers = { 'idempotency-key': 'rotation-1' };
  const made = await rotate({}, headers);
  const again = await rotate({}, headers);
  assert.equal(again.text, made.text);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const { secret } = succeeded(made);
  assert.deepEqual(await signing(secret), [secret]);
});

test('of another account or mode nothing is rotated', async () => {
  const { authorization } = await service.createKey({ mode: 'live', permissions: ['manage'] });
  const before = await service.service.store.accounts.fetch(account.number);
  const { secret } = succeeded(await rotate({}, { authorization }));
  const rotated = await service.service.store.accounts.fetch(account.number);
  assert.deepEqual(rotated?.webhookSecrets, { test: before?.webhookSecrets.test, live: secret });
});

test('a mistake rotates nothing', async () => {
  for (const seconds of [-1, 604_801, 1.5]) {
    const answer = await writesNothing(service, () => rotate({ overlap_seconds: seconds }));
    assertRefused(answer, {
      status: 400,
      message: 'WEBHOOK_SECRET.ROTATE.FIELD_INVALID',
      errors: [[15502, '/overlap_seconds']],
    });
  }
});

test('each rotation is on record with who asked for it, without the secret', async () => {
  const answer = await rotate();
  const rows = await database.query("SELECT * FROM audit WHERE subject = 'account'");
  const own = rows.find(({ request_id }) => request_id === answer.headers.get('x-request-id'));
  assert.deepEqual([own?.action, own?.actor], ['rotate_webhook_secret', service.key.id]);
  const { secret }: Data = succeeded(answer);
  assert.ok(!JSON.stringify(rows).includes(secret));
});
