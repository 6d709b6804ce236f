/** `bank`: receiving accounts, statements, what nobody knows the order of, and files of payments; one file for each. */
import { actionOf } from './usage-error.ts';

/** Only what is asked for is loaded. */
const actions = {
  account: async () => (await import('./bank/account.ts')).account,
  import: async () => (await import('./bank/import.ts')).importFiles,
  inbox: async () => (await import('./bank/entries.ts')).inbox,
  assign: async () => (await import('./bank/entries.ts')).assign,
  ignore: async () => (await import('./bank/entries.ts')).ignore,
  'send-back': async () => (await import('./bank/entries.ts')).sendBack,
  reopen: async () => (await import('./bank/entries.ts')).reopen,
  payments: async () => (await import('./bank/payments.ts')).payments,
};

export async function bank([name, ...args]: readonly string[]): Promise<void> {
  const run = await actionOf('bank', actions, name)();
  await run(args);
}
