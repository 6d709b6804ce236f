/** The statements that the guide has for receivers: an event counts once, and an old one replaces nothing. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import postgres from 'postgres';
import { freshDatabase } from '../support/postgres.ts';
import { codeBlocks, GUIDE } from './receivers.ts';

type Values = Readonly<Record<string, string | number>>;
/** The number of rows that a statement has changed, and the rows that it has read. */
type Outcome = { readonly changes: number; readonly rows: readonly unknown[] };
type Run = (statement: string, values?: Values) => Outcome | Promise<Outcome>;

const databases: Record<string, (t: TestContext) => Promise<Run>> = {
  async SQLite(t) {
    const database = new DatabaseSync(':memory:');
    t.after(() => database.close());
    return (statement, values = {}) => {
      const used = Object.fromEntries(
        Object.entries(values).filter(([name]) => statement.includes(`:${name}`)),
      );
      const prepared = database.prepare(statement);
      if (statement.startsWith('SELECT'))
        return { changes: 0, rows: prepared.all().map((row) => ({ ...row })) };
      return { changes: Number(prepared.run(used).changes), rows: [] };
    };
  },
  async PostgreSQL(t) {
    const sql = postgres(await freshDatabase(t), { max: 1 });
    t.after(() => sql.end());
    return async (statement, values = {}) => {
      const used: (string | number)[] = [];
      const numbered = statement.replace(/:(\w+)/g, (_, name: string) => `$${used.push(values[name] ?? '')}`);
      const result = await sql.unsafe(numbered, used);
      return { changes: result.count, rows: result.map((row) => ({ ...row, version: Number(row.version) })) };
    };
  },
};

const statementsOf = (block = ''): string[] =>
  block
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');

for (const [name, open] of Object.entries(databases)) {
  suite(`the statements of the guide in ${name}`, () => {
    /** A receiver with empty tables; `take` says whether it has not seen the event before. */
    async function receiver(t: TestContext) {
      const [tables, taking, ...others] = codeBlocks(GUIDE, 'sql').map(statementsOf);
      assert.ok(tables && taking);
      assert.deepEqual(others, []);
      const [begin = '', first = '', ...rest] = taking;
      const commit = rest.pop() ?? '';
      assert.deepEqual([begin, commit, rest.length], ['BEGIN', 'COMMIT', 2]);
      const run = await open(t);
      for (const statement of tables) await run(statement);

      return {
        async take(webhook_id: string, version: number, payment_status: string): Promise<boolean> {
          const values = { webhook_id, id: 'chk_1', version, payment_status };
          await run(begin);
          const isNew = (await run(first, values)).changes === 1;
          if (isNew) for (const statement of rest) await run(statement, values);
          await run(commit);
          return isNew;
        },
        state: async () => (await run('SELECT version, payment_status FROM till_session')).rows,
        jobs: async () => (await run('SELECT task, session_id, 0 AS version FROM job')).rows.length,
      };
    }

    test('take an event once', async (t) => {
      const { take, state, jobs } = await receiver(t);
      assert.equal(await take('evt_1', 3, 'paid'), true);
      assert.equal(await take('evt_1', 3, 'paid'), false);
      assert.deepEqual(await state(), [{ version: 3, payment_status: 'paid' }]);
      assert.equal(await jobs(), 1);
    });

    test('keep the newest state, in whatever order the events come', async (t) => {
      const { take, state, jobs } = await receiver(t);
      assert.equal(await take('evt_2', 2, 'processing'), true);
      assert.equal(await take('evt_1', 1, 'unpaid'), true);
      assert.deepEqual(await state(), [{ version: 2, payment_status: 'processing' }]);
      assert.equal(await jobs(), 0);
      await take('evt_3', 10, 'paid');
      await take('evt_4', 9, 'processing');
      assert.deepEqual(await state(), [{ version: 10, payment_status: 'paid' }]);
    });

    test('ship a session once, although several events say that it is paid', async (t) => {
      const { take, jobs } = await receiver(t);
      await take('evt_1', 1, 'unpaid');
      await take('evt_2', 3, 'paid');
      await take('evt_3', 3, 'paid');
      await take('evt_4', 4, 'paid');
      assert.equal(await jobs(), 1);
    });
  });
}
