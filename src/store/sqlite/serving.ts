import type { DatabaseSync } from 'node:sqlite';
import { startCheckpoints } from './checkpoint.ts';
import type { Ownership } from './ownership.ts';
import { watchFiles } from './watch.ts';

export type Serving = ReturnType<typeof startServing>;

/** What a server does beside its work, for as long as it has the database open. */
export function startServing(
  database: DatabaseSync,
  path: string,
  owned: Ownership,
  onTrouble: (text: string) => void,
) {
  const watch = watchFiles(database, path, owned, onTrouble);
  const checkpoints = startCheckpoints(database, path, {
    onLong: (bytes) =>
      onTrouble(
        `the log of the database has ${Math.round(bytes / 2 ** 20)} MiB; a program reads for so long that it cannot be begun anew`,
      ),
  });
  return {
    watch,
    checkpoints,
    async stop() {
      watch.stop();
      await checkpoints.stop();
    },
  };
}
