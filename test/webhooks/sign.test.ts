/** Headers of a delivery, and the secrets that sign it. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { suite, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { signatureHeaders } from '../../src/webhooks/sign.ts';
import { BODY, SECRET } from './build.ts';

const createdAt = '2030-01-31T12:00:00.123Z';
const OLDER = `whsec_${Buffer.from('the secret before that one').toString('base64')}`;
const OLDEST = `whsec_${Buffer.from('the secret before both').toString('base64')}`;
/** The verifying library compares with the real clock, so these signatures are made now. */
const timestampSeconds = Math.floor(Date.now() / 1000);
const sign = (secrets: readonly [string, ...string[]] = [SECRET], body: string | Uint8Array = BODY) =>
  signatureHeaders({ id: 'evt_1', body, createdAt, secrets, timestampSeconds });

test('a delivery has its id, its time and two kinds of signatures', () => {
  const { signature, ...standard } = sign();
  assert.match(signature ?? '', /^[A-Za-z0-9+/]{43}=$/);
  assert.match(standard['webhook-signature'] ?? '', /^v1,[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(standard, {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': standard['webhook-signature'],
  });
});

test('the signature of Standard Webhooks is the one of the example in the specification', () => {
  const headers = signatureHeaders({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    body: '{"test": 2432232314}',
    createdAt,
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    timestampSeconds: 1_614_265_330,
  });
  assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

suite('while a secret is being replaced', () => {
  const headers = sign([SECRET, OLDER]);

  test('there is one signature for each, the newest first', () => {
    const [newest, before] = (headers['webhook-signature'] ?? '').split(' ');
    assert.equal(newest, sign([SECRET])['webhook-signature']);
    assert.equal(before, sign([OLDER])['webhook-signature']);
    assert.equal(
      sign([SECRET, OLDER, OLDEST])['webhook-signature'],
      [SECRET, OLDER, OLDEST].map((secret) => sign([secret])['webhook-signature']).join(' '),
    );
  });

  test('the library accepts it with either, and with no third', () => {
    for (const secret of [SECRET, OLDER]) {
      assert.deepEqual(new Webhook(secret).verify(BODY, headers), JSON.parse(BODY));
    }
    assert.throws(() => new Webhook(OLDEST).verify(BODY, headers), /No matching/);
  });

  test('the older header has one signature, with the oldest that is valid', () => {
    assert.equal(headers.signature, sign([OLDER]).signature);
    assert.equal(sign([SECRET, OLDER, OLDEST]).signature, sign([OLDEST]).signature);
    assert.notEqual(headers.signature, sign([SECRET]).signature);
  });
});

test('text and its bytes have the same signatures', () => {
  assert.deepEqual(sign([SECRET, OLDER], Buffer.from(BODY)), sign([SECRET, OLDER]));
});

test('a secret without a key signs nothing, wherever it stands', () => {
  for (const empty of ['', 'whsec_', 'whsec_=']) {
    for (const secrets of [[empty], [empty, SECRET], [SECRET, empty], [SECRET, empty, OLDER]] as const) {
      assert.throws(() => sign(secrets), /no key/);
    }
  }
});

test('a secret without its prefix has the same key for Standard Webhooks', () => {
  const bare = SECRET.replace('whsec_', '');
  assert.equal(sign([bare])['webhook-signature'], sign()['webhook-signature']);
  assert.equal(
    sign([bare]).signature,
    createHmac('sha256', bare).update(`evt_1${BODY}${createdAt}`).digest('base64'),
  );
});
