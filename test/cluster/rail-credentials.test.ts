/** Credentials of an account at its rail, with several processes on one PostgreSQL: what one is given, all pay with. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { usedBy } from '../api/card.ts';
import { type Data, succeeded } from '../api/shop.ts';
import { createClient } from '../support/client.ts';
import { freshPostgres } from '../support/database-postgres.ts';
import { runToEnd } from '../support/process.ts';
import { CREDENTIALS_KEY, type OtherService } from '../support/service.ts';
import { startStripe } from '../support/stripe-stand-in.ts';
import { startInstances } from './cluster.ts';

const PATH = '/v3/rail_credentials/stripe';
/** Secrets that the last four characters tell apart. */
const ownOf = (who: string) => ({
  secret_key: `rk_test_0own0key0${who}`,
  webhook_secret: `whsec_0own0secret0${who}`,
});

type Merchant = Pick<OtherService, 'call'>;

/** The merchant at each of the processes, with a key that may set credentials. */
async function begin(t: TestContext, stripeUrl: string) {
  const database = await freshPostgres();
  t.after(database.remove);
  // Pages are those of the process that made the session; Stripe has no keys but those of the account.
  const settings = { CREDENTIALS_KEY, STRIPE_API_URL: stripeUrl, CHECKOUT_URL: '' };
  const [one, other] = await startInstances(t, database.url, 2, settings);
  assert.ok(one && other);
  const permissions = ['--permissions', 'read,write,manage', '--json'];
  const made = await runToEnd(t, ['keys', 'create', ...permissions], { DATABASE_URL: database.url });
  const { id, secret } = JSON.parse(made.stdout);
  const authorization = `Basic ${btoa(`${id}:${secret}`)}`;
  const merchantAt = ({ url }: { readonly url: string }): Merchant => {
    const client = createClient(url);
    t.after(() => client.close());
    return {
      async call(method, path, { body, headers = {} } = {}) {
        const content = body === undefined ? {} : { 'content-type': 'application/json' };
        const answer = await client.ask(path, {
          method,
          headers: { authorization, ...content, ...headers },
          body: body === undefined ? undefined : JSON.stringify(body),
        });
        return { ...answer, json: JSON.parse(answer.text) };
      },
    };
  };
  /** Hints of the credentials as a process tells them once it has to know of the last change; null for none. */
  async function hintsInTime({ call }: Merchant, expected: Data): Promise<Data> {
    const deadline = performance.now() + database.directoryLagMs;
    const hints = async () => (await call('GET', PATH)).json.data?.hints ?? null;
    const isKnown = (found: Data) => JSON.stringify(found) === JSON.stringify(expected);
    while (performance.now() < deadline) if (isKnown(await hints())) break;
    return hints();
  }
  return { one: merchantAt(one), other: merchantAt(other), hintsInTime };
}

test('credentials that one process is given are those of the other within a second', async (t) => {
  const stripe = await startStripe(t);
  const { one, other, hintsInTime } = await begin(t, stripe.url);
  const set = async ({ call }: Merchant, body: object) => {
    const { status, text } = await call('PUT', PATH, { body });
    assert.ok(status < 300, text);
  };
  const hintsOf = (secretKey: string, webhookSecret = secretKey) => ({
    secret_key: secretKey,
    webhook_secret: webhookSecret,
  });
  const paysWith = async (merchant: Merchant, who: string) => {
    assert.deepEqual(await hintsInTime(merchant, hintsOf(who)), hintsOf(who));
    assert.equal(await usedBy(merchant, stripe), ownOf(who).secret_key);
  };
  for (const who of ['aaaa', 'bbbb', 'cccc', 'dddd']) stripe.admit(ownOf(who).secret_key, 'test');

  assert.equal(await usedBy(other, stripe), null);
  await set(one, ownOf('aaaa'));
  await paysWith(other, 'aaaa');
  await set(other, ownOf('bbbb'));
  await paysWith(one, 'bbbb');

  // Each changes another secret at the same moment: both are kept.
  const { secret_key } = ownOf('cccc');
  const { webhook_secret } = ownOf('dddd');
  await Promise.all([set(one, { secret_key }), set(other, { webhook_secret })]);
  for (const merchant of [one, other]) {
    const hints = hintsOf('cccc', 'dddd');
    assert.deepEqual(await hintsInTime(merchant, hints), hints);
    assert.equal(await usedBy(merchant, stripe), secret_key);
  }

  succeeded(await one.call('DELETE', PATH));
  assert.equal(await hintsInTime(other, null), null);
  assert.equal(await usedBy(other, stripe), null);
});
