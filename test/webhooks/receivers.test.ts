/** The code that the guide has for receivers takes what this service signs, and nothing else. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { suite, test } from 'node:test';
import { signatureHeaders } from '../../src/webhooks/sign.ts';
import { type Delivery, REFUSED, receiversHere, saidBy } from './receivers.ts';

const OLD = `whsec_${Buffer.alloc(32, 'old and valid').toString('base64')}`;
const NEW = `whsec_${Buffer.alloc(24, 'new').toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 'of somebody else').toString('base64')}`;
const ID = 'evt_01k9zq4tn30000x5r7m2c9w1he';
const createdAt = '2030-01-31T12:00:00.123Z';
const BODY = JSON.stringify({
  type: 'checkout.paid',
  id: ID,
  object: 'event',
  created_at: createdAt,
  data: { id: 'chk_1', name: 'Zoë 東京 🧾', note: 'a/b "c" \\ \u2028', amount: 1250 },
  version: 3,
  sequence: 5,
});

type Change = {
  readonly secrets?: readonly [string, ...string[]];
  /** The age of the signature. */
  readonly ageSeconds?: number;
  readonly body?: string | Buffer;
  readonly secret?: string;
  /** Instead of those that were signed; null takes a header away. */
  readonly headers?: (signed: Record<string, string>) => Record<string, string | null>;
};

/** A delivery as the service signs it, and then what became of it on the way. */
function delivery(scheme: Delivery['scheme'], change: Change = {}): Delivery {
  const { secrets = [NEW], ageSeconds = 0, body = BODY, secret = secrets[0], headers = () => ({}) } = change;
  const timestampSeconds = Math.floor(Date.now() / 1000) - ageSeconds;
  const signed = signatureHeaders({ id: ID, body: BODY, createdAt, secrets, timestampSeconds });
  const all = Object.entries({ ...signed, ...headers(signed) });
  return {
    scheme,
    body: Buffer.from(body),
    headers: Object.fromEntries(all.filter((header): header is [string, string] => header[1] !== null)),
    secret,
  };
}

const standard = (change?: Change) => delivery('standard', change);
const older = (change?: Change) => delivery('older', change);
const signature = (value: (signature: string) => string | null): Change => ({
  headers: (signed) => ({ 'webhook-signature': value(signed['webhook-signature'] ?? '') }),
});
const olderSignature = (value: (signature: string) => string | null): Change => ({
  headers: (signed) => ({ signature: value(signed.signature ?? '') }),
});
const timestamp = (value: string | null): Change => ({ headers: () => ({ 'webhook-timestamp': value }) });

/** Signatures with an empty key, as anybody could make for a receiver that lost its secret. */
const withoutKey: Change = {
  headers: (signed) => ({
    'webhook-signature': `v1,${createHmac('sha256', '')
      .update(`${ID}.${signed['webhook-timestamp']}.${BODY}`)
      .digest('base64')}`,
    signature: createHmac('sha256', '').update(`${ID}${BODY}${createdAt}`).digest('base64'),
  }),
};

/** Well within the tolerance or beyond it, so that a slow start of a language makes no difference. */
const accepted: Record<string, Delivery> = {
  'a genuine one': standard(),
  'one that took four minutes': standard({ ageSeconds: 240 }),
  'one from a clock that is four minutes fast': standard({ ageSeconds: -240 }),
  'one of two secrets, with the new one': standard({ secrets: [NEW, OLD], secret: NEW }),
  'one of two secrets, with the old one, whose signature is the second': standard({
    secrets: [NEW, OLD],
    secret: OLD,
  }),
  'one with a signature of a later version before': standard(signature((v1) => `v2,AAAA ${v1}`)),
  'older: a genuine one': older(),
  'older: one of two secrets, with the old one': older({ secrets: [NEW, OLD], secret: OLD }),
};

