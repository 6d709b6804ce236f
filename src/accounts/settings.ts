/** Settings of an account for one of its modes: where its money goes, and how payments that do not fit are handled. */
import type { EventType } from '../checkout/events.ts';
import { defaultPolicy, type Policy } from '../checkout/session.ts';
import type { ReceivingAccount } from '../methods/bank/receiving-account.ts';
import type { CsvMapping } from '../statements/mapping.ts';
import type { Branding, BusinessDetails, Compatibility } from './settings-schema.ts';

export type { Branding, BusinessDetails, Compatibility } from './settings-schema.ts';

export type AccountSettings = {
  readonly business: BusinessDetails;
  readonly branding: Branding;
  readonly policy: Policy;
  /** In order of preference: payers see the first account of a currency. */
  readonly receivingAccounts: readonly ReceivingAccount[];
  /** Mappings for the statements of banks that only offer CSV, by names that the operator chooses. */
  readonly csvMappings: Readonly<Record<string, CsvMapping>>;
  /** Reading of requests and writing of answers: by the letter, or as clients of other v3 services expect. */
  readonly compatibility: Compatibility;
  /** Types of events that go to the address of a session; null for those that clients of this compatibility expect. */
  readonly webhookUrlEvents: readonly EventType[] | null;
};

export const defaultSettings: AccountSettings = {
  business: { addressLines: [], taxId: '', email: '' },
  branding: { accentColor: '' },
  policy: defaultPolicy,
  receivingAccounts: [],
  csvMappings: {},
  compatibility: 'strict',
  webhookUrlEvents: null,
};

/** Settings from their stored form; null stands for the defaults. */
export function settingsFrom(stored: string | null): AccountSettings {
  return stored === null ? defaultSettings : { ...defaultSettings, ...JSON.parse(stored) };
}

/** Events that other v3 services send to the address of a session. */
const V3_EVENTS: readonly EventType[] = [
  'checkout.paid',
  'checkout.expired',
  'payin.succeeded',
  'payment_attempt.succeeded',
  'payment_attempt.failed',
  'refund.succeeded',
  'refund.failed',
];

/** True if events of this type go to the address of a session. */
export function isForWebhookUrl({ compatibility, webhookUrlEvents }: AccountSettings, type: string): boolean {
  const chosen: readonly string[] | null = webhookUrlEvents ?? (compatibility === 'v3' ? V3_EVENTS : null);
  return chosen === null || chosen.includes(type);
}

/** The mapping with this name, or null. */
export function csvMappingOf({ csvMappings }: AccountSettings, name: string): CsvMapping | null {
  return Object.hasOwn(csvMappings, name) ? (csvMappings[name] ?? null) : null;
}
