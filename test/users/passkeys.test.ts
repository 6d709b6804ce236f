/** Challenges of passkeys, and for which addresses there are passkeys. What authenticators answer is tried in a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CHALLENGE_MS,
  challengesOf,
  madePasskey,
  namedIn,
  partyOf,
  usedPasskey,
} from '../../src/users/passkeys.ts';
import { T } from './build.ts';

const { make, timeOf } = challengesOf('whsec_one');

test('a challenge is known by every process with the same secret, for its purpose and time', () => {
  const challenge = make('get', T);
  assert.notEqual(challenge, make('get', T));
  assert.equal(challengesOf('whsec_one').timeOf('get', challenge, T + CHALLENGE_MS - 1), T);
  assert.equal(timeOf('get', challenge, T + CHALLENGE_MS), null);
  assert.equal(timeOf('get', challenge, T - 1), null);
  assert.equal(timeOf('create', challenge, T), null);
  assert.equal(challengesOf('whsec_two').timeOf('get', challenge, T), null);
});

test('a challenge that is changed in any byte is not ours', () => {
  const bytes = Buffer.from(make('create', T), 'base64url');
  for (let place = 0; place < bytes.length; place++) {
    const other = Buffer.from(bytes);
    other[place] = (other[place] ?? 0) ^ 1;
    assert.equal(timeOf('create', other.toString('base64url'), T), null, `byte ${place}`);
  }
  for (const other of ['', 'x', bytes.subarray(1).toString('base64url'), `${bytes.toString('base64url')}AA`])
    assert.equal(timeOf('create', other, T), null, other);
});

test('passkeys are for names, and not for bare addresses', () => {
  assert.deepEqual(partyOf('https://till.example.com:8443/x'), {
    id: 'till.example.com',
    origin: 'https://till.example.com:8443',
  });
  assert.deepEqual(partyOf('http://localhost:3000'), { id: 'localhost', origin: 'http://localhost:3000' });
  for (const url of ['http://127.0.0.1:3000', 'http://[::1]:3000', 'https://192.0.2.1'])
    assert.equal(partyOf(url), null, url);
});

test('what is no answer of an authenticator proves nothing, and is no error', async () => {
  const party = { id: 'localhost', origin: 'http://localhost:3000' };
  const asked = { party, isOurs: () => true };
  const passkey = { id: 'a', publicKey: 'AA', counter: 0, name: '', createdAt: T, usedAt: 0 };
  const answers = [
    '',
    'x',
    '{}',
    '[]',
    'null',
    '1',
    '{"id":"a"}',
    '{"id":"a","response":null}',
    '{"id":"a","response":{}}',
    '{"id":"a","rawId":"a","type":"public-key","response":{"clientDataJSON":"e30","attestationObject":"AA"}}',
    '{"id":"a","rawId":"a","type":"public-key","response":{"clientDataJSON":"e30","authenticatorData":"AA","signature":"AA","userHandle":"AA"}}',
    `{"id":"a","response":{"clientDataJSON":"${'A'.repeat(20_000)}"}}`,
  ];
  for (const answer of answers) {
    assert.equal(await madePasskey(answer, asked), null, answer);
    assert.equal(await usedPasskey(answer, passkey, asked), null, answer);
  }
  assert.equal(namedIn('{"id":"a","response":{}}'), null);
});
