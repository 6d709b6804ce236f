/** Bank entries: one by one, in lists, and those that are due. */
import type { BankEntry, EntryId, EntryState } from '../../banking/entry.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { byKey, load } from '../loads.ts';
import type { PageRequest } from '../page.ts';
import { isAnyOf, sql } from '../sql.ts';
import type { Row } from '../tables.ts';
import { rowOf } from '../writes.ts';
import { type AskedOf, conditionsOf, indexFor, owned, type Read, word } from './read.ts';
import { thingsIn } from './things.ts';

const entries = thingsIn(
  'bank_entry',
  ({ data, ...row }): BankEntry => ({
    ...JSON.parse(data),
    ...row,
  }),
);

export const writeBankEntry = rowOf(
  'bank_entry',
  ({ id, reference, receivedAt, state, dueAt, tries, ...content }: BankEntry) => ({
    ...{ id, reference, receivedAt, state, dueAt, tries },
    data: JSON.stringify(content),
  }),
  { sets: ['state', 'dueAt', 'tries', 'data'], by: 'reference' },
);

/** Entries that may change or come to be, by their references. */
export const loadBankEntries = load({
  keyOf: (reference: string) => reference,
  ...entries.loadedBy('reference'),
  apply(known, { bankEntry }: { readonly bankEntry?: BankEntry }) {
    if (bankEntry) known.set(bankEntry.reference, bankEntry);
  },
});

const filters = {
  state: { condition: (state: EntryState) => sql`state = ${word(state)}`, index: 'bank_entry_state' },
};

export type BankEntryFilter = AskedOf<typeof filters>;

export const bankEntries = {
  fetch: (tenant: Tenant, id: EntryId) => entries.fetch(tenant, 'id', id),

  fetchByReference: (tenant: Tenant, reference: string) => entries.fetch(tenant, 'reference', reference),

  list: (tenant: Tenant, filter: BankEntryFilter, page: PageRequest) =>
    entries.page(tenant, conditionsOf(filters, filter), page, { index: indexFor(filters, filter) }),

  listDue: entries.listDue,

  /** The files that these entries came in first, by the ids of the entries. */
  statementsOf: (tenant: Tenant, ids: readonly EntryId[]): Read<ReadonlyMap<string, string>> =>
    byKey(
      sql`SELECT ${entries.columns} FROM bank_entry WHERE ${owned(tenant)} AND ${isAnyOf('id', ids)}`,
      (row: Row<'bank_entry'>) => [row.id, entries.thing(row).statement],
    ),
};
