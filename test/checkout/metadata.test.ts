import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import {
  isJsonObject,
  METADATA_BYTES,
  METADATA_DEPTH,
  METADATA_KEYS,
  mergePatch,
  metadataProblem,
} from '../../src/checkout/metadata.ts';
import type { JsonObject } from '../../src/checkout/session.ts';
import { frozen } from './build.ts';

const parse = (text: string): JsonObject => frozen(JSON.parse(text));

suite('a merge patch', () => {
  // RFC 7396, appendix A, as far as both sides are objects. An array at the top is the same array one level down.
  const rows = [
    { target: '{"a":"b"}', patch: '{"a":"c"}', result: '{"a":"c"}' },
    { target: '{"a":"b"}', patch: '{"b":"c"}', result: '{"a":"b","b":"c"}' },
    { target: '{"a":"b"}', patch: '{"a":null}', result: '{}' },
    { target: '{"a":"b","b":"c"}', patch: '{"a":null}', result: '{"b":"c"}' },
    { target: '{"a":["b"]}', patch: '{"a":"c"}', result: '{"a":"c"}' },
    { target: '{"a":"c"}', patch: '{"a":["b"]}', result: '{"a":["b"]}' },
    { target: '{"a":{"b":"c"}}', patch: '{"a":{"b":"d","c":null}}', result: '{"a":{"b":"d"}}' },
    { target: '{"a":[{"b":"c"}]}', patch: '{"a":[1]}', result: '{"a":[1]}' },
    { target: '{"x":["a","b"]}', patch: '{"x":["c","d"]}', result: '{"x":["c","d"]}' },
    { target: '{"x":{"a":"b"}}', patch: '{"x":["c"]}', result: '{"x":["c"]}' },
    { target: '{"x":{"a":"foo"}}', patch: '{"x":null}', result: '{}' },
    { target: '{"x":{"a":"foo"}}', patch: '{"x":"bar"}', result: '{"x":"bar"}' },
    { target: '{"e":null}', patch: '{"a":1}', result: '{"e":null,"a":1}' },
    { target: '{"x":[1,2]}', patch: '{"x":{"a":"b","c":null}}', result: '{"x":{"a":"b"}}' },
    { target: '{}', patch: '{"a":{"bb":{"ccc":null}}}', result: '{"a":{"bb":{}}}' },
    // Beyond the appendix.
    { target: '{"a":1}', patch: '{}', result: '{"a":1}' },
    { target: '{"a":true}', patch: '{"a":false}', result: '{"a":false}' },
    { target: '{"a":1}', patch: '{"b":null}', result: '{"a":1}' },
    { target: '{"a":[1]}', patch: '{"a":[null,{"b":null}]}', result: '{"a":[null,{"b":null}]}' },
    { target: '{"a":{"b":{"c":1,"d":2}}}', patch: '{"a":{"b":{"c":null}}}', result: '{"a":{"b":{"d":2}}}' },
    { target: '{"a":1,"b":2}', patch: '{"a":3}', result: '{"a":3,"b":2}' },
  ];
  for (const { target, patch, result } of rows) {
    test(`${target} + ${patch} = ${result}`, () => {
      // Text comparison also covers the order of the keys.
      assert.equal(JSON.stringify(mergePatch(parse(target), parse(patch))), result);
    });
  }

  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
  for (const name of names) {
    test(`a key ${name} is a key like any other`, () => {
      const patch = parse(`{"${name}":{"polluted":true},"deep":{"${name}":{"polluted":1}}}`);
      const merged = mergePatch(parse('{"a":1}'), patch);
      assert.deepEqual(Object.keys(merged), ['a', name, 'deep']);
      assert.equal(JSON.stringify(merged), `{"a":1,${JSON.stringify(patch).slice(1)}`);
      assert.equal(Object.getPrototypeOf(merged), Object.prototype);
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
      assert.equal((Object as { polluted?: unknown }).polluted, undefined);

      const again = mergePatch(frozen(merged), parse(`{"${name}":{"more":2}}`));
      assert.equal(
        JSON.stringify(Object.getOwnPropertyDescriptor(again, name)?.value),
        '{"polluted":true,"more":2}',
      );
      const removed = mergePatch(frozen(merged), parse(`{"${name}":null}`));
      assert.deepEqual(Object.keys(removed), ['a', 'deep']);
    });
  }

  const json = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown>(null, true, 0, 1, 'x'),
      fc.array(fc.constantFrom<unknown>(null, 1), { maxLength: 2 }),
      tie('object'),
    ),
    object: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('value'), { maxKeys: 4 }),
  })).object as fc.Arbitrary<JsonObject>;

  test('is idempotent: the same patch twice is the same as once', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const once = mergePatch(frozen(target), frozen(patch));
        assert.equal(JSON.stringify(mergePatch(frozen(once), patch)), JSON.stringify(once));
      }),
    );
  });

  test('leaves no null of its own, and keeps what it does not name', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const merged = mergePatch(frozen(target), frozen(patch));
        for (const key of Object.keys(patch)) {
          const wanted = Object.getOwnPropertyDescriptor(patch, key)?.value;
          assert.equal(Object.hasOwn(merged, key), wanted !== null);
        }
        for (const key of Object.keys(target)) {
          if (Object.hasOwn(patch, key)) continue;
          assert.deepEqual(
            Object.getOwnPropertyDescriptor(merged, key)?.value,
            Object.getOwnPropertyDescriptor(target, key)?.value,
          );
        }
      }),
    );
  });
});

