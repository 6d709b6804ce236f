/** The ids of events that a receiver has, of which there may be more than fit into memory. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../usage-error.ts';

export type Received = Awaited<ReturnType<typeof readReceived>>;

/** Of 4 KiB each. */
const MEMORY_PAGES = 4096;

/** Of each line the first word; `-` is what comes from standard input. */
export async function readReceived(file: string) {
  // Without a name it is one of SQLite's own, beyond a few MB in a file that nobody else sees and that goes with it.
  const database = new DatabaseSync('');
  database.exec(
    `PRAGMA journal_mode = OFF; PRAGMA cache_size = ${MEMORY_PAGES}; CREATE TABLE received (id TEXT PRIMARY KEY) WITHOUT ROWID`,
  );
  const insert = database.prepare('INSERT OR IGNORE INTO received VALUES (?)');
  const remove = database.prepare('DELETE FROM received WHERE id = ?');
  const input = file === '-' ? process.stdin : createReadStream(file);
  try {
    database.exec('BEGIN');
    // The first error of the file ends the lines, which then throw it.
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const id = /\S+/.exec(line.replace(/^\uFEFF/, ''))?.[0];
      if (id !== undefined) insert.run(id);
    }
    database.exec('COMMIT; BEGIN');
  } catch (error) {
    throw new UsageError(`the ids cannot be read: ${(error as Error).message}`);
  }

  return {
    /** Whether the receiver has this event; each is asked for once. */
    take: (id: string): boolean => remove.run(id).changes > 0,
    /** Those that were not asked for. */
    *rest(): Generator<string> {
      for (const { id } of database.prepare('SELECT id FROM received ORDER BY id').iterate())
        yield String(id);
    },
    close: () => database.close(),
  };
}
