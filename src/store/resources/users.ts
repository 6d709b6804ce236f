/** Users of the dashboard. They are of the installation, and no account has any of its own. */
import type { Tenant } from '../../checkout/tenant.ts';
import type { Role } from '../../users/roles.ts';
import {
  type Identity,
  identityKey,
  installation,
  isInvited,
  MAX_USERS,
  roleOn,
  type User,
  type UserId,
} from '../../users/user.ts';
import { byKey, load, locking } from '../loads.ts';
import type { Page, PageRequest } from '../page.ts';
import { join, type Sql, sql } from '../sql.ts';
import type { Row } from '../tables.ts';
import { writeOf } from '../writes.ts';
import { owned, type Read } from './read.ts';
import { thingsIn } from './things.ts';

const users = thingsIn('dashboard_user', ({ data }): User => JSON.parse(data));

/** Stands among the roles of operators, on the account that is the installation. */
const OPERATOR = 'operator';

/** Roles as the column has them, so that whoever has one on an account is found. */
export const accountsText = ({ roles, isOperator }: User): string =>
  ` ${[...Object.entries(roles), ...(isOperator ? [[installation.account, OPERATOR]] : [])]
    .map(([account, role]) => `${account}:${role}`)
    .join(' ')} `;

/** The address by which the user signs in; null for an invitation, whose address nobody has claimed yet. */
export const emailColumn = (user: User): string | null => (isInvited(user) ? null : user.email);

export const identityColumn = ({ identity }: User): string | null =>
  identity === undefined ? null : identityKey(identity);

const hasRole = (account: number, role: Role | '%' = '%'): Sql =>
  sql`accounts LIKE ${`% ${account}:${role} %`}`;

export const dashboardUsers = {
  fetch: (id: UserId) => users.fetch(installation, 'id', id),
  fetchByEmail: (email: string) => users.fetch(installation, 'email', email),
  fetchByIdentity: (identity: Identity) => users.fetch(installation, 'identity', identityKey(identity)),
  /**
   * A page, newest first, of those who have a role on the account. It may look at all users, which are few; the tenant is
   * the installation.
   */
  list: (tenant: Tenant, { account }: { readonly account: number }, page: PageRequest): Read<Page<User>> =>
    users.page(tenant, [hasRole(account)], page),
  /** A page of all users, newest first. */
  listAll: (page: PageRequest): Read<Page<User>> => users.page(installation, [], page),
  /** The same for those who operate the installation. */
  listOperators: (page: PageRequest): Read<Page<User>> =>
    users.page(installation, [hasRole(installation.account)], page),
};

/** A user before and after a change; null before the first and after the last. */
export type UserChange = { readonly before: User | null; readonly after: User | null };

export const writeUser = writeOf(
  'dashboard_user',
  ({ before, after }: UserChange) => {
    if (after === null) return before === null ? [] : [{ gone: { id: before.id } }];
    const row = {
      id: after.id,
      email: emailColumn(after),
      identity: identityColumn(after),
      accounts: accountsText(after),
      data: JSON.stringify(after),
    };
    return [{ put: row }];
  },
  { sets: 'all', by: 'email' },
);

type Changes = { readonly user?: UserChange };

export const loadUsers = load({
  keyOf: (id: UserId) => id,
  ...users.loadedBy('id'),
  apply(known, { user }: Changes) {
    if (user?.before) known.delete(user.before.id);
    if (user?.after) known.set(user.after.id, user.after);
  },
});

export const loadUsersByEmail = load({
  keyOf: (email: string) => email,
  ...users.loadedBy('email'),
  apply(known, { user }: Changes) {
    if (user?.before) known.delete(user.before.email);
    if (user?.after && !isInvited(user.after)) known.set(user.after.email, user.after);
  },
});

export const loadUsersByIdentity = load({
  keyOf: (identity: string) => identity,
  ...users.loadedBy('identity'),
  apply(known, { user }: Changes) {
    const [before, after] = [user?.before, user?.after].map((each) => each && identityColumn(each));
    if (before) known.delete(before);
    if (after && user?.after) known.set(after, user.after);
  },
});

