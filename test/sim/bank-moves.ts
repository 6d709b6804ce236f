/**
 * Money that one commit moves because of bank entries, on both of its sides: entries and sessions say the
 * same, or neither says anything.
 */
import type { BankEntry } from '../../src/banking/entry.ts';
import type { Checkout, Reversal } from '../../src/checkout/session.ts';
import { BANK } from '../../src/methods/bank/receiving-account.ts';

type Changed = { readonly before: Checkout | null; readonly after: Checkout };
type Part = BankEntry['parts'][number];

export type Moves = {
  readonly faults: readonly string[];
  readonly parts: readonly Part[];
  readonly refunds: ReadonlyArray<{ readonly id: string; readonly status: string }>;
  readonly reversals: readonly Reversal[];
};

export function movesOf(
  written: readonly BankEntry[],
  changed: readonly Changed[],
  known: (id: string) => BankEntry | undefined,
): Moves {
  const faults: string[] = [];
  const parts = written.flatMap((entry) => entry.parts.slice(known(entry.id)?.parts.length ?? 0));
  for (const entry of written) faults.push(...flawsOf(entry, known(entry.id)));

  const lines = changed.flatMap(({ before, after }) =>
    after.payments
      .slice(before?.payments.length ?? 0)
      .filter(({ rail }) => rail === BANK)
      .map(({ reference: payment, attempt, amount }) => ({ checkout: after.id, attempt, amount, payment })),
  );
  const told = (all: readonly Part[]) => JSON.stringify(all.map(pairOf).sort());
  if (told(parts) !== told(lines)) faults.push(`entries book ${told(parts)}, and sessions ${told(lines)}`);

  const refunds = changed.flatMap(({ before, after }) =>
    after.refunds.filter(
      ({ id, rail, status }) =>
        rail === BANK && (before?.refunds.find((each) => each.id === id)?.status ?? 'pending') !== status,
    ),
  );
  for (const { id, status, amount, bankEntries } of refunds) {
    const direction = status === 'succeeded' ? 'debit' : 'credit';
    const isTold = written.some(
      (entry) =>
        entry.concerns === id &&
        entry.amount === amount &&
        entry.direction === direction &&
        bankEntries?.at(-1) === entry.id,
    );
    if (!isTold) faults.push(`the refund ${id} is ${status}, and the bank has not said so`);
  }

  const reversals = changed.flatMap(({ before, after }) =>
    after.reversals.filter(
      ({ rail, reference }) =>
        rail === BANK && !before?.reversals.some((each) => each.reference === reference),
    ),
  );
  for (const { reference, amount } of reversals) {
    const entry = written.find(({ id }) => id === reference);
    if (entry?.direction !== 'debit' || entry.amount !== amount)
      faults.push(`${reference} takes back what the bank has not`);
  }
  for (const [index, { sentBack, id }] of written.entries()) {
    const was = known(id)?.sentBack?.state;
    if (sentBack?.state !== 'succeeded' || was === 'succeeded') continue;
    const others = written.filter((_each, other) => other !== index);
    if (!others.some(({ concerns, amount }) => concerns === id && amount === sentBack.amount))
      faults.push(`${id} has gone back, and the bank has not said so`);
  }
  return { faults, parts, refunds, reversals };
}

const pairOf = ({ checkout, attempt, amount, payment }: Part) => [checkout, attempt, amount, payment];

/** Flaws of an entry, or of its change. */
function flawsOf(entry: BankEntry, before: BankEntry | undefined): string[] {
  const { id, amount, parts, sentBack } = entry;
  const said = ({ direction, amount, bookedOn, bankReference, remittance, reference }: BankEntry) =>
    JSON.stringify([direction, amount, bookedOn, bankReference, remittance, reference]);
  const booked = parts.reduce((total, part) => total + part.amount, 0);
  const gone = sentBack === null || sentBack.state === 'failed' ? 0 : sentBack.amount;
  const kept = parts.slice(0, before?.parts.length ?? 0);
  return [
    ...(before && said(before) !== said(entry) ? [`${id} says something else than the bank has said`] : []),
    ...(JSON.stringify(kept) === JSON.stringify(before?.parts ?? [])
      ? []
      : [`what ${id} has booked changes`]),
    ...(booked + gone > amount ? [`${id} books more than came`] : []),
  ];
}
