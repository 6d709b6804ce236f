/** Texts that a merchant reads about a failed delivery. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { failureOf, failureOfStatus } from '../../src/webhooks/failure.ts';
import { ADDRESS_FORBIDDEN } from '../../src/webhooks/guard.ts';

suite('an error of a connection', () => {
  const codes: Readonly<Record<string, readonly string[]>> = {
    'address forbidden': [ADDRESS_FORBIDDEN],
    'connection refused': ['ECONNREFUSED'],
    'connection closed': ['ECONNRESET', 'EPIPE'],
    timeout: ['ETIMEDOUT'],
    unreachable: ['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'],
    'name not resolved': ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA'],
    tls: ['EPROTO', 'ERR_TLS_CERT_ALTNAME_INVALID', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'HOSTNAME_MISMATCH'],
    'bad answer': ['HPE_INVALID_CONSTANT', 'HPE_HEADER_OVERFLOW'],
    'connection failed': ['EMFILE', 'X_HPE_', ''],
  };
  for (const [expected, each] of Object.entries(codes)) {
    for (const code of each) {
      test(`${code}: ${expected}`, () =>
        assert.equal(failureOf(Object.assign(new Error('10.1.2.3:443'), { code })), expected));
    }
  }

  test('without a code', () => assert.equal(failureOf(new Error('10.1.2.3:443')), 'connection failed'));
});

test('an answer that is no success is a redirect, or is known by its status', () => {
  for (const [status, expected] of [
    [299, 'status 299'],
    [300, 'redirect'],
    [399, 'redirect'],
    [400, 'status 400'],
    [503, 'status 503'],
  ] as const) {
    assert.equal(failureOfStatus(status), expected);
  }
});
