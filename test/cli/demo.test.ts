/** The demo of a payment, and what its receiver believes. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { problemOf } from '../../src/cli/demo/receiver.ts';
import { signatureHeaders } from '../../src/webhooks/sign.ts';
import { cleanUp } from '../support/clean-up.ts';
import { freshDirectory, runToEnd } from '../support/process.ts';

test('the demo ends well, and shows a payment from beginning to end', async (context) => {
  await using t = cleanUp();
  const { code, stdout, stderr } = await runToEnd(t, ['demo'], {}, { directory: freshDirectory(t) });
  assert.deepEqual([code, stderr], [0, '']);
  const lasting = stdout
    .replaceAll(/(127\.0\.0\.1):\d+/g, '$1:<port>')
    .replaceAll(/\b(chk|evt|ak_test|sk_test)_\w+/g, '$1_<id>')
    .replaceAll(/(transaction)\/\w+/g, '$1/<token>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
  // Written anew by --test-update-snapshots.
  context.assert.fileSnapshot(lasting, join(import.meta.dirname, 'demo.txt'), {
    serializers: [(text) => text],
  });
});

test('the receiver of the demo believes what is signed with its secret, and from now', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const other = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
  const body = '{"id":"evt_1"}';
  const problem = (secrets: readonly [string, ...string[]], ageSeconds = 0, received = body) => {
    const timestampSeconds = Math.floor(Date.now() / 1000) - ageSeconds;
    const headers = signatureHeaders({ id: 'evt_1', body, createdAt: '', secrets, timestampSeconds });
    return problemOf({ headers }, received, secret);
  };
  assert.equal(problem([secret]), null);
  assert.equal(problem([other, secret]), null, 'one of several is enough');
  assert.equal(problem([secret], 290), null);
  for (const ageSeconds of [310, -310]) assert.equal(problem([secret], ageSeconds), 'it is not from now');
  assert.equal(problem([other]), 'its signature is wrong');
  assert.equal(problem([secret], 0, `${body} `), 'its signature is wrong');
  assert.equal(problemOf({ headers: {} }, body, secret), 'it is not from now');
  const unsigned = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) };
  assert.equal(problemOf({ headers: unsigned }, body, secret), 'its signature is wrong');
});
