/** Work on the due rows of one kind, one after the other; a failure of one keeps no other from its turn. */
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import type { TenantClock } from '../store/store.ts';

type DueRow = { readonly id: string; readonly dueAt: TenantTime | null };

type Kind<T extends DueRow> = {
  /** Rows that are due by `now`, the longest due first. */
  readonly listDue: (tenant: Tenant, now: TenantTime, limit: number) => Promise<readonly T[]>;
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

export function dueRows<T extends DueRow>({ listDue, attendTo, onError }: Kind<T>): DueRows {
  async function succeeds(tenant: Tenant, row: T, now: TenantTime): Promise<boolean> {
    try {
      await attendTo(tenant, row, now);
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }

  return {
    async attend({ tenant, now }, limit) {
      const due = await listDue(tenant, now, limit);
      let succeeded = 0;
      for (const row of due) if (await succeeds(tenant, row, now)) succeeded++;
      return due.length === limit && succeeded > 0;
    },

    async catchUp({ tenant, now }, limit) {
      const attended = new Set<string>();
      let succeeded = 0;
      for (;;) {
        const due = (await listDue(tenant, now, limit)).filter(
          ({ id, dueAt }) => !attended.has(`${id} ${dueAt}`),
        );
        if (due.length === 0) return succeeded;
        for (const row of due) {
          attended.add(`${row.id} ${row.dueAt}`);
          if (await succeeds(tenant, row, row.dueAt ?? now)) succeeded++;
        }
      }
    },
  };
}
