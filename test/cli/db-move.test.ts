import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { logoBytes } from '../../src/accounts/logo.ts';
import { tables } from '../../src/cli/move/tables.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { png } from '../support/image.ts';
import { freshDatabase } from '../support/postgres.ts';
import { freshDirectory, isRunning, run, runToEnd } from '../support/process.ts';
import { serveHere } from '../support/service.ts';
import { ask, everything, keys } from './moved-shop.ts';
import { query, STOP_NOW, says, setLogo, setUp, startRefused } from './moving.ts';

/** Time from one thing that a merchant does to the next. */
const ACT_MS = 20;

suite('opentill db move', () => {
  test('moves everything while the service serves, up to a short stop', async () => {
    await using t = cleanUp();
    const { path, target, server, shop, money, refusing, args } = await setUp(t);
    const moving = run(t, args, {});
    // The move gives way to whoever wants to be answered.
    while (!STOP_NOW.test(moving.output.stdout) && isRunning(moving)) {
      await shop.act();
      await pause(ACT_MS);
    }
    await says(moving, STOP_NOW);
    for (let n = 0; n < 60; n++) await shop.act();
    await shop.erase();
    await shop.forget(path);
    await money.change();
    await setLogo(server.url, keys[0], '#ffffff');
    const before = await everything(server.url, shop);
    await server.stop();

    const { code } = await moving.ended;
    const { stdout, stderr } = moving.output;
    assert.deepEqual([code, stderr.replaceAll(/^(copying|comparing).*\n/gm, '')], [0, ''], stdout);
    assert.equal(stdout.match(new RegExp(STOP_NOW, 'g'))?.length, 1, stdout);
    for (const name of [...tables.map((table) => table.name), 'everything'])
      assert.match(stdout, sameOnBothSides(name));
    assert.match(stdout, /^paid, EUR +(\d+) +\1$/m);
    assert.match(stdout, new RegExp(`DATABASE_URL=${target.replace('@', ':<password>@')}\\n`));

    const port = String(server.port);
    const onPostgres = await serveHere(t, { DATABASE_URL: target, PORT: port });
    const after = await everything(onPostgres.url, shop);
    assert.deepEqual([...after.keys()], [...before.keys()]);
    for (const [what, answer] of before) assert.equal(after.get(what), answer, what);

    // Pending deliveries arrive from the new place, and new numbers follow the old ones.
    const { length } = refusing.deliveries;
    const [key = { id: '', secret: '' }] = keys;
    const path3 = '/v3/test_helpers/clock/advance';
    await ask(onPostgres.url, { key, method: 'POST', path: path3, body: { seconds: 86_400 } });
    await refusing.received(length + 1);
    for (const table of [
      'refund',
      'awaited',
      'provider_event',
      'bank_entry',
      'bank_file',
      'logo',
      'dashboard_user',
    ])
      assert.match(stdout, new RegExp(`^${table} +[1-9]`, 'm'));
    const store = await openPostgresStore(target);
    t.after(() => store.close());
    const white = await store.logos.fetch({ account: 1, mode: 'test' });
    assert.deepEqual(white && logoBytes(white), png({ color: '#ffffff' }));
    const third = await store.accounts.create(
      { name: 'Third', webhookSecrets: { test: '', live: '' }, testClockOffsetMs: 0 },
      Date.now(),
    );
    assert.equal(third.number, 3);

    // The old file is kept, and nobody serves it or a new one in its place.
    const note = readFileSync(path, 'utf8');
    assert.match(note, /^opentill: this database was moved to \S+; its file is now till\.db\.moved\n$/);
    assert.ok(!existsSync(`${path}-wal`));
    for (const command of [['serve'], ['keys', 'list'], ['db', 'check']]) {
      const settings = { DATABASE_URL: `sqlite:${path}`, PORT: '0' };
      const old = await runToEnd(t, command, settings, { startsNothing: true });
      assert.deepEqual([old.code, old.stdout, old.stderr], [1, '', note]);
    }
    assert.equal(readFileSync(path, 'utf8'), note);
    const again = await runToEnd(t, args, {});
    assert.match(
      again.stderr,
      /^opentill: the database \S+ was moved already; its file is now \S+\.moved\n$/,
    );
    const kept = new DatabaseSync(`${path}.moved`, { readOnly: true });
    t.after(() => kept.close());
    assert.equal(kept.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
  });

  const tampered: ReadonlyArray<[statement: string, named: RegExp]> = [
    [
      `UPDATE payment SET amount = amount + 1 WHERE line = 1`,
      /payment \(account 1, test mode, checkout chk_\w+, line 1\) differs in amount; .*the sum of payments in/,
    ],
    [`DELETE FROM event WHERE sequence = 1`, /event \(account 1, test mode, id evt_\w+\) is missing/],
    [
      `UPDATE delivery SET sequence = sequence + 1 WHERE url IS NOT NULL`,
      /delivery \(account 1, test mode, id whd_\w+\) differs in sequence/,
    ],
    [
      `UPDATE delivery_attempt SET duration_ms = -1`,
      /delivery_attempt \(account \d, test mode, delivery whd_\w+, number 1\) differs in duration_ms/,
    ],
    [
      `UPDATE customer SET data = replace(data, 'Ada', 'Eve')`,
      /customer \(account \d, (test|live) mode, id cus_\w+\) differs in data/,
    ],
    [
      `INSERT INTO timer VALUES (2, true, 'chk_x', 1, NULL)`,
      /timer \(account 2, live mode, checkout chk_x\) has no counterpart/,
    ],
    [`UPDATE account SET settings_live = '{}'`, /account \(number 1\) differs in settings_live/],
    [`UPDATE refund SET state = 'failed'`, /refund \(account 1, live mode, id rfd_\w+\) differs in state/],
    [
      `DELETE FROM awaited`,
      /awaited \(account 1, live mode, currency EUR, amount 1000, attempt pat_\w+\) is missing/,
    ],
    [
      `UPDATE bank_entry SET reference = 'x' || reference`,
      /bank_entry \(account 1, live mode, id ntc_\w+\) differs in reference/,
    ],
    [
      `UPDATE bank_file SET content = ''`,
      /bank_file \(account 1, live mode, id bfl_\w+\) differs in content/,
    ],
    [`UPDATE logo SET content = ''`, /logo \(account \d, (test|live) mode\) differs in content/],
    [`UPDATE idempotency SET body = '{' || body`, /idempotency \([^)]*\) differs in body/],
    [
      `INSERT INTO feed_waiting VALUES (1, true, 'chk_x', 1, 'evt_x')`,
      /feed_waiting \([^)]*\) has no counterpart/,
    ],
  ];
  test('names a row that is not the same, and leaves the source as it is', async () => {
    await using t = cleanUp();
    const { path, target, server, args } = await setUp(t);
    const moving = run(t, args, {});
    await says(moving, STOP_NOW);
    for (const [statement] of tampered) await query(t, target, statement);
    await server.stop();
    assert.equal((await moving.ended).code, 1);
    const { stderr } = moving.output;
    assert.match(stderr, /^opentill: the copy is not right: [^\n]+\n$/m);
    for (const [, named] of tampered) assert.match(stderr, named);
    assert.doesNotMatch(stderr, /Ada|Eve|example\.com/);
    const refused = await startRefused(t, target);
    assert.equal(refused.code, 1);
    await serveHere(t, { DATABASE_URL: `sqlite:${path}` });
  });
});

