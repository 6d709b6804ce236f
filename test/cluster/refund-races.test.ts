/**
 * Merchants who ask for more refunds than there is money, all at once: on SQLite at one process, on PostgreSQL at two.
 * What is pending or done never adds up to more than what was paid, at no moment; nothing that would have fitted was
 * refused; and a request that comes twice with one key is one refund.
 *
 * OPENTILL_SEED repeats who asks for what.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { isBroken } from '../../src/store/check/check.ts';
import { checkSqlite } from '../../src/store/sqlite/check.ts';
import { randomFrom } from '../crash/random.ts';
import type { TestDatabase } from '../support/database.ts';
import { freshPostgres } from '../support/database-postgres.ts';
import { freshSqlite } from '../support/database-sqlite.ts';
import { evidence } from '../support/evidence.ts';
import { scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { authorization, checkBooks, type Instance, startInstances } from './cluster.ts';

const races = scaled(100);
/** Sessions that are raced for at the same time. */
const PARALLEL = 12;
const TIMEOUT = { timeout: 60_000 + 100 * races };

const random = randomFrom(seed);

// biome-ignore lint/suspicious/noExplicitAny: the data of an answer; the test asserts on what it finds.
type Data = any;
type Answer = {
  readonly status: number;
  readonly text: string;
  readonly replayed: boolean;
  readonly data: Data;
};

type Wish = {
  readonly amount: number;
  readonly fails: boolean;
  readonly key: string;
  readonly twice: boolean;
};
type Race = {
  readonly id: string;
  readonly paid: number;
  /** The ids of the refunds that were made, with their amounts. */
  readonly made: ReadonlyMap<string, number>;
};

