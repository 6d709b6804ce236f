/** Bodies, headers and parts of addresses that no client sends who means well. */
import fc from 'fast-check';
import { anyText } from '../../support/any-text.ts';

type Some<T> = fc.Arbitrary<T>;

/**
 * A text of characters that stand for themselves in an address, `others` among them, and of escaped ones. That of fast-check
 * keeps a map of all of Unicode: a second of processor time in each process, and 80 MB.
 */
const ofAddress = (...others: readonly string[]): Some<string> => {
  const plain = fc.constantFrom(...'abcxyzABCXYZ019', ...others);
  const escaped = anyText({ maxLength: 1 }).map(encodeURIComponent);
  return fc
    .array(fc.oneof({ weight: 9, arbitrary: plain }, { weight: 1, arbitrary: escaped }))
    .map((each) => each.join(''));
};
const OF_SEGMENTS = [..."-._~!$&'()*+,;=:@"];

/** JSON texts, most of which `JSON.stringify` never writes. */
const values: Some<string> = fc.constantFrom(
  '1e999',
  '-1e999',
  '1E308',
  '9007199254740993',
  '0.1000000000000000055511151231257827',
  '-0',
  '1e-400',
  '999999999999999.5',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u2028\\u202e"',
  '"\\r\\nSet-Cookie: a=b"',
  `"${'x'.repeat(100_000)}"`,
  `"${'\\u0041'.repeat(20_000)}"`,
  `"${'🙂'.repeat(25_000)}"`,
  `"${'\u0301'.repeat(50_000)}"`,
  `"${' '.repeat(100_000)}!"`,
  `"a@${'a.'.repeat(40_000)}"`,
  `"https://${'a.'.repeat(40_000)}example"`,
  `"2030-01-31T12:00:00.${'0'.repeat(90_000)}Z"`,
  '[]',
  '{}',
  'null',
  'true',
  '""',
  '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]',
  `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`,
  `[${'0,'.repeat(100_000)}0]`,
  `[${'{},'.repeat(60_000)}{}]`,
  `{${Array.from({ length: 12_000 }, (_, index) => `"k${index}":${index}`).join()}}`,
  '"<script>alert(1)</script>"',
  '"\'; DROP TABLE checkout; --"',
  '"{{7*7}}"',
  '"chk_01k9zq4tn30000x5r7m2c9w1he"',
  '"../../etc/passwd"',
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"admin":true}}}',
);

const names = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toJSON',
  'then',
  '',
  '\\u0000',
  '\\ud800',
  'a~1b~0c',
  'metadata',
  `${'k'.repeat(100_000)}`,
);

/** Texts that are no JSON, or none of an object. */
const wholes = fc.constantFrom(
  '',
  ' ',
  'null',
  '[]',
  '"x"',
  '1',
  'NaN',
  '{',
  '}',
  "{'a':1}",
  '{"a":1,}',
  '{} // x',
  '{}{}',
  '\ufeff{}',
  '<a/>',
  'a=1&b=2',
  '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n',
  `${'['.repeat(200_000)}`,
  `${' '.repeat(260_000)}{}`,
  'x'.repeat(262_145),
);

const bytes = fc.constantFrom(
  Buffer.from('{"name":"\xff\xfe"}', 'latin1'),
  Buffer.from('{"name":"\xed\xa0\x80"}', 'latin1'),
  Buffer.from('{"name":"\xc0\xaf"}', 'latin1'),
  Buffer.from('\xef\xbb\xbf{"name":"a"}', 'latin1'),
  Buffer.from('{"name":"a"}', 'utf16le'),
  Buffer.from('{"a":\0}'),
  Buffer.alloc(1000),
  Buffer.from('1f8b08000000000000ff', 'hex'),
);

/** Puts something in the place of a value of the text, or beside it. */
function tampered(text: string): Some<string> {
  const places = [...text.matchAll(/(?<="[^"]*":)("[^"]*"|-?[\d.]+|true|false|null)/g)];
  const start = text.indexOf('{') + 1;
  const more = fc
    .tuple(names, values)
    .map(
      ([name, value]) =>
        `${text.slice(0, start)}"${name}":${value}${text[start] === '}' ? '' : ','}${text.slice(start)}`,
    );
  if (start === 0 || places.length === 0) return more;
  const place = fc.constantFrom(...places);
  return fc.oneof(
    more,
    fc
      .tuple(place, values)
      .map(([{ index, 0: old }, value]) => text.slice(0, index) + value + text.slice(index + old.length)),
    // The same name twice.
    fc.constant(text.replace(/^\{("[^"]*":("[^"]*"|\d+))(?=[,}])/, '{$1,$1')),
    fc.nat(Math.max(0, text.length - 1)).map((at) => text.slice(0, at)),
    fc.tuple(fc.nat(text.length), fc.constantFrom(0, 0x22, 0x2c, 0x7f, 0xff)).map(([at, code]) => {
      return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
    }),
  );
}

