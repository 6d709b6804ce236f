/**
 * Notices a server that has gone silent, and a schema that is another version's. A machine that freezes, or a network
 * that swallows everything, breaks no connection: whoever asks waits. So somebody asks all the time, and when there is
 * no answer nobody else has to wait.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { answersWithin } from '../../lib/answers.ts';
import { StoreUnavailable } from '../errors.ts';
import type { ServerClock } from './clock.ts';
import { createConnection } from './connection.ts';
import { codeOf } from './errors.ts';
import { migrations, objectionToSchema, type SchemaVersion } from './migrate.ts';

const ASK_EVERY_MS = 1_000;
/** Longer than it takes to give up a host that takes a connection and says nothing. */
const SILENT_AFTER_MS = 4_000;

export type Heartbeat = ReturnType<typeof startHeartbeat>;

type Options = {
  /** Looked at with each beat. */
  readonly clock: ServerClock;
  /** Told each time that the server falls silent. */
  readonly onSilence: () => void;
  /** Gets a line for the operator when the database must not be used any more. */
  readonly onTrouble: (text: string) => void;
};

export function startHeartbeat(url: string, { clock, onSilence, onTrouble }: Options) {
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
    const looks = Promise.all([lookAtSchema(), connection.run(clock.look)]);
    const answered = looks.then(
      () => true,
      (error) => codeOf(error) !== 'CONNECT_TIMEOUT',
    );
    const wasSilent = silent;
    silent = !(await answersWithin(SILENT_AFTER_MS, answered));
    if (!silent) return;
    connection.discard();
    if (!wasSilent) onSilence();
  }

  async function run(): Promise<void> {
    const { signal } = stopping;
    while (!signal.aborted) {
      await beat();
      await pause(ASK_EVERY_MS, undefined, { ref: false, signal }).catch(() => {});
    }
  }
  void run();

  return {
    /** Reason why nobody may ask the server anything, or null. */
    trouble: (): StoreUnavailable | null =>
      silent ? new StoreUnavailable('PostgreSQL: the server does not answer') : trouble,
    lookAtSchema,
    stop(): Promise<void> {
      stopping.abort();
      return connection.close();
    },
  };
}
