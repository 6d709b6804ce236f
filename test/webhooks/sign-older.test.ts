/**
 * The older `signature` is what its receivers compute: base64 of HMAC-SHA256 over the id of the event, the raw body and
 * `created_at`, with the whole secret as the key. It is written out here once more, as such a receiver has it.
 */
import assert from 'node:assert/strict';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { signatureHeaders } from '../../src/webhooks/sign.ts';
import { scaled } from '../support/scale.ts';
import { anyDelivery, CREATED_AT, MUTATED_BODY, mutatedBodies, secretOf } from './mutations.ts';

const DELIVERIES = scaled(250);
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwZ0wQ0hgq7sY=';
const OLD_SECRET = secretOf(Buffer.from('the secret before that one'));

type Received = {
  readonly secret: string;
  readonly id: string;
  readonly body: string | Buffer;
  readonly createdAt: string;
  readonly signature: string | undefined;
};

function verifies({ secret, id, body, createdAt, signature = '' }: Received): boolean {
  const signed = Buffer.concat([Buffer.from(id), Buffer.from(body), Buffer.from(createdAt)]);
  const expected = Buffer.from(createHmac('sha256', secret).update(signed).digest('base64'));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

test(`${DELIVERIES} of ${DELIVERIES} deliveries verify, while a secret is replaced with the old one`, () => {
  const verified = { alone: 0, withOld: 0, withNew: 0 };
  const property = fc.property(anyDelivery, ({ newSecret, oldSecret, ...delivery }) => {
    const alone = signatureHeaders({ ...delivery, secrets: [newSecret] });
    const both = signatureHeaders({ ...delivery, secrets: [newSecret, oldSecret] });
    if (verifies({ ...delivery, secret: newSecret, signature: alone.signature })) verified.alone++;
    if (verifies({ ...delivery, secret: oldSecret, signature: both.signature })) verified.withOld++;
    if (verifies({ ...delivery, secret: newSecret, signature: both.signature })) verified.withNew++;
  });
  fc.assert(property, { numRuns: DELIVERIES });
  assert.deepEqual(verified, { alone: DELIVERIES, withOld: DELIVERIES, withNew: 0 });
});

/**
 * Output of these commands of OpenSSL:
 *
 *   BODY='{"type":"checkout.paid","id":"evt_1","created_at":"2030-01-31T12:00:00.123Z","data":{"name":"Zoë 東京 🧾"}}'
 *   SECRET='whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwZ0wQ0hgq7sY='
 *   printf '%s' "evt_1${BODY}2030-01-31T12:00:00.123Z" | openssl dgst -sha256 -hmac "$SECRET" -binary | base64
 *
 * and for the signature of Standard Webhooks:
 *
 *   KEY=$(printf '%s' "${SECRET#whsec_}" | base64 -d | od -An -tx1 | tr -d ' \n')
 *   printf '%s' "evt_1.1900000000.${BODY}" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64
 */
test('both signatures are those that another tool computes', () => {
  const headers = signatureHeaders({
    id: 'evt_1',
    body: '{"type":"checkout.paid","id":"evt_1","created_at":"2030-01-31T12:00:00.123Z","data":{"name":"Zoë 東京 🧾"}}',
    createdAt: '2030-01-31T12:00:00.123Z',
    secrets: [SECRET],
    timestampSeconds: 1_900_000_000,
  });
  assert.equal(headers.signature, 'S8qUpuUYHAtDOeXV9C40bRRol6FswWjhqUtpDcCaXnU=');
  assert.equal(headers['webhook-signature'], 'v1,qlWcWI6lAH6pUimdy9ddmuJp5q5D1ZgrEAsSNphUfGI=');
});

suite('the older signature', () => {
  const sign = (secrets: readonly [string, ...string[]], timestampSeconds = 1) =>
    signatureHeaders({ id: 'evt_1', body: MUTATED_BODY, createdAt: CREATED_AT, secrets, timestampSeconds });
  const { signature = '', 'webhook-signature': standard = '' } = sign([SECRET]);
  const genuine: Received = {
    secret: SECRET,
    id: 'evt_1',
    body: MUTATED_BODY,
    createdAt: CREATED_AT,
    signature,
  };
  const inBody = (from: string, to: string) => MUTATED_BODY.replace(from, to);

  const mutations: Record<string, readonly Received[]> = {
    ...Object.fromEntries(
      Object.entries(mutatedBodies()).map(([name, bodies]) => [
        `body: ${name}`,
        bodies.map((body) => ({ ...genuine, body })),
      ]),
    ),
    'id, also as the body has it': ['evt_2', 'evt_', 'evt_11', ''].map((id) => ({
      ...genuine,
      id,
      body: inBody('evt_1', id),
    })),
    'time of the event, also as the body has it': [
      '2030-01-31T12:00:00.124Z',
      '2030-01-31T12:00:00Z',
      '',
    ].map((createdAt) => ({ ...genuine, createdAt, body: inBody(CREATED_AT, createdAt) })),
    'signature: a character changed': [...signature].map((character, index) => ({
      ...genuine,
      signature: signature.slice(0, index) + (character === 'x' ? 'y' : 'x') + signature.slice(index + 1),
    })),
    'signature: truncated': [...signature].map((_, length) => ({
      ...genuine,
      signature: signature.slice(0, length),
    })),
    'signature: missing': [{ ...genuine, signature: undefined }],
    'signature: that of Standard Webhooks': [standard, standard.slice('v1,'.length)].map((each) => ({
      ...genuine,
      signature: each,
    })),
    'secret: a character changed or missing, the prefix too': [...SECRET].flatMap((_, index) => [
      { ...genuine, secret: `${SECRET.slice(0, index)}~${SECRET.slice(index + 1)}` },
      { ...genuine, secret: SECRET.slice(0, index) + SECRET.slice(index + 1) },
    ]),
    'secret: without its prefix, another, none': [SECRET.replace('whsec_', ''), OLD_SECRET, ''].map(
      (secret) => ({ ...genuine, secret }),
    ),
  };

  test('verifies as it was signed', () => assert.ok(verifies(genuine)));

  for (const [name, received] of Object.entries(mutations)) {
    test(`covers: ${name}`, () => {
      assert.deepEqual(received.filter(verifies), []);
      assert.notEqual(received.length, 0);
    });
  }

  test('covers all of these classes', () => {
    const all = Object.values(mutations);
    assert.deepEqual({ classes: all.length, mutations: all.flat().length }, { classes: 25, mutations: 2560 });
  });

  test('does not depend on the time of the attempt', () => {
    assert.equal(sign([SECRET], 2).signature, signature);
  });
});
