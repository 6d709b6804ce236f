import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { logoBytes } from '../../src/accounts/logo.ts';
import { tables } from '../../src/cli/move/tables.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { startReceiver } from '../api/receiver.ts';
import { randomFrom } from '../crash/random.ts';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { png } from '../support/image.ts';
import { freshDatabase } from '../support/postgres.ts';
import { freshDirectory, isRunning, type Running, run, runToEnd } from '../support/process.ts';
import { scaled } from '../support/scale.ts';
import { serveHere } from '../support/service.ts';
import { createMovedMoney } from './moved-money.ts';
import { addMerchants, ask, createShop, everything, type Key, keys } from './moved-shop.ts';

const STOP_NOW = /everything is copied; stop the service now, the rest takes about \d+ s/;
const SEED = 20_260_401;
/** The server asks for none, and nobody is to see it. */
const PASSWORD = 'geh@eim';

/** A service on SQLite with merchants who have done everything, and receivers of which one refuses. */
async function setUp(t: Ends) {
  const path = join(freshDirectory(t), 'till.db');
  const target = await freshDatabase(t);
  const server = await serveHere(t, { DATABASE_URL: `sqlite:${path}` });
  await addMerchants(path);
  const taking = await startReceiver(t);
  const refusing = await startReceiver(t, () => 500);
  const shop = createShop(server.url, [taking.url, refusing.url, ''], SEED);
  await shop.open();
  for (const key of keys) await setLogo(server.url, key, '#0b6b57');
  const money = createMovedMoney(path, { account: 1, mode: 'live' });
  await money.bring();
  const args = ['db', 'move', '--from', `sqlite:${path}`, '--to', target.replace('@', `:${PASSWORD}@`)];
  return { path, target, server, shop, money, refusing, args };
}

async function setLogo(url: string, key: Key | undefined, color: string): Promise<void> {
  assert.ok(key);
  const { status } = await ask(url, { key, method: 'PUT', path: '/v3/logo', body: png({ color }) });
  assert.ok(status < 300, String(status));
}

/** Resolves when it has said so; fails if it ends before. */
async function says(moving: Running, pattern: RegExp): Promise<void> {
  const { output } = moving;
  while (!pattern.test(output.stdout)) {
    assert.ok(isRunning(moving), `it ended: ${output.stdout}${output.stderr}`);
    await pause(10);
  }
}

/** Runs a start of the service on the database, which has to be refused. */
function startRefused(t: Ends, url: string) {
  return runToEnd(t, ['serve'], { DATABASE_URL: url, PORT: '0' }, { startsNothing: true });
}

async function query(t: Ends, url: string, statement: string): Promise<postgres.RowList<postgres.Row[]>> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  t.after(() => sql.end());
  return sql.unsafe(statement);
}

suite('opentill db move', () => {
  test('moves everything while the service serves, up to a short stop', async () => {
    await using t = cleanUp();
    const { path, target, server, shop, money, refusing, args } = await setUp(t);
    const moving = run(t, args, {});
    while (!STOP_NOW.test(moving.output.stdout) && isRunning(moving)) await shop.act();
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

  test('goes on where it was when it is killed, while the service goes on', async () => {
    await using t = cleanUp();
    const { path, target, server, shop, money, args } = await setUp(t);
    const random = randomFrom(SEED);
    for (let round = 0; round < scaled(3, 1); round++) {
      const moving = run(t, args, {});
      const killAt = performance.now() + random.between(150, 900);
      while (performance.now() < killAt) await shop.act();
      await moving.kill('SIGKILL');
      if (round === 1) await shop.forget(path);
      if (round === 2) await money.change();
    }
    const before = await everything(server.url, shop);
    await server.stop();
    // Kills fall into the final stop as well, however far it gets; the last may find everything done.
    for (let afterMs = 300; !existsSync(`${path}.moved`); afterMs += 150) {
      assert.ok(afterMs < 10_000, 'it never ends');
      const moving = run(t, args, {});
      await Promise.race([pause(afterMs), moving.ended]);
      await moving.kill('SIGKILL');
    }
    const last = await runToEnd(t, args, {});
    if (last.code !== 0) assert.match(last.stderr, /was moved already/);
    const onPostgres = await serveHere(t, { DATABASE_URL: target, PORT: String(server.port) });
    const after = await everything(onPostgres.url, shop);
    for (const [what, answer] of before) assert.equal(after.get(what), answer, what);
  });

  test('finishes what is left when it was killed after the source was put aside', async () => {
    await using t = cleanUp();
    const { path, target, server, args } = await setUp(t);
    await server.stop();
    // The target stands still just before its last word.
    const watcher = postgres(target, { max: 1, onnotice: () => {} });
    t.after(() => watcher.end());
    await watcher`
      CREATE FUNCTION wait() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN
        PERFORM pg_sleep(60) FROM pg_event_trigger_dropped_objects() WHERE object_name = 'move_progress';
      END$$`;
    await watcher`CREATE EVENT TRIGGER wait ON sql_drop EXECUTE FUNCTION wait()`;
    const moving = run(t, args, {});
    while (!existsSync(`${path}.moved`) || existsSync(`${path}-wal`)) {
      assert.ok(isRunning(moving), moving.output.stderr);
      await pause(5);
    }
    await moving.kill('SIGKILL');
    await watcher`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'opentill db move' AND datname = current_database()`;
    await watcher`DROP EVENT TRIGGER wait`;
    const refused = await startRefused(t, target);
    assert.match(
      refused.stderr,
      /^opentill: the database \S+ is being moved to; finish that with opentill db move\n$/,
    );
    const finished = await runToEnd(t, args, {});
    assert.deepEqual([finished.code, finished.stderr], [0, '']);
    await serveHere(t, { DATABASE_URL: target });
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

  test('stops with one line when it is interrupted or loses the target, and goes on from there', async () => {
    await using t = cleanUp();
    const { target, server, shop, args } = await setUp(t);
    const interrupted = run(t, args, {});
    await says(interrupted, STOP_NOW);
    interrupted.child.kill('SIGINT');
    assert.equal((await interrupted.ended).code, 130);
    assert.match(
      interrupted.output.stderr,
      /^opentill: interrupted; run the same command again to continue\n$/m,
    );

    const cutOff = run(t, args, {});
    await says(cutOff, STOP_NOW);
    const { origin, database } = placeOf(target);
    await query(t, origin, `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
    await query(
      t,
      origin,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
    );
    await shop.act();
    assert.equal((await cutOff.ended).code, 1);
    assert.match(
      cutOff.output.stderr,
      /^opentill: the move has stopped: [^\n]+; run the same command again to continue\n$/m,
    );
    await query(t, origin, `ALTER DATABASE ${database} ALLOW_CONNECTIONS true`);

    const first = run(t, args, {});
    await says(first, STOP_NOW);
    const second = run(t, args, {});
    assert.equal((await first.ended).code, 1);
    assert.match(first.output.stderr, /another move to the database \S+ has been started/);
    await server.stop();
    assert.equal((await second.ended).code, 0);
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

/** The server's own database, from which others can be ruled. */
function placeOf(url: string): { readonly origin: string; readonly database: string } {
  const database = new URL(url).pathname.slice(1);
  return { origin: Object.assign(new URL(url), { pathname: 'postgres' }).href, database };
}
