/**
 * Forbidden findings of a comparison: counted for the figures of a campaign, which fails in the end if there
 * is any.
 */
import assert from 'node:assert/strict';

export type Finding = 'lost' | 'doubled' | 'half_applied';
export type Report = (finding: Finding, message: string) => void;

/** A report for tests that stop at the first finding. */
export const failAtOnce: Report = (finding, message) => assert.fail(`${finding}: ${message}`);

/** Enough to see what went wrong. */
const MOST_SHOWN = 20;

export function createFindings() {
  const figures = { lost: 0, doubled: 0, half_applied: 0 };
  const shown: string[] = [];
  /** Fails in the end as well, and is counted by whoever found it. */
  function note(message: string): void {
    if (shown.length < MOST_SHOWN) shown.push(message);
  }
  const report: Report = (finding, message) => {
    figures[finding]++;
    note(`${finding}: ${message}`);
  };
  return {
    figures,
    report,
    note,
    /** Reports what a check throws as this. */
    async during(finding: Finding, what: string, check: () => Promise<void>): Promise<void> {
      await check().catch((error: Error) => report(finding, `${what}: ${error.message}`));
    },
    /** Asserts that there are none; called when the figures are said. */
    assertNone: (): void => assert.deepEqual(shown, []),
  };
}
export type Findings = ReturnType<typeof createFindings>;
