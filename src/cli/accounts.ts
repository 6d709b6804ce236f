import { parseArgs } from 'node:util';
import { createAccount } from '../accounts/account.ts';
import { readSettings, serializeSettings } from '../accounts/settings-json.ts';
import { ACCOUNT_NAME_LENGTH } from '../config.ts';
import type { Store } from '../store/store.ts';
import { MAX_OVERLAP_SECONDS, newWebhookSecret, retired } from '../webhooks/secrets.ts';
import { ACCOUNT_NUMBER, accountOf, noSuchAccount } from './account.ts';
import { secondsOf } from './moment.ts';
import { fateOfSecrets } from './overlap.ts';
import { mistakesIn, readJson } from './settings-file.ts';
import { actionOf, parsed, takesNothing, UsageError } from './usage-error.ts';
import { withStore } from './with-store.ts';

/** `accounts list|create|rename|…`: works on the database, beside a server that runs. */
export async function accounts(args: readonly string[]): Promise<void> {
  const [action, ...rest] = args;
  const actions = { list, create, rename, settings, configure, 'rotate-webhook-secret': rotate };
  const run = actionOf('accounts', actions, action);
  await withStore((store) => run(store, rest));
}

async function list(store: Store, args: readonly string[]): Promise<void> {
  takesNothing('accounts list', args);
  for (const { number, name } of await store.accounts.list()) console.log(`${number}  ${name}`);
}

async function create(store: Store, [name, ...rest]: readonly string[]): Promise<void> {
  takesNothing('accounts create', rest);
  const { number } = await createAccount(store, validName(name), Date.now());
  console.log(`account ${number} is made; opentill keys create --account ${number} makes a key for it`);
}

async function rename(store: Store, [number = '', name, ...rest]: readonly string[]): Promise<void> {
  takesNothing('accounts rename', rest);
  if (!ACCOUNT_NUMBER.test(number)) throw new UsageError('accounts rename takes a number and a name');
  if (!(await store.accounts.rename(Number(number), validName(name)))) throw noSuchAccount(number);
  console.log(`account ${number} is now called ${name}`);
}

/** What `configure` takes: the settings of one mode, as JSON. */
async function settings(store: Store, args: readonly string[]): Promise<void> {
  const { values, positionals } = parsed(() =>
    parseArgs({
      args: [...args],
      options: { live: { type: 'boolean', default: false } },
      allowPositionals: true,
    }),
  );
  const [number, ...rest] = positionals;
  takesNothing('accounts settings', rest);
  const account = await accountOf(store, 'accounts settings', number);
  console.log(JSON.stringify(serializeSettings(account.settings[values.live ? 'live' : 'test']), null, 2));
}

async function configure(store: Store, args: readonly string[]): Promise<void> {
  const { values, positionals } = parsed(() =>
    parseArgs({
      args: [...args],
      options: { live: { type: 'boolean', default: false }, file: { type: 'string' } },
      allowPositionals: true,
    }),
  );
  const [number, ...rest] = positionals;
  takesNothing('accounts configure', rest);
  const account = await accountOf(store, 'accounts configure', number);
  const { file } = values;
  if (file === undefined)
    throw new UsageError('accounts configure needs --file, such as --file settings.json');
  const read = readSettings(await readJson(file));
  if ('problems' in read) throw mistakesIn(file, read.problems);
  const parts = Object.keys(read.settings).length;
  if (parts === 0)
    throw new UsageError(`${file} has none of the parts that opentill accounts settings shows`);
  const mode = values.live ? 'live' : 'test';
  await store.accounts.configure(
    { account: account.number, mode },
    { ...account.settings[mode], ...read.settings },
  );
  console.log(`account ${number} is configured for ${mode} mode`);
}

/** The secret of deliveries to addresses that sessions name; endpoints have their own. */
async function rotate(store: Store, args: readonly string[]): Promise<void> {
  const { values, positionals } = parsed(() =>
    parseArgs({
      args: [...args],
      options: { live: { type: 'boolean', default: false }, overlap: { type: 'string', default: '1d' } },
      allowPositionals: true,
    }),
  );
  const [number = '', ...rest] = positionals;
  takesNothing('accounts rotate-webhook-secret', rest);
  if (!ACCOUNT_NUMBER.test(number))
    throw new UsageError('accounts rotate-webhook-secret takes the number of the account');
  const overlapSeconds = secondsOf('--overlap', values.overlap);
  if (overlapSeconds > MAX_OVERLAP_SECONDS) throw new UsageError('--overlap is at most 7d');
  const account = await store.accounts.fetch(Number(number));
  if (account === null) throw noSuchAccount(number);
  const mode = values.live ? 'live' : 'test';
  const now = Date.now() + (mode === 'test' ? account.testClockOffsetMs : 0);
  const dropped = account.previousWebhookSecrets[mode];
  const previous = retired(account.webhookSecrets[mode], now, overlapSeconds * 1000);
  const secret = newWebhookSecret();
  await store.accounts.replaceWebhookSecret({ account: account.number, mode }, secret, previous);
  console.log(`Webhook secret  ${secret}`);
  const lines = fateOfSecrets(
    previous === null ? null : new Date(previous.until).toISOString(),
    dropped !== null && dropped.until > now ? new Date(dropped.until).toISOString() : null,
  );
  for (const line of lines) console.log(line);
}

function validName(name = ''): string {
  if (name.trim() === '' || name.length > ACCOUNT_NAME_LENGTH) {
    throw new UsageError(`the name of an account has 1 to ${ACCOUNT_NAME_LENGTH} characters`);
  }
  return name;
}
