/** Secrets that sign webhooks, and their replacement with an overlap in which receivers may know either. Pure. */

/** How long the secret before may sign beside its successor. */
export const MAX_OVERLAP_SECONDS = 7 * 86_400;

/** The secret before the current one, and when it ends, in the clock of its account and mode. */
export type PreviousSecret = { readonly secret: string; readonly until: number };

/** The secrets that sign at this time, the newest first. */
export function validSecrets(
  secret: string,
  previous: PreviousSecret | null,
  now: number,
): readonly [string, ...string[]] {
  return previous !== null && previous.until > now ? [secret, previous.secret] : [secret];
}

/** What becomes of the secret that is replaced. */
export function retired(secret: string, now: number, overlapMs: number): PreviousSecret | null {
  return overlapMs > 0 ? { secret, until: now + overlapMs } : null;
}