async function call({ url }: Instance, path: string, body: object, key = ''): Promise<Answer> {
  const response = await fetch(`${url}/v3${path}`, {
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'application/json',
      ...(key === '' ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const replayed = response.headers.has('idempotent-replayed');
  return { status: response.status, text, replayed, data: JSON.parse(text).data };
}

async function ask(instance: Instance, path: string, body: object): Promise<Data> {
  const { status, text, data } = await call(instance, path, body);
  assert.ok(status < 300, text);
  return data;
}

/** Refunds of one and a half to three times what was paid; where some fail, their money can be asked for again. */
function wishesFor(session: string, paid: number): Wish[] {
  const wanted = paid * (1.5 + 1.5 * random.next());
  const hasFailures = random.next() < 0.25;
  const wishes: Wish[] = [];
  for (let sum = 0; sum < wanted; ) {
    const amount = random.between(Math.ceil(paid / 10), Math.ceil(paid * 0.7));
    const fails = hasFailures && random.next() < 0.4;
    wishes.push({ amount, fails, key: `${session}-${wishes.length}`, twice: random.next() < 0.2 });
    sum += amount;
  }
  return wishes;
}

async function race(instances: readonly Instance[]): Promise<Race> {
  const paid = random.between(100, 100_000);
  const { id } = await ask(random.pick(instances), '/checkout', { invoice_currency: 'EUR', amount: paid });
  await ask(random.pick(instances), `/test_helpers/checkout/${id}/pay`, {});
  const wishes = wishesFor(id, paid);
  const answered = await Promise.all(
    wishes.map(async (wish) => {
      const { amount, fails, key, twice } = wish;
      const metadata = fails ? { sandbox_outcome: 'failed' } : {};
      const send = () => call(random.pick(instances), '/refund', { payin: id, amount, metadata }, key);
      const answers = await Promise.all(twice ? [send(), send()] : [send()]);
      return { wish, answers };
    }),
  );
  const made = new Map<string, number>();
  for (const { wish, answers } of answered) {
    const [answer, again] = answers;
    assert.ok(answer?.status === 201 || answer?.status === 409, answer?.text);
    const refunded = answers.find(({ status }) => status === 201);
    if (refunded) made.set(refunded.data.id, wish.amount);
    // A refusal is not kept, so that a repetition may still come in time; but there is one refund at most.
    if (answer.status !== 201 || again?.status !== 201) continue;
    assert.equal(again.text, answer.text, 'one key is one refund');
    assert.deepEqual([answer.replayed, again.replayed].sort(), [false, true]);
  }
  if (!wishes.some(({ fails }) => fails)) {
    const left = paid - sum(made.values());
    const refused = answered.filter(({ answers }) => answers.every(({ status }) => status === 409));
    for (const { wish, answers } of refused) {
      assert.match(answers[0]?.text ?? '', /NOT_REFUNDABLE/);
      assert.ok(wish.amount > left, `${wish.amount} of ${id} was refused although ${left} is left`);
    }
    assert.ok(refused.length > 0, 'more was asked for than there was');
  }
  return { id, paid, made };
}

function sum(amounts: Iterable<number>): number {
  let total = 0;
  for (const amount of amounts) total += amount;
  return total;
}

type Told = { readonly subject: string; readonly type: string; readonly body: string };

/** Follows the events of each session: what they tell must be within what was paid after each of them. */
async function checkEvents(database: TestDatabase, raced: readonly Race[]): Promise<Record<string, number>> {
  const rows: Told[] = await database.query(
    `SELECT subject, type, body FROM event WHERE type LIKE 'refund.%' ORDER BY subject, sequence`,
  );
  const told = Map.groupBy(rows, ({ subject }) => subject);
  const counts: Record<string, number> = {};
  for (const { id, paid, made } of raced) {
    const states = new Map<string, string[]>();
    let gone = 0;
    for (const { type, body } of told.get(id) ?? []) {
      const { id: refund, amount } = JSON.parse(body).data;
      states.set(refund, [...(states.get(refund) ?? []), type]);
      if (type === 'refund.pending') gone += amount;
      if (type === 'refund.failed') gone -= amount;
      assert.ok(gone <= paid, `${gone} of ${paid} had gone back from ${id}`);
      counts[type] = (counts[type] ?? 0) + 1;
    }
    assert.deepEqual([...states.keys()].sort(), [...made.keys()].sort(), 'what was answered was made');
    for (const types of states.values()) {
      assert.equal(types.length, 2);
      assert.equal(types[0], 'refund.pending');
      assert.match(types[1] ?? '', /^refund\.(succeeded|failed)$/);
    }
  }
  return counts;
}

/** Checks the rows written for each session, beside its events. */
async function checkRows(database: TestDatabase, raced: readonly Race[]): Promise<void> {
  const rows: Array<{ id: string; checkout: string }> = await database.query(
    'SELECT id, checkout FROM refund',
  );
  assert.equal(rows.length, sum(raced.map(({ made }) => made.size)));
  const owners = new Map(rows.map(({ id, checkout }) => [id, checkout]));
  for (const { id, made } of raced) for (const refund of made.keys()) assert.equal(owners.get(refund), id);
}

async function raceOn(context: TestContext, database: TestDatabase, processes: number): Promise<void> {
  context.after(() => database.remove());
  context.diagnostic(`seed ${seed}`);
  const instances = await startInstances(context, database.url, processes);
  const [first] = instances;
  assert.ok(first);
  const raced: Race[] = [];
  let left = races;
  const runner = async () => {
    while (left-- > 0) raced.push(await race(instances));
  };
  await Promise.all(Array.from({ length: PARALLEL }, runner));
  // All rails have been asked once this is answered.
  await ask(first, '/test_helpers/clock/advance', { seconds: 60 });
  const counts = await checkEvents(database, raced);
  await checkRows(database, raced);
  evidence(context, 'refund-races', {
    races,
    refunds_begun: counts['refund.pending'] ?? 0,
    refunds_succeeded: counts['refund.succeeded'] ?? 0,
    refunds_failed: counts['refund.failed'] ?? 0,
  });
  for (const instance of instances) instance.checkAlive();
}

test(
  `${races} sessions that more is asked back from than was paid, at two processes on PostgreSQL`,
  TIMEOUT,
  async (t) => {
    const database = await freshPostgres();
    await raceOn(t, database, 2);
    await checkBooks(database.url);
  },
);

test(`${races} sessions that more is asked back from than was paid, on SQLite`, TIMEOUT, async (t) => {
  const database = await freshSqlite();
  await raceOn(t, database, 1);
  const file = new DatabaseSync(database.url.replace(/^sqlite:/, ''), { readOnly: true });
  const broken: object[] = [];
  await checkSqlite(file, { outcome: (each) => void (isBroken(each) && broken.push(each)), progress() {} });
  file.close();
  assert.deepEqual(broken, []);
});
