/** Settings of an account for one of its modes: where its money goes, and how payments that do not fit are handled. */
import { defaultPolicy, type Policy } from '../checkout/session.ts';
import type { ReceivingAccount } from '../methods/bank/receiving-account.ts';
import type { CsvMapping } from '../statements/mapping.ts';
import type { BusinessDetails } from './settings-schema.ts';

export type { BusinessDetails } from './settings-schema.ts';

export type AccountSettings = {
  readonly business: BusinessDetails;
  readonly policy: Policy;
  /** In order of preference: payers see the first account of a currency. */
  readonly receivingAccounts: readonly ReceivingAccount[];
  /** Mappings for the statements of banks that only offer CSV, by names that the operator chooses. */
  readonly csvMappings: Readonly<Record<string, CsvMapping>>;
};

export const defaultSettings: AccountSettings = {
  business: { addressLines: [], taxId: '', email: '' },
  policy: defaultPolicy,
  receivingAccounts: [],
  csvMappings: {},
};

/** Settings from their stored form; null stands for the defaults. */
export function settingsFrom(stored: string | null): AccountSettings {
  return stored === null ? defaultSettings : { ...defaultSettings, ...JSON.parse(stored) };
}

/** The mapping with this name, or null. */
export function csvMappingOf({ csvMappings }: AccountSettings, name: string): CsvMapping | null {
  return Object.hasOwn(csvMappings, name) ? (csvMappings[name] ?? null) : null;
}
