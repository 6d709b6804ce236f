/**
 * Requests to two instances that race each other: on one session each is decided on what the one before it left behind,
 * and a request that comes many times with one key happens once.
 *
 * OPENTILL_SEED repeats who begins.
 */
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { defaultSettings } from '../../src/accounts/settings.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { until } from '../api/shop.ts';
import { randomFrom } from '../crash/random.ts';
import { evidence } from '../support/evidence.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { authorization, type Instance, openTables, startInstances } from './cluster.ts';

const races = scaled(50);
const rounds = scaled(2);
/** So many races are run at the same time. */
const PARALLEL = 8;
const TIMEOUT = { timeout: 30_000 + 100 * races + 2_000 * rounds };

const random = randomFrom(seed);
const wholeFile: Pick<TestContext, 'after'> = { after: (hook) => after(hook as () => unknown) };
const database = await migratedDatabase(wholeFile);
const [one, other] = (await startInstances(wholeFile, database, 2)) as [Instance, Instance];
const sql = openTables(wholeFile, database);

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
async function race(): Promise<string> {
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
  await checkOutcome(id, answers);
  return answers.expire.status === 200 ? 'expired' : 'completed';
}

type Event = { readonly type: string; readonly sequence: number; readonly body: string };

async function checkOutcome(
  id: string,
  { pay, payAgain, expire, update }: Record<'pay' | 'payAgain' | 'expire' | 'update', Answer>,
): Promise<void> {
  assert.deepEqual([pay.status, payAgain.status].sort(), [200, 409], 'one of the two has paid');
  for (const { status } of [expire, update]) assert.ok(status === 200 || status === 409, String(status));

  // Both instances show the same, to the byte.
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

  const events = await sql<
    Event[]
  >`SELECT type, sequence, body FROM event WHERE subject = ${id} ORDER BY sequence`;
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

  const ledger = await sql<Array<{ amount: number; line: number }>>`
    SELECT amount, line FROM payment WHERE checkout = ${id}`;
  assert.deepEqual([...ledger], [{ amount: session.amount, line: 1 }]);
}

test(`${races} races of paying twice, expiring and updating at two instances`, TIMEOUT, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const outcomes = { expired: 0, completed: 0 } as Record<string, number>;
  let left = races;
  const runner = async () => {
    while (left-- > 0) {
      const outcome = await race();
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, runner));
  evidence(t, 'races', {
    races,
    sessions_expired: outcomes.expired ?? 0,
    sessions_completed: outcomes.completed ?? 0,
  });
  assert.ok(outcomes.expired && outcomes.completed, 'both ways were seen');
});

test(`${rounds} times 100 requests at once with one key, at two instances`, TIMEOUT, async (t) => {
  for (let round = 0; round < rounds; round++) {
    const before = await sessions();
    const key = `order-${round}`;
    const created = await atOnce('POST', '/checkout', create, key);
    checkEqual(created, 201);
    assert.equal(await sessions(), before + 1);

    const { id } = JSON.parse(created[0]?.text ?? '').data;
    const body = { amount: 1000, payment_id: `payment-${round}` };
    const paid = await atOnce('POST', `/test_helpers/checkout/${id}/pay`, body, key);
    checkEqual(paid, 200);
    const ledger = await sql`SELECT amount FROM payment WHERE checkout = ${id}`;
    assert.deepEqual([...ledger], [{ amount: 1000 }]);
  }
  evidence(t, 'races', { rounds_of_100_requests_with_one_key: 2 * rounds });
});

test(
  `${rounds} times 100 requests at once with one key and several prices, at two instances`,
  TIMEOUT,
  async (t) => {
    const store = await openPostgresStore(database);
    t.after(() => store.close());
    const settings = { ...defaultSettings, compatibility: 'v3' } as const;
    assert.ok(await store.accounts.configure({ account: 1, mode: 'test' }, settings));
    const lenient = { ...create, shop: 7 };
    for (const instance of [one, other]) {
      await until(async () => (await call(instance, 'POST', '/checkout', lenient)).status === 201);
    }
    const counted: Record<number, number> = {};
    for (let round = 0; round < rounds; round++) {
      const order = { invoice_currency: 'EUR', reference_id: `several-${round}` };
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          call(
            random.next() < 0.5 ? one : other,
            'POST',
            '/checkout',
            { ...order, amount: 1000 + (index % 3) },
            `several-${round}`,
          ),
        ),
      );
      for (const { status, text } of answers) {
        assert.ok(status === 201 || status === 422, text);
        counted[status] = (counted[status] ?? 0) + 1;
      }
      const { data: active } = JSON.parse(
        await (
          await fetch(`${one.url}/v3/checkout?status=active&reference_id=several-${round}`, {
            headers: { authorization },
          })
        ).text(),
      );
      assert.equal(active.length, 1, 'one of them can be paid');
      const last = await call(
        one,
        'POST',
        '/checkout',
        { ...order, amount: active[0].amount },
        `several-${round}`,
      );
      assert.equal(JSON.parse(last.text).data.id, active[0].id, 'and it is what the key stands for');
    }
    t.diagnostic(JSON.stringify(counted));
    evidence(t, 'races', { rounds_of_100_requests_with_one_key_and_several_prices: rounds });
  },
);

async function sessions(): Promise<number> {
  const [row] = await sql<Array<{ count: number }>>`SELECT count(*) FROM checkout`;
  return row?.count ?? 0;
}

function atOnce(method: string, path: string, body: object, key: string): Promise<Answer[]> {
  const callers = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? one : other));
  return Promise.all(callers.map((instance) => call(instance, method, path, body, key)));
}

/** One has happened, the others are its repetitions. */
function checkEqual(answers: readonly Answer[], expected: number): void {
  for (const { status, text } of answers) assert.equal(status, expected, text);
  assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
  assert.equal(new Set(answers.map(({ etag, text }) => `${etag} ${text}`)).size, 1);
}
