/** Logos of accounts: a row for each account and mode that has one. */
import type { Logo } from '../../accounts/logo.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { sql } from '../sql.ts';
import { writeOf } from '../writes.ts';
import { one, owned, type Read } from './read.ts';
import { thingsIn } from './things.ts';

const { columns, thing } = thingsIn('logo', (row): Logo => row);

export const logos = {
  fetch: (tenant: Tenant): Read<Logo | null> =>
    one(sql`SELECT ${columns} FROM logo WHERE ${owned(tenant)}`, thing),
};

/** The logo in the place of any before it; null removes it. */
export type LogoChange = { readonly after: Logo | null };

export const writeLogo = writeOf(
  'logo',
  ({ after }: LogoChange) => [after === null ? { gone: {} } : { put: after }],
  { sets: 'all' },
);
