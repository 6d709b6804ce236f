/** The files that go to and fro between an operator and a bank. */

import type { BankFile, BankFileKind } from '../../banking/bank-file.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Page, PageRequest } from '../store.ts';
import { pageOf, pageQuery } from './pages.ts';
import type { Pool } from './pool.ts';
import { tenantColumns } from './rows.ts';

export type BankFileColumns = {
  readonly id: string;
  readonly kind: BankFileKind;
  readonly created_at: number;
  readonly hash: string;
  /** JSON. */
  readonly data: string;
  readonly content: string;
};

export function bankFileReader(pool: Pool) {
  return {
    async read(tenant: Tenant, id: string): Promise<BankFile | null> {
      const [account, live] = tenantColumns(tenant);
      const [row] = await pool.read(
        (sql) => sql<BankFileColumns[]>`
          SELECT id, kind, created_at, hash, data, content FROM bank_file
          WHERE account = ${account} AND live = ${live} AND id = ${id}`,
      );
      return row ? bankFileFrom(row) : null;
    },

    async readByHash(tenant: Tenant, kind: BankFileKind, hash: string): Promise<BankFile | null> {
      const [account, live] = tenantColumns(tenant);
      const [row] = await pool.read(
        (sql) => sql<BankFileColumns[]>`
          SELECT id, kind, created_at, hash, data, content FROM bank_file
          WHERE account = ${account} AND live = ${live} AND kind = ${kind} AND hash = ${hash}`,
      );
      return row ? bankFileFrom(row) : null;
    },

    async list(tenant: Tenant, kind: BankFileKind, page: PageRequest): Promise<Page<BankFile>> {
      const { text, values } = bankFileQuery(tenant, kind, page);
      const rows = await pool.search((sql) => sql.unsafe<BankFileColumns[]>(text, values, { prepare: true }));
      return pageOf(rows.map(bankFileFrom), page);
    },
  };
}

/** Exported for the tests that hold every filter to an index. Content may be large, and lists do without. */
export function bankFileQuery(tenant: Tenant, kind: BankFileKind, page: PageRequest) {
  const columns = `id, kind, created_at, hash, data, '' AS content`;
  return pageQuery(tenant, { table: 'bank_file', columns, equal: { kind } }, page);
}

export function bankFileFrom({ created_at, data, ...row }: BankFileColumns): BankFile {
  return { ...row, createdAt: created_at, data: JSON.parse(data) };
}
