/** Damages of events, of endpoints, of what providers have told, and of answers that are kept. */
import { type Damage, event, inSession, ofEndpoint, one, paid } from './parts.ts';

const CAUSED = 'what an event says has caused it is there';
const EVENTS = 'a session has the events that it counts, numbered without a gap';
const LOG_OF_ENDPOINTS = 'the log of changes tells of no endpoint and no version of one that does not exist';
const EVENT_TIME = 'a provider event has a due time as long as it waits';
const EVENT_REASON = 'a provider event says why it waits once it was looked at';
const OWNER = 'every event belongs to a session, or to an endpoint that is there or was deleted';
const VERSIONS = 'events tell of every version of a session';
const SHOWN = 'the newest events of a session show it as it is';
const TELLS = 'an event says of a refund what its session says';
const EVENT = 'every event can be read';
const ENVELOPE = 'the body of every event says what its row says';
const ANSWERS = 'every stored answer can be sent again';
const inEvent = (text: string, other: string) =>
  `UPDATE event SET body = replace(body, '${text}', '${other}')`;

export const eventDamages: readonly Damage[] = [
  [OWNER, `UPDATE event SET subject = 'chk_none' WHERE ${event}`],
  [OWNER, `UPDATE event SET subject = 'whe_none' WHERE ${ofEndpoint('subject')}`],
  [ENVELOPE, `UPDATE event SET body = replace(body, '"sequence":', '"sequence":9') WHERE ${event}`],
  [ENVELOPE, `UPDATE event SET type = 'checkout.gone' WHERE ${event}`],
  [LOG_OF_ENDPOINTS, `UPDATE audit SET version = 99 WHERE action = 'rotate_secret'`],
  [LOG_OF_ENDPOINTS, `DELETE FROM audit WHERE action = 'delete_endpoint'`],
  ['every endpoint can be read', `UPDATE webhook_endpoint SET data = '{' WHERE ${one('webhook_endpoint')}`],
  ['every endpoint can be read', `UPDATE webhook_endpoint SET data = '{}' WHERE ${one('webhook_endpoint')}`],
  ...[
    ['"url":"', '"url":"/'],
    ['"events":[', '"events":[],"before":['],
    ['"events":[', '"events":"*","before":['],
    ['"secret":"', '"secret":1,"before":"'],
    ['"disabled":', '"disabled":"other","before":'],
    ['"previousSecret":', '"previousSecret":{},"before":'],
    ['"createdAt":1', '"createdAt":0.1'],
    ['"updatedAt":1', '"updatedAt":0.1'],
  ].map(
    ([text, other]): Damage => [
      'every endpoint can be read',
      `UPDATE webhook_endpoint SET data = replace(data, '${text}', '${other}')`,
    ],
  ),
  [
    'an endpoint has the events that it counts, numbered without a gap',
    'UPDATE webhook_endpoint SET event_count = event_count + 1',
  ],
  [
    'an endpoint has the events that it counts, numbered without a gap',
    `DELETE FROM event WHERE ${ofEndpoint('subject')}; DELETE FROM feed_start`,
  ],
  [
    'a version of an endpoint tells of one event at most',
    'UPDATE webhook_endpoint SET version = event_count',
  ],
  [
    'every version of an endpoint has its line in the log of changes',
    `DELETE FROM audit WHERE action = 'disable_endpoint'`,
  ],
  [EVENTS, `UPDATE checkout SET event_count = event_count + 1 WHERE ${paid}`],
  [EVENTS, `UPDATE event SET sequence = 99 WHERE ${event}`],
  [EVENTS, 'DELETE FROM event WHERE sequence = 2'],
  [EVENTS, `DELETE FROM event WHERE ${event}; DELETE FROM feed_start`],
  [VERSIONS, `UPDATE checkout SET version = version + 1 WHERE ${paid}`],
  [
    VERSIONS,
    `UPDATE event SET body = replace(body, ',"version":1,"seq', ',"version":9,"seq') WHERE ${event}`,
  ],
  [
    VERSIONS,
    `UPDATE checkout SET version = 2 WHERE event_count = 1;
     UPDATE event SET body = replace(body, ',"version":1,"seq', ',"version":2,"seq')
     WHERE subject IN (SELECT id FROM checkout WHERE event_count = 1)`,
  ],
  [EVENT_TIME, `UPDATE provider_event SET due_at = NULL WHERE state = 'waiting'`],
  [EVENT_TIME, `UPDATE provider_event SET due_at = 1 WHERE state = 'done'`],
  [EVENT_TIME, `UPDATE provider_event SET tries = -1 WHERE state = 'done'`],
  [EVENT_REASON, `UPDATE provider_event SET reason = 'no_answer' WHERE state = 'done'`],
  [EVENT_REASON, `UPDATE provider_event SET reason = 'no_answer' WHERE state = 'waiting'`],
  [EVENT_REASON, `UPDATE provider_event SET tries = 1 WHERE state = 'waiting'`],
  [EVENT_REASON, `UPDATE provider_event SET state = 'open', due_at = NULL WHERE state = 'waiting'`],
  [
    'no provider event is there twice',
    `DROP INDEX provider_event_reference; UPDATE provider_event SET reference = 'evt-1'`,
  ],
  [CAUSED, `UPDATE event SET cause = 'pev_none' WHERE ${event}`],
  [
    CAUSED,
    `UPDATE event SET cause = coalesce((SELECT min(id) FROM bank_entry
      WHERE bank_entry.account <> event.account OR bank_entry.live <> event.live), 'ntc_none')`,
  ],
  // Fields that only the newest events of a session show, too.
  [SHOWN, inSession('"successUrl":"', '"successUrl":"https://elsewhere.example/')],
  [SHOWN, inSession('"cancelUrl":"', '"cancelUrl":"https://elsewhere.example/')],
  [SHOWN, inSession('"token":"1t', '"token":"2t')],
  [SHOWN, inSession('"nested":{"no":"index"}', '"nested":{"no":"more"}')],
  [SHOWN, inSession('"country":"GB"', '"country":"FR"')],
  [SHOWN, inSession('"createdAt":1', '"createdAt":2')],
  [SHOWN, inSession('"methods":[', '"methods":["wire",')],
  [SHOWN, inSession('"expiresAt":1', '"expiresAt":2')],
  [SHOWN, inSession('"reference":"dispute-1"', '"reference":"dispute-2"')],
  [SHOWN, inEvent('"reference_id":"order-1"', '"reference_id":"order-2"')],
  [SHOWN, inEvent('"amount":100,"charge_currency"', '"amount":101,"charge_currency"')],
  [SHOWN, inEvent('"status":"failed","status_description"', '"status":"succeeded","status_description"')],
  [TELLS, inSession('"amount":300,', '"amount":299,')],
  [TELLS, inSession('"reason":"Returned goods."', '"reason":"None."')],
  [TELLS, inEvent('"object":"refund"', '"object":"refunds"')],
  [TELLS, inEvent('"id":"rfd_', '"id":"rfd_0')],
  [EVENT, `UPDATE event SET body = 'x' WHERE ${event}`],
  [EVENT, `UPDATE event SET body = '[]' WHERE ${event}`],
  [EVENT, `UPDATE event SET body = substr(body, 1, length(body) - 1) WHERE ${event}`],
  [ENVELOPE, `UPDATE event SET created_at = created_at + 1 WHERE ${event}`],
  [ENVELOPE, `UPDATE event SET body = replace(body, '"data":{"id":"', '"data":{"id":"x') WHERE ${event}`],
  [ENVELOPE, `UPDATE event SET body = replace(body, '"payin":"', '"payin":"x') WHERE type LIKE 'refund.%'`],
  [ANSWERS, `UPDATE idempotency SET body = substr(body, 2)`],
  [ANSWERS, `UPDATE idempotency SET event = NULL WHERE event IS NOT NULL`],
  [ANSWERS, `UPDATE idempotency SET headers = '{'`],
  [ANSWERS, `UPDATE idempotency SET status_code = 0`],
  [ANSWERS, `UPDATE idempotency SET request_hash = ''`],
];
