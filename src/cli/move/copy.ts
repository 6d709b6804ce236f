/** Copies tables while the service goes on: a piece at a time, each with the place up to which all is there. */

import { idOfLine } from '../../store/resources/audit.ts';
import { insertSessions, paymentsOf } from './sessions.ts';
import type { Source, SourceRow } from './source.ts';
import { table } from './tables.ts';
import { insertRows, type Row, removeRows, type Target, type Transaction } from './target.ts';

/** Rows read and written at once. */
export const CHUNK = 1000;

/** Receiver of progress reports. */
export type Teller = {
  begin(what: string, total: number): void;
  add(rows: number): void;
  /** Prints a line for the operator. */
  say(text: string): void;
};

export type Move = { readonly source: Source; readonly target: Target; readonly teller: Teller };

type Copier = {
  readonly name: string;
  /** Rows after the one that the text names, or the first ones; at most a chunk. */
  readonly read: (after: string | undefined) => readonly SourceRow[];
  readonly nameOf: (row: SourceRow) => string;
  readonly write: (tx: Transaction, rows: readonly SourceRow[]) => Promise<void>;
};

/** Copies the tables that have a key, in its order. `follow` copies what changes behind that place. */
export async function copyTables(move: Move): Promise<void> {
  const { source, teller } = move;
  for (const copier of [sessions(move), customers(move)]) {
    teller.begin(`copying ${copier.name}`, source.number(`SELECT count(*) FROM ${copier.name}`));
    await copyBehind(move, copier);
  }
}

/** Copies new lines of the audit log in the order in which they were added; lines are never removed. */
export async function copyAudit(move: Move): Promise<void> {
  const { source, target, teller } = move;
  const total = source.newestAudit() - Number(target.reached('audit') ?? 0);
  if (total === 0) return;
  teller.begin('copying audit', total);
  await copyBehind(move, {
    name: 'audit',
    read: (after = '0') =>
      source.all(
        `SELECT rowid, *, ${idOfLine} AS id FROM audit WHERE rowid > ? ORDER BY rowid LIMIT ${CHUNK}`,
        Number(after),
      ),
    nameOf: ({ rowid }) => String(rowid),
    write: (tx, rows) => insertRows(tx, 'audit', rows),
  });
}

export async function copyBehind({ target, teller }: Move, copier: Copier): Promise<void> {
  for (;;) {
    const rows = copier.read(target.reached(copier.name));
    const last = rows.at(-1);
    if (!last) return;
    await target.step((tx) => copier.write(tx, rows), { [copier.name]: copier.nameOf(last) });
    teller.add(rows.length);
  }
}

/** Copier of a table whose key is account, live, id in both databases. */
function byId(source: Source, name: string, select: string, write: Copier['write']): Copier {
  const next = `${select} WHERE (account, live, id) > (?, ?, ?) ORDER BY account, live, id LIMIT ${CHUNK}`;
  return {
    name,
    read(after = '[0,0,""]') {
      const [account, live, id] = JSON.parse(after) as [number, number, string];
      return source.all(next, account, live, id);
    },
    nameOf: ({ account, live, id }) => JSON.stringify([account, live, id]),
    write,
  };
}

function sessions({ source }: Move): Copier {
  return byId(source, 'checkout', 'SELECT * FROM checkout', (tx, rows) =>
    insertSessions(tx, rows, paymentsOf(source, rows)),
  );
}

function customers({ source }: Move): Copier {
  return byId(source, 'customer', table('customer').select, insertCustomers);
}

/**
 * Customers of the copy with one of these addresses have given it up since, or it could not be another's by now: that
 * change is still to be followed, and writes them again.
 */
export async function insertCustomers(tx: Transaction, rows: readonly Row[]): Promise<void> {
  const withAddress = rows.filter(({ email }) => email !== null);
  await removeRows(tx, 'customer', ['account', 'live', 'email'], withAddress);
  await insertRows(tx, 'customer', rows);
}
