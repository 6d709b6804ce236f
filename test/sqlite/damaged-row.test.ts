/** Rows that something has changed behind the back of the service: they are refused, and nothing else is. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { pino } from 'pino';
import { DamagedRow } from '../../src/store/errors.ts';
import { startReceiver } from '../crash/receiver.ts';
import { writeAccount } from '../support/configure.ts';
import { freshSqlite } from '../support/database-sqlite.ts';
import { revokeKey } from '../support/revoke-key.ts';
import { startService } from '../support/service.ts';

const items = [{ name: 'Widget', quantity: 1, unit_price: 2500 }];

test('a row that is not the one that was written is refused, and holds up no other', async (t) => {
  const database = await freshSqlite();
  t.after(() => database.remove());
  let service = await startService(t, { database });
  const { authorization } = service.key;
  const ask = (method: string, path: string, body?: object, key = `${path} ${JSON.stringify(body)}`) =>
    service.call(method, path, {
      headers: { authorization, ...(body && { 'idempotency-key': key }) },
      ...(body && { body }),
    });
  const body = { invoice_currency: 'EUR', items };
  const create = async (key: string): Promise<string> => {
    return (await ask('POST', '/v3/checkout', body, key)).json.data.id;
  };
  const pay = (id: string, amount: number) =>
    ask('POST', `/v3/test_helpers/checkout/${id}/pay`, { amount, payment_id: `${id} ${amount}` });
  const statusOf = async (path: string) => (await ask('GET', path)).status;

  const [changed, short, answered, whole, beyond] = [
    await create('1'),
    await create('2'),
    await create('3'),
    await create('4'),
    await create('5'),
  ];
  for (const id of [short, whole]) for (const amount of [100, 200]) await pay(id, amount);
  await service.stop();

  const tables = new DatabaseSync(database.url.slice('sqlite:'.length), { defensive: false });
  tables.exec(`
    UPDATE checkout SET data = replace(data, '"amount":2500', '"amount":250') WHERE id = '${changed}';
    UPDATE checkout SET event_count = 9007199254740993 WHERE id = '${beyond}';
    DROP TRIGGER payment_is_append_only_delete;
    DELETE FROM payment WHERE checkout = '${short}' AND amount = 100;
    UPDATE audit SET actor = 'payer' WHERE subject = '${whole}' AND version = 1;
    UPDATE event SET body = replace(body, '"amount":2500', '"amount":250') WHERE subject = '${answered}'`);
  tables.close();

  service = await startService(t, { database });
  for (const id of [changed, short, beyond]) {
    const refused = await ask('GET', `/v3/checkout/${id}`);
    assert.deepEqual([refused.status, refused.json.errors[0].code], [503, 101]);
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  }
  // Lists that would leave the damaged row out are refused as a whole.
  assert.equal(await statusOf('/v3/checkout'), 503);
  assert.equal(await statusOf(`/v3/checkout/${answered}/timeline`), 503);
  assert.equal(await statusOf('/v3/audit?limit=100'), 503);
  assert.equal(
    (await ask('POST', '/v3/checkout', { invoice_currency: 'EUR', items, webhook_url: '' }, '3')).status,
    503,
  );

  // All changes share one batch.
  const paid = await Promise.all([changed, whole, short, answered].map((id) => pay(id, 300)));
  assert.deepEqual(
    paid.map(({ status }) => status),
    [503, 200, 503, 200],
  );
  assert.equal((await ask('GET', `/v3/checkout/${whole}`)).json.data.amount_paid, 600);
  assert.equal(await statusOf('/readyz'), 200);
});

test('an event that is damaged is not delivered, and holds up no other', async (t) => {
  const database = await freshSqlite();
  t.after(() => database.remove());
  const receiver = await startReceiver(t);
  const first = await startService(t, { database });
  const { authorization } = first.key;
  const headers = { authorization };
  const created = async (webhook_url: string) => {
    const body = { invoice_currency: 'EUR', items, webhook_url };
    return (await first.call('POST', '/v3/checkout', { body, headers })).json.data.id;
  };
  // The port has no listener: the deliveries wait until they are made due again.
  const [damaged, sound] = [await created('http://127.0.0.1:9/1'), await created('http://127.0.0.1:9/2')];
  await first.stop();
  const tables = new DatabaseSync(database.url.slice('sqlite:'.length));
  tables.exec(`
    UPDATE event SET body = replace(body, '"amount":2500', '"amount":250') WHERE subject = '${damaged}';
    UPDATE delivery SET url = '${receiver.url}', receiver = '${new URL(receiver.url).origin}', due_at = 1 WHERE state = 'pending';
    DELETE FROM webhook_receiver`);
  const [{ id } = {}] = tables.prepare('SELECT id FROM event WHERE subject = ?').all(sound);
  const [{ id: delivery } = {}] = tables.prepare('SELECT id FROM delivery WHERE subject = ?').all(damaged);
  tables.close();
  const lines: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line) => lines.push(line) });
  const { call } = await startService(t, { database, logger });
  await receiver.hasSeen([`${id}`]);
  assert.equal(receiver.count(), 1);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).delivery),
    [delivery],
  );
  assert.match((await call('GET', '/metrics')).text, /^opentill_webhook_deliveries_damaged_total 1$/m);
});

test('a key that is not the one that was made opens nothing, whatever became of it', async (t) => {
  const database = await freshSqlite();
  t.after(() => database.remove());
  const lines: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line) => lines.push(line) });
  const { service, call, createKey, key } = await startService(t, { database, logger });
  const [mode, permissions] = [await createKey(), await createKey({ permissions: ['read'] })];
  const revoked = await createKey();
  assert.equal(await revokeKey(service.store, revoked.id), true);
  using tables = new DatabaseSync(database.url.slice('sqlite:'.length));
  tables.exec(`
    UPDATE api_key SET live = 1 WHERE id = '${mode.id}';
    UPDATE api_key SET permissions = 'read write refund webhooks' WHERE id = '${permissions.id}';
    UPDATE api_key SET revoked_at = NULL WHERE id = '${revoked.id}'`);
  const statusOf = async (authorization: string) =>
    (await call('GET', '/v3/checkout', { headers: { authorization } })).status;
  for (const { id, secret, authorization } of [mode, permissions, revoked]) {
    assert.equal(await statusOf(authorization), 503);
    assert.equal(await statusOf(`Bearer ${secret}`), 503);
    assert.ok(lines.some((line) => line.includes(`the row ${id} of the table api_key`)));
    // A new checksum would hide it.
    await assert.rejects(revokeKey(service.store, id), DamagedRow);
  }
  assert.equal(await statusOf(key.authorization), 200);
  assert.equal(await statusOf((await createKey()).authorization), 200);
});

test('an account that is not the one that was made keeps its secrets to itself', async (t) => {
  const database = await freshSqlite();
  t.after(() => database.remove());
  const { call, account, service, stop } = await startService(t, { database });
  assert.equal(
    await writeAccount(service.store, { account: account.number, mode: 'test' }, (each) => ({
      ...each,
      name: 'Renamed',
    })),
    true,
  );
  assert.equal((await call('GET', '/v3/checkout')).status, 200);
  await stop();
  const tables = new DatabaseSync(database.url.slice('sqlite:'.length));
  tables.exec(`UPDATE account SET webhook_secret_live = 'whsec_other' WHERE number = ${account.number}`);
  tables.close();
  await assert.rejects(startService(t, { database }), {
    name: 'DamagedRow',
    message: `SQLite: the row ${account.number} of the table account is not what was written; run opentill db check`,
  });
});
