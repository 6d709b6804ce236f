/** The library that receivers use accepts everything that is signed, and nothing that differs from it. */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { signatureHeaders } from '../../src/webhooks/sign.ts';
import { scaled } from '../support/scale.ts';
import { anyDelivery, CREATED_AT, MUTATED_BODY, mutatedBodies, secretOf } from './mutations.ts';

const DELIVERIES = scaled(250);
const SIGNED_SECONDS = 1_900_000_000;
const TOLERANCE_SECONDS = 300;

/** The library has no other clock than that of the process. */
const setClock = (t: TestContext, seconds: number) => {
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ['Date'], now: seconds * 1000 });
};

function verifies(secret: string, body: string | Buffer, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
    return true;
  } catch (error) {
    assert.ok(error instanceof WebhookVerificationError, String(error));
    return false;
  }
}

test(`${DELIVERIES} of ${DELIVERIES} deliveries verify, while a secret is replaced with either`, (t) => {
  const verified = { alone: 0, withNew: 0, withOld: 0, withAnother: 0 };
  let multiByte = 0;
  const property = fc.property(anyDelivery, ({ newSecret, oldSecret, ...delivery }) => {
    setClock(t, delivery.timestampSeconds);
    const { body } = delivery;
    const alone = signatureHeaders({ ...delivery, secrets: [newSecret] });
    const both = signatureHeaders({ ...delivery, secrets: [newSecret, oldSecret] });
    assert.deepEqual(new Webhook(newSecret).verify(body, alone), JSON.parse(body));
    assert.ok(verifies(newSecret, Buffer.from(body), both));
    assert.ok(verifies(oldSecret, Buffer.from(body), both));
    verified.alone++;
    verified.withNew++;
    verified.withOld++;
    if (verifies(oldSecret, body, alone)) verified.withAnother++;
    if (Buffer.byteLength(body) > body.length) multiByte++;
  });
  fc.assert(property, { numRuns: DELIVERIES });
  assert.deepEqual(verified, {
    alone: DELIVERIES,
    withNew: DELIVERIES,
    withOld: DELIVERIES,
    withAnother: 0,
  });
  assert.ok(multiByte > DELIVERIES / 10, `only ${multiByte} bodies had characters of several bytes`);
});

type Received = { secret: string; body: string | Buffer; headers: Record<string, string> };

const key = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7 + 1));
const OLD_SECRET = secretOf(key.toReversed());
const SECRET = secretOf(key);
/** Several, so that their signatures have every kind of character in them. */
const signed: readonly Received[] = Array.from({ length: 8 }, (_, index) => ({
  secret: SECRET,
  body: MUTATED_BODY,
  headers: signatureHeaders({
    id: `evt_${index}`,
    body: MUTATED_BODY,
    createdAt: CREATED_AT,
    secrets: [SECRET, OLD_SECRET],
    timestampSeconds: SIGNED_SECONDS,
  }),
}));
const first = signed[0] as Received;

/** The first delivery with each of these values in a header; undefined takes the header away. */
function withHeader(name: string, ...values: (string | undefined)[]): Received[] {
  return values.map((value) => {
    const { [name]: _, ...others } = first.headers;
    return { ...first, headers: value === undefined ? others : { ...others, [name]: value } };
  });
}

/** All deliveries with something else as their first signature, and none beside it. */
function withSignature(change: (signature: string) => readonly string[]): Received[] {
  return signed.flatMap(({ headers, ...rest }) =>
    change((headers['webhook-signature'] ?? '').split(' ')[0]?.slice('v1,'.length) ?? '').map((value) => ({
      ...rest,
      headers: { ...headers, 'webhook-signature': value },
    })),
  );
}

const otherCharacters = 'aZ5+/=';
const signatureCharacter = (kind: RegExp) =>
  withSignature((signature) =>
    [...signature].flatMap((character, at) =>
      kind.test(character)
        ? [...otherCharacters.replace(character, '')].map(
            (other) => `v1,${signature.slice(0, at)}${other}${signature.slice(at + 1)}`,
          )
        : [],
    ),
  );

const withSecret = (...keys: Uint8Array[]): Received[] =>
  keys.map((each) => ({ ...first, secret: secretOf(each) }));