suite('a JSON object', () => {
  for (const value of [{}, { a: 1 }, Object.create(null)]) {
    test(`${JSON.stringify(value)} is one`, () => assert.equal(isJsonObject(value), true));
  }
  for (const value of [null, undefined, [], 'a', 1, true]) {
    test(`${JSON.stringify(value)} is none`, () => assert.equal(isJsonObject(value), false));
  }
});

suite('the bounds of metadata', () => {
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, n]));
  const nested = (levels: number): JsonObject => (levels === 1 ? { a: 1 } : { a: nested(levels - 1) });
  const nestedInArrays = (levels: number): JsonObject => {
    let value: JsonObject['a'] = [];
    for (let level = 2; level < levels; level++) value = [value];
    return { a: value };
  };
  // `{"t":"…"}` takes eight bytes beside the text.
  const bytes = (count: number, letter = 'x') => ({
    t: letter.repeat((count - 8) / Buffer.byteLength(letter)),
  });

  const rows: readonly { name: string; metadata: JsonObject; problem: RegExp | null }[] = [
    { name: 'none', metadata: {}, problem: null },
    { name: 'as many keys as allowed', metadata: keys(METADATA_KEYS), problem: null },
    { name: 'one key more', metadata: keys(METADATA_KEYS + 1), problem: /at most 50 top-level keys/ },
    { name: 'more keys below the top', metadata: { a: keys(METADATA_KEYS + 1) }, problem: null },
    { name: 'as deep as allowed', metadata: nested(METADATA_DEPTH), problem: null },
    { name: 'one level deeper', metadata: nested(METADATA_DEPTH + 1), problem: /at most 8 levels/ },
    { name: 'as deep as allowed, in arrays', metadata: nestedInArrays(METADATA_DEPTH), problem: null },
    {
      name: 'one level deeper, in arrays',
      metadata: nestedInArrays(METADATA_DEPTH + 1),
      problem: /at most 8 levels/,
    },
    { name: 'as many bytes as allowed', metadata: bytes(METADATA_BYTES), problem: null },
    {
      name: 'one byte more',
      metadata: bytes(METADATA_BYTES + 1),
      problem: /at most 16384 bytes of JSON; it has 16385/,
    },
    {
      name: 'as many bytes as allowed, in letters of two',
      metadata: bytes(METADATA_BYTES, 'é'),
      problem: null,
    },
    { name: 'a letter of two bytes more', metadata: bytes(METADATA_BYTES + 2, 'é'), problem: /it has 16386/ },
  ];
  for (const { name, metadata, problem } of rows) {
    test(name, () => {
      const found = metadataProblem(metadata);
      if (problem === null) assert.equal(found, null);
      else assert.match(found ?? '', problem);
    });
  }

  test('are 50 keys, 16 KiB and 8 levels', () => {
    assert.deepEqual([METADATA_KEYS, METADATA_BYTES, METADATA_DEPTH], [50, 16 * 1024, 8]);
  });
});
