/** Query plans of PostgreSQL for deliveries: their lists, and what is written of them. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { deliveries } from '../../src/store/resources/deliveries.ts';
import type { DeliveryFilter } from '../../src/store/store.ts';
import { deliveryWrites } from '../../src/store/write-deliveries.ts';
import type { DeliveryRow } from '../../src/webhooks/delivery.ts';
import { freshPostgres } from '../support/database-postgres.ts';
import { indexesOf } from '../support/explain.ts';

suite('every filter of a list of deliveries', async () => {
  const ACCOUNTS = 10;
  const SESSIONS = 2_000;
  /** Few are pending, few were given up; a receiver has one in fifty. */
  const fill = [
    `INSERT INTO event (account, live, id, type, subject, sequence, created_at, body)
     SELECT account, false, 'evt_' || lpad(n::text, 6, '0') || s, 'x.y', 'chk_' || lpad(n::text, 6, '0'), s, n, '{}'
     FROM generate_series(1, ${SESSIONS}) AS n, generate_series(1, 3) AS s, generate_series(1, ${ACCOUNTS}) AS account`,
    `INSERT INTO delivery (account, live, id, event, subject, sequence, receiver, created_at, state, attempts, round_start)
     SELECT account, live, 'whd_' || right(id, 7), id, subject, sequence, 'whe_' || created_at % 50, created_at,
       CASE created_at % 200 WHEN 3 THEN 'pending' WHEN 4 THEN 'failed' ELSE 'delivered' END, 1, 0
     FROM event`,
    'ANALYZE',
  ];
  const { url, query, remove } = await freshPostgres();
  after(remove);
  await (await openPostgresStore(url)).close();
  for (const statement of fill) await query(statement);

  const subject = 'chk_000007';
  const id = 'evt_0000071';
  const filters: ReadonlyArray<readonly [DeliveryFilter, string]> = [
    [{}, 'delivery_pkey'],
    [{ receiver: 'whe_7' }, 'delivery_receiver'],
    [{ subject }, 'delivery_event'],
    [{ subject, receiver: 'whe_7', state: 'delivered' }, 'delivery_event'],
    [{ event: id }, 'delivery_event'],
    [{ event: id, state: 'pending' }, 'delivery_event'],
    [{ state: 'failed' }, 'delivery_failed'],
    [{ state: 'pending' }, 'delivery_pending'],
    [{ state: 'pending', receiver: 'whe_3' }, 'delivery_ordering'],
    [{ state: 'delivered' }, 'delivery_pkey'],
    [{ state: 'delivered', receiver: 'whe_7' }, 'delivery_receiver'],
    [{ createdFrom: 1, createdBefore: 2 }, 'delivery_pkey'],
  ];
  for (const [filter, index] of filters) {
    test(`is served by an index: ${Object.keys(filter).join(', ') || 'none'}`, async () => {
      for (const cursor of [{}, { after: 'whd_0010001' }, { before: 'whd_0010001' }]) {
        const page = { limit: 20, ...cursor };
        const read = deliveries.list({ account: 2, mode: 'test' }, filter, page);
        const used = await indexesOf({ query }, read);
        if (Object.keys(cursor).length === 0) assert.ok(used.includes(index), `${index}: ${used}`);
      }
    });
  }

  test('leaves new deliveries to look for what is in front of them by their ordering keys', async () => {
    const row = { id: 'whd_1', event: id, subject, sequence: 4, receiver: 'whe_7', url: null, createdAt: 1 };
    const [insert] = deliveryWrites([{ deliveries: [row as unknown as DeliveryRow] }]);
    assert.ok(insert);
    const [statement, rows] = insert;
    const values = ['2', 'false', `'${JSON.stringify(rows)}'`];
    const text = statement.textFor('postgres').replaceAll(/\$(\d)/g, (_, number) => values[number - 1] ?? '');
    const plan = (await query(`EXPLAIN ${text}`)).map((step) => step['QUERY PLAN']).join('\n');
    assert.doesNotMatch(plan, /hashed SubPlan/, plan);
    assert.match(
      plan,
      /delivery_ordering on delivery earlier .*\n.*account = .*receiver = .*subject = /,
      plan,
    );
  });
});
