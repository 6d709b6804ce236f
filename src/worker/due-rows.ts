/** Work on the due rows of one kind, one after the other; a failure of one keeps no other from its turn. */
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import { DamagedRow } from '../store/errors.ts';
import type { TenantClock } from '../store/store.ts';

type DueRow = { readonly id: string; readonly dueAt: TenantTime | null };

type Kind<T extends DueRow> = {
  /** Rows that are due by `now` but for those with these ids, the longest due first. */
  readonly listDue: (
    tenant: Tenant,
    now: TenantTime,
    limit: number,
    except: readonly string[],
  ) => Promise<readonly T[]>;
  readonly attendTo: (tenant: Tenant, row: T, now: TenantTime) => Promise<void>;
  readonly onError: (error: unknown) => void;
};

export type DueRows = {
  /** Processes the due rows of one tenant, at most `limit`; returns true if there may be more. */
  attend(clock: TenantClock, limit: number): Promise<boolean>;
  /**
   * Processes all rows that are due by `now`, each at its own time and as often as it is due again by then; returns
   * their number. Failures are left to the next round.
   */
  catchUp(clock: TenantClock, limit: number): Promise<number>;
};

/** Time for which a row is left alone that is damaged, or about something that is. */
const DAMAGED_MS = 10 * 60_000;
/** So many are; of more, none would be done in any case. */
const MOST_DAMAGED = 1_000;

export function dueRows<T extends DueRow>({ listDue, attendTo, onError }: Kind<T>): DueRows {
  /** Until when each is left alone: looked at each time, it would be in the way of the others. */
  const leftAlone = new Map<string, number>();

  /** Tells whether that can be done. */
  function leaveAlone(id: string | null, error: unknown): boolean {
    if (!(error instanceof DamagedRow) || id === null || leftAlone.has(id)) return false;
    if (leftAlone.size >= MOST_DAMAGED) return false;
    leftAlone.set(id, performance.now() + DAMAGED_MS);
    onError(new Error(`${id} is due, and damaged`, { cause: error }));
    return true;
  }

  /** Those that can be read. */
  async function due(tenant: Tenant, now: TenantTime, limit: number): Promise<readonly T[]> {
    for (const [id, until] of leftAlone) if (until <= performance.now()) leftAlone.delete(id);
    for (;;) {
      try {
        return await listDue(tenant, now, limit, [...leftAlone.keys()]);
      } catch (error) {
        if (!leaveAlone(error instanceof DamagedRow ? error.id : null, error)) throw error;
      }
    }
  }

  async function succeeds(tenant: Tenant, row: T, now: TenantTime): Promise<boolean> {
    try {
      await attendTo(tenant, row, now);
      return true;
    } catch (error) {
      if (!leaveAlone(row.id, error)) onError(error);
      return false;
    }
  }

  return {
    async attend({ tenant, now }, limit) {
      const rows = await due(tenant, now, limit);
      let succeeded = 0;
      for (const row of rows) if (await succeeds(tenant, row, now)) succeeded++;
      return rows.length === limit && succeeded > 0;
    },

    async catchUp({ tenant, now }, limit) {
      const attended = new Set<string>();
      let succeeded = 0;
      for (;;) {
        const rows = (await due(tenant, now, limit)).filter(
          ({ id, dueAt }) => !attended.has(`${id} ${dueAt}`),
        );
        if (rows.length === 0) return succeeded;
        for (const row of rows) {
          attended.add(`${row.id} ${row.dueAt}`);
          if (await succeeds(tenant, row, row.dueAt ?? now)) succeeded++;
        }
      }
    },
  };
}
