/** `db check`: it says nothing of a database that a service has made, and everything of one that somebody has damaged. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { databaseUrl } from '../../src/config/values.ts';
import { type CheckListener, isBroken, type Outcome } from '../../src/store/check/check.ts';
import { checkPostgres } from '../../src/store/postgres/check.ts';
import { checkSqlite } from '../../src/store/sqlite/check.ts';
import { openForReading } from '../../src/store/sqlite/file.ts';
import { cleanUp } from '../support/clean-up.ts';
import { evidence } from '../support/evidence.ts';
import { createHooks } from '../support/hooks.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startStandby } from '../support/postgres-standby.ts';
import { runToEnd } from '../support/process.ts';
import { sampler } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { damages } from './db/damages/all.ts';
import { besides, poison } from './db/damages/poison.ts';
import { fillByService } from './db/healthy.ts';
import { type Kind, kinds } from './db/kinds.ts';

async function outcomesOf(url: string, progress: CheckListener['progress'] = () => {}): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const listener = { outcome: (outcome: Outcome) => outcomes.push(outcome), progress };
  const database = databaseUrl(url);
  if (database.kind === 'postgres') {
    await checkPostgres(database.url, listener);
  } else {
    const opened = openForReading(database.path);
    await checkSqlite(opened, listener);
    opened.close();
  }
  return outcomes;
}

for (const kind of kinds) suite(`db check on ${kind.name}`, () => checkSuite(kind));

function checkSuite(kind: Kind): void {
  const made = createHooks();
  let healthy = '';
  before(async () => {
    healthy = await kind.fresh(made);
    await fillByService(made, healthy);
  });
  after(made.run);

  test('finds nothing wrong with what the service has made', async () => {
    await using t = cleanUp();
    const { code, stdout, stderr } = await runToEnd(t, ['db', 'check'], { DATABASE_URL: healthy });
    assert.deepEqual([code, remarksIn(stderr)], [0, '']);
    const lines = stdout.trimEnd().split('\n');
    const rules = new Set(damages[kind.name].map(([rule]) => rule));
    assert.equal(lines.length, rules.size + 1);
    // A line says that indexes were left out if amcheck is not installed.
    const left = lines.filter((line) => line.startsWith('– '));
    assert.equal(left.length, kind.name === 'postgres' ? 1 : 0);
    assert.equal(lines.filter((line) => line.startsWith('✓ ')).length, rules.size - left.length);
    const held = rules.size - left.length;
    const summary =
      left.length === 0 ? `All ${held} rules hold.` : `${held} rules hold, ${left.length} left out.`;
    assert.equal(lines.at(-1), summary);
  });

  test('tells what it looks at, to the last row', async () => {
    const told = new Map<string, readonly (number | undefined)[]>();
    await outcomesOf(healthy, (what, ...rows) => told.set(what, rows));
    const things = [
      'accounts',
      'logos',
      'API keys',
      'customers',
      'endpoints',
      'sessions',
      'events',
      'stored answers',
      'bank entries',
      'bank files',
    ];
    for (const each of things) {
      const [done = 0, total] = told.get(`checking ${each}`) ?? [];
      assert.ok(done > 0 && done === total, `${done} of ${total} ${each}`);
    }
  });

  if (kind.name === 'postgres')
    test('finds nothing wrong with indexes, where it can look at them', async () => {
      await using t = cleanUp();
      const url = await kind.copy(t, healthy);
      await kind.run(url, 'CREATE EXTENSION amcheck');
      assert.deepEqual(
        (await outcomesOf(url)).filter((each) => isBroken(each) || each.skipped),
        [],
      );
    });

  async function withoutTriggers(url: string): Promise<void> {
    if (kind.name === 'postgres') return;
    const names = ['payment_is_append_only_update', 'payment_is_append_only_delete'];
    await kind.run(url, names.map((name) => `DROP TRIGGER ${name}`).join('; '));
  }

  // Most rules are the same text for both databases.
  const isTried = sampler(kind.name === 'sqlite' ? 0.15 : 0.06);

  test(`finds whatever breaks one of its rules, seed ${seed}`, async (context) => {
    await using t = cleanUp();
    const rules = new Set((await outcomesOf(healthy)).map(({ rule }) => rule));
    assert.deepEqual(new Set(damages[kind.name].map(([rule]) => rule)), rules, 'a rule that nothing breaks');
    for (const [rule, sql] of damages[kind.name].filter(isTried)) {
      const url = await kind.copy(t, healthy);
      await withoutTriggers(url);
      await kind.run(url, sql);
      const broken = (await outcomesOf(url)).filter(isBroken);
      const found = broken.find((each) => each.rule === rule);
      assert.ok(found, `${sql} breaks only ${broken.map((each) => each.rule).join('; ') || 'nothing'}`);
      assert.ok(found.examples.length > 0 && found.examples.length <= 5, sql);
    }
    evidence(context, 'damage', {
      damages_named: damages[kind.name].filter(isTried).length,
      rules: rules.size,
    });
  });

  test('says how many rules are broken, gives a few ids, and nothing of persons', async () => {
    await using t = cleanUp();
    const url = await kind.copy(t, healthy);
    await kind.run(url, `UPDATE checkout SET reference_id = 'x', email = 'ada@example.com'`);
    const { code, stdout, stderr } = await runToEnd(t, ['db', 'check', '--database', url], {});
    assert.equal(code, 3);
    assert.match(
      stdout,
      /^✗ the columns of a session say what it says itself: not so for (chk_\w+, ){4}chk_\w+ and \d+ more$/m,
    );
    assert.match(remarksIn(stderr), /^opentill: the database breaks 1 of \d+ rules\n$/);
    assert.doesNotMatch(stdout + stderr, /Lovelace|Grace|example\.com/i);
  });

  test(`tells what else is wrong, whatever row it cannot read, seed ${seed}`, async () => {
    await using t = cleanUp();
    const expected = besides.map(([rule]) => rule);
    for (const sql of poison[kind.name].filter(isTried)) {
      const url = await kind.copy(t, healthy);
      await withoutTriggers(url);
      await kind.run(url, sql);
      for (const [, other] of besides) await kind.run(url, other);
      const broken = (await outcomesOf(url)).filter(isBroken);
      const untold = broken.filter((each) => each.untold !== undefined);
      assert.deepEqual(untold, [], sql);
      const named = broken.map(({ rule }) => rule);
      assert.deepEqual(
        expected.filter((rule) => !named.includes(rule)),
        [],
        `${sql} hides`,
      );
      assert.ok(named.length > expected.length, `${sql} is not named`);
    }
  });

  test('still tells the rest of a database of which some cannot be read', async () => {
    await using t = cleanUp();
    const url = await kind.copy(t, healthy);
    await kind.run(url, `UPDATE event SET body = 'x'; UPDATE checkout SET amount_paid = amount_paid + 1`);
    const { code, stdout, stderr } = await runToEnd(t, ['db', 'check', '--database', url], {});
    assert.equal(code, 3);
    assert.match(stdout, /^✗ every event can be read: not so for evt_/m);
    assert.doesNotMatch(stdout, /cannot be checked/);
    assert.match(stdout, /^✗ what is paid is the sum of the ledger: not so for chk_/m);
    assert.match(remarksIn(stderr), /^opentill: [^\n]+\n$/);
  });

  test('does not look at a database of another schema, or of another program', async () => {
    await using t = cleanUp();
    const refusal = async (url: string, expected: RegExp) => {
      const { code, stdout, stderr } = await runToEnd(t, ['db', 'check', '--database', url], {});
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^opentill: [^\n]+\n$/);
      assert.match(stderr, expected);
    };
    const other = await kind.fresh(t);
    await kind.run(other, 'CREATE TABLE recipe (name text)');
    await refusal(other, /opentill/);
    const newer = await kind.copy(t, healthy);
    await kind.run(
      newer,
      kind.name === 'sqlite' ? 'PRAGMA user_version = 99' : 'UPDATE schema_version SET version = 99',
    );
    await refusal(newer, /newer opentill \(schema 99/);
  });
}

/** Standard error without how far the check is, which it says on a slow machine. */
function remarksIn(stderr: string): string {
  return stderr.replace(/^checking .*\n/gm, '');
}