/** Number of users, under the key `all`. */
export const loadUserCount = load({
  keyOf: (all: 'all') => all,
  read: () =>
    byKey(
      sql`SELECT count(*) AS users FROM dashboard_user WHERE ${owned(installation)}`,
      ({ users: count }: { readonly users: number }) => ['all', count],
    ),
  apply(known, { user }: Changes) {
    if (user === undefined) return;
    const by = Number(user.after !== null) - Number(user.before !== null);
    known.set('all', (known.get('all') ?? 0) + by);
  },
});

/** Invitations that are looked at for one that has expired: the oldest ones. */
const LOOKED_AT = 200;

/** Invitations that may give their place, where there is no room for another user. */
const crowding = sql`email IS NULL AND ${owned(installation)}
  AND (SELECT count(*) FROM dashboard_user WHERE ${owned(installation)}) >= ${MAX_USERS}`;

/** Old invitations, under the key `all`: none while there is room. */
export const loadOldInvitations = load({
  keyOf: (all: 'all') => all,
  read: (): Read<Map<string, readonly User[]>> => ({
    sql: sql`SELECT ${users.columns} FROM dashboard_user WHERE ${crowding} ORDER BY id LIMIT ${LOOKED_AT}`,
    by: 'key',
    from: (rows) => new Map([['all', rows.map((row) => users.thing(row as Row<'dashboard_user'>))]]),
  }),
  lock: () => locking(sql`dashboard_user WHERE ${crowding}`, 'id'),
  apply(known, { user }: Changes) {
    const { before } = user ?? {};
    if (before)
      known.set(
        'all',
        (known.get('all') ?? []).filter(({ id }) => id !== before.id),
      );
  },
});

/** Numbers of members of accounts. */
export const loadMemberCounts = load({
  keyOf: (account: number) => String(account),
  read: (_tenant: Tenant, accounts: readonly number[]): Read<Map<string, number>> => ({
    sql: sql`SELECT accounts FROM dashboard_user WHERE ${owned(installation)} AND (${join(
      accounts.map((account) => hasRole(account)),
      ' OR ',
    )})`,
    by: 'key',
    from: (rows) => {
      const found = rows as ReadonlyArray<Pick<Row<'dashboard_user'>, 'accounts'>>;
      const countOf = (account: number) =>
        found.filter((each) => each.accounts.includes(` ${account}:`)).length;
      return new Map(accounts.map((account) => [String(account), countOf(account)]));
    },
  }),
  apply(known, { user }: Changes) {
    if (user === undefined) return;
    const isIn = (each: User | null, account: string) => Number(each !== null && account in each.roles);
    for (const [account, count] of known)
      known.set(account, count + isIn(user.after, account) - isIn(user.before, account));
  },
});

const anyOwner = (accounts: readonly number[]): Sql =>
  sql`(${join(
    accounts.map((account) => hasRole(account, 'owner')),
    ' OR ',
  )})`;

/** An owner can sign in: somebody who is only invited may never come. */
const isOwner = (user: User, account: number): boolean =>
  roleOn(user, account) === 'owner' && !isInvited(user);

/** Owners of accounts: whoever takes the role from one must know that another stays. */
export const loadAccountOwners = load({
  keyOf: (account: number) => String(account),
  read: (_tenant: Tenant, accounts: readonly number[]): Read<Map<string, readonly UserId[]>> => ({
    sql: sql`SELECT ${users.columns} FROM dashboard_user WHERE ${owned(installation)} AND ${anyOwner(accounts)}`,
    by: 'key',
    from: (rows) => {
      const found = rows.map((row) => users.thing(row as Row<'dashboard_user'>));
      const owners = (account: number) => found.filter((user) => isOwner(user, account));
      return new Map(accounts.map((account) => [String(account), owners(account).map(({ id }) => id)]));
    },
  }),
  lock: (_tenant: Tenant, accounts: readonly number[]) =>
    locking(sql`dashboard_user WHERE ${owned(installation)} AND ${anyOwner(accounts)}`, 'id'),
  apply(known, { user }: Changes) {
    if (user === undefined) return;
    const { before, after } = user;
    for (const [account, owners] of known) {
      const others = owners.filter((id) => id !== before?.id);
      known.set(account, after && isOwner(after, Number(account)) ? [...others, after.id] : others);
    }
  },
});
