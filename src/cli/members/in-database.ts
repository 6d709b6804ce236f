/** Members in the database: changed by the same rules as over the API, and shown as the API shows them. */
import { isRefusal } from '../../checkout/refusals.ts';
import { newId } from '../../lib/id.ts';
import { linkAddress, newLink } from '../../users/links.ts';
import { representMember, representNewLink } from '../../users/representation.ts';
import type { Role } from '../../users/roles.ts';
import { accountsOf, installation, type User, type UserId } from '../../users/user.ts';
import type { UserCommand } from '../../users/user-commands.ts';
import { ownOrigin } from '../../writer/command.ts';
import { accountOf } from '../account.ts';
import { Failure } from '../failure.ts';
import type { Database } from '../with-store.ts';
import type { Members } from './members.ts';

const PAGE = 100;

/** `publicUrl` is the base address of the links: that of the server. */
export function membersInDatabase(database: Database, publicUrl: () => string): Members {
  const { store } = database;
  const existing = async (account = 1) => (await accountOf(store, account)).number;

  return {
    async *list(given) {
      const account = await existing(given);
      for (let cursor = {}; ; ) {
        const page = { limit: PAGE, ...cursor };
        const { rows, hasMore } = await store.dashboardUsers.list(installation, { account }, page);
        for (const user of rows) yield representMember(user, account);
        const last = rows.at(-1);
        if (!hasMore || last === undefined) return;
        cursor = { after: last.id };
      }
    },

    async invite(given, { role, name, email, isOperator }) {
      const account = await existing(given);
      const base = publicUrl();
      const { user, url } = await inviteUser(database, base, { account, role, name, email, isOperator });
      return representNewLink(user, account, url);
    },

    async setRole(given, id, role) {
      const account = await existing(given);
      const command = { type: 'set_role', account, role, now: Date.now() } as const;
      return representMember(await changeUser(database, id, command), account);
    },

    async remove(given, id) {
      const account = await existing(given);
      const user = await changeUser(database, id, { type: 'remove_role', account, now: Date.now() });
      return { isOperator: user.isOperator === true };
    },

    async reset(id) {
      const base = publicUrl();
      const now = Date.now();
      const { link, secret } = newLink(now);
      const user = await changeUser(database, id, { type: 'reset_user', account: null, link, now });
      const [account = 0] = accountsOf(user);
      return representNewLink(user, account, linkAddress(base, user.id, secret));
    },
  };
}

type Invitation = {
  readonly account: number;
  readonly role: Role;
  readonly name: string;
  readonly email: string;
  readonly isOperator?: true | undefined;
};

/** Invites somebody; gives the link. */
export async function inviteUser(
  database: Database,
  publicUrl: string,
  { email, isOperator, ...given }: Invitation,
): Promise<{ readonly user: User; readonly url: string }> {
  const now = Date.now();
  const id = newId('usr', now);
  const { link, secret } = newLink(now);
  const invite = { ...given, ...(isOperator && { isOperator }), id, email: email.toLowerCase(), link, now };
  const user = await changeUser(database, id, { type: 'invite_user', ...invite });
  return { user, url: linkAddress(publicUrl, id, secret) };
}

export async function changeUser({ execute }: Database, id: string, command: UserCommand): Promise<User> {
  const origin = ownOrigin(installation, 'operator');
  // An id of another form is one that nobody has.
  const { result } = await execute({ subject: 'user', origin, id: id as UserId, command });
  if (isRefusal(result)) throw new Failure(result.detail);
  if (result.kind === 'replay') throw new Error('a command without an idempotency key has no repetition');
  return result.value.user;
}
