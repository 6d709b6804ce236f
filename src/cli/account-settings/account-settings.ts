/** Settings and logo of an account, as commands work with them: in the database, or through the API of a server. */
import type { Logo } from '../../accounts/logo.ts';
import type { representLogo, representSecretFate, representSettings } from '../../accounts/representation.ts';
import type { Place } from '../place.ts';

export type ShownSettings = ReturnType<typeof representSettings>;
export type ShownLogo = ReturnType<typeof representLogo>;
export type ShownSecret = ReturnType<typeof representSecretFate>;

/** A merge patch (RFC 7396) from a file. It may be any JSON, and is read when nothing else is wrong. */
export type Patch = { readonly file: string; read(): Promise<unknown> };

export type Settings = {
  fetch(place: Place): Promise<ShownSettings>;
  change(place: Place, patch: Patch): Promise<ShownSettings>;
  /** The name is of both modes; at a server only a key of live mode changes it. */
  rename(account: number | undefined, name: string): Promise<ShownSettings>;
  /** The secret of webhooks to the addresses of sessions. */
  rotateSecret(place: Place, overlapSeconds: number): Promise<ShownSecret>;
  setLogo(place: Place, logo: Logo): Promise<ShownLogo>;
  removeLogo(place: Place): Promise<void>;
};

export const settingsKeys = {
  name: 'The name that payers see.',
  policy: 'Policy for payments that are short, in excess, late or without a reference.',
  business: 'Details of the merchant on receipts.',
  branding: 'Look of the pages that payers see.',
  csv_mappings: 'Column mappings of CSV statements, by name.',
  compatibility: 'Compatibility mode: `strict`, or `v3` for clients of other v3 services.',
  webhook_url_events: 'Types of events that are sent to the `webhook_url` of a session.',
} as const;
