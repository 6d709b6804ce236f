/** Hashes of passwords. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPasswords, TooManyPasswords } from '../../src/users/passwords.ts';

const passwords = createPasswords();

test('a password matches its hash, each hash has a salt of its own, and no other password matches', async () => {
  const [one, two] = [
    await passwords.hash('correct horse battery'),
    await passwords.hash('correct horse battery'),
  ];
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.notEqual(one, two);
  assert.equal(await passwords.matches('correct horse battery', one), true);
  assert.equal(await passwords.matches('correct horse batterz', one), false);
  assert.equal(await passwords.matches('correct horse battery', null), false);
});

test('the parameters come from the hash, as others have written it', async () => {
  // Made by the reference implementation: printf 'password' | argon2 somesalt -id -t 2 -k 64 -p 1 -l 32 -e
  const hash = '$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHQ$FqGkmHNGCd0BRW2kBt6fPZ2pPmyGwwChL8FGUhTOSSI';
  assert.equal(await passwords.matches('password', hash), true);
  assert.equal(await passwords.matches('passwore', hash), false);
});

test('characters match whether they come composed or decomposed', async () => {
  const hash = await passwords.hash('café au lait');
  assert.equal(await passwords.matches('cafe\u0301 au lait', hash), true);
});

test('one more than may wait is refused, and the others get their answers', async () => {
  const own = createPasswords();
  const asked = Array.from({ length: 31 }, () => own.matches('x', null));
  const outcomes = await Promise.allSettled(asked);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 30);
  const [refused] = outcomes.filter((each) => each.status === 'rejected');
  assert.ok(refused?.reason instanceof TooManyPasswords);
  assert.equal(await own.matches('x', null), false);
});
