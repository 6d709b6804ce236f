/** `db backup|restore|check|move`: works on whole databases, one file for each action. */
import { actionOf } from './usage-error.ts';

/** Only what is asked for is loaded. */
const actions = {
  backup: async () => (await import('./db/backup.ts')).backup,
  restore: async () => (await import('./db/restore.ts')).restore,
  check: async () => (await import('./db/check.ts')).check,
  move: async () => (await import('./db/move.ts')).move,
};

export async function db([name, ...args]: readonly string[]): Promise<void> {
  const load = actionOf('db', actions, name);
  // With nothing left to wait for, Node would end with status 0 in the midst of the work.
  const unfinished = () => {
    console.error(`opentill: db ${name} has ended before it was done`);
    process.exitCode = 1;
  };
  process.once('beforeExit', unfinished);
  try {
    await (await load())(args);
  } finally {
    process.off('beforeExit', unfinished);
  }
}
