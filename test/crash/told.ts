/** A shop with all kinds of money, and everything that a service tells of it. */
import assert from 'node:assert/strict';
import { addApiKey, allPermissions } from '../../src/accounts/api-key.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { fillByService } from '../cli/db/healthy.ts';
import { startService } from '../support/service.ts';

/** Answers by their questions; null for what was refused. */
export type Told = ReadonlyMap<string, string | null>;

/** `failures` are those of the service, which have a line in its log. */
type Answers = { readonly told: Told; readonly failures: number };

export const CHECKOUT_URL = 'https://pay.example.com';
const SESSIONS = 60;

const key = { id: 'ak_test_told', secret: 'sk_test_told' };
const tenant = { account: 1, mode: 'test' } as const;

/** Fills the database that is to be at the path; how to ask of it what it tells. */
export async function fillShop(t: Parameters<typeof startService>[0], path: string): Promise<string> {
  const url = `sqlite:${path}`;
  await fillByService(t, url);
  const store = openSqliteStore(path);
  await addApiKey(store, { ...key, tenant, permissions: allPermissions, name: 'told', nowMs: Date.now() });
  await store.close();
  const authorization = `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`;
  const service = await startService(t, { env: { DATABASE_URL: url, CHECKOUT_URL } });
  const post = async (path: string, body: object) => {
    const headers = { authorization, 'idempotency-key': `${path} ${JSON.stringify(body)}` };
    const { json, status, text } = await service.call('POST', path, { body, headers });
    assert.ok(status < 300, text);
    return json.data.id;
  };
  for (let n = 1; n <= SESSIONS; n++) {
    const items = [{ name: `Ware ${n}`, quantity: n, unit_price: 100 + n }];
    const metadata = { order: n };
    const id = await post('/v3/checkout', {
      invoice_currency: 'EUR',
      items,
      reference_id: `o-${n}`,
      metadata,
    });
    const pay = `/v3/test_helpers/checkout/${id}/pay`;
    if (n % 2 === 0) await post(pay, {});
    if (n % 3 === 0) await post(pay, { amount: n, payment_id: `p-${n}` });
  }
  await service.stop();
  return authorization;
}

const LISTS = [
  '/v3/checkout?limit=50',
  '/v3/checkout?limit=50&payment_status=paid',
  '/v3/checkout?limit=50&status=active',
  '/v3/event?limit=50',
  '/v3/refund?limit=50',
  '/v3/bank_entry?limit=50',
  '/v3/payment_file?limit=50',
];

/** Answers about each session and each element of a list. Known ids are asked for, whatever lists say. */
export async function answersOf(url: string, authorization: string, known: Told | null): Promise<Answers> {
  const told = new Map<string, string | null>();
  let failures = 0;

  async function ask(path: string): Promise<string | null> {
    const response = await fetch(url + path, { headers: { authorization } });
    const text = await response.text();
    // A key that cannot be read is no key, and what an index does not lead to is not found.
    if (response.status >= 500) failures++;
    if (response.status >= 500 || [401, 404].includes(response.status)) return null;
    assert.equal(response.status, 200, `${path}: ${response.status} ${text}`);
    return text;
  }

  for (const list of LISTS) {
    for (let path = list; ; ) {
      const text = await ask(path);
      if (text === null) {
        told.set(path, null);
        break;
      }
      const { data, has_more, next_cursor } = JSON.parse(text);
      for (const item of data) told.set(`${list} ${item.id}`, JSON.stringify(item));
      if (!has_more) break;
      path = `${list}&after=${next_cursor ?? data.at(-1).id}`;
    }
  }
  const questions = known ?? told;
  const sessions = new Set([...questions.keys()].flatMap((question) => /chk_\w+$/.exec(question) ?? []));
  for (const id of sessions) told.set(`/v3/checkout/${id}`, await ask(`/v3/checkout/${id}`));
  return { told, failures };
}
