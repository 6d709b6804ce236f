/** Files that go to and fro between an operator and a bank. */
import type { BankFile, BankFileId, BankFileKind } from '../../banking/bank-file.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Page, PageRequest } from '../page.ts';
import { bankFileFrom } from '../rows.ts';
import { raw, sql } from '../sql.ts';
import { columnsIn } from '../tables.ts';
import { boundsOf, indexedBy, one, owned, pageOf, type Read } from './read.ts';

const columns = raw(columnsIn('bank_file'));

export const bankFiles = {
  fetch: (tenant: Tenant, id: BankFileId): Read<BankFile | null> =>
    one(sql`SELECT ${columns} FROM bank_file WHERE ${owned(tenant)} AND id = ${id}`, bankFileFrom),

  fetchByHash: (tenant: Tenant, kind: BankFileKind, hash: string): Read<BankFile | null> =>
    one(
      sql`SELECT ${columns} FROM bank_file WHERE ${owned(tenant)} AND kind = ${kind} AND hash = ${hash}`,
      bankFileFrom,
    ),

  /** The statement with this hash, if only one that is being ingested. */
  fetchStatement: (tenant: Tenant, hash: string): Read<BankFile | null> =>
    one(
      sql`SELECT ${columns} FROM bank_file
          WHERE ${owned(tenant)} AND kind IN ('statement', 'ingesting') AND hash = ${hash}`,
      bankFileFrom,
    ),

  /** Content may be large, and lists do without. */
  list: (tenant: Tenant, kind: BankFileKind, page: PageRequest): Read<Page<BankFile>> =>
    pageOf(
      {
        select: sql`SELECT id, kind, created_at, hash, data, '' AS content
                    FROM bank_file${indexedBy('bank_file_kind')}`,
        conditions: [owned(tenant), sql`kind = ${kind}`],
        bounds: boundsOf('bfl', {}, page),
        row: bankFileFrom,
      },
      page,
    ),
};
