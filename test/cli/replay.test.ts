import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { configure } from '../api/bank.ts';
import { succeeded } from '../api/shop.ts';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { freshDirectory } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { assertFailure, assertMistake, opentill, settingsFor } from './developer.ts';

const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString();
const inAnHour = new Date(Date.parse(YESTERDAY) + 3_600_000).toISOString();

/** A day of a shop at another service. */
const day = [
  {
    method: 'POST',
    path: 'https://other.example/v3/checkout',
    headers: { 'Idempotency-Key': 'order-1' },
    at: YESTERDAY,
    body: {
      invoice_currency: 'JPY',
      amount: 240_000,
      expires_at: inAnHour,
      webhook_url: 'https://shop.example.com/hooks',
      seller_details: { name: 'Ada' },
    },
    response: { data: { id: 'chk_theirs0001', payin: 'pay_theirs0001' } },
  },
  { method: 'get', path: '/v3/checkout/chk_theirs0001' },
  {
    method: 'POST',
    path: '/v3/refund',
    body: '{"payin":"pay_theirs0001","amount":100000}',
    response: '{"data":{"id":"rfd_theirs0001"}}',
  },
  { method: 'GET', path: '/v3/refund/rfd_theirs0001' },
  {
    method: 'POST',
    path: '/v3/checkout',
    body: { invoice_currency: 'USD', amount: 100, customer_fee_percentage: 3 },
  },
  { method: 'GET', path: '/v3/payout/pot_theirs0001' },
  { method: 'GET', path: '/robots.txt' },
];

function logOf(t: Ends, requests: readonly object[], more = ''): string {
  const path = join(freshDirectory(t), 'requests.jsonl');
  writeFileSync(path, `${requests.map((each) => JSON.stringify(each)).join('\n\n')}\n${more}`);
  return path;
}

suite('opentill replay', () => {
  test('tells what of a day would be refused, with the ids of the log', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    await configure(service, { compatibility: 'v3' });
    const log = logOf(t, day);
    const { code, stdout, stderr } = await opentill(t, service, 'replay', '--log', log, '--json');
    assert.deepEqual([code, stderr], [3, '']);
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(records, [
      {
        record: 'ignored',
        line: 1,
        method: 'POST',
        path: '/checkout',
        fields: ['/seller_details'],
      },
      {
        record: 'refused',
        line: 9,
        method: 'POST',
        path: '/checkout',
        status: 400,
        reasons: ['customer_fee_percentage would change the amount to pay: omit it.'],
      },
      {
        record: 'refused',
        line: 11,
        method: 'GET',
        path: '/payout/pot_theirs0001',
        status: 404,
        reasons: ['The resource does not exist.'],
      },
      { record: 'summary', requests: 6, refused: 2, ignored: 1, skipped: 1 },
    ]);
    const [session] = succeeded(await service.call('GET', '/v3/checkout'));
    assert.deepEqual([session.amount, session.amount_paid, session.webhook_url], [240_000, 240_000, '']);
    const [refund] = succeeded(await service.call('GET', '/v3/refund'));
    assert.deepEqual([refund.amount, refund.payin], [100_000, session.id]);

    const text = await opentill(t, service, 'replay', '--log', log);
    assert.match(text.stdout, /^1 {2}POST \/checkout {2}ignored: \/seller_details$/m);
    assert.match(text.stdout, /^11 {2}GET \/payout\/pot_theirs0001 {2}refused with 404\n {4}The resource/m);
    assert.match(text.stdout, /^6 sent, 2 would be refused$/m);
  });

  test('tells the same of a log that was sent before', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const log = logOf(t, [
      {
        method: 'POST',
        path: '/v3/checkout',
        body: { invoice_currency: 'USD', amount: 2500 },
        response: { data: { payin: 'pay_theirs0001' } },
      },
      {
        method: 'POST',
        path: '/v3/refund',
        headers: { 'Idempotency-Key': 'refund-1' },
        body: { payin: 'pay_theirs0001', amount: 1000 },
      },
    ]);
    for (const time of ['first', 'second']) {
      const { code, stdout } = await opentill(t, service, 'replay', '--log', log);
      assert.deepEqual([code, stdout], [0, '2 sent, 0 would be refused\n'], time);
    }
  });

  test('takes keys as they may be, and has others refused', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const keys = ['k', '"k"', ' ~', `${'k'.repeat(254)}1`, `${'k'.repeat(254)}2`, `"${'k'.repeat(255)}"`];
    const wrong = ['', '""', 'k'.repeat(256), 'schlüssel', '鍵'];
    const log = logOf(
      t,
      [...keys, ...wrong].map((key) => ({
        method: 'POST',
        path: '/v3/checkout',
        headers: { 'idempotency-key': key },
        body: { invoice_currency: 'USD', amount: 2500 },
      })),
    );
    for (const time of ['first', 'second']) {
      const { stdout, stderr } = await opentill(t, service, 'replay', '--log', log, '--json');
      assert.equal(stderr, '');
      const records = stdout.trimEnd().split('\n');
      const { requests, refused } = JSON.parse(records.at(-1) ?? '');
      assert.deepEqual([requests, refused], [11, wrong.length], time);
      for (const record of records.slice(0, -1))
        assert.deepEqual(JSON.parse(record).reasons, [
          'Idempotency-Key must have 1 to 255 printable ASCII characters.',
        ]);
    }
    // Quotes are no part of a key, and each run has keys of its own.
    assert.equal(
      succeeded(await service.call('GET', '/v3/checkout?limit=100')).length,
      2 * (keys.length - 1),
    );
  });

  test('ends with 0 where nothing would be', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const log = logOf(t, [{ method: 'GET', path: '/v3/checkout' }]);
    const { code, stdout } = await opentill(t, service, 'replay', '--log', log);
    assert.deepEqual([code, stdout], [0, '1 sent, 0 would be refused\n']);
  });

  test('says in one line what is wrong', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const settings = settingsFor(service);
    const live = settingsFor({ url: service.url, key: await service.createKey({ mode: 'live' }) });
    const log = logOf(t, [], '{"method": "GET"}');
    await assertFailure(t, ['replay', '--log', log], settings, /line 2 of the log .*path is required/);
    await assertFailure(t, ['replay', '--log', logOf(t, [], '{')], settings, /line 2 of the log/);
    await assertFailure(t, ['replay', '--log', '/nowhere'], settings, /: \/nowhere cannot be read: ENOENT/);
    await assertFailure(t, ['replay', '--log', log], live, /a key of test mode/);
    await assertMistake(t, ['replay'], settings, /--log <requests\.jsonl> is missing/);
  });
});
