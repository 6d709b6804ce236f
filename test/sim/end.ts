/** What has to hold at the end of a simulation, once everything has healed. */
import { DatabaseSync } from 'node:sqlite';
import { isBroken } from '../../src/store/check/check.ts';
import { checkSqlite } from '../../src/store/sqlite/check.ts';
import type { Session } from './model.ts';
import { PROVIDER, type Provider } from './provider.ts';

/** Attempts that were given up and that can still be paid, because the provider was not told. */
export function untold(sessions: Iterable<Session>, provider: Provider): string[] {
  return [...sessions].flatMap(({ attempts }) =>
    attempts
      .filter(({ rail, status }) => rail === PROVIDER && status === 'cancelled')
      .map(({ reference }) => reference)
      .filter((reference) => provider.statusOf(reference) === 'requires_action'),
  );
}

/** The rules of `db check` that the file breaks, and work that is left in it. */
export async function brokenRules(path: string): Promise<string[]> {
  const database = new DatabaseSync(path);
  const broken: string[] = [];
  await checkSqlite(database, {
    progress() {},
    outcome(outcome) {
      if (isBroken(outcome)) broken.push(`broken: ${outcome.rule} (${outcome.untold ?? outcome.examples})`);
    },
  });
  const count = (sql: string) => database.prepare(`SELECT count(*) AS found FROM ${sql}`).get()?.found;
  if (count("delivery WHERE state = 'pending'") !== 0) broken.push('deliveries are still pending');
  if (count("provider_event WHERE state = 'waiting'") !== 0) broken.push('provider events are still waiting');
  database.close();
  return broken;
}
