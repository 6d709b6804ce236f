import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { suite, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { signatureHeaders } from '../../src/webhooks/sign.ts';
import { BODY, SECRET } from './build.ts';

const createdAt = '2030-01-31T12:00:00.123Z';
/** The verifying library compares with the real clock, so these signatures are made now. */
const timestampSeconds = Math.floor(Date.now() / 1000);
const sign = (body: string | Uint8Array = BODY) =>
  signatureHeaders({ id: 'evt_1', body, createdAt, secret: SECRET, timestampSeconds });

suite('the signature of Standard Webhooks', () => {
  const webhook = new Webhook(SECRET);

  test('is accepted by the library that receivers use', () => {
    assert.deepEqual(webhook.verify(BODY, sign()), JSON.parse(BODY));
  });

  const mutations: Record<string, [body: string, headers: Record<string, string>]> = {
    'another body': [BODY.replace('paid', 'paiD'), sign()],
    'a body with a space more': [`${BODY} `, sign()],
    'another id': [BODY, { ...sign(), 'webhook-id': 'evt_2' }],
    'another time': [BODY, { ...sign(), 'webhook-timestamp': String(timestampSeconds - 1) }],
    'another version': [
      BODY,
      { ...sign(), 'webhook-signature': sign()['webhook-signature']?.replace('v1', 'v2') ?? '' },
    ],
  };
  for (const [name, [body, headers]] of Object.entries(mutations)) {
    test(`does not cover ${name}`, () => assert.throws(() => webhook.verify(body, headers), /No matching/));
  }

  test('is not that of another secret', () => {
    const other = new Webhook(`whsec_${Buffer.from('another key').toString('base64')}`);
    assert.throws(() => other.verify(BODY, sign()), /No matching/);
  });

  test('is the one of the example in the specification', () => {
    const headers = signatureHeaders({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      body: '{"test": 2432232314}',
      createdAt,
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      timestampSeconds: 1_614_265_330,
    });
    assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});

suite('the signature of the older scheme', () => {
  const expected = (text: string) => createHmac('sha256', SECRET).update(text, 'utf8').digest('base64');

  test('has the whole secret as its key and covers id, body and time of the event', () => {
    assert.equal(sign().signature, expected(`evt_1${BODY}${createdAt}`));
  });

  test('does not depend on the time of the attempt', () => {
    const later = signatureHeaders({
      id: 'evt_1',
      body: BODY,
      createdAt,
      secret: SECRET,
      timestampSeconds: 1,
    });
    assert.equal(later.signature, sign().signature);
  });

  for (const [name, text] of Object.entries({
    id: `evt_2${BODY}${createdAt}`,
    body: `evt_1${BODY} ${createdAt}`,
    time: `evt_1${BODY}2030-01-31T12:00:00.124Z`,
  })) {
    test(`does not cover another ${name}`, () => assert.notEqual(sign().signature, expected(text)));
  }
});

test('text and its bytes have the same signatures', () => assert.deepEqual(sign(Buffer.from(BODY)), sign()));

test('a secret without a key signs nothing', () => {
  for (const secret of ['', 'whsec_']) {
    assert.throws(
      () => signatureHeaders({ id: 'evt_1', body: BODY, createdAt, secret, timestampSeconds }),
      /no key/,
    );
  }
});