const refused: Record<string, Delivery> = {
  'another letter in the body': standard({ body: BODY.replace('paid', 'paiD') }),
  'another letter of several bytes in the body': standard({ body: BODY.replace('京', '都') }),
  'a body that was parsed and written again': standard({ body: JSON.stringify(JSON.parse(BODY), null, 1) }),
  'a line break after the body': standard({ body: `${BODY}\n` }),
  'a body with bytes that are no text': standard({ body: Buffer.from(BODY, 'latin1') }),
  'no body': standard({ body: '' }),
  'an old one': standard({ ageSeconds: 600 }),
  'one from the future': standard({ ageSeconds: -600 }),
  'an old one with a new time': standard({
    ...timestamp(String(Math.floor(Date.now() / 1000))),
    ageSeconds: 600,
  }),
  'a time that is not a number': standard(timestamp('now')),
  'an empty time': standard(timestamp('')),
  'no time': standard(timestamp(null)),
  'a time of very many digits': standard(timestamp('9'.repeat(40))),
  'another id': standard({ headers: () => ({ 'webhook-id': 'evt_2' }) }),
  'no id': standard({ headers: () => ({ 'webhook-id': null }) }),
  'no signature': standard(signature(() => null)),
  'an empty signature': standard(signature(() => '')),
  'a signature that is cut off': standard(signature((v1) => v1.slice(0, -1))),
  'a version without a signature': standard(signature(() => 'v1,')),
  'another version': standard(signature((v1) => v1.replace('v1', 'v2'))),
  'no version': standard(signature((v1) => v1.replace('v1,', ''))),
  'a signature with a letter that is not ASCII': standard(signature((v1) => `${v1.slice(0, -2)}é=`)),
  'the older signature in its place': standard({
    headers: ({ signature = '' }) => ({ 'webhook-signature': `v1,${signature}` }),
  }),
  'another secret': standard({ secret: OTHER }),
  'two secrets, neither of them this': standard({ secrets: [NEW, OLD], secret: OTHER }),
  'no secret, and a signature without a key': standard({ ...withoutKey, secret: '' }),
  'a secret without a key, and a signature without one': standard({ ...withoutKey, secret: 'whsec_' }),
  'older: no secret, and a signature without a key': older({ ...withoutKey, secret: '' }),
  'older: another letter in the body': older({ body: BODY.replace('paid', 'paiD') }),
  'older: another id in the body': older({ body: BODY.replace(ID, ID.replace('k9', 'k8')) }),
  'older: another time in the body': older({ body: BODY.replace('.123Z', '.124Z') }),
  'older: a body that is no JSON': older({ body: BODY.slice(1) }),
  'older: a body with bytes that are no text': older({ body: Buffer.from(BODY, 'latin1') }),
  'older: no body': older({ body: '' }),
  'older: no signature': older(olderSignature(() => null)),
  'older: an empty signature': older(olderSignature(() => '')),
  'older: a signature that is cut off': older(olderSignature((signature) => signature.slice(0, -1))),
  'older: a signature with a letter that is not ASCII': older(
    olderSignature((text) => `${text.slice(0, -2)}é=`),
  ),
  'older: the other signature in its place': older({
    headers: (signed) => ({ signature: (signed['webhook-signature'] ?? '').slice(3) }),
  }),
  'older: two secrets, with the new one': older({ secrets: [NEW, OLD], secret: NEW }),
  'older: another secret': older({ secret: OTHER }),
};

suite('the code of the guide', () => {
  const expected = [
    ...Object.keys(accepted).map((name) => [name, ID]),
    ...Object.keys(refused).map((name) => [name, REFUSED]),
  ];
  const deliveries = [...Object.values(accepted), ...Object.values(refused)];

  for (const receiver of receiversHere()) {
    test(`for ${receiver.name} takes what is genuine and refuses the rest`, async () => {
      const said = await saidBy(receiver, deliveries);
      assert.deepEqual(
        said.map((each, index) => [expected[index]?.[0], each]),
        expected,
      );
    });
  }

  test('for Node.js is always run', () => {
    const names = receiversHere().map(({ name }) => name);
    assert.deepEqual(names.slice(0, 2), ['Node.js with the library', 'Node.js']);
  });
});
