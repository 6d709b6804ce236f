/** Files that go to and fro between an operator and a bank. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Scope } from '../../checkout/session.ts';
import type { BankFile, BankFileKind } from '../notice.ts';
import type { Page, PageRequest } from '../store.ts';
import { pageOf, pageQuery, type Query } from './page.ts';
import { bankFileFrom, liveOf, type Row } from './rows.ts';

const columnsOfList = "id, kind, created_at, hash, data, '' AS content";
const columns = 'id, kind, created_at, hash, data, content';

export function bankFileReader(database: DatabaseSync) {
  const byId = database.prepare(`SELECT ${columns} FROM bank_file WHERE account = ? AND live = ? AND id = ?`);
  const byHash = database.prepare(
    `SELECT ${columns} FROM bank_file WHERE account = ? AND live = ? AND kind = ? AND hash = ?`,
  );
  const one = (row: unknown) => (row === undefined ? null : bankFileFrom(row as Row));

  return {
    read: (scope: Scope, id: string): BankFile | null => one(byId.get(scope.account, liveOf(scope), id)),

    readByHash: (scope: Scope, kind: BankFileKind, hash: string): BankFile | null =>
      one(byHash.get(scope.account, liveOf(scope), kind, hash)),

    list(scope: Scope, kind: BankFileKind, page: PageRequest): Page<BankFile> {
      const { sql, values } = bankFileQuery(scope, kind, page);
      const rows = database.prepare(sql).all(...values) as Row[];
      return pageOf(rows.map(bankFileFrom), page);
    },
  };
}

/** Exported for the test that holds it to its index. */
export function bankFileQuery(scope: Scope, kind: BankFileKind, page: PageRequest): Query {
  const select = `SELECT ${columnsOfList} FROM bank_file INDEXED BY bank_file_kind`;
  return pageQuery(select, scope, [['kind = ?', kind]], page);
}

export function bankFileWriter(prepare: (sql: string) => StatementSync) {
  const insert = prepare(`INSERT INTO bank_file (account, live, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);

  return (scope: Scope, { id, kind, createdAt, hash, data, content }: BankFile): void => {
    insert.run(scope.account, liveOf(scope), id, kind, createdAt, hash, JSON.stringify(data), content);
  };
}
