/** Credentials of an account at rails, as commands work with them: in the database, or through the API of a server. */
import type { representRailCredentials } from '../../accounts/representation.ts';
import { STRIPE } from '../../methods/stripe/credentials.ts';
import type { Place } from '../place.ts';

/** Credentials as they are shown: never the secrets themselves. */
export type ShownCredentials = ReturnType<typeof representRailCredentials>;

export type RailCredentials = {
  list(place: Place): Promise<readonly ShownCredentials[]>;
  /** Secrets that the file does not have stay as they are. The file is read when nothing else is wrong. */
  set(place: Place, rail: Rail, file: string): Promise<ShownCredentials>;
  /** The rail may be one that nobody knows any more. */
  remove(place: Place, rail: string): Promise<void>;
};

export type Rail = typeof STRIPE;

export const rails = [STRIPE] as const;

export const railCredentialsKeys = {
  id: 'Name of the rail.',
  hints: 'The last four characters of each secret; empty for a short one.',
  set_at: 'Time of the last change, in ISO 8601.',
  set_by: 'Id of the API key that made it, or `operator`.',
  encryption_key: '`current`, `previous`, or `unknown` if they cannot be read.',
  events_url: 'Address for the webhooks of the provider.',
} as const;

export function lineOf({ id, hints, set_at, set_by, encryption_key }: ShownCredentials): string {
  const ends = Object.entries(hints).map(([field, hint]) => `${field}=…${hint}`);
  const key = encryption_key === 'current' ? [] : [`key:${encryption_key}`];
  return [id, ...ends, set_at, set_by, ...key].join('  ');
}
