/**
 * Events are only added at the end of their feed and removed from its front: a position tells how much of a feed is
 * copied. The rowids of SQLite do not, since it gives those of removed rows to new ones.
 */
import { CHUNK, copyBehind, type Move } from './copy.ts';
import type { Source, SourceRow, SourceTenant } from './source.ts';
import { everyTenant } from './tables.ts';
import { insertRows, type Row } from './target.ts';

export async function copyEvents(move: Move): Promise<void> {
  const { source, target, teller } = move;
  const feeds = source.all(`SELECT number AS account, live FROM ${everyTenant}`).map((row) => {
    const tenant = tenantOf(row);
    const name = `event ${tenant.account} ${tenant.live}`;
    return { tenant, name, missing: newest(source, tenant) - Number(target.reached(name) ?? 0) };
  });
  const growing = feeds.filter(({ missing }) => missing > 0);
  if (growing.length === 0) return;
  teller.begin(
    'copying event',
    growing.reduce((sum, { missing }) => sum + missing, 0),
  );
  for (const { tenant, name } of growing) {
    await copyBehind(move, {
      name,
      read: (after = '0') =>
        source.all(
          `SELECT * FROM event WHERE account = ? AND live = ? AND position > ? ORDER BY position LIMIT ${CHUNK}`,
          tenant.account,
          tenant.live,
          Number(after),
        ),
      nameOf: ({ position }) => String(position),
      async write(tx, rows) {
        await insertRows(tx, 'event', rows);
        await insertRows(tx, 'feed', rows.map(feedRow));
      },
    });
  }
}

/** Removes events from the copy that retention has removed from the source. */
export async function forgetEvents({ source, target }: Move): Promise<void> {
  for (const row of source.all('SELECT * FROM feed_start')) {
    const { account, live } = tenantOf(row);
    const name = `feed_start ${account} ${live}`;
    if (target.reached(name) === String(row.position)) continue;
    const gone = [account, live, Number(row.position)];
    const ofFeed =
      'feed.account = $1::bigint AND feed.live = $2::integer::boolean AND position <= $3::bigint';
    await target.step(
      async (tx) => {
        await tx.unsafe(
          `DELETE FROM event USING feed WHERE ${ofFeed}
             AND event.account = feed.account AND event.live = feed.live AND event.id = feed.event`,
          gone,
        );
        await tx.unsafe(`DELETE FROM feed WHERE ${ofFeed}`, gone);
      },
      { [name]: String(row.position) },
    );
  }
}

const tenantOf = ({ account, live }: SourceRow): SourceTenant => ({
  account: Number(account),
  live: Number(live),
});

function newest(source: Source, { account, live }: SourceTenant): number {
  return source.number('SELECT max(position) FROM event WHERE account = ? AND live = ?', account, live);
}

function feedRow({ account, live, position, id }: Row): Row {
  return { account, live, position, event: id };
}
