/** Evidence of what a session's history tells: what a rail has said of money, by the rail's own ids. */
import type { Checkout } from './session.ts';
import type { TenantTime } from './tenant.ts';

/** A payment, refund or reversal as its rail knows it. */
export type Evidence = {
  readonly rail: string;
  readonly reference: string;
  /** References by which the provider may name it in what it sends by itself: those of its attempt and payments too. */
  readonly names: readonly string[];
  /** Set for an attempt without money, of which only the rail can tell. */
  readonly isOfAttempt?: true;
};

/** An event of the history: its type, its time, and the id or the reference of what it is about. */
export type Told = {
  readonly type: string;
  readonly createdAt: TenantTime;
  readonly id?: string;
  readonly reference?: string;
};

/** Evidence that there may be of an event. A payment is booked by the change that tells of it, at the time of that. */
export function evidenceOf(
  { attempts, payments, refunds, reversals }: Checkout,
  { type, createdAt, id, reference: named }: Told,
): Evidence[] {
  const [about, what] = type.split('.');
  if (what === 'created') return [];
  const found = (rail: string, reference: string, attempt: string): Evidence => {
    const ofAttempt = attempts.filter((each) => each.id === attempt);
    const booked = payments.filter((each) => each.attempt === attempt);
    const names = [reference, ...[...ofAttempt, ...booked].map((each) => each.reference)].filter(Boolean);
    return { rail, reference, names };
  };
  const booked = payments
    .filter((each) => each.bookedAt === createdAt && (about !== 'payment_attempt' || each.attempt === id))
    .map(({ rail, reference, attempt }) => found(rail, reference, attempt));
  switch (about) {
    case 'refund':
      return refunds
        .filter((each) => each.id === id && each.status === what)
        .filter(({ reference, bankEntries }) => reference !== '' || bankEntries !== undefined)
        .map(({ rail, reference, attempt }) => found(rail, reference, attempt));
    case 'reversal':
      return reversals
        .filter(({ reference }) => reference === named)
        .map(({ rail, reference, attempt }) => found(rail, reference, attempt));
    case 'payment_attempt':
      if (booked.length > 0) return booked;
      return attempts
        .filter((each) => each.id === id && each.reference !== '')
        .map(({ rail, reference, id: attempt }) => ({
          ...found(rail, reference, attempt),
          isOfAttempt: true,
        }));
    default:
      return booked;
  }
}
