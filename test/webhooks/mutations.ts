/** Deliveries by chance, and everything that can become of a body on its way. */
import fc from 'fast-check';
import { anyText } from '../support/any-text.ts';

export const CREATED_AT = '2030-01-31T12:00:00.123Z';
export const MUTATED_BODY = `{"type":"checkout.paid","id":"evt_1","created_at":"${CREATED_AT}","data":{"name":"Zoë 東京 🧾","amount":1250,"items":[true,null]}}`;

export const secretOf = (key: Uint8Array): string => `whsec_${Buffer.from(key).toString('base64')}`;

/** Text of one to four bytes a character, and what JSON and HTTP have a special mind for. */
const text = fc.oneof(
  anyText({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom('', 'Zoë 東京 🧾', '"\\\u2028\r\n\t', '\u0000', '\ufeff', '%2B+/=', 'e\u0301'),
);

const key = fc.uint8Array({ minLength: 24, maxLength: 64 });

/** Deliveries to sign: a body with an event in it, and two secrets that have no key in common. */
export const anyDelivery = fc
  .record({
    id: fc.stringMatching(/^evt_[0-9a-z]{1,40}$/),
    type: text,
    data: fc.oneof(text, fc.dictionary(text, fc.oneof(text, fc.integer(), fc.array(text))), fc.json()),
    createdAt: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') }),
    keys: fc.tuple(key, key).filter(([one, other]) => !isSameKey(one, other)),
    timestampSeconds: fc.integer({ min: 1, max: 4_000_000_000 }),
  })
  .map(({ id, type, data, createdAt, keys: [newKey, oldKey], timestampSeconds }) => ({
    id,
    createdAt: createdAt.toISOString(),
    body: JSON.stringify({ type, id, object: 'event', created_at: createdAt.toISOString(), data }),
    newSecret: secretOf(newKey),
    oldSecret: secretOf(oldKey),
    timestampSeconds,
  }));

/** HMAC pads a key with zeros, so that one with zeros at its end is the same key. */
function isSameKey(one: Uint8Array, other: Uint8Array): boolean {
  const padded = (key: Uint8Array) => Buffer.concat([key, Buffer.alloc(64 - key.length)]);
  return padded(one).equals(padded(other));
}

/** The kind of token that each byte of a JSON text belongs to. */
function kindsOf(json: string): string[] {
  return [...json.matchAll(/"([^"]*)"(?=(:?))|[{}[\]:,]|[^"{}[\]:,]+/g)].flatMap(([token, string, colon]) => {
    if (string === undefined)
      return Array(token.length).fill(/[{}[\]:,]/.test(token) ? 'structure' : 'value');
    const inside = [...Buffer.from(string)].map((byte) =>
      byte > 127 ? 'multi-byte' : colon ? 'key' : 'value',
    );
    return ['structure', ...inside, 'structure'];
  });
}

/** The body with each bit of each of these bytes turned, one at a time. */
function turned(body: Buffer, isMeant: (index: number) => boolean): Buffer[] {
  return [...body.keys()].filter(isMeant).flatMap((index) =>
    [1, 2, 4, 8, 16, 32, 64, 128].map((bit) => {
      const copy = Buffer.from(body);
      copy[index] = (copy[index] ?? 0) ^ bit;
      return copy;
    }),
  );
}

/** Bodies that differ from `MUTATED_BODY`, by class. */
export function mutatedBodies(): Record<string, readonly Buffer[]> {
  const body = Buffer.from(MUTATED_BODY);
  const kinds = kindsOf(MUTATED_BODY);
  const positions = [...body.keys()];
  const without = (from: number, to: number) => Buffer.concat([body.subarray(0, from), body.subarray(to)]);
  const withText = (at: number, inserted: string) =>
    Buffer.concat([body.subarray(0, at), Buffer.from(inserted), body.subarray(at)]);
  const reversed = Object.fromEntries(Object.entries(JSON.parse(MUTATED_BODY)).reverse());

  return {
    'a byte of structure': turned(body, (index) => kinds[index] === 'structure'),
    'a byte of a key': turned(body, (index) => kinds[index] === 'key'),
    'a byte of a value': turned(body, (index) => kinds[index] === 'value'),
    'a byte of a character of several': turned(body, (index) => kinds[index] === 'multi-byte'),
    'the first byte': turned(body, (index) => index === 0),
    'the last byte': turned(body, (index) => index === body.length - 1),
    'a byte inserted': positions.flatMap((at) => [' ', '0', '\u0000'].map((byte) => withText(at, byte))),
    'a byte removed': positions.map((at) => without(at, at + 1)),
    'a byte doubled': positions.map((at) => Buffer.concat([body.subarray(0, at + 1), body.subarray(at)])),
    'neighbours exchanged': positions
      .slice(1)
      .filter((at) => body[at] !== body[at - 1])
      .map((at) =>
        Buffer.concat([
          body.subarray(0, at - 1),
          body.subarray(at - 1, at + 1).toReversed(),
          body.subarray(at + 1),
        ]),
      ),
    'the end cut off': positions.map((length) => body.subarray(0, length)),
    'the beginning cut off': positions.slice(1).map((at) => body.subarray(at)),
    'a line break behind': ['\n', '\r\n', ' ', '\t'].map((space) => withText(body.length, space)),
    'a byte order mark before': [withText(0, '\ufeff')],
    'the same twice': [Buffer.concat([body, body])],
    'the same JSON written otherwise': [
      JSON.stringify(JSON.parse(MUTATED_BODY), null, 1),
      JSON.stringify(reversed),
      MUTATED_BODY.replace('1250', '1250.0'),
      MUTATED_BODY.replace('ë', '\\u00eb'),
    ].map((each) => Buffer.from(each)),
    'the same text in other bytes': [
      Buffer.from(MUTATED_BODY.normalize('NFD')),
      Buffer.from(MUTATED_BODY, 'latin1'),
      Buffer.from(MUTATED_BODY, 'utf16le'),
    ],
  };
}
