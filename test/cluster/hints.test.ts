/** Hints between processes: changes are known at once, also after the listening connection was lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { session, tenants, write } from '../store/build.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { openTables } from './cluster.ts';

test('a change is heard of in another process, and not where it was made', async (t) => {
  const database = await migratedDatabase(t);
  const heard: string[] = [];
  let notify = () => {};
  const one = await openPostgresStore(database, {
    serve: true,
    onRemoteChange: (changed) => assert.fail(`${changed} was changed here`),
  });
  const other = await openPostgresStore(database, {
    serve: true,
    onRemoteChange(changed) {
      if (typeof changed === 'string') heard.push(changed);
      notify();
    },
  });
  t.after(() => Promise.all([one.close(), other.close()]));
  const { mine } = await tenants(one);
  /** Changes sessions until the other process has heard of one of these changes; leaves none of them in flight. */
  const untilHeard = async () => {
    const made: string[] = [];
    const writing: Array<Promise<unknown>> = [];
    const told = new Promise<void>((resolve) => {
      notify = () => {
        if (made.includes(heard.at(-1) ?? '')) resolve();
      };
    });
    const making = setInterval(() => {
      const after = session(mine);
      made.push(after.id);
      writing.push(write(one, mine, { checkout: { before: null, after } }));
    }, 50);
    await told;
    clearInterval(making);
    await Promise.all(writing);
  };

  await untilHeard();
  const ended = await openTables(t, database)`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'opentill listener'`;
  assert.equal(ended.length, 2);
  await untilHeard();
});
