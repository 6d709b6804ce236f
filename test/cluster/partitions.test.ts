/**
 * The schema distributes by account as it is: cut into hash partitions of the account, every table of a tenant still
 * has its keys, and the store keeps all of its promises.
 */
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import postgres from 'postgres';
import { isBroken, type Outcome } from '../../src/store/check/check.ts';
import { checkPostgres } from '../../src/store/postgres/check.ts';
import { migrations } from '../../src/store/postgres/migrate.ts';
import { prepareDatabase } from '../../src/store/postgres/prepare.ts';
import { fillByService } from '../cli/db/healthy.ts';
import type { Open } from '../store/build.ts';
import { postgresOpener } from '../store/open-postgres.ts';
import { storeSuite } from '../store/suite.ts';
import { sharedDeliverySuite } from '../store/suite-shared-deliveries.ts';
import { sharedWorkSuite } from '../store/suite-shared-work.ts';
import { createHooks } from '../support/hooks.ts';
import { freshDatabase } from '../support/postgres.ts';
import { combinations } from '../support/scale.ts';

const PARTITIONS = 4;
/** Tables that belong to no account, or are read before the account is known. */
const SHARED = ['account', 'api_key', 'directory'];

/** The migrations, with partitions for each table of a tenant; room in the pages is a matter of the partitions. */
const partitioned = migrations.map((sql, number) =>
  sql.replace(
    /^CREATE TABLE (\w+) (\([\s\S]*?^\))(?: WITH (\(.*\)))?;/gm,
    (statement: string, name: string, columns: string, storage: string | undefined) => {
      if (SHARED.includes(name)) return statement;
      const partition = (remainder: number) =>
        // A migration may make a table anew while the one before still has its partitions.
        `CREATE TABLE ${name}_${number}_${remainder} PARTITION OF ${name}
           FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${remainder})${storage ? ` WITH ${storage}` : ''};`;
      const all = Array.from({ length: PARTITIONS }, (_, remainder) => partition(remainder));
      return `CREATE TABLE ${name} ${columns} PARTITION BY HASH (account);\n${all.join('\n')}`;
    },
  ),
);

const wholeFile = createHooks();
after(wholeFile.run);
let template: Promise<string> | undefined;

/** A database with the schema in partitions, which the store then finds up to date: a copy of one for the whole file. */
async function partitionedDatabase(context: Pick<TestContext, 'after'>): Promise<string> {
  template ??= makeTemplate();
  return freshDatabase(context, new URL(await template).pathname.slice(1));
}

async function makeTemplate(): Promise<string> {
  const url = await freshDatabase(wholeFile);
  await prepareDatabase(url, { known: partitioned });
  return url;
}

test('every table but those of the directory is cut into partitions', async (t) => {
  const sql = postgres(await partitionedDatabase(t), { max: 1 });
  t.after(() => sql.end({ timeout: 0 }));
  const tables = await sql<Array<{ name: string; kind: string }>>`
    SELECT relname AS name, relkind AS kind FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`;
  const whole = tables.filter(({ kind }) => kind === 'r').map(({ name }) => name);
  assert.deepEqual(whole, [...SHARED, 'schema_version']);
  assert.ok(tables.length > whole.length);
});

async function brokenRules(url: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  await checkPostgres(url, { outcome: (outcome) => outcomes.push(outcome), progress: () => {} });
  assert.ok(outcomes.length > 0);
  return outcomes.filter(isBroken);
}

test('the writes of a service in partitions add up', async (t) => {
  const url = await partitionedDatabase(t);
  await fillByService(t, url);
  assert.deepEqual(await brokenRules(url), []);
});

const open = postgresOpener(partitionedDatabase);
const wholeStore = (open: Open) => storeSuite('PostgreSQL in partitions', open);
const shared = [sharedWorkSuite, sharedDeliverySuite];
for (const declare of combinations([wholeStore, ...shared], shared)) declare(open);
