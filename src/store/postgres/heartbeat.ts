/**
 * Notices a server that has gone silent, and a schema that is another version's. A machine that freezes, or a network
 * that swallows everything, breaks no connection: whoever asks waits. So somebody asks all the time, and when there is
 * no answer nobody else has to wait.
 */
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { StoreUnavailable } from '../errors.ts';
import { createConnection } from './connection.ts';
import { codeOf } from './errors.ts';
import { migrations, objectionToSchema, type SchemaVersion } from './migrate.ts';

const defaults = {
  askEveryMs: 1_000,
  /** Longer than it takes to give up a host that takes a connection and says nothing. */
  silentAfterMs: 4_000,
};

export type Heartbeat = ReturnType<typeof startHeartbeat>;

type Listeners = {
  /** Told each time that the server falls silent. */
  readonly onSilence: () => void;
  /** Gets a line for the operator when the database must not be used any more. */
  readonly onTrouble: (text: string) => void;
};

export function startHeartbeat(
  url: string,
  { onSilence, onTrouble }: Listeners,
  options: Partial<typeof defaults> = {},
) {
  const { askEveryMs, silentAfterMs } = { ...defaults, ...options };
  const connection = createConnection(url, undefined, { name: 'opentill heartbeat' });
  const stopping = new AbortController();
  let silent = false;
  let trouble: StoreUnavailable | null = null;

  async function lookAtSchema(): Promise<void> {
    const [schema] = await connection.run(
      (sql) => sql<SchemaVersion[]>`SELECT * FROM schema_version WHERE id = 1`,
    );
    const reason = schema === undefined ? null : objectionToSchema(schema);
    if (reason === null || schema === undefined) {
      trouble = null;
    } else if (trouble === null) {
      const about = `schema ${schema.version}, this one knows ${migrations.length}`;
      trouble = new StoreUnavailable(`PostgreSQL: ${reason} (${about})`, { reason });
      onTrouble(`${reason} (${about}); nothing is served until that one has taken over`);
    }
  }

  async function beat(): Promise<void> {
    // A refusal is no silence: whoever asks is told at once. A connection that nobody takes is.
    const answered = lookAtSchema().then(
      () => true,
      (error) => codeOf(error) !== 'CONNECT_TIMEOUT',
    );
    // Behind a limit that is over because this process itself stood still, the answer may wait to be read.
    const limit = pause(silentAfterMs, false, { ref: false }).then(() => turn(false, { ref: false }));
    const wasSilent = silent;
    silent = !(await Promise.race([answered, limit]));
    if (!silent) return;
    connection.discard();
    if (!wasSilent) onSilence();
  }

  async function run(): Promise<void> {
    const { signal } = stopping;
    while (!signal.aborted) {
      await beat();
      await pause(askEveryMs, undefined, { ref: false, signal }).catch(() => {});
    }
  }
  void run();

  return {
    /** Why nobody may ask the server anything, or null. */
    trouble: (): StoreUnavailable | null =>
      silent ? new StoreUnavailable('PostgreSQL: the server does not answer') : trouble,
    lookAtSchema,
    stop(): Promise<void> {
      stopping.abort();
      return connection.close();
    },
  };
}
