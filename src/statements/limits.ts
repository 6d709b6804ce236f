/** Limits of statements. Larger ones are refused before they cost memory. */

export type Limits = {
  readonly bytes: number;
  readonly entries: number;
  readonly statements: number;
  /** Transactions of one booking: they are kept until their sum is known. */
  readonly details: number;
  /** Characters of one text, tag, comment, line or row, and of all texts of one transaction that are kept. */
  readonly text: number;
  /** Depth of nested XML elements. */
  readonly depth: number;
  readonly attributes: number;
};

export const LIMITS: Limits = {
  bytes: 1_073_741_824,
  entries: 1_000_000,
  statements: 100_000,
  details: 100_000,
  text: 65_536,
  depth: 64,
  attributes: 64,
};
