/** Stored answers: successes as they were sent, so that they can be sent again byte for byte. */

import type { Tenant } from '../../checkout/tenant.ts';
import type { EventRow } from '../../events/event.ts';
import type { RealTime } from '../../lib/time.ts';
import { keptAnswer, wholeBody } from '../answer-body.ts';
import { checksumIn, checksumOf, refuseDamaged } from '../checksum.ts';
import { byKey, load } from '../loads.ts';
import { amongPairs, either, raw, type Sql, sql } from '../sql.ts';
import type { AnyRow, Row } from '../tables.ts';
import { owned } from './read.ts';

export type Answer = {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type IdempotencyKey = {
  readonly key: string;
  /** Method and path. */
  readonly operation: string;
  /** Hexadecimal SHA-256 of the request's body. */
  readonly requestHash: string;
  /** The answer to another request under the same key, in whose place the answer to this one is kept. */
  readonly replaces?: StoredAnswer;
};

export type StoredAnswer = Answer & Pick<IdempotencyKey, 'requestHash'>;
export type NewAnswer = Answer & IdempotencyKey & { readonly createdAt: RealTime };

/** An idempotency key as that of a map; operations are of our own making and have no such character. */
export function answerKey({ operation, key }: Pick<IdempotencyKey, 'operation' | 'key'>): string {
  return `${operation}\n${key}`;
}

type Found = Row<'idempotency'> & {
  readonly checksum?: number;
  /** Id of the event that has the rest of the body. */
  readonly eventId: string | null;
  readonly eventBody: string | null;
  readonly eventCause: string | null;
  readonly eventChecksum?: number | null;
};

function storedAnswer(found: Found): readonly [key: string, StoredAnswer] {
  const { idempotencyKey: key, operation, requestHash, statusCode, headers, body, checksum } = found;
  const { eventId: id, eventBody, eventCause: cause, eventChecksum } = found;
  refuseDamaged('idempotency', checksumOf('idempotency', found), checksum);
  if (id !== null) refuseDamaged('event', checksumOf('event', { id, cause, body: eventBody }), eventChecksum);
  const whole = eventBody === null ? body : wholeBody(body, eventBody);
  return [
    answerKey({ operation, key }),
    { requestHash, statusCode, headers: JSON.parse(headers), body: whole },
  ];
}

export const loadAnswers = load({
  keyOf: answerKey,
  read: (tenant, keys: readonly IdempotencyKey[]) =>
    byKey(
      sql`SELECT idempotency_key AS "idempotencyKey", operation, request_hash AS "requestHash",
            status_code AS "statusCode", headers, idempotency.body${checksumIn('idempotency')},
            event.id AS "eventId", event.body AS "eventBody", event.cause AS "eventCause"${eventChecksum}
          FROM ${amongPairs(
            'idempotency',
            ['idempotency_key', 'operation'],
            keys.map(({ key, operation }) => [key, operation]),
          )}
          LEFT JOIN event ON ${owned(tenant, 'event')} AND idempotency.event = ${eventKey}
          WHERE ${owned(tenant, 'idempotency')}`,
      storedAnswer,
    ),
  apply(known, { answer }: { readonly answer?: NewAnswer }) {
    if (!answer) return;
    const { key, operation, createdAt, replaces, ...stored } = answer;
    known.set(answerKey(answer), stored);
  },
});

const eventChecksum = either({ sqlite: raw(', event.checksum AS "eventChecksum"') });

/** The column of an event by which an answer names it. */
const eventKey = either({ sqlite: raw('event.position'), postgres: raw('event.id') });

/**
 * Removes the answer that another one takes the place of. Of two that would do so at once, the later removes nothing: it
 * meets the other at the unique key, and is decided on anew.
 */
export function replacedAnswer(tenant: Tenant, { key, operation, replaces }: NewAnswer): Sql[] {
  if (replaces === undefined) return [];
  // The same request may have been answered anew meanwhile; what it has made is named in the headers.
  const headers = JSON.stringify(replaces.headers);
  return [
    sql`DELETE FROM idempotency WHERE ${owned(tenant, 'idempotency')}
          AND idempotency_key = ${key} AND operation = ${operation} AND request_hash = ${replaces.requestHash}
          AND headers = ${headers}`,
  ];
}

/** The row of an answer; `eventAt` gives the key of the event with the rest of its body. */
export function answerRow(
  { key, headers, body, replaces, ...answer }: NewAnswer,
  events: readonly EventRow[],
  eventAt: (index: number) => string | number | undefined,
): AnyRow {
  const { kept, event } = keptAnswer(body, events);
  const row = { ...answer, idempotencyKey: key, headers: JSON.stringify(headers), body: kept };
  return { ...row, event: event < 0 ? null : (eventAt(event) ?? null) };
}
