/** Hashes of passwords. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPasswords, TooManyPasswords } from '../../src/users/passwords.ts';

const passwords = createPasswords();
const HERE = '192.0.2.7';

test('a password matches its hash, each hash has a salt of its own, and no other password matches', async () => {
  const [one, two] = [
    await passwords.hash('correct horse battery', HERE),
    await passwords.hash('correct horse battery', HERE),
  ];
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.notEqual(one, two);
  assert.equal(await passwords.matches('correct horse battery', one, HERE), true);
  assert.equal(await passwords.matches('correct horse batterz', one, HERE), false);
  assert.equal(await passwords.matches('correct horse battery', null, HERE), false);
});

test('the parameters come from the hash, as others have written it', async () => {
  // Made by the reference implementation: printf 'password' | argon2 somesalt -id -t 2 -k 64 -p 1 -l 32 -e
  const hash = '$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHQ$FqGkmHNGCd0BRW2kBt6fPZ2pPmyGwwChL8FGUhTOSSI';
  assert.equal(await passwords.matches('password', hash, HERE), true);
  assert.equal(await passwords.matches('passwore', hash, HERE), false);
});

test('characters match whether they come composed or decomposed', async () => {
  const hash = await passwords.hash('café au lait', HERE);
  assert.equal(await passwords.matches('cafe\u0301 au lait', hash, HERE), true);
});

test('one more than may wait is refused, and the others get their answers', async () => {
  const own = createPasswords({ most: 5 });
  const asked = Array.from({ length: 6 }, (_, index) => own.matches('x', null, `192.0.2.${index}`));
  const outcomes = await Promise.allSettled(asked);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 5);
  const [refused] = outcomes.filter((each) => each.status === 'rejected');
  assert.ok(refused?.reason instanceof TooManyPasswords);
  assert.equal(await own.matches('x', null, HERE), false);
});

test('one address has a share of the turns, and the others come in', async () => {
  const own = createPasswords();
  const flood = Array.from({ length: 20 }, (_, index) => own.matches('x', null, `2001:db8::${index}`));
  const other = own.matches('x', null, HERE);
  const outcomes = await Promise.allSettled(flood);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 3);
  assert.equal(await other, false);
});
