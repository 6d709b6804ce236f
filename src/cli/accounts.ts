import { ACCOUNT_NAME_LENGTH } from '../config.ts';
import { createAccount } from '../keys.ts';
import type { Store } from '../store/store.ts';
import { actionOf, takesNothing, UsageError } from './usage-error.ts';
import { withStore } from './with-store.ts';

/** `accounts list|create|rename`: works on the database, beside a server that runs. */
export async function accounts(args: readonly string[]): Promise<void> {
  const [action, ...rest] = args;
  const run = actionOf('accounts', { list, create, rename }, action);
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

async function rename(store: Store, [number, name, ...rest]: readonly string[]): Promise<void> {
  takesNothing('accounts rename', rest);
  if (!/^[1-9]\d{0,14}$/.test(number ?? ''))
    throw new UsageError('accounts rename takes a number and a name');
  if (!(await store.renameAccount(Number(number), validName(name)))) {
    throw new UsageError(`there is no account ${number}; opentill accounts list shows which there are`);
  }
  console.log(`account ${number} is now called ${name}`);
}

function validName(name = ''): string {
  if (name.trim() === '' || name.length > ACCOUNT_NAME_LENGTH) {
    throw new UsageError(`the name of an account has 1 to ${ACCOUNT_NAME_LENGTH} characters`);
  }
  return name;
}