const at = (seconds: number): Received[] => withHeader('webhook-timestamp', String(SIGNED_SECONDS + seconds));
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const mutations: Record<string, readonly Received[]> = {
  ...Object.fromEntries(
    Object.entries(mutatedBodies()).map(([name, bodies]) => [
      `body: ${name}`,
      bodies.map((body) => ({ ...first, body })),
    ]),
  ),
  'id: a character changed': [...'evt_0'].flatMap((_, index) =>
    withHeader('webhook-id', `${'evt_0'.slice(0, index)}x${'evt_0'.slice(index + 1)}`),
  ),
  'id: that of another delivery': withHeader('webhook-id', 'evt_1', 'evt_2'),
  'id: longer or shorter': withHeader('webhook-id', 'evt_00', 'evt_', 'evt_0.', ' evt_0'),
  'id: the time drawn into it': withHeader('webhook-id', `evt_0.${SIGNED_SECONDS}`),
  'id: empty or missing': withHeader('webhook-id', '', undefined),
  'timestamp: changed within the tolerance': [-TOLERANCE_SECONDS, -1, 1, TOLERANCE_SECONDS].flatMap(at),
  'timestamp: changed beyond it': [-TOLERANCE_SECONDS - 1, TOLERANCE_SECONDS + 1, 1e6].flatMap(at),
  'timestamp: a digit more or less': withHeader('webhook-timestamp', '19000000000', '190000000'),
  'timestamp: in milliseconds': withHeader('webhook-timestamp', '1900000000000'),
  'timestamp: negative': withHeader('webhook-timestamp', '-1900000000'),
  'timestamp: not a number': withHeader('webhook-timestamp', 'now', 'NaN', CREATED_AT),
  'timestamp: empty or missing': withHeader('webhook-timestamp', '', undefined),
  'signature: a small letter changed': signatureCharacter(/[a-z]/),
  'signature: a capital letter changed': signatureCharacter(/[A-Z]/),
  'signature: a digit changed': signatureCharacter(/[0-9]/),
  'signature: a plus sign changed': signatureCharacter(/\+/),
  'signature: a slash changed': signatureCharacter(/\//),
  'signature: the padding changed': signatureCharacter(/=/),
  'signature: only bits that stand for nothing': withSignature((signature) => {
    const last = BASE64.indexOf(signature.at(-2) ?? '');
    return [1, 2, 3].map((bits) => `v1,${signature.slice(0, -2)}${BASE64[last ^ bits]}=`);
  }),
  'signature: truncated': withSignature((signature) =>
    [...signature].map((_, length) => `v1,${signature.slice(0, length)}`),
  ),
  'signature: longer': withSignature((signature) => ['=', 'A', '\n'].map((more) => `v1,${signature}${more}`)),
  'signature: in another alphabet': withSignature((signature) =>
    [
      Buffer.from(signature, 'base64').toString('hex'),
      signature.replace('=', ''),
      signature.toLowerCase(),
      signature.replaceAll('+', '-').replaceAll('/', '_').replace('=', ''),
    ].map((each) => `v1,${each}`),
  ),
  'signature: another version': withSignature((signature) =>
    ['v0', 'v2', 'v1a', 'V1', 'v11', 'v'].map((version) => `${version},${signature}`),
  ),
  'signature: no version': withSignature((signature) => [signature, `,${signature}`, `v1${signature}`]),
  'signature: several that are wrong': withSignature((signature) => [
    `v2,${signature} v1,${signature.slice(1)}`,
  ]),
  'signature: separated by something else': withSignature((signature) => [`v1,x;v1,${signature}`]),
  'signature: that of another delivery': signed.slice(1).map(({ headers }) => ({
    ...first,
    headers: { ...first.headers, 'webhook-signature': headers['webhook-signature'] ?? '' },
  })),
  'signature: the older one': signed.map(({ headers, ...rest }) => ({
    ...rest,
    headers: { ...headers, 'webhook-signature': `v1,${headers.signature}` },
  })),
  'signature: empty or missing': withHeader('webhook-signature', '', ' ', 'v1', 'v1,', undefined),
  'secret: a byte changed': withSecret(
    ...key.keys().map((index) => Buffer.from(key).fill(255 - (key[index] ?? 0), index, index + 1)),
  ),
  'secret: a byte more or less': withSecret(key.subarray(1), key.subarray(0, -1), Buffer.concat([key, key])),
  'secret: another one': withSecret(Buffer.alloc(32, 'another'), Buffer.alloc(24, 1), Buffer.alloc(64, 2)),
  'secret: its text as the key': withSecret(Buffer.from(SECRET), Buffer.from(SECRET.slice(6))),
};

suite('a delivery that differs from what was signed is refused', () => {
  test('and as it was signed it is accepted, with either secret', (t) => {
    setClock(t, SIGNED_SECONDS);
    for (const { secret, body, headers } of signed) {
      assert.ok(verifies(secret, body, headers));
      assert.ok(verifies(OLD_SECRET, body, headers));
    }
  });

  test('and a receiver without a secret accepts nothing', () => {
    for (const secret of ['', 'whsec_']) assert.throws(() => new Webhook(secret), /can't be empty/);
  });

  for (const [name, received] of Object.entries(mutations)) {
    test(name, (t) => {
      setClock(t, SIGNED_SECONDS);
      const accepted = received.filter(({ secret, body, headers }) => verifies(secret, body, headers));
      assert.deepEqual(accepted, []);
      assert.notEqual(received.length, 0);
    });
  }

  test('in all of these classes', () => {
    const all = Object.values(mutations);
    assert.deepEqual({ classes: all.length, mutations: all.flat().length }, { classes: 50, mutations: 5041 });
  });
});

suite('the clock of the receiver', () => {
  const DAY = 86_400;
  const shifts: readonly (readonly [seconds: number, isAccepted: boolean])[] = [
    [0, true],
    [1, true],
    [-1, true],
    [TOLERANCE_SECONDS - 1, true],
    [-TOLERANCE_SECONDS + 1, true],
    [TOLERANCE_SECONDS, true],
    [-TOLERANCE_SECONDS, true],
    [TOLERANCE_SECONDS + 1, false],
    [-TOLERANCE_SECONDS - 1, false],
    [3600, false],
    [-3600, false],
    [DAY, false],
    [-DAY, false],
    [365 * DAY, false],
    [-365 * DAY, false],
  ];
  for (const [seconds, isAccepted] of shifts) {
    test(`${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead'}: ${isAccepted ? 'accepted' : 'refused'}`, (t) => {
      setClock(t, SIGNED_SECONDS + seconds);
      for (const { secret, body, headers } of signed) {
        assert.equal(verifies(secret, body, headers), isAccepted);
      }
    });
  }
});
