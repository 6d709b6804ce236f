/** Bodies that are made to be slow, or to come back larger than they went. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { RequestError } from '../../src/http/errors.ts';
import { MAX_CONTAINERS, MAX_FIELDS, readJson } from '../../src/http/json.ts';

/** Hundreds of times what such a body takes; what takes longer than linear time takes more. */
const BUDGET_MS = 2_000;

for (const [name, text] of [
  ['a number with many zeros', `{"amount":1.${'0'.repeat(500_000)}1}`],
  ['a number with many digits', `{"amount":${'1'.repeat(500_000)}}`],
  ['many exponents', `[${Array(100_000).fill('1e5').join()}]`],
  ['many escapes', JSON.stringify('\\"'.repeat(250_000))],
] as const)
  test(`${name} is read in time`, () => {
    const start = performance.now();
    try {
      readJson(Buffer.from(text));
    } catch {
      // Other tests check which of them are refused.
    }
    assert.ok(performance.now() - start < BUDGET_MS);
  });

/** Errors of a body, as an answer lists them. */
function mistakes(text: string): RequestError['items'] {
  try {
    readJson(Buffer.from(text));
    return [];
  } catch (error) {
    assert.ok(error instanceof RequestError);
    return error.items;
  }
}

suite('a body has at most 6,000 fields', () => {
  const named = (count: number, write = (index: number) => `"k${index}":1`) =>
    Array.from({ length: count }, (_, index) => write(index)).join();
  const shapes: ReadonlyArray<readonly [string, (count: number) => string]> = [
    ['in one object', (count) => `{${named(count)}}`],
    ['within objects', (count) => `{"a":{"b":{${named(count - 2)}}}}`],
    ['in the objects of a list', (count) => `{"a":[${named(count - 1, () => '{"b":1}')}]}`],
    ['with escapes', (count) => `{${named(count, (index) => `"\\"${index}\\\\":"\\":"`)}}`],
    ['with colons in their texts', (count) => `{${named(count, (index) => `"k:${index}":":::"`)}}`],
  ];
  for (const [where, body] of shapes)
    test(where, () => {
      assert.equal(MAX_FIELDS, 6_000);
      assert.deepEqual(mistakes(body(6_000)), []);
      const [mistake, ...others] = mistakes(body(6_001));
      assert.deepEqual(others, []);
      assert.deepEqual(mistake, {
        reason: 'field_invalid',
        message: 'The body must have at most 6000 fields, including those of nested objects.',
        remarks: '',
      });
    });
});

test('a body has at most 18,000 objects and lists', () => {
  assert.equal(MAX_CONTAINERS, 18_000);
  const message = 'The body must have at most 18000 objects and lists, including nested ones.';
  const tooMany = [{ reason: 'field_invalid', message, remarks: '' }];
  for (const element of ['{}', '[]', '["[{"]']) {
    const listOf = (count: number) => `[${Array(count).fill(element).join()}]`;
    assert.deepEqual(mistakes(listOf(17_999)), []);
    assert.deepEqual(mistakes(listOf(18_000)), tooMany);
  }
  assert.deepEqual(mistakes(`${'['.repeat(18_001)}${']'.repeat(18_001)}`), tooMany);
  assert.deepEqual(mistakes('['.repeat(18_001)), tooMany);
});

test('blanks between the parts of a body are no part of it', () => {
  const close = '{"a":[1e999,"\\u0000",[],{}],"b":{"c":1e999,"d":2},"e":1e999}';
  const told = mistakes(close);
  assert.deepEqual(
    told.map(({ remarks }) => remarks),
    ['/a/0', '/a/1', '/b/c', '/e'],
  );
  for (const blanks of [' ', '\n\t', '\r\n  '])
    assert.deepEqual(mistakes(close.replace(/[{}[\]:,]/g, (part) => `${blanks}${part}${blanks}`)), told);
});

test('no more mistakes are told than an answer has room for', () => {
  for (const value of ['"\\u0000"', '1e999', '{"a":1,"a":2}']) {
    const told = mistakes(`{"a":[${Array(2_000).fill(value).join()}]}`);
    assert.equal(told.length, 100, value);
  }
});

test('long names are told shortened', () => {
  const name = 'k'.repeat(100_000);
  for (const text of [`{"${name}":{"a/b":[1e999]}}`, `{"${name}":{"a/b":[1,{"c":2,"c":3}]}}`]) {
    const [mistake] = mistakes(text);
    assert.match(mistake?.remarks ?? '', /^\/k{100}…\/a~1b\/[01](\/c)?$/);
    assert.ok((mistake?.message ?? text).length < 200);
  }
});

test('the first number that a double rounds is told, however few digits it has', () => {
  const tooMany = {
    reason: 'field_invalid',
    message: 'n has more digits than a number can keep exactly.',
    remarks: '/n',
  };
  for (const kept of ['9007199254740991', '900719925474099', '0.1000000000000000', '0.300000000000000'])
    assert.deepEqual(mistakes(`{"n":${kept}}`), []);
  for (const rounded of ['9007199254740993', '-9007199254740993'])
    assert.deepEqual(mistakes(`{"n":${rounded}}`), [tooMany], rounded);
});
