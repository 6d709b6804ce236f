/** Files that go to and fro between an operator and a bank. */
import type { BankFile, BankFileId, BankFileKind } from '../../banking/bank-file.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { load } from '../loads.ts';
import type { PageRequest } from '../page.ts';
import { sql } from '../sql.ts';
import { rowOf } from '../writes.ts';
import { thingsIn } from './things.ts';

const files = thingsIn('bank_file', ({ data, ...row }): BankFile => ({ ...row, data: JSON.parse(data) }));

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
  ...files.loadedBy('hash', { and: [sql`kind IN ('statement', 'ingesting')`] }),
  apply(known, { bankFile, ingestedFile }: Change) {
    for (const file of [bankFile, ingestedFile]) {
      if (file && file.kind !== 'payments') known.set(file.hash, file);
    }
  },
});

export const bankFiles = {
  fetch: (tenant: Tenant, id: BankFileId) => files.fetch(tenant, 'id', id),

  fetchByHash: (tenant: Tenant, kind: BankFileKind, hash: string) =>
    files.fetch(tenant, 'hash', hash, [sql`kind = ${kind}`]),

  /** Content may be large, and lists do without. */
  list(tenant: Tenant, kind: BankFileKind, page: PageRequest) {
    const source = sql`SELECT id, kind, created_at AS "createdAt", hash, data, '' AS content FROM bank_file`;
    return files.page(tenant, [sql`kind = ${kind}`], page, { index: 'bank_file_kind', source });
  },
};
