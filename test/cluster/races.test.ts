/**
 * Requests that race each other, at two instances on PostgreSQL and at one on SQLite: on one session each is decided on
 * what the one before it left behind, and a request that comes many times with one key happens once.
 *
 * OPENTILL_SEED repeats who begins.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { defaultSettings } from '../../src/accounts/settings.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import { until } from '../api/shop.ts';
import { randomFrom } from '../crash/random.ts';
import { configureAccount } from '../support/configure.ts';
import type { Row, TestDatabase } from '../support/database.ts';
import { freshPostgres } from '../support/database-postgres.ts';
import { freshSqlite } from '../support/database-sqlite.ts';
import { evidence } from '../support/evidence.ts';
import { scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { authorization, type Instance, startInstances } from './cluster.ts';

const random = randomFrom(seed);
/** Races that run at the same time. */
const PARALLEL = 8;

/** The course of a race: the instances, of which there may be one, and their database. */
type Course = {
  readonly name: 'postgres' | 'sqlite';
  readonly one: Instance;
  readonly other: Instance;
  readonly database: TestDatabase;
  openStore(): Promise<Store>;
};

for (const { name, races, rounds } of [
  { name: 'postgres', races: scaled(50, 30), rounds: scaled(2) },
  { name: 'sqlite', races: scaled(20), rounds: scaled(1) },
] as const)
  test(`races on ${name}`, { timeout: 60_000 + 200 * races + 6_000 * rounds }, async (t) => {
    t.diagnostic(`seed ${seed}`);
    const course = await startOn(t, name);
    await t.test(`${races} races of paying twice, expiring and updating`, (t) => raceOn(t, course, races));
    await t.test(`${rounds} times 100 requests at once with one key`, (t) => repeatOn(t, course, rounds));
    await t.test(`${rounds} times 100 requests at once with one key and several prices`, (t) =>
      repeatPricesOn(t, course, rounds),
    );
  });

async function startOn(t: TestContext, name: Course['name']): Promise<Course> {
  const database = await (name === 'postgres' ? freshPostgres() : freshSqlite());
  t.after(database.remove);
  const [one, other = one] = await startInstances(t, database.url, name === 'postgres' ? 2 : 1);
  assert.ok(one !== undefined && other !== undefined);
  const path = database.url.replace(/^sqlite:/, '');
  const openStore = async () =>
    name === 'postgres' ? openPostgresStore(database.url) : openSqliteStore(path);
  return { name, one, other, database, openStore };
}

type Answer = {
  readonly status: number;
  readonly etag: string | null;
  readonly text: string;
  replayed: boolean;
};

