/** `bank account set|list|remove`: where an account gets its money, one of its settings. Works on the database. */
import { parseArgs } from 'node:util';
import { readSettings } from '../../accounts/settings-json.ts';
import type { Problem } from '../../checkout/refusals.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { methodsOf, type ReceivingAccount } from '../../methods/bank/receiving-account.ts';
import {
  readReceivingAccount,
  serializeReceivingAccount,
} from '../../methods/bank/receiving-account-schema.ts';
import { accountOf } from '../account.ts';
import { printable } from '../printable.ts';
import { actionOf, parsed, takesNothing, UsageError } from '../usage-error.ts';
import { withStore } from '../with-store.ts';

/** Fields of a receiving account as JSON pointers; `/holder/name` is typed as `--holder-name`. */
const pointers = [
  '/currency',
  ...['name', 'street', 'building_number', 'postal_code', 'city', 'country'].map((each) => `/holder/${each}`),
  ...['iban', 'bic', 'account_number', 'bank_code', 'bank_name', 'qr_iban'].map((each) => `/${each}`),
  ...['paynow', 'promptpay', 'pix', 'upi'].map((each) => `/${each}`),
];
const optionOf = (pointer: string) => pointer.slice(1).replaceAll(/[/_]/g, '-');

const fieldOptions = Object.fromEntries(
  pointers.map((pointer) => [optionOf(pointer), { type: 'string' as const }]),
);
const options = {
  account: { type: 'string', default: '1' },
  live: { type: 'boolean', default: false },
} as const;

type Values = Readonly<Record<string, string | boolean | undefined>>;
type Given = {
  readonly accounts: readonly ReceivingAccount[];
  readonly id: string;
  readonly values: Values;
  readonly save: (accounts: readonly ReceivingAccount[]) => Promise<void>;
};

const actions = { set, list, remove } as const;

export async function account([name, ...args]: readonly string[]): Promise<void> {
  const run = actionOf('bank account', actions, name);
  const command = `bank account ${name}`;
  const own = run === set ? { ...fieldOptions, first: { type: 'boolean' as const } } : {};
  const { values, positionals } = parsed(() =>
    parseArgs({ args, allowPositionals: true, options: { ...options, ...own } }),
  );
  const [id, ...rest] = run === list ? ['', ...positionals] : positionals;
  takesNothing(command, rest);
  if (!id && run !== list) throw new UsageError(`${command} takes an id that you choose, such as eur`);
  await withStore(async (store) => {
    const { number, settings } = await accountOf(store, '--account', values.account);
    const tenant: Tenant = { account: number, mode: values.live ? 'live' : 'test' };
    const current = settings[tenant.mode];
    const save = async (receivingAccounts: readonly ReceivingAccount[]) => {
      await store.accounts.configure(tenant, { ...current, receivingAccounts });
    };
    await run({ accounts: current.receivingAccounts, id: id ?? '', values, save });
  });
}

/** Makes one, or changes what is given of one that is there; an empty text takes a field away. */
async function set({ accounts, id, values, save }: Given): Promise<void> {
  const known = accounts.find((each) => each.id === id);
  const before = known ? serializeReceivingAccount(known) : { id, holder: {} };
  const typed = pointers.flatMap((pointer) => {
    const value = values[optionOf(pointer)];
    return value === undefined ? [] : [[pointer.split('/').slice(1), value] as const];
  });
  if (typed.length === 0 && !values.first)
    throw new UsageError('bank account set takes fields, such as --iban');
  const top = typed.filter(([path]) => path.length === 1).map(([[name], value]) => [name, value]);
  const ofHolder = typed.filter(([path]) => path.length === 2).map(([[, name], value]) => [name, value]);
  const holder = { ...before.holder, ...Object.fromEntries(ofHolder) };
  const read = readReceivingAccount({ ...before, ...Object.fromEntries(top), holder });
  if ('problems' in read) throw mistakes(read.problems);
  const { account } = read;
  const others = accounts.filter((each) => each !== known);
  // One that is changed stays where it is: the order decides which of a currency payers see.
  const kept = known ? accounts.map((each) => (each === known ? account : each)) : [...accounts, account];
  const all = values.first ? [account, ...others] : kept;
  const together = readSettings({ receiving_accounts: all.map(serializeReceivingAccount) });
  if ('problems' in together) throw mistakes(together.problems.map(withoutPlace));
  await save(all);
  show(account);
}

/** Of a field of one account among all of them, the field; or the list as it is, where it is too long. */
function withoutPlace({ pointer, detail }: Problem): Problem {
  return { pointer: pointer.replace(/^\/receiving_accounts\/\d+/, ''), detail };
}

async function list({ accounts }: Given): Promise<void> {
  for (const each of accounts) show(each);
  // Not where scripts read the list.
  if (accounts.length === 0)
    console.error('opentill: there are no receiving accounts; bank account set <id> makes one');
}

async function remove({ accounts, id, save }: Given): Promise<void> {
  const others = accounts.filter((each) => each.id !== id);
  if (others.length === accounts.length)
    throw new UsageError(
      `there is no receiving account ${printable(id)}; opentill bank account list shows them`,
    );
  await save(others);
  console.log(`${id} is removed`);
}

function show(account: ReceivingAccount): void {
  const { id, currency, holder, iban, accountNumber, bic, bankCode } = account;
  const columns = [
    id,
    currency,
    iban ?? accountNumber ?? '',
    bic ?? bankCode ?? '',
    printable(holder.name),
    methodsOf(account).join(','),
  ];
  console.log(columns.filter((text) => text !== '').join('  '));
}

function mistakes(problems: readonly Problem[]): UsageError {
  const lines = problems.map(({ pointer, detail }) => {
    const name = pointers.includes(pointer) ? `--${optionOf(pointer)}` : pointer.slice(1) || 'the account';
    return printable(`${name} ${detail}`);
  });
  return new UsageError(`${lines.join('; ')}; nothing is changed`);
}
