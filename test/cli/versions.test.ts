/** Two versions of opentill on one database: only a start of the service migrates, and only what it owns. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { createHooks } from '../support/hooks.ts';
import { type NewerVersion, newerVersion } from '../support/newer-version.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { freshDirectory, run, runToEnd, type Server, serve } from '../support/process.ts';

const timeout = 90_000;
const BOOTSTRAP_API_KEY = 'ak_test_two:sk_test_two';
const headers = { authorization: 'Bearer sk_test_two', 'content-type': 'application/json' };

/** Older versions miss nothing of it, and the newer one works with it: it is a copy of this one. */
const additive = {
  sqlite: `ALTER TABLE checkout ADD COLUMN place TEXT NOT NULL DEFAULT 'here';`,
  postgres: `-- Serves servers from schema 1 on.\nALTER TABLE checkout ADD COLUMN place text NOT NULL DEFAULT 'here';`,
};
/** This migration breaks every statement of this version about sessions. */
const breaking = 'ALTER TABLE checkout RENAME COLUMN data TO body';

const made = createHooks();
let next: NewerVersion;
before(() => {
  next = newerVersion(freshDirectory(made));
});
after(made.run);

const MIGRATED = 'the database was migrated by another version of opentill';

async function create(server: Server): Promise<number> {
  const body = JSON.stringify({ invoice_currency: 'EUR', amount: 100 });
  const response = await fetch(`${server.url}/v3/checkout`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

async function readiness(server: Server): Promise<string> {
  const response = await fetch(`${server.url}/readyz`);
  const { status } = JSON.parse(await response.text());
  assert.equal(response.status, status === 'ok' ? 200 : 503);
  return status;
}

/** Changes and reads are refused as temporarily unavailable from now on, and never fail like a bug. */
async function assertSaysWhy(server: Server): Promise<void> {
  for (let status = 201; (await readiness(server)) === 'ok' || status === 201; ) {
    status = await create(server);
    assert.ok(status === 201 || status === 503, `${status}`);
    // Readiness is told so many times a second.
    await pause(50);
  }
  assert.equal(await readiness(server), MIGRATED);
  assert.equal(await create(server), 503);
  const list = await fetch(`${server.url}/v3/checkout`, { headers });
  assert.equal(list.status, 503);
  await list.arrayBuffer();
  assert.match(server.output.stderr, new RegExp(MIGRATED));
}

suite('an older and a newer version on SQLite', () => {
  function schemaOf(path: string): unknown {
    const database = new DatabaseSync(path, { readOnly: true });
    const { user_version } = database.prepare('PRAGMA user_version').get() ?? {};
    database.close();
    return user_version;
  }

  function setUp(t: Ends) {
    const path = join(freshDirectory(t), 'till.db');
    const settings = { DATABASE_URL: `sqlite:${path}`, BOOTSTRAP_API_KEY };
    next.migrateBy('sqlite', additive.sqlite);
    const { program } = next;
    const refused = async (args: readonly string[], why: RegExp, newer = false) => {
      const { code, stderr } = newer
        ? await runNewer(t, program, args, settings)
        : await runToEnd(t, args, { ...settings, PORT: '0' }, { startsNothing: true });
      assert.equal(code, 1, stderr);
      assert.match(stderr, why);
    };
    return { path, settings, program, refused };
  }

  test('the newer one changes nothing while the older one serves', { timeout }, async () => {
    await using t = cleanUp();
    const { path, settings, program, refused } = setUp(t);
    const older = await serve(t, settings);
    await refused(['serve'], /another process is serving the database/, true);
    await refused(['keys', 'create', '--name', 'x'], /schema 1 of an older opentill/, true);
    assert.equal(schemaOf(path), 1);
    assert.deepEqual([await create(older), await readiness(older)], [201, 'ok']);

    await older.kill('SIGTERM');
    await refused(
      ['keys', 'list'],
      /schema 1 of an older opentill; the next start of the service migrates it to 2/,
      true,
    );
    assert.equal(schemaOf(path), 1);
    const newer = await serve(t, settings, { program });
    assert.equal(schemaOf(path), 2);
    assert.equal(await create(newer), 201);
    await refused(['keys', 'create', '--name', 'x'], /newer opentill \(schema 2, this one knows 1\)/);
    await newer.kill('SIGTERM');
    await refused(['serve'], /newer opentill \(schema 2, this one knows 1\)/);
  });

  test('an older one beside a schema that is not its own is not ready, and says why', {
    timeout,
  }, async () => {
    await using t = cleanUp();
    const { path, settings } = setUp(t);
    const older = await serve(t, settings);
    assert.equal(await create(older), 201);
    const database = new DatabaseSync(path);
    database.exec(`BEGIN; ${breaking}; PRAGMA user_version = 2; COMMIT`);
    database.close();
    await assertSaysWhy(older);
  });
});

suite('an older and a newer version on PostgreSQL', () => {
  async function setUp(t: Ends, postgres: string) {
    const settings = { DATABASE_URL: await migratedDatabase(t), BOOTSTRAP_API_KEY };
    next.migrateBy('postgres', postgres);
    return { settings, program: next.program };
  }

  /** Resolves when all servers have looked at the schema from now on, and one look further, so that it has its answer. */
  async function haveLooked(url: string): Promise<void> {
    const sql = postgres(url, { max: 1 });
    for (const _look of ['asked', 'answered']) {
      const [row] = await sql`SELECT clock_timestamp()::text AS now`;
      const behind = () => sql`
        SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'opentill heartbeat'
          AND query_start <= ${row?.now}::text::timestamptz`;
      while ((await behind()).length > 0) await pause(20);
    }
    await sql.end();
  }

  test('the older one goes on where it is served, and no command migrates', { timeout }, async () => {
    await using t = cleanUp();
    const { settings, program } = await setUp(t, additive.postgres);
    const older = await serve(t, settings);
    const early = await runNewer(t, program, ['keys', 'create', '--name', 'x'], settings);
    assert.match(
      early.stderr,
      /schema 1 of an older opentill; the next start of the service migrates it to 2/,
    );
    const newer = await serve(t, settings, { program });
    await haveLooked(settings.DATABASE_URL);
    assert.deepEqual([await create(newer), await create(older)], [201, 201]);
    assert.deepEqual([await readiness(newer), await readiness(older)], ['ok', 'ok']);
    const late = await runToEnd(t, ['keys', 'create', '--name', 'x'], settings);
    assert.match(late.stderr, /newer opentill \(schema 2, this one knows 1\)/);
  });

  test('the older one is not ready where it is not served, and says why', { timeout }, async () => {
    await using t = cleanUp();
    const { settings, program } = await setUp(t, breaking);
    const older = await serve(t, settings);
    assert.equal(await create(older), 201);
    await serve(t, settings, { program });
    await assertSaysWhy(older);
  });

  test('nor is it where only the number was set', { timeout }, async () => {
    await using t = cleanUp();
    const { settings } = await setUp(t, additive.postgres);
    const older = await serve(t, settings);
    const sql = postgres(settings.DATABASE_URL, { max: 1 });
    await sql`UPDATE schema_version SET version = 2`;
    await sql.end();
    await assertSaysWhy(older);
  });
});

async function runNewer(
  t: Ends,
  program: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
) {
  const { output, ended } = run(t, args, { ...settings, PORT: '0' }, { program });
  return { ...(await ended), ...output };
}
