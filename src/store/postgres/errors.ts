/** Errors of PostgreSQL and of its connections, and their meaning for the store. */
import postgres from 'postgres';
import { messageOf } from '../../lib/error-message.ts';
import { StoreUnavailable } from '../errors.ts';
import { schemaOf } from '../tables.ts';

/** Serialization failure and deadlock: nothing was written, and the next try meets another situation. */
const COLLISIONS = new Set(['40001', '40P01']);
/** A prepared statement of a table that a newer version has just changed; the driver has forgotten it meanwhile. */
const OUTDATED_PLAN = '0A000';
const UNIQUE_VIOLATION = '23505';
const NOT_NULL_VIOLATION = '23502';
/** Errors of the second of two who make a table at once: of its row in a catalogue, of the table, of its row type. */
const ALREADY_THERE = new Set([UNIQUE_VIOLATION, '42P07', '42710']);
/** Columns that become null where the row is not as it was seen. */
const counters = new Set(
  Object.values(schemaOf('postgres')).flatMap((columns) =>
    columns.filter(({ isCounter }) => isCounter).map(({ name }) => name),
  ),
);
/** Lock not available, statement cancelled, idle in transaction for too long. */
const WAITS = new Set(['55P03', '57014', '25P03']);

/**
 * SQLSTATE classes that tell of the server and not of the statement: connection exception, no access (any more), no such
 * database (any more), insufficient resources (a full disk, too many connections), operator intervention (shutdown,
 * time-out), system error.
 */
const ENVIRONMENT_CLASSES = new Set(['08', '28', '3D', '53', '57', '58']);
/** Read-only transaction (a standby), database closed for now, lock not available, idle in transaction for too long. */
const ENVIRONMENT_CODES = new Set(['25006', '55000', '55P03', '25P03']);

/**
 * One node of several has not said what became of its part. Such errors have the code of an internal one, and the text of
 * libpq, by which the coordinator speaks to the others, with TLS or without.
 */
const NODE_LOST = new RegExp(
  [
    'could not commit transaction',
    'connection to the remote node',
    'connection marked as essential',
    'server closed the connection unexpectedly',
    'SSL connection has been closed unexpectedly',
    'SSL SYSCALL error',
    'SSL error',
    'could not (receive data from|send data to) server',
    'no connection to the server',
    'connection not open',
    'lost synchronization with server',
  ].join('|'),
);

/** A shard was divided between the plan of a statement and its execution, which Citus calls an internal error. */
const SHARD_GONE = 'could not find valid entry for shard';

/** The code of the error, or of the one behind it. */
export function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  return String(code ?? cause?.code ?? '');
}

/** True if the same transaction is worth another try at once: somebody else was at the same rows. */
export function isCollision(error: unknown): boolean {
  const code = codeOf(error);
  return COLLISIONS.has(code) || code === OUTDATED_PLAN || isStale(error) || isOfGoneShard(error);
}

/** True if the statement was planned for a shard that is no more: it has written nothing. */
function isOfGoneShard(error: unknown): boolean {
  const { cause = error } = (error ?? {}) as { cause?: unknown };
  return cause instanceof postgres.PostgresError && cause.message.startsWith(SHARD_GONE);
}

/** True if a row has been changed since it was read. */
function isStale(error: unknown): boolean {
  type Refused = { readonly column_name?: string; readonly cause?: Refused };
  const { column_name: column, cause } = (error ?? {}) as Refused;
  return codeOf(error) === NOT_NULL_VIOLATION && counters.has(column ?? cause?.column_name ?? '');
}

/** True if a row exists already, perhaps only since another process has just written it. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === UNIQUE_VIOLATION;
}

/** True if another process has just made the same table. */
export function isAlreadyThere(error: unknown): boolean {
  return ALREADY_THERE.has(codeOf(error));
}

/** True if a statement or its rows do not fit the tables: syntax, unknown names, or a constraint that it does not know. */
export function isOfForm(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith('42') || (code.startsWith('23') && code !== UNIQUE_VIOLATION && !isStale(error));
}

/** True if the trouble may be that of this change alone: others were at the same rows for too long. */
export function isContention(error: unknown): boolean {
  const code = codeOf(error);
  return COLLISIONS.has(code) || WAITS.has(code) || isStale(error);
}

/** SQLSTATE class XX: data or an index is corrupted, or something that cannot be has happened. */
export function isCorruption(error: unknown): boolean {
  return codeOf(error).startsWith('XX');
}

/** The server that answered does not take writes: a standby, or a primary that is one no more. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006';
}

/**
 * The error as the store's interface has it: StoreUnavailable for what may pass by itself, anything else as it is, but
 * without the fields in which PostgreSQL shows rows and parameters. They hold people's data, and errors go to the log.
 */
export function translated(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error;
  const code = codeOf(error);
  const ofServer = error instanceof postgres.PostgresError;
  if (ofServer) Object.assign(error, { detail: undefined, where: undefined });
  const passing = ofServer
    ? ENVIRONMENT_CLASSES.has(code.slice(0, 2)) ||
      ENVIRONMENT_CODES.has(code) ||
      COLLISIONS.has(code) ||
      isStale(error) ||
      isOfGoneShard(error) ||
      NODE_LOST.test(messageOf(error))
    : // Codes of the driver (CONNECTION_CLOSED, CONNECT_TIMEOUT …) or of the network (ECONNREFUSED, ENOTFOUND …).
      /^(CONNECT|E[A-Z]+$)/.test(code);
  if (!passing) return error;
  return new StoreUnavailable(`PostgreSQL: ${messageOf(error)}`, { cause: error });
}
