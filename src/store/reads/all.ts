/** All resources whose rows both databases have in the same way. */
import { type CheckoutChange, followingTables } from '../columns.ts';
import { addChange, type RowChange, type Write } from '../writes.ts';
import { writeAudit } from './audit.ts';
import { writeBankEntry } from './bank-entries.ts';
import { addBankFile, completeBankFile } from './bank-files.ts';
import { writeCustomer } from './customers.ts';
import { writeEndpoints, writeReceivers } from './endpoints.ts';
import { writeProviderEvent } from './provider-events.ts';

/**
 * Writes by their names in `Writes`. Tables come in this order in every batch, so that two batches that meet at a unique
 * key wait for each other in one direction only.
 */
const writes = {
  customer: writeCustomer,
  providerEvent: writeProviderEvent,
  bankEntry: writeBankEntry,
  bankFile: addBankFile,
  ingestedFile: completeBankFile,
  endpoints: writeEndpoints,
  receivers: writeReceivers,
  audit: writeAudit,
};

type Values = { readonly [K in keyof typeof writes]: (typeof writes)[K] extends Write<infer V> ? V : never };
export type ResourceWrites = Partial<Values>;

const byName: { readonly [K in keyof Values]: Write<Values[K]> } = writes;
const names = Object.keys(writes) as (keyof Values)[];

/** The changes of rows that these writes come to, with those that follow from the sessions. */
export function rowChangesOf(
  all: readonly ResourceWrites[],
  sessions: readonly CheckoutChange[],
): RowChange[] {
  const changes: RowChange[] = [];
  function add<K extends keyof Values>(name: K): void {
    const values: Values[K][] = [];
    for (const { [name]: value } of all) if (value !== undefined) values.push(value);
    addChange(changes, byName[name], values);
  }
  for (const name of names) add(name);
  for (const write of followingTables) addChange(changes, write, sessions);
  return changes;
}
