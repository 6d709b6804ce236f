/** The ids of events that a receiver has, of which there may be more than fit into memory. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../lib/error-message.ts';
import { Failure } from '../failure.ts';

export type Received = ReturnType<typeof createIdSet>;

/** Pages of 4 KiB. */
const MEMORY_PAGES = 4096;

/** A set of ids that keeps in memory what fits there. */
export function createIdSet() {
  // A database without a name is temporary: beyond a few MB SQLite keeps it in a private file, which it removes at the end.
  const database = new DatabaseSync('');
  database.exec(
    `PRAGMA journal_mode = OFF; PRAGMA cache_size = ${MEMORY_PAGES}; CREATE TABLE received (id TEXT PRIMARY KEY) WITHOUT ROWID`,
  );
  const insert = database.prepare('INSERT OR IGNORE INTO received VALUES (?)');
  const remove = database.prepare('DELETE FROM received WHERE id = ?');
  // One transaction that never ends: nothing of this outlives the process.
  database.exec('BEGIN');

  return {
    add: (id: string): void => {
      insert.run(id);
    },
    /** True if the id is there; each is asked for once. */
    take: (id: string): boolean => remove.run(id).changes > 0,
    /** The ids that were not asked for. */
    *rest(): Generator<string> {
      for (const { id } of database.prepare('SELECT id FROM received ORDER BY id').iterate())
        yield String(id);
    },
    close: () => database.close(),
  };
}

/** Reads the first word of each line; `-` is standard input. */
export async function readReceived(file: string): Promise<Received> {
  const received = createIdSet();
  const input = file === '-' ? process.stdin : createReadStream(file);
  try {
    // The first error of the file ends the lines, which then throw it.
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const id = /\S+/.exec(line.replace(/^\uFEFF/, ''))?.[0];
      if (id !== undefined) received.add(id);
    }
  } catch (error) {
    throw new Failure(`the ids cannot be read: ${messageOf(error)}`);
  }
  return received;
}
