/**
 * The log of requests of an account and mode: changes that were asked for, whatever came of them, and every request to an
 * operation that was refused. An entry has no text of the client but the id that a client may give its request.
 */
import type { Id } from '../lib/id.ts';
import type { RealTime } from '../lib/time.ts';

/** Use of an idempotency key: none, one that was given, or the stored answer that was given again for it. */
export const idempotencyUses = ['none', 'key', 'replayed'] as const;

export type RequestEntry = {
  readonly id: Id<'rql'>;
  /** Arrival of the request. */
  readonly at: RealTime;
  /** Several may have the same: clients choose their own, and the dashboard asks several things for one click. */
  readonly requestId: string;
  /** Id of the API key, or of the user who is signed in. */
  readonly actor: string;
  readonly method: string;
  /** Path of the route, with names in the place of values; empty if the request was refused before it had one. */
  readonly path: string;
  readonly operation: string;
  /** Id that the path names, or that was given to what was made; null where there is none. */
  readonly subject: string | null;
  readonly status: number;
  readonly errors: readonly LoggedError[];
  readonly durationMs: number;
  readonly idempotency: (typeof idempotencyUses)[number];
  /** Requests alike since the entry before that are not in the log, as there were too many of them. */
  readonly leftOut: number;
};

export type LoggedError = {
  readonly code: number;
  readonly reason: string;
  /** JSON pointer with names that requests have here; `*` stands for any other. */
  readonly field: string;
};

/** Days for which entries are kept. */
export const REQUEST_LOG_DAYS = 7;
/** Entries of an account and mode; the newest stay. */
export const MOST_REQUESTS = 20_000;
