/**
 * Deliveries that nobody wakes. In shards the lock of a subject may be lost, and then one may be added in the moment in
 * which the one before it ends: each is decided on without the other, and the new one waits behind nothing.
 */
import { tenantName } from '../checkout/tenant.ts';
import type { Round } from '../lib/rounds.ts';
import type { RealTime } from '../lib/time.ts';
import type { Store, Stranded } from '../store/store.ts';
import { ownOrigin } from '../writer/command.ts';
import type { Execute } from '../writer/writer.ts';

type Dependencies = {
  readonly store: Store;
  readonly execute: Execute;
  readonly realNow: () => RealTime;
  readonly round: Round;
};

/** Longer than a transaction may take. */
const UNDER_WAY_MS = 60_000;

/** A look for those made since the last that found none, at first for all; it makes them due. True if it found some. */
export function createWaking({ store, execute, realNow, round }: Dependencies): () => Promise<boolean> {
  let since: RealTime = 0;
  return async () => {
    const startedAt = realNow();
    const stranded = await store.work.listStranded(since, startedAt);
    const wake = async ({ tenant, now, deliveries }: Stranded) => {
      const results = deliveries.map(
        (delivery) =>
          ({
            ...delivery,
            lease: null,
            round: null,
            failing: false,
            at: now,
            state: 'pending',
            dueAt: now,
            attempt: null,
          }) as const,
      );
      await execute({ subject: 'deliveries', origin: ownOrigin(tenant, 'time'), results });
    };
    const { succeeded } = await round(
      stranded.map((each) => ({ name: `${tenantName(each.tenant)}: stranded`, run: () => wake(each) })),
    );
    // Those of a node that is away are looked for when it is back.
    if (stranded.length === 0 && store.servedShare() === 1) since = startedAt - UNDER_WAY_MS;
    return succeeded > 0;
  };
}
