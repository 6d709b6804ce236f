/** Merchants whose database is moved: what they do, and everything that the service tells them. */
import assert from 'node:assert/strict';
import { createAccount } from '../../src/accounts/account.ts';
import { addApiKey, allPermissions } from '../../src/accounts/api-key.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { type Random, randomFrom } from '../crash/random.ts';
import { asSent, createClient } from '../support/client.ts';
import { takeLivePayments } from '../support/live-payments.ts';
import { inviteUser } from '../support/users.ts';

// biome-ignore lint/suspicious/noExplicitAny: the data of an answer; tests assert on what they find.
type Data = any;

export type Key = { readonly id: string; readonly secret: string };
type Request = { readonly key: Key; readonly method: string; readonly path: string; readonly body?: object };
type Answer = {
  readonly status: number;
  readonly text: string;
  readonly etag: string | null;
  readonly json: Data;
};

export const keys: readonly Key[] = ['test_one', 'test_two', 'live_one'].map((name) => ({
  id: `ak_${name}`,
  secret: `sk_${name}_secret`,
}));

const client = createClient('');

/** A second account and keys for it and for live mode, beside a server that has made the first. */
export async function addMerchants(path: string): Promise<void> {
  const store = openSqliteStore(path);
  const second = await createAccount(store, 'Zweiter Laden ☂', Date.now());
  await inviteUser(store, { name: 'Zoë \\ “Q”' });
  for (const key of keys) {
    const tenant = {
      account: key.id.endsWith('two') ? second.number : 1,
      mode: key.id.includes('live') ? ('live' as const) : ('test' as const),
    };
    if (tenant.mode === 'live') await takeLivePayments(store, tenant.account, ['EUR', 'JPY', 'KWD']);
    await addApiKey(store, {
      ...key,
      tenant,
      permissions: allPermissions,
      // All that PostgreSQL escapes when it copies text.
      name: 'Straße\b\f\n\r\t\v\\1',
      nowMs: Date.now(),
    });
  }
  await store.close();
}

