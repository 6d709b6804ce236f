/**
 * Credentials of an account at its rail, with two processes on one PostgreSQL: what one is given, both pay with. They are
 * in the middle of a rotation, as the guide describes it: one has the new key as the previous one, so that it can read
 * what the other one sets.
 */
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { usedBy } from '../api/card.ts';
import { type Data, succeeded } from '../api/shop.ts';
import { createClient } from '../support/client.ts';
import { freshPostgres } from '../support/database-postgres.ts';
import { createHooks } from '../support/hooks.ts';
import { runToEnd } from '../support/process.ts';
import { CREDENTIALS_KEY, type OtherService } from '../support/service.ts';
import { startStripe } from '../support/stripe-stand-in.ts';
import { type Instance, startInstance } from './cluster.ts';

const PATH = '/v3/rail_credentials/stripe';
/** Secrets that the last four characters tell apart. */
const ownOf = (who: string) => ({
  secret_key: `rk_test_0own0key0${who}`,
  webhook_secret: `whsec_0own0secret0${who}`,
});

const hintsOf = (secretKey: string, webhookSecret = secretKey) => ({
  secret_key: secretKey,
  webhook_secret: webhookSecret,
});

type Merchant = Pick<OtherService, 'call'>;

const hooks = createHooks();
after(hooks.run);
const database = await freshPostgres();
hooks.after(database.remove);
const stripe = await startStripe({ after });
for (const who of ['aaaa', 'bbbb', 'cccc']) stripe.admit(ownOf(who).secret_key, 'test');
const newKey = 'c3'.repeat(32);
const rotated = { CREDENTIALS_KEY: newKey, CREDENTIALS_KEY_PREVIOUS: CREDENTIALS_KEY };
const [one, other] = await startMerchants();

/** The merchant at each of the processes, with an API key that may set credentials. */
async function startMerchants(): Promise<[Merchant, Merchant]> {
  // Pages are those of the process that made the session; Stripe has no keys but those of the account.
  const settings = { STRIPE_API_URL: stripe.url, CHECKOUT_URL: '' };
  const first = { ...settings, CREDENTIALS_KEY, CREDENTIALS_KEY_PREVIOUS: newKey };
  const instances = [
    await startInstance(hooks, database.url, first),
    await startInstance(hooks, database.url, { ...settings, ...rotated }),
  ] as const;
  const made = await run(hooks, ['keys', 'create', '--permissions', 'read,write,manage', '--json']);
  const { id, secret } = JSON.parse(made.stdout);
  const authorization = `Basic ${btoa(`${id}:${secret}`)}`;
  const merchantAt = ({ url }: Instance): Merchant => {
    const client = createClient(url);
    hooks.after(() => client.close());
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
  return [merchantAt(instances[0]), merchantAt(instances[1])];
}

/** Runs a command beside the processes, with the settings of the one that has the new key. */
function run(context: Pick<TestContext, 'after'>, args: readonly string[], keys: object = rotated) {
  return runToEnd(context, args, { DATABASE_URL: database.url, ...keys });
}

async function set({ call }: Merchant, body: object): Promise<void> {
  const { status, text } = await call('PUT', PATH, { body });
  assert.ok(status < 300, text);
}

/** Hints of the credentials as a process tells them once it has to know of the last change; null for none. */
async function hintsInTime({ call }: Merchant, expected: Data): Promise<Data> {
  const deadline = performance.now() + database.directoryLagMs;
  const hints = async () => (await call('GET', PATH)).json.data?.hints ?? null;
  const isKnown = (found: Data) => JSON.stringify(found) === JSON.stringify(expected);
  while (performance.now() < deadline) if (isKnown(await hints())) break;
  return hints();
}

async function paysWith(merchant: Merchant, who: string, webhookSecret = who): Promise<void> {
  const hints = hintsOf(who, webhookSecret);
  assert.deepEqual(await hintsInTime(merchant, hints), hints);
  assert.equal(await usedBy(merchant, stripe), ownOf(who).secret_key);
}

test('credentials that one process is given are those of the other within a second', async () => {
  assert.equal(await usedBy(other, stripe), null);
  await set(one, ownOf('aaaa'));
  await paysWith(other, 'aaaa');
  await set(other, ownOf('bbbb'));
  await paysWith(one, 'bbbb');

  // Each changes another secret at the same moment: both are kept.
  const { secret_key } = ownOf('cccc');
  const { webhook_secret } = ownOf('dddd');
  await Promise.all([set(one, { secret_key }), set(other, { webhook_secret })]);
  for (const merchant of [one, other]) await paysWith(merchant, 'cccc', 'dddd');

  succeeded(await one.call('DELETE', PATH));
  assert.equal(await hintsInTime(other, null), null);
  assert.equal(await usedBy(other, stripe), null);
});

test('credentials are encrypted anew beside both processes, which go on setting them and paying with them', async (t) => {
  await set(one, ownOf('aaaa'));
  let isDone = false;
  const resealing = run(t, ['credentials', 'reseal']).finally(() => {
    isDone = true;
  });
  // One process sets under the old key, and the other one under the new key.
  let last = '';
  for (let time = 0; !isDone; time++) {
    last = String(time).padStart(4, '0');
    const { webhook_secret } = ownOf(last);
    await set(time % 2 === 0 ? one : other, { webhook_secret });
  }
  const { code, stderr } = await resealing;
  assert.ok(code === 0 || /1 stay under CREDENTIALS_KEY_PREVIOUS/.test(stderr), stderr);
  for (const merchant of [one, other]) await paysWith(merchant, 'aaaa', last);

  const again = await run(t, ['credentials', 'reseal']);
  assert.deepEqual([again.code, again.stderr], [0, '']);
  for (const merchant of [one, other]) await paysWith(merchant, 'aaaa', last);
  const listed = await run(t, ['credentials', 'list'], { CREDENTIALS_KEY: newKey });
  assert.match(listed.stdout, /^stripe /);
  assert.ok(!listed.stdout.includes('key:'), listed.stdout);
});
