/** Links with which somebody sets a password. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LINK_MS, linkAddress, newLink, readLinkToken } from '../../src/users/links.ts';
import { ada, T } from './build.ts';

test('an address leads to the user and the hash that is stored, and ends in time', () => {
  const { link, secret } = newLink(T);
  assert.equal(link.until, T + LINK_MS);
  const address = linkAddress('https://till.example.com/x', ada, secret);
  assert.match(address, /^https:\/\/till\.example\.com\/x\/dashboard\/link\/usr_[0-9a-z]{26}\.[0-9a-z]{40}$/);
  assert.deepEqual(readLinkToken(address.split('/').at(-1) ?? ''), { id: ada, hash: link.hash });
  assert.notEqual(newLink(T).secret, secret);
});

test('anything else leads nowhere', () => {
  const { secret } = newLink(T);
  for (const token of [
    '',
    ada,
    `${ada}.`,
    `${ada}.${secret}x`,
    `${ada}.${secret.slice(1)}`,
    `chk${ada.slice(3)}.${secret}`,
  ])
    assert.equal(readLinkToken(token), null, token);
});
