/**
 * Rules of events and of the answers that end with one, row by row: bodies are JSON that only a reader can judge, and
 * one that cannot be read must not hide the others, as it would in a statement.
 */
import { isDeepStrictEqual } from 'node:util';
import { representRefund, timestamp } from '../../checkout/representation.ts';
import { type EventEnvelope, parseEvent } from '../../events/envelope.ts';
import { wholeBody } from '../answer-body.ts';
import { checkoutFrom } from '../columns.ts';
import { columnsIn, type Row } from '../tables.ts';
import { expect, isObject, joined, judgeOf } from './check.ts';

type Json = Readonly<Record<string, unknown>>;
type Shown = EventEnvelope<Json>;

/** The body of an event; throws unless it is one. */
export function shownIn(body: string): Shown {
  const shown = parseEvent<Json>(body);
  expect(isObject(shown) && isObject(shown.data));
  return shown;
}

type EventToCheck = Row<'event'> & {
  /** True if the customer of its session was erased. */
  readonly erased: boolean | number;
  /** The session that an event of a refund is about, as it is stored. */
  readonly session: string | null;
};

/** Events with what they are held against, for every database. */
export const events = `
  SELECT ${columnsIn('event')}, CASE WHEN event.type LIKE 'refund.%' THEN checkout.data END AS session,
    checkout.customer IS NOT NULL AND customer.id IS NULL AS erased
  FROM event LEFT JOIN ${joined('event', 'checkout', 'checkout.id = event.subject')}
  LEFT JOIN ${joined('event', 'customer', 'customer.id = checkout.customer')}`;

export const eventJudge = () =>
  judgeOf(
    'every event can be read',
    (row: EventToCheck) => ({ row, shown: shownIn(row.body) }),
    {
      'the body of every event says what its row says': ({ row, shown }) =>
        shown.type === row.type &&
        shown.id === row.id &&
        shown.sequence === row.sequence &&
        shown.created_at === timestamp(row.createdAt) &&
        row.subject === subjectOf(shown.data),
      'no event tells of somebody who was erased': ({ row, shown: { data } }) => {
        const { name, email } = (data.customer_details ?? {}) as Json;
        return !row.erased || !(name || email);
      },
      'an event says of a refund what its session says': ({ row, shown: { data } }) =>
        row.session === null || isRefundOf(row.session, data),
    },
    ({ id }) => id,
  );

/** The id of what an event is about: parts of a session name it as their payin. */
function subjectOf({ object, id, payin }: Json): unknown {
  return object === 'payment_attempt' || object === 'refund' || object === 'reversal' ? payin : id;
}

/** True if the session has this refund. Its state, the rail's id of it and its way through the bank may have changed since. */
function isRefundOf(session: string, shown: Json): boolean {
  const stored = { id: 'chk_' as const, version: 0, eventCount: 0, data: session };
  const checkout = checkoutFrom(stored, { account: 0, mode: 'test' }, []);
  const refund = checkout.refunds.find(({ id }) => id === shown.id);
  if (refund === undefined) return false;
  const { payin, status, status_description, reference, payment_file, bank_entries, ...lasting } =
    representRefund(checkout, refund);
  return Object.entries(lasting).every(([name, value]) => isDeepStrictEqual(shown[name], value));
}

type AnswerToCheck = Row<'idempotency'> & {
  readonly account: number;
  readonly live: boolean | number;
  /** True if its body goes on in an event; the body of that event, if it is there. */
  readonly goesOn: boolean | number;
  readonly eventBody: string | null;
};

/** Stored answers with the events with which they end; `key` is the column of an event by which they name it. */
export const answers = (key: string): string => `
  SELECT ${columnsIn('idempotency')}, idempotency.account, idempotency.live,
    idempotency.event IS NOT NULL AS "goesOn", event.body AS "eventBody"
  FROM idempotency LEFT JOIN ${joined('idempotency', 'event', `event.${key} = idempotency.event`)}`;

export const answerJudge = () =>
  judgeOf(
    'every stored answer can be sent again',
    ({ headers, body, requestHash, statusCode, goesOn, eventBody }: AnswerToCheck) => {
      expect(isObject(JSON.parse(headers)) && requestHash !== '');
      expect(statusCode >= 200 && statusCode < 300);
      // That its event is there is a rule of its own.
      if (goesOn && eventBody === null) return;
      const whole = eventBody === null ? body : wholeBody(body, eventBody);
      if (whole !== '') expect(isObject(JSON.parse(whole)));
    },
    {},
    ({ account, live }) => `account ${account} ${live ? 'live' : 'test'}`,
  );