suite('opentill db move refuses', () => {
  async function refused(t: Ends, args: readonly string[], message: RegExp, settings = {}): Promise<void> {
    const { code, stdout, stderr } = await runToEnd(t, ['db', 'move', ...args], settings);
    // The hint at `--help` follows only a wrong command line.
    assert.deepEqual(
      [code, stdout],
      [stderr.endsWith('; see opentill db move --help\n') ? 2 : 1, ''],
      stderr,
    );
    assert.match(stderr, /^opentill: [^\n]+\n$/);
    assert.match(stderr, message);
    assert.ok(!stderr.includes('geheim'), 'it repeats the password');
  }

  /** A database with an account, and the address of an empty one. */
  async function twoDatabases(t: Ends) {
    const path = join(freshDirectory(t), 'till.db');
    await makeSource(path);
    return { path, from: `sqlite:${path}`, to: await freshDatabase(t) };
  }

  async function makeSource(path: string): Promise<void> {
    const store = openSqliteStore(path);
    const webhookSecrets = { test: `whsec_${path}`, live: '' };
    await store.accounts.create({ name: 'Shop', webhookSecrets, testClockOffsetMs: 0 }, Date.now());
    await store.close();
  }

  test('arguments that make no sense', async () => {
    await using t = cleanUp();
    const { path, from, to } = await twoDatabases(t);
    await refused(t, ['--to', 'postgres://u:geheim@h/d'], /--from/, {
      DATABASE_URL: 'postgres://u:geheim@h/d',
    });
    await refused(t, ['--from', from], /--to/);
    await refused(t, ['--from', from, '--to', from], /--to/);
    await refused(t, ['--from', from, '--to', 'mysql://u:geheim@h/d'], /--to must be/);
    await refused(t, ['--from', `${from}.other`, '--to', to], /there is no database \S+other/);
    await refused(t, ['--from', from, '--to', to, '--fast'], /--fast/);
    writeFileSync(`${path}.moved`, 'kept');
    await refused(t, ['--from', from, '--to', to], /till\.db\.moved exists already/);
  });

  test('a source that is no database of this version', async () => {
    await using t = cleanUp();
    const { path, from, to } = await twoDatabases(t);
    const other = `${path}.txt`;
    writeFileSync(other, 'notes');
    await refused(t, ['--from', `sqlite:${other}`, '--to', to], /cannot read the database/);
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 99');
    database.close();
    await refused(t, ['--from', from, '--to', to], /newer opentill \(schema 99/);
  });

  test('a target that it cannot use', async () => {
    await using t = cleanUp();
    const { from, to } = await twoDatabases(t);
    const withPassword = (url: string, port: string) =>
      Object.assign(new URL(url), { port, username: 'till', password: 'geheim' }).href;
    await refused(
      t,
      ['--from', from, '--to', withPassword(to, '1')],
      /cannot use the database 127\.0\.0\.1:1\//,
    );
    await query(t, to, 'CREATE TABLE notes ()');
    await refused(t, ['--from', from, '--to', to], /holds another program’s tables/);
    await query(t, to, 'DROP TABLE notes');
    const store = await openPostgresStore(to);
    await store.accounts.create(
      { name: 'Shop', webhookSecrets: { test: '', live: '' }, testClockOffsetMs: 0 },
      1,
    );
    await store.close();
    await refused(t, ['--from', from, '--to', to], /is not empty \(its table account has rows\)/);
  });

  test('a target of an unfinished move of another database', async () => {
    await using t = cleanUp();
    const { path, from, to } = await twoDatabases(t);
    const server = await serveHere(t, { DATABASE_URL: from });
    const moving = run(t, ['db', 'move', '--from', from, '--to', to], {});
    await says(moving, STOP_NOW);
    await moving.kill('SIGKILL');
    await server.stop();
    const other = `${path}.other`;
    await makeSource(other);
    await refused(
      t,
      ['--from', `sqlite:${other}`, '--to', to],
      /unfinished move from another database, \S+till\.db$/m,
    );
    await query(t, to, `UPDATE move_progress SET value = 'of another line' WHERE name = 'changes_line'`);
    await refused(t, ['--from', from, '--to', to], /is an older copy of what was being moved/);
  });
});

test('every column of PostgreSQL is moved', async () => {
  await using t = cleanUp();
  const url = await freshDatabase(t);
  await (await openPostgresStore(url)).close();
  const rows = await query(
    t,
    url,
    `SELECT table_name, string_agg(column_name || ' ' || data_type, ', ' ORDER BY column_name COLLATE "C") AS columns
     FROM information_schema.columns WHERE table_schema = 'public' AND is_generated = 'NEVER' GROUP BY table_name`,
  );
  const ofMove = ['directory', 'schema_version'];
  assert.deepEqual(
    rows
      .filter(({ table_name }) => !ofMove.includes(table_name))
      .map((row) => [row.table_name, row.columns])
      .sort(),
    tables
      .map(({ name, columns }) => [
        name,
        columns
          .map((each) => `${each.name} ${each.type}`)
          .sort()
          .join(', '),
      ])
      .sort(),
  );
});

function sameOnBothSides(table: string): RegExp {
  return new RegExp(`^${table} +(\\d+) +\\1 +([0-9a-f]{16}) +\\2$`, 'm');
}
