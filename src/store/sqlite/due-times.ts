/**
 * Next due times of tenants, in memory. All changes go through one connection, so a tenant is asked when it has something to
 * do once, and again behind each change of its own: where nothing happens nobody is asked, however many accounts there are.
 */
import { type Account, tenantNow } from '../../accounts/account.ts';
import { type Tenant, type TenantTime, tenantName } from '../../checkout/tenant.ts';
import { systemFieldsOf } from '../../lib/error-message.ts';
import { keysOf } from '../../lib/keys.ts';
import type { RealTime } from '../../lib/time.ts';
import { asItIs, owned, type Read, single } from '../resources/read.ts';
import { noTenants } from '../resources/work.ts';
import { raw, sql } from '../sql.ts';
import type { DueTenants, WorkKind } from '../store.ts';
import type { Runner } from './run.ts';
import { damagedRow } from './unusable.ts';

/** Times in the clock of the tenant, which may be moved; null where nothing is to be done. */
type NextDue = Readonly<Record<WorkKind, TenantTime | null>>;

/** Exported for the test that holds it to its indexes. */
export function nextDue(tenant: Tenant): Read<NextDue> {
  const first = (table: string) =>
    sql`(SELECT min(due_at) FROM ${raw(table)} WHERE ${owned(tenant)} AND due_at IS NOT NULL)`;
  const read = single(
    sql`SELECT ${first('checkout')} AS checkouts, ${first('delivery')} AS deliveries,
          ${first('provider_event')} AS "providerEvents", ${first('bank_entry')} AS "bankEntries"`,
    asItIs<NextDue>,
    'look',
  );
  return { ...read, form: 'next due' };
}

type Accounts = {
  readonly accounts: () => ReadonlyMap<number, Account>;
  readonly tenants: () => readonly Tenant[];
};

export type DueTimes = ReturnType<typeof dueTimes>;

export function dueTimes({ read }: Pick<Runner, 'read'>, { accounts, tenants }: Accounts) {
  /** Tenants that have something to do, now or later. */
  const known = new Map<string, { readonly tenant: Tenant; readonly next: NextDue }>();
  /** Tenants to be asked; all of them before the first look. A new one has nothing before its first change. */
  const changed = new Map<string, Tenant>();
  let isFirst = true;

  function forget(tenant: Tenant): void {
    changed.set(tenantName(tenant), tenant);
  }

  function ask(name: string, tenant: Tenant): void {
    const next = read(nextDue(tenant));
    if (keysOf(next).some((kind) => next[kind] !== null)) known.set(name, { tenant, next });
    else known.delete(name);
    changed.delete(name);
  }

  return {
    /** Takes note that something of a tenant is written. */
    forget,

    /** Tenants with something due, by the kind of work. */
    look(realNow: RealTime): DueTenants {
      if (isFirst) tenants().forEach(forget);
      isFirst = false;
      const due = noTenants();
      const kinds = keysOf(due);
      for (const [name, tenant] of changed) {
        try {
          ask(name, tenant);
        } catch (error) {
          if (systemFieldsOf(error).errcode === undefined && damagedRow(error) === null) throw error;
          // The worker meets the trouble there and tells of it; other tenants have their work done.
          known.delete(name);
          for (const kind of kinds) due[kind].push(tenant);
        }
      }
      const all = accounts();
      for (const { tenant, next } of known.values()) {
        const now = tenantNow(all.get(tenant.account), tenant.mode, realNow);
        for (const kind of kinds) {
          const dueAt = next[kind];
          if (dueAt !== null && dueAt <= now) due[kind].push(tenant);
        }
      }
      return due;
    },
  };
}
