export type Mode = 'test' | 'live';

/** Tenant: one account in one mode. Data of different tenants never meets. */
export type Tenant = { readonly account: number; readonly mode: Mode };

/** A tenant as the key of a map. */
export function tenantName({ account, mode }: Tenant): string {
  return `${account} ${mode}`;
}

export function sameTenant(one: Tenant, other: Tenant): boolean {
  return one.account === other.account && one.mode === other.mode;
}
