/** Due bank entries: matched again, since a reference that was unknown may be known by now. */
import { lookUp } from '../ingest/lookup.ts';
import type { Store } from '../store/store.ts';
import { ownOrigin } from '../writer/command.ts';
import type { Execute } from '../writer/writer.ts';
import { type DueRows, dueRows } from './due-rows.ts';

export type BankEntryDependencies = {
  readonly store: Pick<Store, 'bankEntries' | 'checkouts'>;
  readonly execute: Execute;
  readonly onError: (error: unknown) => void;
};

export function dueBankEntries({ store, execute, onError }: BankEntryDependencies): DueRows {
  return dueRows({
    listDue: store.bankEntries.listDue,
    async attendTo(tenant, entry, now) {
      const lookup = await lookUp(store, tenant, entry);
      const { id, reference } = entry;
      const origin = ownOrigin(tenant, 'time');
      const action = { type: 'retry', lookup } as const;
      await execute({ subject: 'bank_entry', origin, now, id, reference, action });
    },
    onError,
  });
}
