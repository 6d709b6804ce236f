/** Connections of the tests themselves, open for as long as somebody uses them: one that is idle keeps its process alive. */
import postgres, { type Sql } from 'postgres';

const KEPT_SECONDS = 0.5;

/**
 * Gives the connection to the database at this address. Where the last one has been closed it is another client: to open
 * its own again, a client waits by `performance.now`, which a test may have set to a time that is minutes away.
 */
export function keptConnection(url: string): () => Sql {
  let open: Sql | null = null;
  return () => {
    open ??= postgres(url, {
      max: 1,
      idle_timeout: KEPT_SECONDS,
      fetch_types: false,
      onnotice() {},
      onclose() {
        open = null;
      },
    });
    return open;
  };
}
