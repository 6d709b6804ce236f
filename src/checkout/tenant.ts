export type Mode = 'test' | 'live';

/** Tenant: one account in one mode. Data of different tenants never meets. */
export type Tenant = { readonly account: number; readonly mode: Mode };

/** A tenant as the key of a map. */
export function tenantName({ account, mode }: Tenant): string {
  return `${account} ${mode}`;
}

/** The inverse; null for anything else. */
export function tenantNamed(name: string): Tenant | null {
  const [, account, mode] = /^(\d{1,15}) (test|live)$/.exec(name) ?? [];
  return account === undefined ? null : { account: Number(account), mode: mode === 'live' ? 'live' : 'test' };
}

export function sameTenant(one: Tenant, other: Tenant): boolean {
  return one.account === other.account && one.mode === other.mode;
}

/**
 * Milliseconds since the epoch in the clock of a tenant: that of test data can be moved ahead. `RealTime` is another
 * type, so that the compiler notices where one is taken for the other.
 */
export type TenantTime = number & { readonly clock?: 'tenant' };
