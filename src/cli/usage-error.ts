/** A mistake of the one who typed the command, in one line. */
export class UsageError extends Error {
  override name = 'UsageError';
}
