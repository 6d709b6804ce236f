/**
 * Stored answers: they come, and go after a day, without a line in any log. So both sides are gone through in the order
 * of their keys, a range at a time, and what differs in one is copied or removed.
 */
import { CHUNK, type Move } from './copy.ts';
import type { Place, Source, SourceRow } from './source.ts';
import { table } from './tables.ts';
import { insertRows, removeRows } from './target.ts';

type Key = readonly [account: number, live: number, key: string, operation: string];
type Found = Place & {
  readonly idempotency_key: string;
  readonly operation: string;
  readonly created_at: number;
};

const columns = ['account', 'live', 'idempotency_key', 'operation'] as const;
const list = columns.join(', ');

export async function copyAnswers(move: Move): Promise<void> {
  const { source, teller } = move;
  teller.begin('comparing stored answers', source.number('SELECT count(*) FROM idempotency'));
  for (let after: Key = [0, 0, '', '']; ; ) {
    const rows = source.all(
      `SELECT ${list}, created_at FROM idempotency WHERE (${list}) > (?, ?, ?, ?) ORDER BY ${list} LIMIT ${CHUNK}`,
      ...after,
    ) as unknown as readonly Found[];
    // What comes behind the last of SQLite is in the last range as well.
    const last = rows.length < CHUNK ? undefined : rows.at(-1);
    const to = last ? keyOf(last) : undefined;
    await copyRange(move, rows, await copied(move, after, to));
    teller.add(rows.length);
    if (!to) return;
    after = to;
  }
}

const keyOf = ({ account, live, idempotency_key, operation }: Found): Key => [
  account,
  live,
  idempotency_key,
  operation,
];

/** What is in the copy from behind one key to another, or to the end. */
function copied({ target }: Move, after: Key, to: Key | undefined): Promise<readonly Found[]> {
  const row = (first: number) =>
    `($${first}::bigint, $${first + 1}::integer::boolean, $${first + 2}::text, $${first + 3}::text)`;
  return target.read<Found>(
    `SELECT account, live::integer AS live, idempotency_key, operation, created_at FROM idempotency
     WHERE (${list}) > ${row(1)} ${to ? `AND (${list}) <= ${row(5)}` : ''}`,
    [...after, ...(to ?? [])],
  );
}

/** A key can be used again after a day; its new answer has another time. */
async function copyRange(
  { source, target }: Move,
  wanted: readonly Found[],
  present: readonly Found[],
): Promise<void> {
  const name = (row: Found) => JSON.stringify([...keyOf(row), row.created_at]);
  const wantedNames = new Set(wanted.map(name));
  const presentNames = new Set(present.map(name));
  const wrong = present.filter((row) => !wantedNames.has(name(row)));
  const missing = wanted.filter((row) => !presentNames.has(name(row)));
  if (wrong.length + missing.length === 0) return;
  const rows = missing.flatMap((row) => answer(source, row));
  await target.step(async (tx) => {
    await removeRows(tx, 'idempotency', columns, wrong);
    await insertRows(tx, 'idempotency', rows);
  }, {});
}

/** None if it has just been forgotten. */
function answer(source: Source, row: Found): SourceRow[] {
  return source.all(
    `${table('idempotency').select}
     WHERE idempotency.account = ? AND idempotency.live = ? AND idempotency_key = ? AND operation = ?`,
    ...keyOf(row),
  );
}
