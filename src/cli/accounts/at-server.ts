/** Accounts at a server. */
import type { Client } from '../client.ts';
import type { Accounts, ShownAccount } from './accounts.ts';

export function accountsAtServer(client: Client): Accounts {
  return {
    async *list() {
      for await (const page of client.pages<ShownAccount>('/account')) yield* page;
    },
    create: (name) => client.send('POST', '/account', { name }),
  };
}
