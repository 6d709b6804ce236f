/** Deliveries change without a line in any log: those that may have changed are looked at. */
import { firstIdAt } from '../id.ts';
import { CHUNK, type Move } from './copy.ts';
import type { Place, SourceRow } from './source.ts';
import { table } from './tables.ts';
import { insertRows, removeRows } from './target.ts';

const { select } = table('delivery');
const key = ['account', 'live', 'id'] as const;

type Pending = Place & { readonly id: string; readonly attempts: number };

export async function followDeliveries(move: Move): Promise<void> {
  // New ones come with new events, so whatever comes behind this event is for the next round.
  const newest = move.source.newest('event');
  await copyPending(move);
  await copyNew(move);
  await move.target.step(async () => {}, { deliveries_of: String(newest) });
}

/** Those that were on their way when they were copied. Each attempt is counted, so the number tells of a change. */
async function copyPending(move: Move): Promise<void> {
  const { source, target } = move;
  for (let after: readonly [number, number, string] = [0, 0, '']; ; ) {
    const pending = await target.read<Pending>(
      `SELECT account, live::integer AS live, id, attempts FROM delivery
       WHERE due_at IS NOT NULL AND (account, live, id) > ($1::bigint, $2::integer::boolean, $3::text)
       ORDER BY delivery.account, delivery.live, delivery.id LIMIT ${CHUNK}`,
      after,
    );
    const last = pending.at(-1);
    if (!last) return;
    const changed = pending.flatMap(({ account, live, id, attempts }) =>
      source.all(
        `${select} WHERE account = ? AND live = ? AND id = ? AND attempts <> ?`,
        account,
        live,
        id,
        attempts,
      ),
    );
    await replace(move, changed);
    after = [last.account, last.live, last.id];
  }
}

/** An id begins with the time of its event, so the new ones are not before the earliest of the new events. */
async function copyNew(move: Move): Promise<void> {
  const { source, target } = move;
  const places = source.all(
    `SELECT account, live, min(created_at) AS earliest FROM event WHERE rowid > ? GROUP BY account, live`,
    Number(target.reached('deliveries_of')),
  );
  for (const { account, live, earliest } of places) {
    for (let from = firstIdAt('whd', Number(earliest)); ; ) {
      const rows = source.all(
        `${select} WHERE account = ? AND live = ? AND id > ? ORDER BY id LIMIT ${CHUNK}`,
        Number(account),
        Number(live),
        from,
      );
      const last = rows.at(-1);
      if (!last) break;
      await replace(move, rows);
      from = String(last.id);
    }
  }
}

async function replace({ target }: Move, rows: readonly SourceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await target.step(async (tx) => {
    await removeRows(tx, 'delivery', key, rows);
    await insertRows(tx, 'delivery', rows);
  }, {});
}