suite('db check, used wrongly', () => {
  type Row = readonly [what: string, args: readonly string[], expected: RegExp, status?: number];
  const mistakes: readonly Row[] = [
    ['a database that is not there', ['--database', 'sqlite:/nowhere/till.db'], /there is no database/],
    ['a file that is no database', ['--database', `sqlite:${import.meta.filename}`], /not a database/],
    ['a word too many', ['till.db'], /unexpected argument "till\.db"/, 2],
    ['an unknown option', ['--deep'], /--deep/, 2],
    ['an address of something else', ['--database', 'mysql://root:secret@db/till'], /--database must be/, 2],
    [
      'a server that is not there',
      ['--database', 'postgres://till:secret@127.0.0.1:9/till'],
      /cannot use the database 127\.0\.0\.1:9\/till: .*ECONNREFUSED/,
    ],
  ];
  for (const [what, args, expected, status = 1] of mistakes) {
    test(`${what} is named in one line, without secrets`, async () => {
      await using t = cleanUp();
      const { code, stdout, stderr } = await runToEnd(t, ['db', 'check', ...args], {});
      assert.deepEqual([code, stdout], [status, '']);
      assert.match(stderr, /^opentill: [^\n]+\n$/);
      assert.match(stderr, expected);
      assert.doesNotMatch(stderr, /secret/);
    });
  }
});

suite('db check on postgres', () => {
  test('works on a standby too, and on whichever of several hosts answers', async () => {
    await using t = cleanUp();
    const primary = await startPostgres({ durable: true });
    t.after(() => primary.remove());
    const standby = await startStandby(primary, { synchronous: true });
    t.after(() => standby.remove());
    await fillByService(t, primary.url);
    const outcomes = await outcomesOf(standby.url);
    assert.ok(outcomes.length > 0);
    assert.deepEqual(outcomes.filter(isBroken), []);
    const several = (...hosts: string[]) => standby.url.replace(new URL(standby.url).host, hosts.join());
    await assert.rejects(outcomesOf(several('127.0.0.1:9', '127.0.0.1:10')), /ECONNREFUSED/);
    assert.deepEqual(
      (await outcomesOf(several('127.0.0.1:9', new URL(standby.url).host))).filter(isBroken),
      [],
    );
  });
});
