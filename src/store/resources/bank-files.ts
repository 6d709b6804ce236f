/** Files that go to and fro between an operator and a bank. */
import type { BankFile, BankFileId, BankFileKind } from '../../banking/bank-file.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { checksumIn, sound } from '../checksum.ts';
import { byKey, load, locked } from '../loads.ts';
import type { Page, PageRequest } from '../page.ts';
import { isAnyOf, raw, sql } from '../sql.ts';
import { columnsIn, type Row } from '../tables.ts';
import { rowOf } from '../writes.ts';
import { boundsOf, indexedBy, one, owned, pageOf, type Read } from './read.ts';

const columns = sql`${raw(columnsIn('bank_file'))}${checksumIn('bank_file')}`;

export function bankFileFrom(stored: Row<'bank_file'>): BankFile {
  const { data, ...row } = sound('bank_file', stored);
  return { ...row, data: JSON.parse(data) };
}

const bankFileRow = ({ data, ...file }: BankFile) => ({ ...file, data: JSON.stringify(data) });

export const addBankFile = rowOf('bank_file', bankFileRow, { by: 'hash' });

/** A statement that was ingested to its end, in the place of what has reserved its id. Nothing else of a file changes. */
export const completeBankFile = rowOf('bank_file', bankFileRow, {
  sets: ['kind', 'createdAt', 'data'],
  by: 'hash',
});

type Change = { readonly bankFile?: BankFile; readonly ingestedFile?: BankFile };

/** Statements by the hashes of their content, those that are being ingested as well. */
export const loadStatements = load({
  keyOf: (hash: string) => hash,
  read: (tenant, hashes) =>
    byKey(
      sql`SELECT ${columns} FROM bank_file
          WHERE ${owned(tenant)} AND kind IN ('statement', 'ingesting') AND ${isAnyOf('hash', hashes)}${locked('hash')}`,
      (row: Row<'bank_file'>) => [row.hash, bankFileFrom(row)],
    ),
  apply(known, { bankFile, ingestedFile }: Change) {
    for (const file of [bankFile, ingestedFile]) {
      if (file && file.kind !== 'payments') known.set(file.hash, file);
    }
  },
});

export const bankFiles = {
  fetch: (tenant: Tenant, id: BankFileId): Read<BankFile | null> =>
    one(sql`SELECT ${columns} FROM bank_file WHERE ${owned(tenant)} AND id = ${id}`, bankFileFrom),

  fetchByHash: (tenant: Tenant, kind: BankFileKind, hash: string): Read<BankFile | null> =>
    one(
      sql`SELECT ${columns} FROM bank_file WHERE ${owned(tenant)} AND kind = ${kind} AND hash = ${hash}`,
      bankFileFrom,
    ),

  /** Content may be large, and lists do without. */
  list: (tenant: Tenant, kind: BankFileKind, page: PageRequest): Read<Page<BankFile>> =>
    pageOf(
      {
        select: sql`SELECT id, kind, created_at AS "createdAt", hash, data, '' AS content
                    FROM bank_file${indexedBy('bank_file_kind')}`,
        conditions: [owned(tenant), sql`kind = ${kind}`],
        bounds: boundsOf('bfl', {}, page),
        row: bankFileFrom,
      },
      page,
    ),
};
