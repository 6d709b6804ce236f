/** A planted fault: a mistake that a person could make, and what is expected to find it. */
export type Fault = {
  /** Unique, and said in a report: what is wrong, in a few words. */
  readonly name: string;
  readonly file: string;
  /** A text that the file has exactly once, and what takes its place. */
  readonly find: string;
  readonly replace: string;
  /** Tests that are expected to find it, few and quick: the first of them should. */
  readonly tests: readonly string[];
  /** Histories of the simulation that find it, if those of npm test do not: so many, from this seed on. */
  readonly histories?: { readonly seed: number; readonly count: number };
  /** Set if these tests find it for sure only where they try all of their cases, and not a share of them. */
  readonly whole?: boolean;
  /** Set if these tests need PostgreSQL, which is started once for all of them. */
  readonly withPostgres?: boolean;
  /** Checkers that `npm run prove -- planted` tries on it, whatever tests there are. Faults in the rules say so of `rules`. */
  readonly checkers?: { readonly [C in Checker]?: Expectation };
};

/** Checkers that try many cases nobody has listed: the simulation, and the exhaustive search of the rules. */
export type Checker = 'simulation' | 'rules';

/** A checker finds the fault, or there is a reason for which it cannot. */
export type Expectation = 'finds' | { readonly beyond: string };
