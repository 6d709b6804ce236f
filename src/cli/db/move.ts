import { parseArgs } from 'node:util';
import { readConfig } from '../../config.ts';
import type { Teller } from '../move/copy.ts';
import { moveToPostgres } from '../move/move.ts';
import { startProgress } from '../progress.ts';
import { parsed, UsageError } from '../usage-error.ts';
import { databaseOf } from './options.ts';

/** `db move`: from SQLite to PostgreSQL, while the service goes on until it is asked to stop. */
export async function move(args: readonly string[]): Promise<void> {
  const { values } = parsed(() =>
    parseArgs({ args: [...args], options: { from: { type: 'string' }, to: { type: 'string' } } }),
  );
  const from =
    values.from === undefined ? readConfig(process.env).DATABASE_URL : databaseOf('--from', values.from);
  if (from.kind !== 'sqlite') {
    throw new UsageError('db move takes --from sqlite:<path of a file>; DATABASE_URL is no such database');
  }
  if (values.to === undefined) throw new UsageError('db move takes --to postgres://<user>@<host>/<database>');
  const to = databaseOf('--to', values.to);
  if (to.kind !== 'postgres') throw new UsageError('db move takes --to postgres://<user>@<host>/<database>');

  const { teller, clear } = createTeller();
  const end = whenInterrupted(clear);
  try {
    const fileAside = await moveToPostgres(from.path, to.url, teller);
    teller.say(
      `everything was moved; the file is kept as ${fileAside}. Start the service with\n\n` +
        `  DATABASE_URL=${withoutPassword(to.url)}`,
    );
  } finally {
    clear();
    end();
  }
}

/** What the operator has to know goes to standard output, how far the work has come to standard error. */
function createTeller(): { readonly teller: Teller; readonly clear: () => void } {
  const progress = startProgress();
  let work = { what: '', total: 0, startedAt: 0 };
  let done = 0;
  const teller: Teller = {
    begin(what, total) {
      work = { what, total, startedAt: performance.now() };
      done = 0;
    },
    add(rows) {
      done += rows;
      const seconds = (performance.now() - work.startedAt) / 1000;
      // There can be more of them by now.
      const total = Math.max(done, work.total);
      progress.show(`${work.what}: ${done} of ${total} rows, ${Math.round(done / seconds)} a second`);
    },
    say(text) {
      progress.clear();
      console.log(text);
    },
  };
  return { teller, clear: progress.clear };
}

/** Whatever is under way is in a transaction, and is done again by the next run. */
function whenInterrupted(clear: () => void): () => void {
  function interrupted(signal: NodeJS.Signals): void {
    clear();
    console.error('opentill: interrupted; the same command goes on from here');
    process.exit(signal === 'SIGINT' ? 130 : 143);
  }
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  return () => process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
}

function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^:@/]+):[^/]*@/, '$1:<password>@');
}
