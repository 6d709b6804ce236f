import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { MAX_BOOKINGS } from '../../src/accounting/datev.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { awaitTransfer, configure, imported } from '../api/bank.ts';
import { advance, createSession, pay, succeeded } from '../api/shop.ts';
import { cleanUp } from '../support/clean-up.ts';
import { freshDirectory } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { createTill } from './db/money.ts';
import { assertMistake, opentill, settingsFor } from './developer.ts';

suite('opentill money', () => {
  test('sums up a time, and lists what is behind the sums, in decimal amounts', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const nothing = await opentill(t, service, 'money', 'totals');
    assert.deepEqual([nothing.code, nothing.stdout], [0, '']);
    assert.match(nothing.stderr, /there is nothing in this time/);
    const { id } = await createSession(service);
    await pay(service, id);
    const tenant = { account: service.account.number, mode: 'test' } as const;
    await createTill(service.service.store, tenant, Date.now()).learnFee(id, 88, 'JPY');
    const body = { payin: id, amount: 1000 };
    const refund = succeeded(await service.call('POST', '/v3/refund', { body }), 201);

    const { code, stdout, stderr } = await opentill(t, service, 'money', 'totals', '--from', '1h');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(
      stdout,
      /^\S+Z to \S+Z {2}EUR {2}received 25\.00 \(1\) {2}refunded -10\.00 \(1\) {2}reversed 0\.00 \(0\) {2}fees 88 JPY \(1\) {2}paid within 1m 1, 10m 1, 1h 1, 1d 1, 1w 1, later 0 {2}sessions 1, completed 1 {2}open 0\.00 \(0\) {2}excess 0\.00 \(0\)\n$/,
    );
    const movements = await opentill(t, service, 'money', 'movements');
    const [back, came, ...others] = movements.stdout.trimEnd().split('\n');
    assert.deepEqual(others, []);
    assert.match(
      `${back}`,
      new RegExp(`^mov_\\w+ {2}\\S+Z {2}-10\\.00 EUR {2}refund {2}${id} {2}sandbox {2}${refund.id}$`),
    );
    assert.match(
      `${came}`,
      new RegExp(` {2}25\\.00 EUR {2}payment {2}${id} {2}sandbox {2}\\w+ {2}paid after \\d+s {2}fee 88 JPY$`),
    );
    const none = await opentill(
      t,
      service,
      'money',
      'movements',
      '--late',
      '--currency',
      'eur',
      '--from',
      '1h',
    );
    assert.match(none.stderr, /there are no such movements/);
    const one = await opentill(t, service, 'money', 'movements', '--limit', '1', '--to', '2090-01-01');
    assert.deepEqual([one.stdout, /there are more/.test(one.stderr)], [`${back}\n`, true]);
  });

  test('leaves refunds that wait out of files that cannot mark them, and says how many', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    await configure(service);
    const { id, reference } = await awaitTransfer(service);
    await imported(service, [{ amount: 2500, reference }]);
    succeeded(await service.call('POST', '/v3/refund', { body: { payin: id, amount: 1000 } }), 201);
    const directory = freshDirectory(t);
    const run = (format: string) =>
      opentill(
        t,
        service,
        ...['money', 'export', join(directory, format), '--format', format, '--currency', 'EUR'],
        ...['--from', '2020-01-01', '--to', '2100-01-01'],
      );
    const ofx = await run('ofx');
    assert.match(ofx.stdout, / {2}1 movement\n$/);
    assert.match(ofx.stderr, /1 refund waits for the rail, and the file has none of them/);
    assert.match(readFileSync(join(directory, 'ofx'), 'latin1'), /<BALAMT>25\.00\r\n/);
    const csv = await run('csv');
    assert.deepEqual([/ {2}2 movements\n$/.test(csv.stdout), csv.stderr], [true, '']);
  });

  test('exports without sums, but for DATEV, whose files have a limit', async (context) => {
    await using t = cleanUp();
    const service = await startService(t);
    await pay(service, (await createSession(service)).id);
    context.mock.method(service.service.store.totals, 'movements', async () => {
      throw new StoreUnavailable('the database is away');
    });
    const directory = freshDirectory(t);
    const year = new Date().getUTCFullYear();
    const run = (format: string, ...words: readonly string[]) =>
      opentill(
        t,
        service,
        ...['money', 'export', join(directory, format), '--format', format, '--currency', 'EUR'],
        ...['--from', `${year}-01-01`, '--to', `${year + 1}-01-01`, ...words],
      );
    for (const format of ['csv', 'hledger', 'ofx']) assert.equal((await run(format)).code, 0, format);
    assert.notEqual((await run('datev', '--consultant', '1001', '--client', '7')).code, 0);
    assert.equal(existsSync(join(directory, 'datev')), false);
  });

  test('exports to DATEV what there was when it began, and not what comes meanwhile', async (context) => {
    await using t = cleanUp();
    const service = await startService(t);
    await pay(service, (await createSession(service, { reference_id: 'before' })).id);
    const { totals } = service.service.store;
    const { movements } = totals;
    let comes = async () => {
      comes = async () => {};
      await advance(service, 1);
      await pay(service, (await createSession(service, { reference_id: 'meanwhile' })).id);
    };
    context.mock.method(totals, 'movements', async (...given: Parameters<typeof movements>) => {
      await comes();
      const found = await movements.apply(totals, given);
      return found.map((each) => ({ ...each, count: each.count + MAX_BOOKINGS - 1 }));
    });
    const directory = freshDirectory(t);
    const year = new Date().getUTCFullYear();
    const run = (name: string) =>
      opentill(
        t,
        service,
        ...['money', 'export', join(directory, name), '--format', 'datev', '--currency', 'EUR'],
        ...['--from', `${year}-01-01`, '--to', `${year + 1}-01-01`, '--consultant', '1001', '--client', '7'],
      );
    const first = await run('first.csv');
    assert.deepEqual([first.code, first.stderr], [0, '']);
    const text = readFileSync(join(directory, 'first.csv'), 'latin1');
    assert.match(text, /"before"/);
    assert.doesNotMatch(text, /"meanwhile"/);
    assert.match((await run('next.csv')).stderr, /at most 99999 bookings/);
    assert.equal(existsSync(join(directory, 'next.csv')), false);
  });

  test('names the option that is wrong', async () => {
    await using t = cleanUp();
    const settings = settingsFor(await startService(t));
    const times = ['--from', '2030-01-01', '--to', '2029-01-01'];
    await assertMistake(t, ['money', 'totals', ...times], settings, /--to must be later than --from/);
    await assertMistake(t, ['money', 'totals', '--interval', 'day'], settings, /--currency must be given/);
    await assertMistake(t, ['money', 'totals', '--time-zone', 'Mars/Base'], settings, /--time-zone must be/);
    await assertMistake(t, ['money', 'movements', '--type', 'fee'], settings, /--type takes one of/);
    await assertMistake(
      t,
      ['money', 'movements', '--currency', 'EURO'],
      settings,
      /--currency takes the ISO 4217 code/,
    );
  });

  test('exports what bookkeepers import into a file, and replaces none', async () => {
    await using t = cleanUp();
    const service = await startService(t);
    const { id } = await createSession(service, { reference_id: 'order-7' });
    await pay(service, id);
    const yen = await createSession(service, { invoice_currency: 'JPY', amount: 300 });
    await pay(service, yen.id);
    const directory = freshDirectory(t);
    const run = (name: string, ...words: readonly string[]) =>
      opentill(t, service, 'money', 'export', join(directory, name), '--from', '2020-01-01', ...words);
    const until = ['--to', '2100-01-01'];
    const read = (name: string) => readFileSync(join(directory, name), 'latin1');

    const journal = await run('all.journal', ...until, '--format', 'hledger', '--income-account', 'Sales');
    assert.deepEqual([journal.code, journal.stderr], [0, '']);
    assert.match(journal.stdout, /all\.journal {2}2 movements\n$/);
    assert.match(
      read('all.journal'),
      /\) order-7\n.*\n {4}assets:opentill:sandbox {2}25\.00 EUR\n {4}Sales /,
    );
    const again = await run('all.journal', ...until, '--format', 'csv');
    assert.deepEqual([again.code, /exists already/.test(again.stderr)], [1, true]);

    assert.equal((await run('yen.ofx', ...until, '--format', 'ofx', '--currency', 'jpy')).code, 0);
    assert.match(read('yen.ofx'), /<CURDEF>JPY\r\n[\s\S]*<BALAMT>300\r\n/);
    const year = String(new Date().getUTCFullYear());
    const numbers = ['--format', 'datev', '--currency', 'EUR', '--consultant', '1001', '--client', '7'];
    const datev = await opentill(
      t,
      service,
      ...['money', 'export', join(directory, 'year.csv'), '--from', `${year}-01-01`],
      ...['--to', `${Number(year) + 1}-01-01`, ...numbers],
    );
    assert.deepEqual([datev.code, datev.stderr], [0, '']);
    assert.match(read('year.csv'), /\r\n25,00;"S";"EUR";;;;1360;10000;;\d{4};"order-7";/);

    const settings = settingsFor(service);
    const words = ['money', 'export', join(directory, 'none'), '--from', '2020-01-01'];
    await assertMistake(
      t,
      [...words, ...until, ...numbers],
      settings,
      /--year-begin must be the day on which/,
    );
    await assertMistake(t, [...words, ...until, '--format', 'ofx'], settings, /--currency must be given/);
    const zone = [...words, ...until, '--format', 'csv', '--time-zone', 'Mars/Base'];
    await assertMistake(t, zone, settings, /--time-zone a time zone/);
    const backwards = [...words, '--to', '2019-01-01', '--format', 'csv'];
    await assertMistake(t, backwards, settings, /--to must be later than --from/);
    assert.equal(existsSync(join(directory, 'none')), false);
  });
});
