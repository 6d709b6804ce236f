/** Receiving accounts at a server: those of the account and mode of the key with which it is asked. */
import { type Client, withMistakes } from '../client.ts';
import { refusePlace } from '../place.ts';
import type { ReceivingAccounts, ShownAccount } from './receiving-accounts.ts';

export function receivingAccountsAtServer(client: Client): ReceivingAccounts {
  const pathOf = (id: string) => `/receiving_account/${encodeURIComponent(id.trim())}`;

  return {
    async list(place) {
      refusePlace(place);
      return client.get('/receiving_account');
    },

    async set(place, { id, fields, isFirst }, mistakes) {
      refusePlace(place);
      const body = { ...fields, ...(isFirst ? { first: true } : {}) };
      return withMistakes(client.send<ShownAccount>('PUT', pathOf(id), body), mistakes);
    },

    async remove(place, id) {
      refusePlace(place);
      await client.send('DELETE', pathOf(id));
    },
  };
}
