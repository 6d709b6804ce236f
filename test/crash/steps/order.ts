/** The place where a service ends: a step, and how often it comes first. */
export type Place = { readonly step: string; readonly time: number };

/** The order to `hook.ts`, passed in a file. */
export type Order = {
  /** Steps of commits on the thread that serves, or of the thread that copies the log. */
  readonly of: 'commits' | 'copying';
  /** Null to pass all. */
  readonly end: Place | null;
  /** The file that steps are noted in, a line for each. */
  readonly notes: string;
};

export const COMMIT = 'COMMIT';
/** Steps behind each COMMIT on SQLite. */
export const SYNCED = '(the log is on the disk)';
export const BEFORE = '(before the transaction)';

/** The name of a step that is a statement: its text in one line. */
export const nameOf = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');

/** Counts down to the place: true for the step that is the last one. */
export function counter(end: Place | null): (step: string) => boolean {
  let left = end?.time ?? 0;
  return (step) => step === end?.step && --left === 0;
}
