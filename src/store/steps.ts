/**
 * Work of several statements, of which each may depend on what those before have found: a generator that gives
 * statements and gets their rows. It is written once; each database runs it in a transaction, SQLite without a pause.
 */
import type { Sql } from './sql.ts';

export type Steps<T> = Generator<Sql, T, readonly object[]>;

/** The rows of a statement, of whose columns `R` is made; none where a database has nothing to do. */
export function* rowsOf<R>(sql: Sql): Generator<Sql, readonly R[], readonly object[]> {
  return (yield sql) as readonly R[];
}

/** Runs all of it with a function that answers at once. */
export function runSteps<T>(steps: Steps<T>, run: (sql: Sql) => readonly object[]): T {
  let step = steps.next();
  while (!step.done) step = steps.next(run(step.value));
  return step.value;
}

/** Runs all of it with a function whose answers are waited for. */
export async function awaitSteps<T>(
  steps: Steps<T>,
  run: (sql: Sql) => PromiseLike<readonly object[]>,
): Promise<T> {
  let step = steps.next();
  while (!step.done) step = steps.next(await run(step.value));
  return step.value;
}
