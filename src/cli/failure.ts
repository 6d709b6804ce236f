/** Errors that a command reports in its own words, and the exit status each leads to. */

export const exitStatus = {
  success: 0,
  /** The command could not do what it was asked. */
  failure: 1,
  /** The command line is wrong, or a setting that the command reads. */
  usage: 2,
  /** The command did its work and found what it looks for: missed events, broken rules. */
  found: 3,
} as const;

/** An expected failure: one line for the operator, no stack. */
export class Failure extends Error {
  override name = 'Failure';
}

/** Mistakes on the command line, all of them. */
export class UsageError extends Error {
  override name = 'UsageError';
  readonly mistakes: readonly string[];

  constructor(...mistakes: readonly string[]) {
    super(mistakes.join('\n'));
    this.mistakes = mistakes;
  }
}
