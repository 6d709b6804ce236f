/** Members at a server: those of the account of the key with which it is asked. */
import type { Client } from '../client.ts';
import { UsageError } from '../failure.ts';
import { refusePlace } from '../place.ts';
import type { Members, ShownMember } from './members.ts';

const pathOf = (id: string) => `/member/${encodeURIComponent(id)}`;

const refuseAccount = (account: number | undefined) => refusePlace({ account, live: false });

export function membersAtServer(client: Client): Members {
  return {
    async *list(account) {
      refuseAccount(account);
      for await (const page of client.pages<ShownMember>('/member')) yield* page;
    },

    async invite(account, { isOperator, ...given }) {
      refuseAccount(account);
      if (isOperator)
        throw new UsageError(
          '--operator does not go with --url: operators are made on the machine of the service',
        );
      return client.send('POST', '/member', given);
    },

    async setRole(account, id, role) {
      refuseAccount(account);
      return client.send('PUT', pathOf(id), { role });
    },

    async remove(account, id) {
      refuseAccount(account);
      await client.send('DELETE', pathOf(id));
      return { isOperator: false };
    },

    reset: (id) => client.send('POST', `${pathOf(id)}/reset`),
  };
}
