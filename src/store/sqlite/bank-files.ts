/** Files that go to and fro between an operator and a bank. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { BankFile, BankFileKind } from '../../banking/bank-file.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Page, PageRequest, Writes } from '../store.ts';
import { pageOf, pageQuery, type Query } from './page.ts';
import { bankFileFrom, liveOf, type Row } from './rows.ts';

const columnsOfList = "id, kind, created_at, hash, data, '' AS content";
const columns = 'id, kind, created_at, hash, data, content';

export type BankFileReader = ReturnType<typeof bankFileReader>;

export function bankFileReader(database: DatabaseSync) {
  const byId = database.prepare(`SELECT ${columns} FROM bank_file WHERE account = ? AND live = ? AND id = ?`);
  const byHash = database.prepare(
    `SELECT ${columns} FROM bank_file WHERE account = ? AND live = ? AND kind = ? AND hash = ?`,
  );
  const statement = database.prepare(
    `SELECT ${columns} FROM bank_file
     WHERE account = ? AND live = ? AND kind IN ('statement', 'ingesting') AND hash = ?`,
  );
  const one = (row: unknown) => (row === undefined ? null : bankFileFrom(row as Row));

  return {
    read: (tenant: Tenant, id: string): BankFile | null => one(byId.get(tenant.account, liveOf(tenant), id)),

    readByHash: (tenant: Tenant, kind: BankFileKind, hash: string): BankFile | null =>
      one(byHash.get(tenant.account, liveOf(tenant), kind, hash)),

    readStatement: (tenant: Tenant, hash: string): BankFile | null =>
      one(statement.get(tenant.account, liveOf(tenant), hash)),

    list(tenant: Tenant, kind: BankFileKind, page: PageRequest): Page<BankFile> {
      const { sql, values } = bankFileQuery(tenant, kind, page);
      const rows = database.prepare(sql).all(...values) as Row[];
      return pageOf(rows.map(bankFileFrom), page);
    },
  };
}

/** Exported for the test that holds it to its index. */
export function bankFileQuery(tenant: Tenant, kind: BankFileKind, page: PageRequest): Query {
  const select = `SELECT ${columnsOfList} FROM bank_file INDEXED BY bank_file_kind`;
  return pageQuery(select, tenant, [['kind = ?', kind]], page);
}

export function bankFileWriter(prepare: (sql: string) => StatementSync) {
  const insert = prepare(`INSERT INTO bank_file (account, live, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const complete = prepare(
    'UPDATE bank_file SET kind = ?, created_at = ?, data = ? WHERE account = ? AND live = ? AND id = ?',
  );

  return (tenant: Tenant, { bankFile, ingestedFile }: Writes): void => {
    const live = liveOf(tenant);
    if (bankFile) {
      const { id, kind, createdAt, hash, data, content } = bankFile;
      insert.run(tenant.account, live, id, kind, createdAt, hash, JSON.stringify(data), content);
    }
    if (ingestedFile) {
      const { id, kind, createdAt, data } = ingestedFile;
      complete.run(kind, createdAt, JSON.stringify(data), tenant.account, live, id);
    }
  };
}