export async function ask(
  url: string,
  { key, method, path, body }: Request,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { type, content } = asSent(body);
  const answer = await client.ask(url + path, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`,
      ...(type === undefined ? {} : { 'content-type': type }),
      ...headers,
    },
    body: content,
  });
  const { status, text } = answer;
  return { status, text, etag: answer.headers.get('etag'), json: JSON.parse(text) };
}

const OLD_SESSIONS = 3;

/** A merchant who does everything, and remembers which requests can be repeated. */
export function createShop(url: string, webhookUrls: readonly string[], seed: number) {
  const random = randomFrom(seed);
  const repeatable: Array<Request & { readonly idempotencyKey: string }> = [];
  const sessions: Array<{ readonly key: Key; readonly id: string }> = [];
  let count = 0;
  let oldUntil = 0;

  async function send(request: Request): Promise<Answer> {
    const idempotencyKey = `${seed}-${count++}`;
    const answer = await ask(url, request, { 'idempotency-key': idempotencyKey });
    if (answer.status < 300) repeatable.push({ ...request, idempotencyKey });
    // A session may be over already, and a customer gone.
    assert.ok(answer.status < 300 || answer.status === 409 || answer.status === 404, answer.text);
    return answer;
  }

  async function create(key: Key): Promise<void> {
    // Receivers of live mode have to be on the public network.
    const urls = key.id.includes('live') ? [''] : webhookUrls;
    const body = sessionBody(random, urls, count);
    const { json } = await send({ key, method: 'POST', path: '/v3/checkout', body });
    sessions.push({ key, id: json.data.id });
  }

  async function act(): Promise<void> {
    const { key, id } = random.pick(sessions);
    const path = `/v3/checkout/${id}`;
    const pay = (body: object) =>
      key.id.includes('live')
        ? create(key)
        : send({ key, method: 'POST', path: `/v3/test_helpers/checkout/${id}/pay`, body });
    switch (random.between(0, 9)) {
      case 0:
        await send({
          key,
          method: 'PUT',
          path,
          body: { metadata: { note: `“${count}”`, gift: null, n: count } },
        });
        break;
      case 1:
        await send({
          key,
          method: 'PUT',
          path,
          body: { items: [{ name: 'Tee', quantity: 1 + (count % 5), unit_price: 333 }] },
        });
        break;
      case 2:
        await pay({});
        break;
      case 3:
        await pay({ amount: 7 });
        break;
      case 4:
        await pay({ outcome: random.pick(['failed', 'processing', 'unknown', 'requires_action']) });
        break;
      case 5:
        await send({ key, method: 'POST', path: `${path}/expire`, body: {} });
        break;
      case 6:
        await changeCustomer(key);
        break;
      case 7:
        await changeEndpoint();
        break;
      default:
        await create(key);
    }
  }

  function createEndpoint(key: Key): Promise<Answer> {
    const url = random.pick(webhookUrls.filter((each) => each !== ''));
    const body = { url, events: [random.pick(['*', 'checkout.*'])], description: `“${count}”` };
    return send({ key, method: 'POST', path: '/v3/webhook_endpoint', body });
  }

  /** Changes, removes or adds an endpoint, or resends deliveries. */
  async function changeEndpoint(): Promise<void> {
    const key = random.pick(keys.filter(({ id }) => id.includes('test')));
    const { json } = await ask(url, { key, method: 'GET', path: '/v3/webhook_endpoint' });
    if (json.data.length === 0) {
      await createEndpoint(key);
      return;
    }
    const path = `/v3/webhook_endpoint/${random.pick(json.data as Data[]).id}`;
    switch (random.between(0, 4)) {
      case 0:
        await send({ key, method: 'POST', path: `${path}/rotate_secret`, body: {} });
        break;
      case 1:
        await send({ key, method: 'PUT', path, body: { description: `Nº ${count}` } });
        break;
      case 2:
        await send({ key, method: 'DELETE', path });
        break;
      case 3:
        await createEndpoint(key);
        break;
      default: {
        const { json } = await ask(url, { key, method: 'GET', path: `${path}/deliveries?status=delivered` });
        for (const { id } of json.data.slice(0, 5)) {
          await ask(url, { key, method: 'POST', path: `/v3/webhook_delivery/${id}/resend` });
        }
      }
    }
  }

  /** Sessions of which the service may forget the events: no stored answer refers to them, and no delivery. */
  async function createOld(): Promise<void> {
    const [, key] = keys as readonly [Key, Key];
    const body = { invoice_currency: 'EUR', amount: 300 };
    for (let n = 0; n < OLD_SESSIONS; n++) {
      const { json } = await ask(url, { key, method: 'POST', path: '/v3/checkout', body });
      sessions.push({ key, id: json.data.id });
    }
    oldUntil = Date.now() + 1;
  }

  /** Addresses go from one customer to another, as they do in life. */
  async function changeCustomer(key: Key): Promise<void> {
    const { json } = await ask(url, { key, method: 'GET', path: '/v3/customer?limit=100' });
    if (json.data.length === 0) return;
    const { id } = random.pick(json.data as Data[]);
    const path = `/v3/customer/${id}`;
    if (random.between(0, 2) === 0) {
      await ask(url, { key, method: 'DELETE', path });
      return;
    }
    const email = random.pick(['', `wanderer${random.between(0, 3)}@example.com`]);
    await ask(url, { key, method: 'PUT', path, body: { email, name: `Müller ${count++}` } });
  }

  /** Erases customers that have sessions and events. */
  async function erase(): Promise<void> {
    for (const { key, id } of sessions) {
      const { json } = await ask(url, { key, method: 'GET', path: `/v3/checkout/${id}` });
      const { customer } = json.data.customer_details;
      const path = `/v3/customer/${customer}`;
      if (customer === '' || (await ask(url, { key, method: 'DELETE', path })).status !== 200) continue;
      return;
    }
    assert.fail('there is nobody to erase');
  }

  return {
    repeatable,
    sessions,
    erase,
    /** Retention, run beside the service: ended deliveries, and the oldest events. */
    async forget(path: string): Promise<void> {
      const store = openSqliteStore(path);
      assert.equal(await store.retention.purgeEvents({ account: 2, mode: 'test' }, oldUntil), OLD_SESSIONS);
      assert.ok((await store.retention.purgeDeliveries({ account: 1, mode: 'test' }, Date.now())) > 0);
      await store.close();
    },
    /** Something of everything: paid in full, in part, in excess, late, refused, expired by both, erased. */
    async open(): Promise<void> {
      await createOld();
      for (const key of keys) if (key.id.includes('test')) await createEndpoint(key);
      for (const key of keys) for (let n = 0; n < 8; n++) await create(key);
      const [key] = keys as readonly [Key];
      const due = {
        ...sessionBody(random, webhookUrls, 0),
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      };
      const { json } = await send({ key, method: 'POST', path: '/v3/checkout', body: due });
      const late = { key, id: json.data.id as string };
      await send({ key, method: 'POST', path: '/v3/test_helpers/clock/advance', body: { seconds: 7_200 } });
      await send({ key, method: 'POST', path: `/v3/test_helpers/checkout/${late.id}/pay`, body: {} });
      sessions.push(late);
      await erase();
      for (let n = 0; n < 80; n++) await act();
    },
    act,
  };
}

function sessionBody(random: Random, webhookUrls: readonly string[], number: number): object {
  return {
    invoice_currency: random.pick(['EUR', 'JPY', 'KWD']),
    ...random.pick<object>([
      { amount: 2500, transaction_description: 'Zwei\tSpalten\nund „Zeilen“ \\ 🧾' },
      { items: [{ name: 'Wídget', quantity: 2, unit_price: 1250 }] },
      {},
    ]),
    reference_id: `order-${number % 7}`,
    metadata: { order_id: `A-${number % 5}`, gift: true, more: { ключ: ['a', null] } },
    customer_details: random.pick<object>([
      { name: 'Ada "Countess" Lovelace', email: `ada${number % 6}@example.com`, country: 'GB' },
      { name: 'Zoë', email: `zoe${number}@example.com`, phone: { calling_code: '49', number: '30123' } },
      {},
    ]),
    ...[random.pick(webhookUrls)].filter((url) => url !== '').map((webhook_url) => ({ webhook_url }))[0],
  };
}

/** All that the service says to these merchants, in the order of the requests. */
export async function everything(
  url: string,
  shop: ReturnType<typeof createShop>,
): Promise<Map<string, string>> {
  const told = new Map<string, string>();
  const look = async (key: Key, path: string): Promise<Data> => {
    const answer = await ask(url, { key, method: 'GET', path });
    assert.equal(answer.status, 200, answer.text);
    told.set(`${key.id} ${path}`, `${answer.status} ${answer.etag} ${answer.text}`);
    return answer.json;
  };
  for (const key of keys) {
    for (const list of ['/v3/event', '/v3/checkout', '/v3/customer']) {
      for (let path = `${list}?limit=50`; ; ) {
        const { data, has_more, next_cursor } = await look(key, path);
        if (list !== '/v3/event') for (const { id } of data) await look(key, `${list}/${id}`);
        if (!has_more) break;
        path = `${list}?limit=50&after=${next_cursor ?? data.at(-1).id}`;
      }
    }
    const endpoints = await ask(url, { key, method: 'GET', path: '/v3/webhook_endpoint' });
    // Endpoint health can change at any time.
    const known = endpoints.json.data.map(({ health, ...endpoint }: Data) => endpoint);
    told.set(`${key.id} endpoints`, JSON.stringify(known));
    for (const filter of ['status=completed', 'metadata[gift]=true', 'q=zwei', 'partially_paid=true']) {
      await look(key, `/v3/checkout?${filter}`);
    }
  }
  for (const { key, id } of shop.sessions) await look(key, `/v3/checkout/${id}/timeline?limit=100`);
  for (const { idempotencyKey, ...request } of shop.repeatable) {
    const answer = await ask(url, request, { 'idempotency-key': idempotencyKey });
    told.set(`repeat ${idempotencyKey}`, `${answer.status} ${answer.etag} ${answer.text}`);
  }
  return told;
}
