/** Accounts in the database: made by the same rules as over the API, and shown as the API shows them. */
import { newAccount } from '../../accounts/account.ts';
import { representAccount, representNewAccount } from '../../accounts/representation.ts';
import { isRefusal } from '../../checkout/refusals.ts';
import { newId } from '../../lib/id.ts';
import { linkAddress, newLink } from '../../users/links.ts';
import { installation } from '../../users/user.ts';
import { ownOrigin } from '../../writer/command.ts';
import { Failure } from '../failure.ts';
import type { Database } from '../with-store.ts';
import type { Accounts } from './accounts.ts';

/** `publicUrl` is the base address of the links: that of the server. */
export function accountsInDatabase({ store, execute }: Database, publicUrl: () => string): Accounts {
  return {
    async *list() {
      for (const account of (await store.accounts.list()).toReversed()) yield representAccount(account);
    },

    async create(name) {
      const base = publicUrl();
      const now = Date.now();
      const { link, secret } = newLink(now);
      const account = newAccount(name);
      const invited = newId('usr', now);
      const origin = ownOrigin(installation, 'operator');
      const { result } = await execute({
        subject: 'new_account',
        origin,
        account,
        owner: { invited, link },
        now,
      });
      if (isRefusal(result)) throw new Failure(result.detail);
      if (result.kind === 'replay') throw new Error('a command without an idempotency key has no repetition');
      const ownerUrl = linkAddress(base, invited, secret);
      return representNewAccount(result.value.account, invited, {
        ownerUrl,
        webhookSecrets: account.webhookSecrets,
      });
    },
  };
}
