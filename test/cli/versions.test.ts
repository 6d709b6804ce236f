/** Two versions of opentill on one database: only a start of the service migrates, and only what it owns. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import { newerVersion } from '../support/newer-version.ts';
import { freshDirectory, run, runToEnd, type Server, serve } from '../support/process.ts';

const timeout = 90_000;
const BOOTSTRAP_API_KEY = 'ak_test_two:sk_test_two';
const headers = { authorization: 'Bearer sk_test_two', 'content-type': 'application/json' };

/** A column without which the newer version cannot write a session, and which the older one does not know. */
const migration = {
  sqlite: `ALTER TABLE checkout ADD COLUMN place TEXT NOT NULL DEFAULT 'here' CHECK (length(place) > 0);`,
  postgres: `ALTER TABLE checkout ADD COLUMN place text NOT NULL DEFAULT 'here';`,
};

async function create(server: Server): Promise<number> {
  const body = JSON.stringify({ invoice_currency: 'EUR', amount: 100 });
  const response = await fetch(`${server.url}/v3/checkout`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

const readiness = async (server: Server) => (await fetch(`${server.url}/readyz`)).status;

suite('an older and a newer version on SQLite', () => {
  function schemaOf(path: string): unknown {
    const database = new DatabaseSync(path, { readOnly: true });
    const { user_version } = database.prepare('PRAGMA user_version').get() ?? {};
    database.close();
    return user_version;
  }

  function setUp(t: TestContext) {
    const path = join(freshDirectory(t), 'till.db');
    const settings = { DATABASE_URL: `sqlite:${path}`, BOOTSTRAP_API_KEY };
    const program = newerVersion(t, migration);
    const refused = async (args: readonly string[], why: RegExp, newer = false) => {
      const { code, stderr } = newer
        ? await runNewer(t, program, args, settings)
        : await runToEnd(t, args, { ...settings, PORT: '0' });
      assert.equal(code, 1, stderr);
      assert.match(stderr, why);
    };
    return { path, settings, program, refused };
  }

  test('the newer one changes nothing while the older one serves', { timeout }, async (t) => {
    const { path, settings, program, refused } = setUp(t);
    const older = await serve(t, settings);
    await refused(['serve'], /another process is serving the database/, true);
    await refused(['keys', 'create', '--name', 'x'], /schema 1 of an older opentill/, true);
    assert.equal(schemaOf(path), 1);
    assert.deepEqual([await create(older), await readiness(older)], [201, 200]);

    await older.kill('SIGTERM');
    await refused(
      ['keys', 'list'],
      /schema 1 of an older opentill; a start of the service brings it to 2/,
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
});

async function runNewer(
  t: TestContext,
  program: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
) {
  const { output, ended } = run(t, args, { ...settings, PORT: '0' }, { program });
  return { ...(await ended), ...output };
}
