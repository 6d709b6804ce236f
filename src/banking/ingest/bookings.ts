/**
 * The bookings of a file. Some banks tell of the transactions of one booking in a notification (camt.054), and of the
 * booking in one sum in the statement (camt.053), or the other way round; the reference of the booking is the same. So
 * where a booking was taken apart, its sum is made up again, to be recognized in whatever file it is met.
 *
 * Without a reference that tells bookings apart nothing can be recognized: then every entry is by itself.
 */
import type { StatementEntry, StatementHeader, StatementPart } from '../../statements/entry.ts';
import { isUsable } from '../../statements/identity.ts';
import { signed } from '../../statements/values.ts';

export type Booking = {
  readonly header: StatementHeader;
  /** One, or the parts of a booking that was taken apart. */
  readonly entries: readonly StatementEntry[];
  /** The booking in one sum as a statement has it, where it was taken apart. */
  readonly sum: StatementEntry | null;
};

/** What the file is made of, in its order; `onStatement` is called at the beginning of each statement. */
export async function* bookingsOf(
  parts: AsyncIterable<StatementPart>,
  onStatement: (header: StatementHeader) => void,
): AsyncGenerator<Booking> {
  let header: StatementHeader | null = null;
  let together: StatementEntry[] = [];
  for await (const part of parts) {
    const next = part.kind === 'entry' ? part.entry : null;
    const [first] = together;
    if (header && first && !(next && belongTogether(first, next))) {
      yield booking(header, together);
      together = [];
    }
    header = part.header;
    if (next === null) onStatement(header);
    else if (isUsable(next.batchReference)) together.push(next);
    else yield { header, entries: [next], sum: null };
  }
  if (header && together.length > 0) yield booking(header, together);
}

/** The parts of a booking begin where it begins. */
function belongTogether(one: StatementEntry, other: StatementEntry): boolean {
  return one.batchReference === other.batchReference && one.line === other.line;
}

function booking(header: StatementHeader, entries: readonly StatementEntry[]): Booking {
  const [first] = entries;
  if (!first) return { header, entries, sum: null };
  // Within what is exact: the reader has held the parts against the amount of the booking.
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