async function call({ url }: Instance, method: string, path: string, body = {}, key = ''): Promise<Answer> {
  const response = await fetch(`${url}/v3${path}`, {
    method,
    headers: {
      authorization,
      'content-type': 'application/json',
      ...(key === '' ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  });
  const { status, headers } = response;
  const text = await response.text();
  return { status, text, etag: headers.get('etag'), replayed: headers.has('idempotent-replayed') };
}

const create = { invoice_currency: 'EUR', items: [{ name: 'Widget', quantity: 1, unit_price: 2500 }] };
const update = { items: [{ name: 'Gadget', quantity: 1, unit_price: 3200 }] };

/** Pays twice, expires and updates one session at once, and says what became of it. */
async function race(course: Course): Promise<'expired' | 'completed'> {
  const { one, other } = course;
  const { id } = JSON.parse((await call(one, 'POST', '/checkout', create)).text).data;
  const [here, there] = random.next() < 0.5 ? [one, other] : [other, one];
  const requests: Record<string, () => Promise<Answer>> = {
    pay: () => call(here, 'POST', `/test_helpers/checkout/${id}/pay`),
    expire: () => call(there, 'POST', `/checkout/${id}/expire`),
    update: () => call(random.next() < 0.5 ? here : there, 'PUT', `/checkout/${id}`, update),
    payAgain: () => call(there, 'POST', `/test_helpers/checkout/${id}/pay`),
  };
  const turn = Object.keys(requests).toSorted(() => random.next() - 0.5);
  const answered = await Promise.all(turn.map(async (name) => [name, await requests[name]?.()] as const));
  const answers = Object.fromEntries(answered) as Record<'pay' | 'payAgain' | 'expire' | 'update', Answer>;
  await checkOutcome(course, id, answers);
  return answers.expire.status === 200 ? 'expired' : 'completed';
}

type Event = { readonly type: string; readonly sequence: number; readonly body: string };

async function checkOutcome(
  { one, other, database }: Course,
  id: string,
  { pay, payAgain, expire, update }: Record<'pay' | 'payAgain' | 'expire' | 'update', Answer>,
): Promise<void> {
  assert.deepEqual([pay.status, payAgain.status].sort(), [200, 409], 'one of the two has paid');
  for (const { status } of [expire, update]) assert.ok(status === 200 || status === 409, String(status));

  // All instances show the same, to the byte.
  const [shown, also] = await Promise.all(
    [one, other].map(({ url }) => fetch(`${url}/v3/checkout/${id}`, { headers: { authorization } })),
  );
  const text = await shown?.text();
  assert.equal(await also?.text(), text);
  const { data: session } = JSON.parse(text ?? '');
  assert.equal(session.status, expire.status === 200 ? 'expired' : 'completed');
  assert.equal(session.payment_status, 'paid');
  assert.equal(session.amount, update.status === 200 ? 3200 : 2500);
  assert.equal(session.amount_paid, session.amount);

  const events: Event[] = await database.query(
    'SELECT type, sequence, body FROM event WHERE subject = ? ORDER BY sequence',
    id,
  );
  const count = (type: string) => events.filter((event) => event.type === type).length;
  assert.equal(count('checkout.paid'), 1);
  assert.equal(count('checkout.expired'), expire.status === 200 ? 1 : 0);
  assert.equal(count('checkout.updated'), update.status === 200 ? 1 : 0);
  assert.equal(count('payment_attempt.succeeded'), 1);
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
  );
  const versions = [...new Set(events.map(({ body }) => JSON.parse(body).version))];
  assert.deepEqual(
    versions,
    versions.map((_, index) => index + 1),
    'each change made one version',
  );
  assert.equal(shown?.headers.get('etag'), `"${versions.length}"`);

  const ledger = await database.query('SELECT amount FROM payment WHERE checkout = ?', id);
  assert.deepEqual(ledger.map(plain), [{ amount: session.amount }]);
}

/** Rows of SQLite have no prototype. */
const plain = (row: Row): Row => ({ ...row });

async function raceOn(t: TestContext, course: Course, races: number): Promise<void> {
  const outcomes = { expired: 0, completed: 0 };
  let left = races;
  const runner = async () => {
    while (left-- > 0) outcomes[await race(course)]++;
  };
  await Promise.all(Array.from({ length: PARALLEL }, runner));
  evidence(t, 'races', {
    [`races_on_${course.name}`]: races,
    [`sessions_expired_on_${course.name}`]: outcomes.expired,
    [`sessions_completed_on_${course.name}`]: outcomes.completed,
  });
  assert.ok(outcomes.expired && outcomes.completed, 'both ways were seen');
}

async function repeatOn(t: TestContext, course: Course, rounds: number): Promise<void> {
  const { database } = course;
  const sessions = async () =>
    Number((await database.query('SELECT count(*) AS count FROM checkout'))[0].count);
  for (let round = 0; round < rounds; round++) {
    const before = await sessions();
    const key = `order-${round}`;
    const created = await atOnce(course, 'POST', '/checkout', () => create, key);
    checkEqual(created, 201);
    assert.equal(await sessions(), before + 1);

    const { id } = JSON.parse(created[0]?.text ?? '').data;
    const body = { amount: 1000, payment_id: `payment-${round}` };
    const paid = await atOnce(course, 'POST', `/test_helpers/checkout/${id}/pay`, () => body, key);
    checkEqual(paid, 200);
    const ledger = await database.query('SELECT amount FROM payment WHERE checkout = ?', id);
    assert.deepEqual(ledger.map(plain), [{ amount: 1000 }]);
  }
  evidence(t, 'races', { [`rounds_of_100_requests_with_one_key_on_${course.name}`]: 2 * rounds });
}

async function repeatPricesOn(t: TestContext, course: Course, rounds: number): Promise<void> {
  const { one, other } = course;
  const store = await course.openStore();
  const settings = { ...defaultSettings, compatibility: 'v3' } as const;
  assert.ok(await configureAccount(store, { account: 1, mode: 'test' }, settings));
  await store.close();
  const lenient = { ...create, shop: 7 };
  for (const instance of [one, other]) {
    await until(async () => (await call(instance, 'POST', '/checkout', lenient)).status === 201);
  }
  const counted: Record<number, number> = {};
  for (let round = 0; round < rounds; round++) {
    const key = `several-${round}`;
    const order = { invoice_currency: 'EUR', reference_id: key };
    const priced = (index: number) => ({ ...order, amount: 1000 + (index % 3) });
    for (const { status, text } of await atOnce(course, 'POST', '/checkout', priced, key)) {
      assert.ok(status === 201 || status === 422, text);
      counted[status] = (counted[status] ?? 0) + 1;
    }
    const listed = await fetch(`${one.url}/v3/checkout?status=active&reference_id=${key}`, {
      headers: { authorization },
    });
    const { data: active } = JSON.parse(await listed.text());
    assert.equal(active.length, 1, 'one of them can be paid');
    const last = await call(one, 'POST', '/checkout', { ...order, amount: active[0].amount }, key);
    assert.equal(JSON.parse(last.text).data.id, active[0].id, 'and it is what the key stands for');
  }
  t.diagnostic(JSON.stringify(counted));
  const name = `rounds_of_100_requests_with_one_key_and_several_prices_on_${course.name}`;
  evidence(t, 'races', { [name]: rounds });
}

function atOnce(
  { one, other }: Course,
  method: string,
  path: string,
  body: (index: number) => object,
  key: string,
): Promise<Answer[]> {
  return Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      call(random.next() < 0.5 ? one : other, method, path, body(index), key),
    ),
  );
}

/** One request takes effect, the others are its repetitions. */
function checkEqual(answers: readonly Answer[], expected: number): void {
  for (const { status, text } of answers) assert.equal(status, expected, text);
  assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
  assert.equal(new Set(answers.map(({ etag, text }) => `${etag} ${text}`)).size, 1);
}
