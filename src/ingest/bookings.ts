/**
 * Groups the entries of a file into bookings. Some banks report the single transactions of a booking in a notification
 * (camt.054) and the booking as one sum in the statement (camt.053), or the other way round, under the same booking
 * reference. So the sum of a split booking is rebuilt, in order to recognize the booking in either file.
 *
 * Entries without a usable booking reference stand by themselves.
 */
import {
  type StatementEntry,
  StatementError,
  type StatementHeader,
  type StatementPart,
} from '../statements/entry.ts';
import { isUsable, signed } from '../statements/values.ts';

export type Booking = {
  readonly header: StatementHeader;
  /** The entry, or all parts of a split booking. */
  readonly entries: readonly StatementEntry[];
  /** The sum of a split booking, as a statement would report it; null if the booking is not split. */
  readonly sum: StatementEntry | null;
};

/** Yields the bookings of a file in order, and calls `onStatement` at the beginning of each statement. */
export async function* bookingsOf(
  parts: AsyncIterable<StatementPart>,
  onStatement: (header: StatementHeader) => void,
): AsyncGenerator<Booking> {
  let header: StatementHeader | null = null;
  let together: StatementEntry[] = [];
  for await (const part of parts) {
    if (part.kind === 'fault') throw new StatementError(part.fault.detail, part.fault);
    const next = part.kind === 'entry' ? part.entry : null;
    const [first] = together;
    if (header && first && !(next && belongTogether(first, next))) {
      yield booking(header, first, together);
      together = [];
    }
    header = part.header;
    if (next === null) onStatement(header);
    else if (isUsable(next.batchReference)) together.push(next);
    else yield { header, entries: [next], sum: null };
  }
  const [first] = together;
  if (header && first) yield booking(header, first, together);
}

/** Parts of one booking share its reference and the line on which it begins. */
function belongTogether(one: StatementEntry, other: StatementEntry): boolean {
  return one.batchReference === other.batchReference && one.line === other.line;
}

function booking(
  header: StatementHeader,
  first: StatementEntry,
  entries: readonly StatementEntry[],
): Booking {
  // The sum stays exact: the reader has checked the parts against the amount of the booking.
  const total = entries.reduce((sum, { amount, direction }) => sum + signed(amount, direction), 0);
  const sum: StatementEntry = {
    ...first,
    direction: total < 0 ? 'debit' : 'credit',
    amount: Math.abs(total),
    bankReference: first.batchReference,
    batchReference: '',
    endToEndId: '',
    instructionId: '',
    creditorReference: '',
    remittance: '',
    counterparty: { name: '', account: '', bic: '' },
    returned: null,
  };
  return { header, entries, sum };
}
