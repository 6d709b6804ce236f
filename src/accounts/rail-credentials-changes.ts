/** Rules of changing the credentials that an account and mode has of its own at its rails. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { type Problem, type Refusal, refuse, refuseFields } from '../checkout/refusals.ts';
import type { RealTime } from '../lib/time.ts';
import type { CredentialsByRail, CredentialsForm, SealedSecrets } from '../methods/credentials.ts';

export type RailCredentialsCommand =
  | {
      readonly type: 'set_rail_credentials';
      readonly rail: string;
      /** Those that change; others stay as they are. */
      readonly secrets: SealedSecrets;
      readonly form: Pick<CredentialsForm, 'fields'>;
      readonly at: RealTime;
      /** Id of the API key, or `operator`. */
      readonly by: string;
    }
  | {
      /** Puts the same secrets under another key. Who set them, and when, stays. */
      readonly type: 'reseal_rail_credentials';
      readonly rail: string;
      /** The secrets as they were opened: what was set since then stays as it is. */
      readonly from: SealedSecrets;
      readonly to: SealedSecrets;
    }
  | { readonly type: 'remove_rail_credentials'; readonly rail: string };

export const NO_SUCH_CREDENTIALS = 'The account has no credentials of its own for this rail.';

/** The credentials after the command; the same where nothing changes. */
export function changedRailCredentials(
  all: CredentialsByRail,
  command: RailCredentialsCommand,
): CredentialsByRail | Refusal {
  const { rail } = command;
  const known = credentialsAt(all, rail);
  if (command.type === 'remove_rail_credentials') {
    if (known === null) return refuse('not_found', NO_SUCH_CREDENTIALS);
    return Object.fromEntries(Object.entries(all).filter(([name]) => name !== rail));
  }
  if (command.type === 'reseal_rail_credentials') {
    if (known === null || !isDeepStrictEqual(known.secrets, command.from)) return all;
    return { ...all, [rail]: { ...known, secrets: command.to } };
  }
  const { secrets, form, at, by } = command;
  const missing = missingSecrets(all, rail, form, Object.keys(secrets));
  if (missing.length > 0) return refuseFields(missing);
  if (Object.keys(secrets).length === 0) return all;
  // Later than the time before, also within a millisecond and by a clock that is behind: by it versions are told apart.
  const setAt = Math.max(at, (known?.setAt ?? 0) + 1);
  return { ...all, [rail]: { secrets: { ...known?.secrets, ...secrets }, setAt, setBy: by } };
}

/** The secrets that the rail needs, and that are neither there nor given. */
export function missingSecrets(
  all: CredentialsByRail,
  rail: string,
  { fields }: Pick<CredentialsForm, 'fields'>,
  given: readonly string[],
): readonly Problem[] {
  const known = Object.keys(credentialsAt(all, rail)?.secrets ?? {});
  return fields
    .filter((field) => !known.includes(field) && !given.includes(field))
    .map((field) => ({ pointer: `/${field}`, detail: 'is required' }));
}

/** Credentials at the rail of this name, which may come from a path; null for none. */
export function credentialsAt(all: CredentialsByRail, rail: string) {
  return Object.hasOwn(all, rail) ? (all[rail] ?? null) : null;
}
