/**
 * Identity of an entry: recognizes the same entry in the same file, in a statement of an overlapping period, or in a
 * notification (camt.054) whose entries the statement (camt.053) repeats. Pure.
 *
 * The bank's own reference decides if there is one, together with account, direction, amount and end-to-end id, none of
 * which differs between messages of a bank. Banks are not as careful with the texts: a notification may have more of
 * them than the statement. The amount and the end-to-end id are part of it because some banks give one reference to all
 * transactions of a booking. A short reference may be a number that begins anew each day, so there the day counts too.
 *
 * Without a reference, the whole content counts. Two payments may then be equal in everything, such as two coffees on
 * one day, so equal entries of a day are numbered in file order: the second is another one, and both are recognized in
 * the same file. Only a file with just the second of them would take it for the first. That is the price: such an entry
 * is missed, rather than a payment counted twice each time statements overlap.
 *
 * Equal entries with a reference are numbered within their statement, since a bank that reports an entry in two
 * statements of one file gives both the same reference. Entries without one are numbered through the whole file, since
 * two notifications of one file that look the same are two payments.
 */
import { createHash } from 'node:crypto';
import type { StatementEntry, StatementHeader } from './entry.ts';
import { isUsable } from './values.ts';

/** Minimum length of a reference that is unique by itself; shorter ones may be counted anew each day. */
const LASTING_LENGTH = 10;

function hashOf(values: readonly (string | number | boolean)[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex');
}

/** Content of an entry, independent of its place in the file. */
type Said = Omit<StatementEntry, 'number' | 'line'>;

/** Key of the entry before equal ones are numbered. */
function likeness(
  header: Pick<StatementHeader, 'account'>,
  entry: Said,
): readonly (string | number | boolean)[] {
  const { bankReference, direction, amount, currency, bookedOn, endToEndId } = entry;
  const common = [header.account, currency, direction, amount];
  if (isUsable(bankReference)) {
    const day = bankReference.length < LASTING_LENGTH ? bookedOn : '';
    return ['reference', ...common, bankReference, day, endToEndId];
  }
  const { batchReference, instructionId, creditorReference, remittance, isReversal, counterparty } = entry;
  return [
    ...[
      'content',
      ...common,
      bookedOn,
      isReversal,
      batchReference,
      endToEndId,
      instructionId,
      creditorReference,
    ],
    ...[remittance, counterparty.name, counterparty.account],
  ];
}

/** True if only their numbers tell two entries of one account apart. */
export function isAlike(one: Said, other: Said): boolean {
  const header = { account: '' };
  return hashOf(likeness(header, one)) === hashOf(likeness(header, other));
}

/** Identity of an entry, 64 hexadecimal digits. `occurrence` is its number among equal entries, from 1. */
export function entryKey(header: StatementHeader, entry: StatementEntry, occurrence: number): string {
  return hashOf([...likeness(header, entry), occurrence]);
}

/** Numbers the entries of one file, which must come in file order: 1 for the first of equal entries. */
export function occurrenceCounter(): (header: StatementHeader, entry: StatementEntry) => number {
  // Eight bytes of hash would do for a million entries; the text of a short hash is simple and enough.
  const inFile = new Map<string, number>();
  let inStatement = new Map<string, number>();
  let statement: StatementHeader | null = null;
  return (header, entry) => {
    if (header !== statement) {
      statement = header;
      inStatement = new Map();
    }
    const counts = isUsable(entry.bankReference) ? inStatement : inFile;
    const hash = hashOf(likeness(header, entry)).slice(0, 32);
    const occurrence = (counts.get(hash) ?? 0) + 1;
    counts.set(hash, occurrence);
    return occurrence;
  };
}
