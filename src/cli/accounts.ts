import { parseArgs } from 'node:util';
import { ACCOUNT_NAME_LENGTH } from '../config.ts';
import { createAccount, newWebhookSecret } from '../keys.ts';
import type { Store } from '../store/store.ts';
import { MAX_OVERLAP_SECONDS, retired } from '../webhooks/secrets.ts';
import { secondsOf } from './moment.ts';
import { fateOfSecrets } from './overlap.ts';
import { actionOf, parsed, takesNothing, UsageError } from './usage-error.ts';
import { withStore } from './with-store.ts';

const NUMBER = /^[1-9]\d{0,14}$/;

/** `accounts list|create|rename|rotate-webhook-secret`: works on the database, beside a server that runs. */
export async function accounts(args: readonly string[]): Promise<void> {
  const [action, ...rest] = args;
  const run = actionOf('accounts', { list, create, rename, 'rotate-webhook-secret': rotate }, action);
  await withStore((store) => run(store, rest));
}

async function list(store: Store, args: readonly string[]): Promise<void> {
  takesNothing('accounts list', args);
  for (const { number, name } of await store.accounts()) console.log(`${number}  ${name}`);
}

async function create(store: Store, [name, ...rest]: readonly string[]): Promise<void> {
  takesNothing('accounts create', rest);
  const { number } = await createAccount(store, validName(name), Date.now());
  console.log(`account ${number} is made; opentill keys create --account ${number} makes a key for it`);
}

async function rename(store: Store, [number = '', name, ...rest]: readonly string[]): Promise<void> {
  takesNothing('accounts rename', rest);
  if (!NUMBER.test(number)) throw new UsageError('accounts rename takes a number and a name');
  if (!(await store.renameAccount(Number(number), validName(name)))) throw noSuchAccount(number);
  console.log(`account ${number} is now called ${name}`);
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
  if (!NUMBER.test(number))
    throw new UsageError('accounts rotate-webhook-secret takes the number of the account');
  const overlapSeconds = secondsOf('--overlap', values.overlap);
  if (overlapSeconds > MAX_OVERLAP_SECONDS) throw new UsageError('--overlap is at most 7d');
  const account = await store.account(Number(number));
  if (account === null) throw noSuchAccount(number);
  const mode = values.live ? 'live' : 'test';
  const now = Date.now() + (mode === 'test' ? account.testClockOffsetMs : 0);
  const dropped = account.previousWebhookSecrets[mode];
  const previous = retired(account.webhookSecrets[mode], now, overlapSeconds * 1000);
  const secret = newWebhookSecret();
  await store.replaceWebhookSecret({ account: account.number, mode }, secret, previous);
  console.log(`Webhook secret  ${secret}`);
  const lines = fateOfSecrets(
    previous === null ? null : new Date(previous.until).toISOString(),
    dropped !== null && dropped.until > now ? new Date(dropped.until).toISOString() : null,
  );
  for (const line of lines) console.log(line);
}

function noSuchAccount(number: string): UsageError {
  return new UsageError(`there is no account ${number}; opentill accounts list shows which there are`);
}

function validName(name = ''): string {
  if (name.trim() === '' || name.length > ACCOUNT_NAME_LENGTH) {
    throw new UsageError(`the name of an account has 1 to ${ACCOUNT_NAME_LENGTH} characters`);
  }
  return name;
}
