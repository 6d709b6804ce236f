/** A planted fault: a mistake that a person could make, and the tests that are expected to find it. */
export type Fault = {
  /** Unique, and said in a report: what is wrong, in a few words. */
  readonly name: string;
  readonly file: string;
  /** A text that the file has exactly once, and what takes its place. */
  readonly find: string;
  readonly replace: string;
  /** Few and quick: the first of them should find it. */
  readonly tests: readonly string[];
  /** Histories of the simulation that find it, if those of npm test do not: so many, from this seed on. */
  readonly histories?: { readonly seed: number; readonly count: number };
  /** Whether these tests need PostgreSQL, which is started once for all of them. */
  readonly withPostgres?: boolean;
};
