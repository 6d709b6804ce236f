/** `db backup|restore|check|move`: works on whole databases, one file for each action. */
import { UsageError } from './usage-error.ts';

type Action = (args: readonly string[]) => Promise<void>;

/** Only what is asked for is loaded. */
const actions: ReadonlyMap<string, () => Promise<Action>> = new Map([
  ['backup', async () => (await import('./db/backup.ts')).backup],
  ['restore', async () => (await import('./db/restore.ts')).restore],
  ['check', async () => (await import('./db/check.ts')).check],
  ['move', async () => (await import('./db/move.ts')).move],
]);

export async function db(args: readonly string[]): Promise<void> {
  const [name = '', ...rest] = args;
  const action = actions.get(name);
  if (!action) throw new UsageError(`db takes one of ${[...actions.keys()].join(', ')}`);
  // With nothing left to wait for, Node would end with status 0 in the midst of the work.
  const unfinished = () => {
    console.error(`opentill: db ${name} has ended before it was done`);
    process.exitCode = 1;
  };
  process.once('beforeExit', unfinished);
  try {
    await (await action())(rest);
  } finally {
    process.off('beforeExit', unfinished);
  }
}
