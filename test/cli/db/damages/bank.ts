/** Damages of bank entries and of the files of banks. */
import { BEYOND, copied, type Damage, EXACT, inSession, one } from './parts.ts';

const FILED = 'a payment file has the refunds that went out in it, and no others';
const BANK_FILE =
  'a file that was made for a bank is what it was, and of one that was read only the hash is kept';
const BOOKED = 'every transfer that is booked has its bank entry';
const SETTLED = 'the bank entries that a refund names are there, and concern it';
const LEDGER = 'a bank entry has booked what the ledger says';
const ENTRY_TIME = 'a bank entry has a due time as long as it waits to be matched';

export const bankDamages: readonly Damage[] = [
  [SETTLED, `DELETE FROM bank_entry WHERE data LIKE '%"concerns":"rfd#_%' ESCAPE '#'`],
  [SETTLED, `UPDATE bank_entry SET data = replace(data, '"concerns":"rfd_', '"concerns":"rfd_0')`],
  [
    SETTLED,
    `UPDATE bank_entry SET data = replace(data, (SELECT min(id) FROM refund WHERE rail = 'bank' AND state = 'succeeded'),
       (SELECT min(id) FROM refund WHERE rail = 'bank' AND state = 'pending'))`,
  ],
  [SETTLED, inSession('"bankEntries":["ntc_', '"bankEntries":["ntc_0')],
  [
    SETTLED,
    `UPDATE checkout SET data = replace(data, '"bankEntries":["', '"bankEntries":["' ||
      (SELECT id FROM bank_entry WHERE reference = 'line-3') || '","')`,
  ],
  [ENTRY_TIME, `UPDATE bank_entry SET due_at = NULL`],
  [ENTRY_TIME, `UPDATE bank_entry SET due_at = 1 WHERE state = 'done'`],
  [ENTRY_TIME, `UPDATE bank_entry SET due_at = 1 WHERE data LIKE '%pending%'`],
  [ENTRY_TIME, `UPDATE bank_entry SET state = 'open' WHERE due_at IS NOT NULL`],
  [ENTRY_TIME, `UPDATE bank_entry SET tries = -1 WHERE state = 'open'`],
  [
    'no bank entry is there twice',
    `DROP INDEX bank_entry_reference; UPDATE bank_entry SET reference = 'line-2' WHERE state = 'open'`,
  ],
  ['every bank entry can be read', `UPDATE bank_entry SET data = '{' WHERE state = 'open'`],
  ['every bank entry can be read', `UPDATE bank_entry SET data = '[]' WHERE state = 'open'`],
  ['every bank entry can be read', `UPDATE bank_entry SET data = '{}' WHERE state = 'open'`],
  [BOOKED, `DELETE FROM bank_entry WHERE reference = 'of RF1'`],
  [BOOKED, `UPDATE payment SET reference = 'TX-1' WHERE rail = 'bank'`],
  [BOOKED, `UPDATE payment SET reference = replace(reference, '.', '-') WHERE rail = 'bank'`],
  [LEDGER, `UPDATE payment SET reference = replace(reference, '.1', '.2') WHERE rail = 'bank'`],
  [LEDGER, `UPDATE payment SET amount = amount + 1 WHERE rail = 'bank'`],
  [LEDGER, `DELETE FROM payment WHERE rail = 'bank'`],
  [LEDGER, `UPDATE bank_entry SET data = replace(data, '"checkout":"', '"checkout":"x')`],
  [
    'no more of a transfer is booked or goes back than it has brought',
    `UPDATE bank_entry SET data = replace(data, '"amount":5000', '"amount":2499')`,
  ],
  [
    'no more of a transfer is booked or goes back than it has brought',
    `UPDATE bank_entry SET data = replace(data, '"sentBack":{"amount":2500', '"sentBack":{"amount":2501')`,
  ],
  [
    'no file of a bank is there twice',
    `DROP INDEX bank_file_hash;
     ${copied('bank_file', `kind = 'payments'`)}`,
  ],
  ['every file of a bank can be read', `UPDATE bank_file SET data = '1' WHERE ${one('bank_file')}`],
  [BANK_FILE, `UPDATE bank_file SET content = content || ' '`],
  [FILED, `UPDATE refund SET payment_file = NULL`],
  ['every refund that went out has its payment file', `DELETE FROM bank_file WHERE kind = 'payments'`],
  ['every refund that went out has its payment file', `UPDATE refund SET payment_file = 'bfl_none'`],
  [BANK_FILE, `UPDATE bank_file SET content = '' WHERE kind = 'payments'`],
  [BANK_FILE, `UPDATE bank_file SET hash = '' WHERE kind = 'statement'`],
  [EXACT, `UPDATE bank_entry SET received_at = ${BEYOND} WHERE state = 'open'`],
];
