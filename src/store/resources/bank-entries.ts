/** Bank entries: one by one, in lists, and those that are due. */
import type { BankEntry, EntryId, EntryState } from '../../banking/entry.ts';
import type { Tenant, TenantTime } from '../../checkout/tenant.ts';
import { checksumIn, sound } from '../checksum.ts';
import { byKey, load, locked } from '../loads.ts';
import type { Page, PageRequest } from '../page.ts';
import { isAnyOf, raw, sql } from '../sql.ts';
import { columnsIn, type Row } from '../tables.ts';
import { rowOf } from '../writes.ts';
import {
  type AskedOf,
  all,
  boundsOf,
  conditionsOf,
  indexedBy,
  one,
  owned,
  pageOf,
  type Read,
  word,
} from './read.ts';

const columns = sql`${raw(columnsIn('bank_entry'))}${checksumIn('bank_entry')}`;

export function bankEntryFrom(stored: Row<'bank_entry'>): BankEntry {
  const { data, ...row } = sound('bank_entry', stored);
  return { ...JSON.parse(data), ...row };
}

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
  read: (tenant, references) =>
    byKey(
      sql`SELECT ${columns} FROM bank_entry
          WHERE ${owned(tenant)} AND ${isAnyOf('reference', references)}${locked('reference')}`,
      (row: Row<'bank_entry'>) => [row.reference, bankEntryFrom(row)],
    ),
  apply(known, { bankEntry }: { readonly bankEntry?: BankEntry }) {
    if (bankEntry) known.set(bankEntry.reference, bankEntry);
  },
});

const filters = {
  state: (state: EntryState) => sql`state = ${word(state)}`,
};

export type BankEntryFilter = AskedOf<typeof filters>;

export const bankEntries = {
  fetch: (tenant: Tenant, id: EntryId): Read<BankEntry | null> =>
    one(sql`SELECT ${columns} FROM bank_entry WHERE ${owned(tenant)} AND id = ${id}`, bankEntryFrom),

  fetchByReference: (tenant: Tenant, reference: string): Read<BankEntry | null> =>
    one(
      sql`SELECT ${columns} FROM bank_entry WHERE ${owned(tenant)} AND reference = ${reference}`,
      bankEntryFrom,
    ),

  list: (tenant: Tenant, filter: BankEntryFilter, page: PageRequest): Read<Page<BankEntry>> =>
    pageOf(
      {
        select: sql`SELECT ${columns} FROM bank_entry${indexedBy(filter.state === undefined ? null : 'bank_entry_state')}`,
        conditions: [owned(tenant), ...conditionsOf(filters, filter)],
        bounds: boundsOf('ntc', {}, page),
        row: bankEntryFrom,
      },
      page,
    ),

  listDue: (tenant: Tenant, now: TenantTime, limit: number): Read<BankEntry[]> =>
    all(
      sql`SELECT ${columns} FROM bank_entry${indexedBy('bank_entry_due')}
          WHERE ${owned(tenant)} AND due_at <= ${now} ORDER BY due_at LIMIT ${limit}`,
      bankEntryFrom,
      'look',
    ),
};
