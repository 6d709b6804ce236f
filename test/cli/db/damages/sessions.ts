/** Damages of sessions and of what is found of them: payments, attempts, refunds, movements of money. */
import { BEYOND, COLUMNS, type Damage, EXACT, inSession, one, paid, REFUNDS, SUM } from './parts.ts';

const BACK = 'no more goes back than was paid';
const EXPECTED = 'the transfers that are waited for are those of the session';
const FEES = 'the fees of a session are of its payments, at most one of each';
const OF_ATTEMPT = 'refunds and reversals belong to attempts of their session';
const MOVEMENTS = 'the movements of money that are found are those of the session';
const AMOUNTS = 'the amounts of a session are whole numbers that can be counted with exactly';

export const sessionDamages: readonly Damage[] = [
  ['every payment belongs to a session', `UPDATE payment SET checkout = 'chk_none' WHERE reference = 'more'`],
  [
    'every attempt belongs to a session',
    `UPDATE payment_attempt SET checkout = 'chk_none' WHERE reference = 'more'`,
  ],
  [
    'every entry of metadata to filter by belongs to a session',
    `UPDATE checkout_metadata SET checkout = 'chk_none' WHERE name = 'gift'`,
  ],
  [
    'the log of changes tells of no session and no version that does not exist',
    `UPDATE audit SET version = 99 WHERE version = 2`,
  ],
  [
    'the log of changes tells of no session and no version that does not exist',
    `UPDATE audit SET subject = 'chk_none' WHERE version = 2`,
  ],
  ['every session can be read', `UPDATE checkout SET data = '{' WHERE ${paid}`],
  ['every session can be read', `UPDATE checkout SET data = '{}' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET reference_id = 'other' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET status = 'expired' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET payment_status = 'unpaid' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET invoice_currency = 'USD' WHERE ${paid}`],
  [COLUMNS, `UPDATE checkout SET email = NULL WHERE ${one('checkout', 'email IS NOT NULL')}`],
  [
    'what is paid is the sum of the ledger',
    `UPDATE checkout SET amount_paid = amount_paid - 1 WHERE ${paid}`,
  ],
  [
    'what is paid is the sum of the ledger',
    `UPDATE payment SET amount = amount + 1 WHERE reference = 'more'`,
  ],
  ['what is paid is the sum of the ledger', `DELETE FROM payment WHERE reference = 'more'`],
  [
    'a session is completed as soon as it is paid, and only then',
    `UPDATE checkout SET data = replace(data, '"state":"completed"', '"state":"active"') WHERE ${paid}`,
  ],
  [
    'a session is completed as soon as it is paid, and only then',
    `UPDATE checkout SET data = replace(data, '"state":"active"', '"state":"completed"')`,
  ],
  [
    'payments have the currency of their session and belong to its attempts',
    `UPDATE payment SET currency = 'USD' WHERE reference = 'more'`,
  ],
  [
    'payments have the currency of their session and belong to its attempts',
    `UPDATE payment SET attempt = 'pat_none' WHERE reference = 'more'`,
  ],
  [
    'the attempts that are found are those of the session',
    `UPDATE payment_attempt SET reference = 'other' WHERE reference = 'more'`,
  ],
  [
    'the attempts that are found are those of the session',
    `DELETE FROM payment_attempt WHERE reference = 'more'`,
  ],
  [
    'the metadata to filter by is that of the session',
    `UPDATE checkout_metadata SET value = 'x' WHERE name = 'gift'`,
  ],
  ['the metadata to filter by is that of the session', `DELETE FROM checkout_metadata WHERE name = 'gift'`],
  ['every version of a session has its line in the log of changes', 'DELETE FROM audit WHERE version = 3'],
  ['every refund belongs to a session', `UPDATE refund SET checkout = 'chk_none' WHERE state = 'pending'`],
  [REFUNDS, `UPDATE refund SET state = 'succeeded' WHERE state = 'pending'`],
  [REFUNDS, `UPDATE refund SET rail = 'sandbox' WHERE rail = 'bank'`],
  [REFUNDS, `DELETE FROM refund WHERE state = 'failed'`],
  [
    REFUNDS,
    `INSERT INTO refund SELECT account, live, 'rfd_none', checkout, rail, state, NULL FROM refund WHERE ${one('refund')}`,
  ],
  [
    'every movement of money belongs to a session',
    `UPDATE movement SET checkout = 'chk_none' WHERE type = 'refund'`,
  ],
  [MOVEMENTS, 'UPDATE movement SET amount = amount + 1'],
  [MOVEMENTS, `UPDATE movement SET currency = 'USD' WHERE type = 'payment'`],
  [MOVEMENTS, 'UPDATE movement SET late = NOT late'],
  [MOVEMENTS, 'UPDATE movement SET created_at = created_at + 1'],
  [MOVEMENTS, 'UPDATE movement SET time_to_pay_ms = time_to_pay_ms + 1'],
  [MOVEMENTS, 'UPDATE movement SET time_to_pay_ms = NULL'],
  [MOVEMENTS, `UPDATE movement SET time_to_pay_ms = 0 WHERE type = 'refund'`],
  [MOVEMENTS, 'UPDATE movement SET fee = fee + 1'],
  [MOVEMENTS, `UPDATE movement SET fee_currency = 'EUR' WHERE fee = 59`],
  [MOVEMENTS, 'UPDATE movement SET fee = NULL, fee_currency = NULL'],
  [MOVEMENTS, `UPDATE movement SET fee = 0, fee_currency = 'EUR' WHERE type = 'refund'`],
  [MOVEMENTS, `DELETE FROM movement WHERE ${one('movement')}`],
  ['every transfer that is waited for belongs to a session', `UPDATE awaited SET checkout = 'chk_none'`],
  [EXPECTED, 'UPDATE awaited SET amount = amount + 1'],
  [EXPECTED, `UPDATE awaited SET currency = 'USD'`],
  [EXPECTED, 'DELETE FROM awaited'],
  [
    EXPECTED,
    `INSERT INTO awaited SELECT account, live, 'EUR', 1, id, checkout FROM payment_attempt WHERE reference = 'RF1'`,
  ],
  [BACK, `UPDATE checkout SET data = replace(data, '"amount":300,', '"amount":3000,')`],
  [FEES, `UPDATE checkout SET data = replace(data, '"returned","amount":59,', '"other","amount":59,')`],
  [
    FEES,
    `UPDATE checkout SET data = replace(data, '"fees":[', '"fees":[{"rail":"sandbox","reference":"returned","amount":59,"currency":"USD"},')`,
  ],
  [AMOUNTS, `UPDATE checkout SET data = replace(data, '"amount":59,', '"amount":-59,')`],
  [
    OF_ATTEMPT,
    `UPDATE checkout SET data = replace(data, '"rail":"bank","reference":""', '"rail":"sandbox","reference":""')`,
  ],
  [
    OF_ATTEMPT,
    `UPDATE checkout SET data = replace(data, '"reference":"dispute-1","attempt":"', '"reference":"dispute-1","attempt":"x')`,
  ],
  [EXACT, `UPDATE payment SET amount = ${BEYOND} WHERE reference = 'more'`],
  [AMOUNTS, inSession('"unitPrice":1250', `"unitPrice":${BEYOND}`)],
  [AMOUNTS, inSession('"amount":300,', '"amount":-300,')],
  [AMOUNTS, inSession('"amount":1000,', '"amount":0.5,')],
  [AMOUNTS, inSession('"amount":2500,', '"amount":"2500",')],
  // Each of them can be counted with exactly, their sum cannot.
  [
    SUM,
    `UPDATE payment SET amount = 9007199254740991 WHERE checkout = (SELECT checkout FROM payment WHERE reference = 'more');
     UPDATE checkout SET amount_paid = 9007199254740991 * 2
     WHERE id = (SELECT checkout FROM payment WHERE reference = 'more')`,
  ],
];