/** Room of a body for what is put into it. */
const FLOOD_BYTES = 250_000;
/** Fewer fields than a body may have, with names as long as there is room for. */
const FEW = 5_900;
const LONG = 'k'.repeat(30);

function fieldsOf(write: (index: number) => string, most = Number.POSITIVE_INFINITY): string {
  const written: string[] = [];
  for (let bytes = 0, index = 0; index < most; index++) {
    const field = write(index);
    bytes += field.length + 1;
    if (bytes > FLOOD_BYTES) break;
    written.push(field);
  }
  return written.join();
}

/** Fields of one object: as many as a body has room for, and as many as it may have. */
const floods: readonly string[] = [
  (index: number) => `"${index.toString(36)}":0`,
  (index: number) => `"\\u006b${index.toString(36)}":0`,
  (index: number) => `"${index.toString(36)}":""`,
  (index: number) => `"${index.toString(36)}":{}`,
  (index: number) => `"${index.toString(36)}":{"amount":0.5}`,
  () => '"k":0',
].flatMap((write) => [
  fieldsOf(write),
  fieldsOf((index) => write(index).replace('"', `"${LONG}`), FEW / (write(0).match(/:/g)?.length ?? 1)),
]);

/** Values that repeat what is wrong with them, below names that are long. */
const repeated: readonly string[] = ['{"amount":0.5}', '"\\u0000"', '{"k":0,"k":0}', '1e999', '1e5'].map(
  (value) =>
    `"${'k'.repeat(50_000)}":{"b":[${Array(90)
      .fill(`[${Array(60).fill(value).join()}]`)
      .join()}]}`,
);

