/** Damages of deliveries, their attempts, and their receivers. */
import { BEYOND, type Damage, EXACT, one } from './parts.ts';

const ADDRESS = 'what goes to an address for a session goes to one that it or a refund names';
const ATTEMPTS = 'the attempts that a delivery counts are in its log, and no others';
const DESTINATION =
  'every delivery goes to the address of a session, or to an endpoint that is there or was deleted';
const FAILS = 'a receiver is noted because it fails';
const ORDERING_KEYS = 'of each ordering key the first delivery that is pending is due, and no other';
const OF_EVENT = 'every delivery is of an event, and has its subject, its number and its time';
const SAYS = 'every event of the last day has a delivery to where its session says';
const LEFT = 'a delivery is where its last attempt has left it';
const TRIED = 'what has arrived was tried, and nothing was sent again after more attempts than it has had';
const named = one('delivery', 'url IS NOT NULL');
const arrived = one('delivery', `state = 'delivered'`);

export const deliveryDamages: readonly Damage[] = [
  [FAILS, 'UPDATE webhook_receiver SET failures = 0'],
  [FAILS, 'UPDATE webhook_receiver SET probes = 1, probe_at = NULL'],
  [FAILS, `UPDATE webhook_receiver SET id = 'shop'`],
  [OF_EVENT, `UPDATE delivery SET event = 'evt_none' WHERE ${one('delivery')}`],
  [OF_EVENT, `UPDATE delivery SET subject = 'chk_none' WHERE ${one('delivery')}`],
  [OF_EVENT, `UPDATE delivery SET sequence = sequence + 1 WHERE ${one('delivery')}`],
  [OF_EVENT, `UPDATE delivery SET created_at = created_at + 1 WHERE ${one('delivery')}`],
  [DESTINATION, `UPDATE delivery SET url = NULL WHERE ${named}`],
  [DESTINATION, `UPDATE delivery SET receiver = 'whe_none' WHERE ${named}`],
  [DESTINATION, `DELETE FROM audit WHERE action = 'delete_endpoint'`],
  [DESTINATION, `UPDATE delivery SET receiver = subject WHERE url IS NULL`],
  [
    'no event goes to a receiver twice',
    `UPDATE delivery SET event = (SELECT max(event) FROM delivery AS other WHERE other.receiver = delivery.receiver)
     WHERE ${one('delivery')}`,
  ],
  [ORDERING_KEYS, `UPDATE delivery SET due_at = NULL WHERE due_at IS NOT NULL`],
  [ORDERING_KEYS, `UPDATE delivery SET due_at = 1 WHERE state = 'pending' AND due_at IS NULL`],
  [ORDERING_KEYS, `UPDATE delivery SET due_at = 1 WHERE ${arrived}`],
  [TRIED, `UPDATE delivery SET attempts = 0 WHERE ${arrived}`],
  [TRIED, `UPDATE delivery SET round_start = attempts + 1 WHERE ${arrived}`],
  [LEFT, `UPDATE delivery SET state = 'failed' WHERE ${arrived}`],
  [LEFT, `UPDATE delivery SET state = 'failed' WHERE state = 'pending' AND attempts = 0`],
  [LEFT, `UPDATE delivery SET state = 'delivered' WHERE state = 'failed'`],
  [LEFT, `UPDATE delivery SET last_status = 500 WHERE ${arrived}`],
  [LEFT, `UPDATE delivery SET last_error = 'timeout' WHERE ${arrived}`],
  [LEFT, `UPDATE delivery SET tried_at = tried_at + 1 WHERE ${arrived}`],
  [ATTEMPTS, `UPDATE delivery SET attempts = attempts + 1 WHERE ${arrived}`],
  [ATTEMPTS, `DELETE FROM delivery_attempt WHERE ${one('delivery_attempt', '1 = 1', 'delivery')}`],
  [
    ATTEMPTS,
    `UPDATE delivery_attempt SET number = number + 10 WHERE ${one('delivery_attempt', '1 = 1', 'delivery')}`,
  ],
  [
    ATTEMPTS,
    `UPDATE delivery SET attempts = attempts + 1 WHERE id = (SELECT max(delivery) FROM delivery_attempt);
     UPDATE delivery_attempt SET number = -number - 1 WHERE delivery = (SELECT max(delivery) FROM delivery_attempt);
     UPDATE delivery_attempt SET number = -number WHERE number < 0`,
  ],
  [
    'every attempt in the log is of a delivery',
    `UPDATE delivery_attempt SET delivery = 'whd_none' WHERE ${one('delivery_attempt', '1 = 1', 'delivery')}`,
  ],
  [ADDRESS, `UPDATE delivery SET url = 'http://127.0.0.1:1/' WHERE ${named}`],
  [ADDRESS, `UPDATE delivery SET receiver = 'http://127.0.0.1:1' WHERE ${named}`],
  [ADDRESS, `UPDATE checkout SET data = replace(data, '/refunds"', '/other"')`],
  [SAYS, `DELETE FROM delivery WHERE ${named}`],
  [SAYS, `DELETE FROM delivery WHERE ${one('delivery', `url LIKE '%/refunds'`)}`],
  [
    'no event goes to two addresses of its session',
    `UPDATE delivery SET url = 'https://shop.example/' WHERE url IS NULL`,
  ],
  [EXACT, `UPDATE delivery SET tried_at = -${BEYOND} WHERE ${arrived}`],
];
