/** What an account configures for one of its modes: where its money goes, and what becomes of money that does not fit. */
import { defaultPolicy, type Policy } from '../checkout/session.ts';
import type { ReceivingAccount } from '../methods/bank/receiving-account.ts';
import type { CsvMapping } from '../statements/mapping.ts';

/** What receipts and invoices say of the payee beside its name; every part may be empty. */
export type BusinessDetails = {
  readonly addressLines: readonly string[];
  readonly taxId: string;
  readonly email: string;
};

export type AccountSettings = {
  readonly business: BusinessDetails;
  readonly policy: Policy;
  /** In the order in which they are looked through; of each currency the first is the one that payers see. */
  readonly receivingAccounts: readonly ReceivingAccount[];
  /** How to read the statements of banks that only have CSV, by names that the operator chooses. */
  readonly csvMappings: Readonly<Record<string, CsvMapping>>;
};

export const defaultSettings: AccountSettings = {
  business: { addressLines: [], taxId: '', email: '' },
  policy: defaultPolicy,
  receivingAccounts: [],
  csvMappings: {},
};

/** The settings as they are stored; null is the default. */
export function settingsFrom(stored: string | null): AccountSettings {
  return stored === null ? defaultSettings : { ...defaultSettings, ...JSON.parse(stored) };
}

/** How to read a CSV of the bank that goes by this name, or null. */
export function csvMappingOf({ csvMappings }: AccountSettings, name: string): CsvMapping | null {
  return Object.hasOwn(csvMappings, name) ? (csvMappings[name] ?? null) : null;
}