/** A body with very many fields, at some depth of it. */
export function floodedBody(text: string): Some<Buffer> {
  const body = text.startsWith('{') ? text : '{}';
  const objects = [...body.matchAll(/(?<=^|[[{,:])\{/g)].map(({ index }) => index + 1);
  return fc
    .tuple(
      fc.constantFrom(...floods, ...repeated),
      fc.constantFrom(...objects),
      fc.constantFrom(0, 1, 8, 17),
      fc.constantFrom('k', 'metadata', 'customer_details', 'items'),
    )
    .map(([fields, start, depth, name]) => {
      const inner = `${`"${name}":{`.repeat(depth)}${fields}${'}'.repeat(depth)}`;
      return Buffer.from(
        `${body.slice(0, start)}${inner}${body[start] === '}' ? '' : ','}${body.slice(start)}`,
      );
    });
}

/** A body made from a valid one. */
export function hostileBody(text: string): Some<Buffer> {
  return fc.oneof(
    { weight: 1, arbitrary: floodedBody(text) },
    { weight: 6, arbitrary: tampered(text === '' ? '{}' : text).map((each) => Buffer.from(each)) },
    { weight: 2, arbitrary: wholes.map((each) => Buffer.from(each)) },
    { weight: 1, arbitrary: bytes },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((each) => Buffer.from(each)) },
  );
}

/** A segment of a path, as it goes over the wire. */
export const hostileId: Some<string> = fc.oneof(
  fc.constantFrom(
    '%00',
    '%ff',
    '%',
    '%2e%2e%2f',
    '..',
    '.',
    '',
    '%20',
    'null',
    'undefined',
    '__proto__',
    'constructor',
    '-1',
    '*',
    'chk_',
    'CHK_01K9ZQ4TN30000X5R7M2C9W1HE',
    'chk_01k9zq4tn30000x5r7m2c9w1he%00',
    'chk_01k9zq4tn30000x5r7m2c9w1he%0a',
    "chk_01k9zq4tn30000x5r7m2c9w1he'--",
    'evt_01k9zq4tn30000x5r7m2c9w1he',
    'resend',
    `chk_${'0'.repeat(300)}`,
    'a'.repeat(5_000),
    '%F0%9F%99%82',
    ';a=b',
  ),
  ofAddress(...OF_SEGMENTS),
);

/** A part of a query, as it goes over the wire. */
export const hostileQuery: Some<string> = fc.oneof(
  fc.constantFrom(
    'limit=1&limit=2',
    'after=&after=',
    'limit[]=1',
    'limit[a][b]=1',
    'limit=1e2',
    'limit=+5',
    'limit=%31',
    'limit=0x10',
    'limit=%00',
    'limit=9'.padEnd(400, '9'),
    'after=chk_01k9zq4tn30000x5r7m2c9w1he&before=chk_01k9zq4tn30000x5r7m2c9w1he',
    'after=%ff%fe',
    'after=999999999999999',
    '__proto__=1',
    '__proto__[a]=1',
    'constructor=1',
    'metadata[a]=1&metadata[a]=2',
    'metadata[__proto__]=1',
    'metadata[a][b]=1',
    'metadata[]=1',
    'metadata=1',
    'metadata[%00]=1',
    `metadata[${'k'.repeat(3_000)}]=v`,
    `q=${'%25'.repeat(60)}`,
    `q=${'_'.repeat(64)}`,
    'q=%5C%27%22',
    'q=%ED%A0%80',
    'q=%00',
    `q=${'a'.repeat(10_000)}`,
    'created_at[gte]=9999-12-31T23:59:59Z&created_at[lt]=0000-01-01T00:00:00Z',
    'amount[gte]=999999999999999&amount[lte]=0',
    'type=*,*,*',
    `type=${'checkout.*,'.repeat(40)}`,
    '&&&&',
    '=',
    '%',
    '?',
    Array.from({ length: 1_200 }, (_, index) => `a${index}=1`).join('&'),
  ),
  ofAddress(...OF_SEGMENTS, '/', '?'),
);

export type Header = readonly [name: string, value: string];

/** Values of headers in latin1, as bytes. */
export const hostileHeader: Some<Header> = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'Last-Event-ID',
      'X-Request-Id',
      'Accept',
    ),
    fc.oneof(
      fc.constantFrom(
        '',
        '""',
        '"',
        '*',
        '"1", "2", "3"',
        'W/"1"',
        '"999999999999999"',
        '"9999999999999999999"',
        '"-1"',
        '"1e3"',
        '"\u00e9"',
        '\u00ff\u00fe',
        'a\u0000b',
        'a\u0001b',
        'a\u007fb',
        'a\tb',
        '__proto__',
        `"${'x'.repeat(254)}"`,
        'x'.repeat(256),
        'x'.repeat(8_000),
        'x'.repeat(20_000),
        `${'"1",'.repeat(1_500)}"2"`,
        `${','.repeat(6_000)}`,
        `${'a;q=0,'.repeat(1_000)}*/*`,
      ),
      fc.string({ maxLength: 30 }),
    ),
  ),
  fc.tuple(
    fc.constant('Content-Type'),
    fc.constantFrom(
      'application/json; charset=utf-16',
      'application/json;'.padEnd(6_000, ' '),
      'APPLICATION/JSON',
      'application/json, text/plain',
      '/',
      ';;;',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'a'.repeat(4_000),
      '\u0001',
    ),
  ),
  fc.tuple(
    fc.constantFrom(
      'Content-Encoding',
      'Expect',
      'Transfer-Encoding',
      'X-Forwarded-For',
      'X-HTTP-Method-Override',
    ),
    fc.constantFrom('gzip', '100-continue', 'identity', '127.0.0.1', 'DELETE', 'a\u0001'),
  ),
);

export const hostileAuthorization: Some<string> = fc.oneof(
  fc.constantFrom(
    '',
    'Basic',
    'Basic ',
    'Basic !!!!',
    'Basic Og==',
    `Basic ${Buffer.from('a\0b:c').toString('base64')}`,
    `Basic ${Buffer.from('\ud800:é', 'utf16le').toString('base64')}`,
    `Basic ${Buffer.from(':').toString('base64')}`,
    `Basic ${Buffer.from('__proto__:constructor').toString('base64')}`,
    `Basic ${'QQ=='.repeat(3_000)}`,
    `Basic ${'A'.repeat(9_000)}`,
    'Bearer',
    'Bearer  ',
    'Bearer sk_test_x',
    `Bearer ${'x'.repeat(9_000)}`,
    `Bearer${' '.repeat(9_000)}x`,
    'Bearer \u00ff\u00fe',
    'Digest username="a"',
    `${'Basic '.repeat(1_000)}`,
    'basic'.repeat(1_500),
    'Bearer a\u0000',
  ),
  fc.base64String({ maxLength: 80 }).map((text) => `Basic ${text}`),
  fc.string({ maxLength: 40 }),
);
