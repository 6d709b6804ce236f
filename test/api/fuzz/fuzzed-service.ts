/**
 * The service that is fuzzed, as a process of its own: making requests takes no time of it, and how long its serving
 * thread works for each can be measured. It begins with some of everything that operations are about.
 */
import { createAccount } from '../../../src/accounts/account.ts';
import { mappings } from '../../statements/expected-other.ts';
import { createHooks } from '../../support/hooks.ts';
import { startService, type TestService } from '../../support/service.ts';
import { startStripe } from '../../support/stripe-stand-in.ts';
import { configure, eur } from '../bank.ts';
import { startReceiver } from '../receiver.ts';
import { createSession } from '../shop.ts';
import { prefixes, type Subject, subjectsOf } from '../subjects.ts';
import { ENDS_WITHIN_MS, type Fuzzed, kindOf, type Longest, type Shop } from './fuzzed.ts';

const EACH = Number(process.env.FUZZED_SUBJECTS ?? 2);

const hooks = createHooks();
const stripe = await startStripe(hooks);
const service = await startService(hooks, {
  env: stripe.settings,
  pollMs: 20,
});
const receiver = await startReceiver(hooks);

/** States of subjects as they are made, by the names of `fuzzed.ts`. */
const states: Partial<Record<Subject, readonly string[]>> = { entry: ['opn'], checkout: ['eur', 'due'] };

async function shopOf(shop: TestService): Promise<Shop> {
  const ids: Record<string, string[]> = {};
  const subjects = subjectsOf(shop, receiver);
  for (let round = 0; round < EACH; round++) {
    for (const name of Object.keys(prefixes) as Subject[]) {
      const id = await subjects[name]();
      for (const kind of [kindOf(name, id), ...(states[name] ?? [])]) ids[kind] = [...(ids[kind] ?? []), id];
    }
    await subjects.bank();
  }
  await configure(shop, { receivingAccounts: [eur], csvMappings: { swiss: mappings['swiss.csv'] } });
  const { url } = await createSession(shop);
  return { authorization: shop.key.authorization, ids, page: new URL(url).pathname };
}

async function elsewhere(name: string): Promise<TestService> {
  const account = await createAccount(service.service.store, name, Date.now());
  const key = await service.createKey({ account: account.number });
  return {
    ...service,
    account,
    key,
    call: (method, path, { headers, ...rest } = {}) =>
      service.call(method, path, { ...rest, headers: { authorization: key.authorization, ...headers } }),
  };
}

const longest: Longest = { ms: 0, request: '' };

/** While a request is answered, each turn of the loop is timed: so long everybody else has had to wait for it. */
service.service.app.server.prependListener('request', ({ method, url, headers }, response) => {
  let before = process.threadCpuUsage();
  let isOver = false;
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before);
    const ms = (user + system) / 1000;
    if (ms > longest.ms) {
      longest.ms = ms;
      longest.request = `${method} ${url?.slice(0, 100)}, ${headers['content-length'] ?? 0} bytes`;
    }
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  response.once('close', () => {
    isOver = true;
  });
});

process.on('message', (message) => {
  if (message === 'longest') process.send?.({ ...longest });
  if (message === 'forget') Object.assign(longest, { ms: 0, request: '' });
});
process.on('disconnect', () => {
  const tell = () => console.error(`still open: ${process.getActiveResourcesInfo().join(', ')}`);
  setTimeout(tell, ENDS_WITHIN_MS / 2).unref();
  void hooks.run().finally(() => process.exit());
});

const lenient = await elsewhere('Lenient Shop');
await configure(lenient, { compatibility: 'v3' });

const fuzzed: Fuzzed = {
  port: service.config.PORT,
  hook: receiver.url,
  shop: await shopOf(service),
  elsewhere: await shopOf(await elsewhere('Other Shop')),
  reader: (await service.createKey({ permissions: ['read'] })).authorization,
  live: (await service.createKey({ mode: 'live' })).authorization,
  lenient: lenient.key.authorization,
  providerSecret: stripe.keys.test.webhookSecret,
};
process.send?.(fuzzed);
