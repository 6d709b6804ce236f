/** Signing secrets: which ones sign at a time, and what becomes of one that is replaced. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { MAX_OVERLAP_SECONDS, newWebhookSecret, retired, validSecrets } from '../../src/webhooks/secrets.ts';

const T = Date.UTC(2030, 0, 15, 12);

test('a new secret is 256 bits that nobody knows', () => {
  const secrets = Array.from({ length: 100 }, newWebhookSecret);
  for (const secret of secrets) assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(new Set(secrets).size, 100);
});

suite('the secrets that sign', () => {
  const previous = { secret: 'old', until: T };
  const cases = [
    ['are one where there was none before', null, T, ['new']],
    ['are both, the newest first, until the overlap ends', previous, T - 1, ['new', 'old']],
    ['are one from the moment that the overlap ends', previous, T, ['new']],
    ['are one ever after', previous, T + 1, ['new']],
  ] as const;
  for (const [name, before, now, expected] of cases) {
    test(name, () => assert.deepEqual(validSecrets('new', before, now), expected));
  }
});

suite('a secret that is replaced', () => {
  test('signs for as long as the two overlap', () => {
    const before = retired('old', T, 5);
    assert.deepEqual(before, { secret: 'old', until: T + 5 });
    assert.deepEqual(validSecrets('new', before, T + 4), ['new', 'old']);
  });

  test('signs for a week at most', () => assert.equal(MAX_OVERLAP_SECONDS, 7 * 24 * 60 * 60));

  test('signs for as short as the two overlap', () =>
    assert.deepEqual(retired('old', T, 1), { secret: 'old', until: T + 1 }));

  test('is over at once without an overlap', () => assert.equal(retired('old', T, 0), null));
});
